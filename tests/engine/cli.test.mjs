// `tuckbox engine` and `tuckbox run stop | retry` as processes, on a file and on a real PostgreSQL server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { engine } from "../../pkg/engine.js";
import { open } from "../../pkg/index.js";
import { fileStore } from "../../pkg/stores/file.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { poolOf, startPostgres } from "../stores/server.mjs";
import { onlyDeep } from "../support/deep.mjs";
import { awaited, until } from "../support/until.mjs";
import { startNats } from "./nats_server.mjs";

const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));
// the command loads drivers from its working directory, here the packages of the tests
const cwd = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tuckbox-engine-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function started(...args) {
  const child = spawn(process.execPath, [program, ...args], { cwd });
  const output = { out: "", err: "" };
  const waiting = new Set();
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output.out += text;
    for (const look of waiting) look();
  });
  child.stderr.setEncoding("utf8").on("data", (text) => (output.err += text));
  const ended = new Promise((resolve) => child.once("close", (code) => resolve({ code, ...output })));
  /** Returns the first line that reports an event. */
  const eventOf = (event) =>
    awaited(
      `\`${event}\` is printed`,
      new Promise((resolve) => {
        const look = () => {
          const line = output.out
            .split("\n")
            .slice(0, -1)
            .find((text) => text.includes(`"event":"${event}"`));
          if (line === undefined) return;
          waiting.delete(look);
          resolve(JSON.parse(line));
        };
        waiting.add(look);
        look();
      }),
      () => output,
    );
  return { child, ended, eventOf };
}

async function done(...args) {
  const { code, out, err } = await started(...args).ended;
  assert.equal(code, 0, `tuckbox ${args.join(" ")}\n${out}${err}`);
  return out;
}

/** Creates a project with one agent that has a turn. */
async function project(store) {
  const team = engine({ open, store, projectId: "demo" });
  await team.profile({ name: "Writer", system_prompt: "You write.", llm_config: { model: "m" } });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  const turn = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  return { team, turn };
}

test("`run stop` and `run retry` end and repeat a turn; without `--commit` they change nothing", async () => {
  const file = join(folder, "project.json");
  const { team, turn } = await project(fileStore(file));
  const where = ["--store", file, "--project", "demo"];
  await done("run", "stop", "ann", ...where);
  assert.equal((await team.rows.head("ann")).status, "dispatched");
  const early = await started("run", "retry", turn.agent_turn_id, ...where, "--commit").ended;
  assert.equal(early.code, 3);
  assert.match(early.err, /has not ended/);
  await done("run", "stop", "ann", "--reason", "enough", ...where, "--commit");
  assert.equal((await team.rows.head("ann")).status, "idle");
  assert.equal((await started("run", "stop", "ann", ...where, "--commit").ended).code, 1);
  const { value } = JSON.parse(await done("run", "retry", turn.agent_turn_id, ...where, "--commit", "--json"));
  assert.equal(value.status, "accepted");
  assert.notEqual(value.agent_turn_id, turn.agent_turn_id);
  assert.equal((await team.rows.head("ann")).active_agent_turn_id, value.agent_turn_id);
  assert.equal((await started("run", "retry", "turn_none", ...where).ended).code, 1);
  const { messages } = await team.look("outbox", {});
  assert.ok(messages.length > 0);
  assert.match(await done("engine", "--once", ...where), /[1-9]\d* messages sent, 0 failed/);
  assert.equal((await team.look("outbox", {})).messages.length, 0);
  await team.close();
});

test("the quarantine is listed, and its messages are sent again", onlyDeep("starts eight processes"), async () => {
  const file = join(folder, "quarantine.json");
  const { team } = await project(fileStore(file));
  const where = ["--store", file, "--project", "demo"];
  assert.match(await done("engine", "quarantine", ...where), /the quarantine is empty/);
  const [{ message_id }] = (await team.look("outbox", {})).messages;
  await team.run("quarantine_messages", { message_ids: [message_id], error: "longer than 1 MB" });
  const listed = await done("engine", "quarantine", ...where);
  assert.ok(listed.includes(message_id) && listed.includes("longer than 1 MB"), listed);
  assert.equal(JSON.parse(await done("engine", "quarantine", ...where, "--json")).value.messages[0].message_id, message_id);
  assert.match(await done("engine", "retry", message_id, ...where), /1 messages are sent again/);
  assert.equal((await started("engine", "retry", message_id, ...where).ended).code, 1);
  for (const args of [["retry"], ["nonsense"]]) assert.equal((await started("engine", ...args, ...where).ended).code, 2);
  assert.deepEqual(await team.quarantine(), []);
  await team.close();
});

test("`tuckbox engine` runs due calls, publishes to NATS, reports its health, and stops on SIGTERM", async (t) => {
  const [server, nats] = await Promise.all([startPostgres(), startNats()]);
  const pool = poolOf(server.url);
  const store = pgStore(pool);
  await store.migrate();
  t.after(async () => {
    await pool.end();
    await Promise.all([server.stop(), nats.stop()]);
  });
  const { child, ended, eventOf } = started(
    "engine",
    "--store",
    server.url,
    "--project",
    "demo",
    "--tick",
    "60000",
    "--send",
    "50",
    "--port",
    "0",
    "--nats",
    nats.url,
  );
  const { url } = await eventOf("health_served");
  const { team } = await project(store);
  await until(
    "the outbox is empty",
    async () => (await team.look("outbox", {})).messages,
    ({ length }) => length === 0,
  );
  const health = async () => {
    const response = await fetch(url);
    return { code: response.status, ...(await response.json()) };
  };
  // the health check succeeds after the first tick, which can still be running
  assert.equal((await until("the health check succeeds", health, ({ code }) => code === 200)).status, "ok");
  assert.equal((await fetch(url.replace("health", "other"))).status, 404);
  child.kill("SIGTERM");
  const { code, out } = await ended;
  assert.equal(code, 0);
  assert.match(out, /"event":"engine_closed"/);
  await team.close();
});

test("an unusable store or an unreachable server ends the process with an exit code", async () => {
  const none = await started("engine", "--store", "postgres://me:hunter2@127.0.0.1:1/none", "--project", "demo").ended;
  assert.equal(none.code, 4);
  assert.ok(!`${none.out}${none.err}`.includes("hunter2"));
  const deaf = await started("engine", "--store", join(folder, "other.json"), "--project", "demo", "--nats", "nats://127.0.0.1:1").ended;
  assert.equal(deaf.code, 4);
  assert.match(deaf.err, /a NATS server/);
  assert.equal((await started("engine", "--store", join(folder, "other.json"), "--project", "demo", "--tick", "0").ended).code, 2);
});
