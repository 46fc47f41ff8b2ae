// Runs `examples/team` as processes: PostgreSQL, NATS, `tuckbox engine` and four workers.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { startPostgres } from "../stores/server.mjs";
import { onlyDeep } from "../support/deep.mjs";
import { until } from "../support/until.mjs";
import { startNats } from "./nats_server.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = `${root}tests/.cache/team`;
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(`${root}examples/team`)) {
  const text = readFileSync(`${root}examples/team/${name}`, "utf8");
  writeFileSync(
    `${folder}/${name}`,
    text.replace(/from "tuckbox(\/[\w/-]+)?"/g, (_, path = "/index") => `from "${pathToFileURL(`${root}pkg${path}.js`)}"`),
  );
}

test("the team example runs with PostgreSQL, NATS, an engine and four workers", onlyDeep("the kills run the same hosts"), async (t) => {
  const [server, nats] = await Promise.all([startPostgres(), startNats()]);
  const running = new Set();
  t.after(async () => {
    for (const child of running) child.kill("SIGKILL");
    await Promise.all([server.stop(), nats.stop()]);
  });
  const program = `${root}pkg/bin/tuckbox.js`;
  const env = { ...process.env, DATABASE_URL: server.url, NATS_URL: nats.url };
  const start = (...args) => {
    const child = spawn(process.execPath, args, { cwd: `${root}tests`, env });
    running.add(child);
    const output = { out: "", err: "" };
    child.stdout.on("data", (text) => (output.out += text));
    child.stderr.on("data", (text) => (output.err += text));
    const ended = new Promise((resolve) =>
      child.once("close", (code) => {
        running.delete(child);
        resolve({ code, ...output });
      }),
    );
    return { child, output, ended };
  };
  const migrated = await start(program, "migrate", "--store", server.url, "--project", "demo", "--commit").ended;
  assert.equal(migrated.code, 0, migrated.err);
  const engine = start(program, "engine", "--store", server.url, "--project", "demo", "--nats", nats.url);
  const workers = Array.from({ length: 4 }, () => start(`${folder}/worker.mjs`));
  const { code, out, err } = await start(`${folder}/ask.mjs`, "What moves a ship?").ended;
  assert.equal(code, 0, err);
  assert.equal(out, "summary: success, output: 3 answers\n");
  for (const { output } of workers)
    await until(
      "the worker has started",
      () => output,
      ({ out }) => out.includes("worker_started"),
    );
  for (const { child } of [engine, ...workers]) child.kill("SIGTERM");
  for (const { ended } of [engine, ...workers]) {
    const last = await ended;
    assert.equal(last.code, 0, last.err);
  }
  const completed = workers.flatMap(({ output }) => output.out.split("\n")).filter((line) => line.includes('"event":"turn_completed"'));
  assert.equal(completed.length, 3, "each researcher has one turn");
});
