// Measures turns per second on one machine: worker processes, scripted models and a real PostgreSQL server. Checks that
// each turn ends once, in order. Compares the rate with the same number of bare commits.
//
//   node tests/engine/load/run.mjs [--turns 5000] [--agents 200] [--workers 4] [--lanes 4] [--warm TURNS] [--least RATIO] [--json]
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { engine } from "../../../pkg/engine.js";
import { open } from "../../../pkg/index.js";
import { pgStore } from "../../../pkg/stores/pg.js";
import { poolOf, startPostgres } from "../../stores/server.mjs";
import { clear, counted } from "./counted.mjs";
import { machineSeconds, processorSeconds } from "./processor.mjs";

const number = (value) => ({ type: "string", default: String(value) });
const { values } = parseArgs({
  options: {
    turns: number(5000),
    agents: number(200),
    workers: number(4),
    lanes: number(4),
    warm: { type: "string" },
    least: number(0),
    json: { type: "boolean", default: false },
  },
});
const [turns, agents, workers, lanes, least] = ["turns", "agents", "workers", "lanes", "least"].map((name) => Number(values[name]));
/** The number of turns of each worker that do not count: the runtime compiles code in them. */
const warm = Number(values.warm ?? turns / 4 / workers);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const server = await startPostgres();
const pool = poolOf(server.url, { max: 20 });
const plain = pgStore(pool);
await plain.migrate();

const project_id = "load";
const store = counted(plain);
const databaseBytes = async () => Number((await pool.query("select pg_database_size(current_database()) as bytes")).rows[0].bytes);
const team = engine({
  open,
  store,
  projectId: project_id,
  sendMs: 100,
  tickMs: 5000,
  sendLimit: 500,
  settings: { watchdog_limit: 500, dispatched_timeout_seconds: 0 },
});
await team.profile({ name: "Runner", system_prompt: "You run.", llm_config: { model: "m" } });
const { profile_box_id } = await team.profile({ name: "Runner" });
const { box_id: context_box_id } = await team.call("create_box", { card_ids: [] });
const names = Array.from({ length: agents }, (_, at) => `agent_${at}`);
const asked = new Map(names.map((name) => [name, []]));
await inLanes(16, names, (agent_id) => team.provision({ agent_id, profile_box_id }));
await inLanes(16, names, async (agent_id) => {
  for (let at = 0; at < turns / agents; at += 1) {
    const { status, agent_turn_id } = await team.dispatch({ agent_id, profile_box_id, context_box_id });
    assert.equal(status, "accepted");
    asked.get(agent_id).push(agent_turn_id);
  }
});
console.log(`${turns} turns of ${agents} agents are queued`);

const done = new Map(names.map((name) => [name, []]));
let ended = 0;
/** The number of measured intervals. If the work per turn grows with the number of rows, the last one is slower. */
const QUARTERS = 4;
const marks = [];
const mark = () => ({ at: performance.now(), busy: processorSeconds(), machine: machineSeconds() });
/** The begin of the turns that count. */
let countedFrom;
let isOver;
const all = new Promise((resolve) => (isOver = resolve));
const total = names.reduce((sum, name) => sum + asked.get(name).length, 0);
const crews = Array.from({ length: workers }, () => {
  const crew = fork(here("worker.mjs"), [server.url, project_id, String(lanes)]);
  crew.on("message", ({ agent_id, agent_turn_id, turn_epoch, counts }) => {
    if (counts !== undefined) crew.counts = counts;
    if (agent_turn_id === undefined) return;
    done.get(agent_id).push({ agent_turn_id, turn_epoch });
    ended += 1;
    if (ended === Math.round(warm * workers)) countedFrom = mark();
    if (ended % Math.ceil(total / QUARTERS) === 0) marks.push(mark());
    if (ended >= total) isOver();
  });
  return crew;
});
await Promise.all(crews.map((crew) => new Promise((resolve) => crew.once("message", resolve))));
clear(store.counts);
const bytes_before = await databaseBytes();
marks.push(mark());
const [{ at: started, busy: before_work, machine: before_machine }] = marks;
for (const crew of crews) crew.send("go");
await team.start();
await all;
// the last model has answered; wait until the last turns end and the outbox is empty
for (;;) {
  const { agents: heads, queued } = await team.state({ limit: 1000 });
  if (
    queued.length === 0 &&
    heads.every(({ status }) => status === "idle") &&
    (await team.look("outbox", { limit: 1 })).messages.length === 0
  )
    break;
  await new Promise((resolve) => setTimeout(resolve, 50));
}
const seconds = (performance.now() - started) / 1000;
const worked = processorSeconds() - before_work;
/** The cores that other programs left free, on average. */
const freeCores = Math.max(0.1, availableParallelism() - Math.max(0, machineSeconds() - before_machine - worked) / seconds);
const gone = crews.map((crew) => new Promise((resolve) => crew.once("exit", resolve)));
for (const crew of crews) crew.send("stop");
await Promise.all(gone);
await team.close();
// messages of two processes can arrive in another order; the epoch gives the order of the turns
const inOrder = (turns) => turns.toSorted((a, b) => a.turn_epoch - b.turn_epoch).map(({ agent_turn_id }) => agent_turn_id);
for (const name of names) {
  assert.deepEqual(inOrder(done.get(name)), asked.get(name), `each turn of ${name} ends once, in order`);
  assert.equal(
    new Set(done.get(name).map(({ turn_epoch }) => turn_epoch)).size,
    asked.get(name).length,
    `each turn of ${name} has its own epoch`,
  );
}

