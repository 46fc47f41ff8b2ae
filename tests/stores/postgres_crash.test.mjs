// Many concurrent writers, and hosts that are killed during a commit.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { pgStore } from "../../pkg/stores/pg.js";
import { times } from "../support/deep.mjs";
import { until } from "../support/until.mjs";
import { poolOf, startPostgres } from "./server.mjs";

const server = await startPostgres();
const pool = poolOf(server.url);
const store = pgStore(pool);
await store.migrate();
test.after(async () => {
  await pool.end();
  await server.stop();
});

const at = "2026-01-04T10:30:00.000Z";
const rows = async (text) => (await pool.query(text)).rows;
const create = (box_id) => ({ change: "create", box: { box_id, card_ids: [], parent_ids: [], version: 1, deleted_at: null } });

const [WRITERS, STEPS, HOSTS] = [8, times(30, 1000), times(3, 200)];

test(`${WRITERS} writers append ${STEPS} times each: each operation applies once, in order`, async () => {
  const [writers, steps] = [WRITERS, STEPS];
  await store.commit({ project_id: "many", operation_id: "make", at, boxes: [create("log")] });
  const id = (writer, step) => `${writer}_${step}`;
  const versions = await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const seen = [];
      for (let step = 0; step < steps; step += 1) {
        const writes = {
          project_id: "many",
          operation_id: id(writer, step),
          at,
          boxes: [{ change: "append", box_id: "log", card_ids: [id(writer, step)] }],
        };
        const { boxes, repeated } = await store.commit(writes);
        assert.equal(repeated, false);
        seen.push(boxes[0].version);
        // a writer repeats a commit whose answer was lost
        if (step % 20 === 0) assert.deepEqual(await store.commit(writes), { operation_id: id(writer, step), repeated: true, boxes });
      }
      return seen;
    }),
  );
  const [{ card_ids, version }] = JSON.parse(await store.read({ project_id: "many", boxes: ["log"] })).boxes;
  assert.equal(card_ids.length, writers * steps);
  assert.equal(version, writers * steps + 1);
  for (const [writer, seen] of versions.entries()) {
    const own = card_ids.flatMap((each, index) => (each.startsWith(`${writer}_`) ? [[each, index + 2]] : []));
    assert.deepEqual(
      own,
      seen.map((at, step) => [id(writer, step), at]),
    );
  }
  const [{ n }] = await rows("select count(*)::int as n from tuckbox_operations where tenant_id = 'many'");
  assert.equal(n, writers * steps + 1);
});

test(`${HOSTS} hosts that are killed during a commit leave no orphan and lose no acknowledged commit`, async () => {
  await store.commit({ project_id: "p", operation_id: "make", at, boxes: [create("log")] });
  const acknowledged = [];
  const hosts = Array.from({ length: HOSTS }, (_, index) => index);
  const lane = async () => {
    for (let host = hosts.pop(); host !== undefined; host = hosts.pop()) acknowledged.push(...(await killed(`host${host}`, host % 6)));
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  await idle();

  const operations = (await rows("select operation_id from tuckbox_operations where tenant_id = 'p' and operation_id <> 'make'")).map(
    (row) => row.operation_id,
  );
  assert.ok(acknowledged.length >= HOSTS, `${acknowledged.length} commits were acknowledged`);
  const applied = new Set(operations);
  assert.deepEqual(
    acknowledged.filter((operation_id) => !applied.has(operation_id)),
    [],
  );

  const cards = (operation_id) => [0, 1, 2].map((index) => `${operation_id}_card_${index}`);
  const sorted = (list) => [...list].sort();
  const column = async (name, table, where = "true") =>
    (await rows(`select ${name} as id from ${table} where tenant_id = 'p' and ${where}`)).map((row) => row.id);
  assert.deepEqual(sorted(await column("card_id", "cards")), sorted(operations.flatMap(cards)));
  assert.deepEqual(
    sorted((await rows("select agent_id as id from resource.project_agents where project_id = 'p'")).map((row) => row.id)),
    sorted(operations.map((each) => `${each}_agent`)),
  );
  assert.deepEqual(sorted(await column("path", "tuckbox_files")), sorted(operations.map((each) => `${each}_file`)));
  const boxes = await rows("select box_id, card_ids, version::int from card_boxes where tenant_id = 'p'");
  const found = Object.fromEntries(boxes.map((box) => [box.box_id, box]));
  assert.deepEqual(sorted(Object.keys(found)), sorted(["log", ...operations.map((each) => `${each}_box`)]));
  for (const each of operations) assert.deepEqual(found[`${each}_box`].card_ids, cards(each));

  const log = found.log.card_ids;
  assert.equal(found.log.version, operations.length + 1);
  const batches = Array.from({ length: log.length / 3 }, (_, index) => log.slice(index * 3, index * 3 + 3));
  for (const batch of batches) assert.deepEqual(batch, cards(batch[0].replace(/_card_0$/, "")));
  const order = Object.groupBy?.(batches, ([first]) => first.replace(/_\d+_card_0$/, "")) ?? {};
  for (const own of Object.values(order))
    assert.deepEqual(
      own.map(([first]) => Number(first.split("_")[2])),
      own.map((_, step) => step),
    );
  console.log(`# ${operations.length} commits applied, ${acknowledged.length} acknowledged, ${HOSTS} hosts killed`);
});

/** Starts a host, kills it after `commits` commits, and returns the operations that it printed as acknowledged. */
function killed(name, commits) {
  return new Promise((resolve, reject) => {
    const host = spawn(process.execPath, [fileURLToPath(new URL("./crash_host.mjs", import.meta.url)), server.url, name], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [output, errors, waiting] = ["", "", true];
    host.stderr.on("data", (chunk) => (errors += chunk));
    host.stdout.on("data", (chunk) => {
      output += chunk;
      // the first line reports that the host is ready
      if (!waiting || output.split("\n").length < commits + 2) return;
      waiting = false;
      // the host always has two commits running, so the kill interrupts one
      setTimeout(() => host.kill("SIGKILL"), Math.random() * 15);
    });
    host.once("error", reject);
    host.once("close", (_, signal) => {
      if (signal !== "SIGKILL") reject(new Error(`the host ended by itself: ${errors}`));
      // the kill can truncate the last line
      else resolve(output.split("\n").slice(1, -1));
    });
  });
}

/** Waits until the server has finished the statements of the killed hosts. */
async function idle() {
  const busy =
    "select state, query from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid() and backend_type = 'client backend'";
  await until(
    "the server is idle",
    () => rows(busy),
    ({ length }) => length === 0,
  );
}
