// Kills hosts at random times while batches run, on a real PostgreSQL server and a real NATS server. Then waits until
// all work has ended and checks the invariants of the simulator.
//
//   node tests/engine/chaos/run.mjs [--kills 300] [--workers 3]
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { engine } from "../../../pkg/engine.js";
import { open } from "../../../pkg/index.js";
import { pgStore } from "../../../pkg/stores/pg.js";
import { poolOf, startServer } from "../../stores/server.mjs";
import { until } from "../../support/until.mjs";
import { startNats } from "../nats_server.mjs";
import { invariants } from "./invariants.mjs";
import { settings } from "./settings.mjs";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const project_id = "chaos";
const LEADS = 3;
/** The longest wait for new work before a kill, in milliseconds. */
const LONGEST_WAIT = 5000;
/** The share of killed hosts that get a SIGTERM first. */
const SHUT_DOWN = 0.2;
/** The first kills, one of each kind. Later kills are random. */
const FIRST = ["worker", "postgres", "engine", "nats", "shut down"];

/** Kills `kills` hosts and returns the counts of kills, turns and batches. */
export async function chaos({ kills, workers = 3, log = () => {} }) {
  const [server, nats] = await Promise.all([startServer(), startNats()]);
  const pool = poolOf(server.url, { max: 6 });
  const store = pgStore(pool);
  await store.migrate();
  const team = engine({ open, store, projectId: project_id, settings, patienceMs: 30_000 });
  const llm_config = { model: "scripted" };
  await team.profile({ name: "Researcher", system_prompt: "You look it up.", llm_config });
  await team.profile({ name: "Lead", system_prompt: "You sum up.", llm_config, delegation_policy: { target_profiles: ["Researcher"] } });
  const leads = Array.from({ length: LEADS }, (_, at) => `lead_${at}`);
  for (const agent_id of leads) await team.provision({ agent_id, profile: "Lead" });
  const { box_id: context_box_id } = await team.call("create_box", { card_ids: [] });

  const thoughts = [];
  const hosts = new Map();
  const ready = new Set();
  let isOver = false;
  const begin = (name) =>
    new Promise((resolve) => {
      const child = fork(fileURLToPath(new URL("host.mjs", import.meta.url)), [name.split("_")[0], server.url, nats.url, project_id]);
      hosts.set(name, child);
      child.on("message", ({ thought, ready: isReady }) => {
        if (thought !== undefined) thoughts.push(thought.join(" "));
        if (!isReady) return;
        ready.add(name);
        resolve();
      });
      child.once("exit", resolve);
    });
  const names = ["engine_0", "engine_1", ...Array.from({ length: workers }, (_, at) => `worker_${at}`)];
  await Promise.all(names.map(begin));
  log(`${names.length} hosts started`);

  const asked = [];
  const asking = (async () => {
    for (let at = 0; !isOver; at += 1) {
      const turn = await team.dispatch({ agent_id: leads[at % LEADS], context_box_id });
      assert.equal(turn.status, "accepted");
      asked.push(turn);
      // at most a few turns wait in the queue
      while (!isOver && (await team.state()).queued.length > LEADS) await pause(100);
    }
  })();
  const counts = {};
  let worked = 0;
  try {
    for (let kill = 1; kill <= kills; kill += 1) {
      // a kill must interrupt work: all hosts but one are ready, and models were called since the last kill
      const limit = Date.now() + LONGEST_WAIT;
      while ((ready.size < names.length - 1 || thoughts.length < worked + 3) && Date.now() < limit) await pause(20);
      await until(
        "all hosts but one are ready",
        () => [...ready],
        ({ length }) => length >= names.length - 1,
      );
      await pause(Math.random() * 400);
      worked = thoughts.length;
      const kind = FIRST[kill - 1];
      const dice = Math.random();
      const some = [...ready].filter((name) => kind === undefined || kind === "shut down" || name.startsWith(kind));
      const target =
        kind === "postgres" || (kind === undefined && dice < 0.05)
          ? "postgres"
          : kind === "nats" || (kind === undefined && dice < 0.2)
            ? "nats"
            : some[Math.floor(Math.random() * some.length)];
      counts[target.split("_")[0]] = (counts[target.split("_")[0]] ?? 0) + 1;
      if (target === "postgres") await server.restart();
      else if (target === "nats") {
        await nats.kill();
        await pause(Math.random() * 300);
        await nats.restart();
      } else {
        const child = hosts.get(target);
        const gone = new Promise((resolve) =>
          child.exitCode === null && child.signalCode === null ? child.once("exit", resolve) : resolve(),
        );
        ready.delete(target);
        // some hosts get a SIGTERM first and are killed if they do not exit
        if (kind === undefined ? Math.random() < SHUT_DOWN : kind === "shut down") {
          counts.shut_down = (counts.shut_down ?? 0) + 1;
          child.kill("SIGTERM");
          await Promise.race([gone, pause(Math.random() * 1000)]);
        }
        child.kill("SIGKILL");
        await gone;
        void begin(target);
      }
      if (kill % 25 === 0) log(`${kill} kills, ${asked.length} turns of leads dispatched`);
    }
    isOver = true;
    await asking;
    await until(
      "all work has ended",
      () => unsettled(pool),
      ({ length }) => length === 0,
    );
    const {
      rows: [{ n: given_back }],
    } = await pool.query("select count(*)::int as n from state.agent_steps where error = 'given_back'");
    return {
      counts,
      given_back,
      turns: asked.length,
      thoughts: thoughts.length,
      ...(await invariants(pool, project_id, { asked, thoughts, known_boxes: [context_box_id] })),
    };
  } finally {
    isOver = true;
    for (const child of hosts.values()) child.kill("SIGKILL");
    await asking.catch(() => {});
    await team.close();
    await pool.end();
    await Promise.all([server.stop(), nats.stop()]);
  }
}

/** Returns the counts of running work, waiting messages and unsent messages. */
async function unsettled(pool) {
  const { rows } = await pool.query(`
    select 'head ' || status as what, count(*)::int as n from state.agent_state_head where status <> 'idle' group by 1
    union all select 'message ' || status, count(*)::int from state.agent_inbox where status in ('queued', 'pending', 'processing') group by 1
    union all select 'batch', count(*)::int from state.pmo_batches where status = 'running' having count(*) > 0
    union all select 'outbox', count(*)::int from tuckbox_outbox having count(*) > 0`);
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { kills: { type: "string", default: "300" }, workers: { type: "string", default: "3" } } });
  const found = await chaos({ kills: Number(values.kills), workers: Number(values.workers), log: console.log });
  console.log(JSON.stringify(found));
}