const sum = (key) => crews.reduce((whole, { counts }) => whole + counts[key], store.counts[key]);
const [reads, commits, conflicts] = ["reads", "commits", "conflicts"].map(sum);
console.log(
  `${total} turns in ${seconds.toFixed(1)} s: ${(total / seconds).toFixed(0)} turns per second, ${(reads / total).toFixed(2)} reads and ${(commits / total).toFixed(2)} commits per turn, ${conflicts} conflicts`,
);
const quarters = marks
  .slice(1)
  .map(({ at, busy }, quarter) => ({ ms: at - marks[quarter].at, busy_ms: (busy - marks[quarter].busy) * 1000 }));
console.log(
  `turns per second in each quarter: ${quarters.map(({ ms }) => ((total / QUARTERS / ms) * 1000).toFixed(0)).join(", ")}; ${(conflicts / total).toFixed(3)} conflicts per turn`,
);
if (!Number.isNaN(worked))
  console.log(
    `CPU time per turn in each quarter: ${quarters.map(({ busy_ms }) => `${((busy_ms * QUARTERS) / total).toFixed(1)} ms`).join(", ")}`,
  );

const bytes = (await databaseBytes()) - bytes_before;
console.log(`${(bytes / total / 1024).toFixed(1)} KB of database per turn`);

// the average size of an engine commit; bare commits have the same size
const each = Object.fromEntries(["rows", "cards", "boxes"].map((kind) => [kind, sum(kind) / commits]));
const bare = Array.from({ length: workers }, () => fork(here("commits.mjs"), [server.url, "bare", String(lanes)]));
await Promise.all(bare.map((child) => new Promise((resolve) => child.once("message", resolve))));
const [before, busy_before] = [performance.now(), processorSeconds()];
await Promise.all(
  bare.map(
    (child) =>
      new Promise((resolve) => {
        child.once("message", resolve);
        child.send({ commits: commits / workers, each });
      }),
  ),
);
const ceiling = (performance.now() - before) / 1000;
const ratio = ceiling / seconds;
const busy_ratio = (processorSeconds() - busy_before) / worked;
console.log(
  `${commits} bare commits of ${each.rows.toFixed(1)} rows in ${ceiling.toFixed(1)} s: ${(commits / ceiling).toFixed(0)} per second; ratio ${ratio.toFixed(2)}${Number.isNaN(busy_ratio) ? "" : `, by CPU time ${busy_ratio.toFixed(2)}`}`,
);
if (values.json) {
  const per = (count) => Number((count / total).toFixed(3));
  const last = marks.at(-1);
  const [countedSeconds, countedTurns] = [(last.at - countedFrom.at) / 1000, total - Math.round(warm * workers)];
  const measured = {
    turns: total,
    agents,
    workers,
    lanes,
    cores: Number.isNaN(freeCores) ? availableParallelism() : Number(freeCores.toFixed(2)),
    turns_per_second: Number((countedTurns / countedSeconds).toFixed(1)),
  };
  const costs = {
    reads: per(reads),
    commits: per(commits),
    conflicts: per(conflicts),
    kilobytes: per(bytes / 1024),
    cpu_ms: Number((((last.busy - countedFrom.busy) * 1000) / countedTurns).toFixed(2)),
  };
  console.log(JSON.stringify({ ...measured, ...costs, bare_commits_per_second: Number((commits / ceiling).toFixed(1)) }));
}
await pool.end();
await server.stop();
if (ratio < least) {
  console.error(`ratio ${ratio.toFixed(2)} is below ${least}`);
  process.exitCode = 1;
}

async function inLanes(count, list, work) {
  const left = [...list];
  await Promise.all(
    Array.from({ length: count }, async () => {
      for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
    }),
  );
}
