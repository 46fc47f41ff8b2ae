// Follow reads have one definition in three languages. `tests/native/store/follow.rs` writes `follow.json` with the
// answers of the Rust store. The stores in JavaScript and SQL must return the same.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { memoryStore } from "../../pkg/index.js";
import { fresh, Project } from "../../pkg/lib/contract/trial.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { poolOf, startPostgres } from "./server.mjs";

const worlds = JSON.parse(readFileSync(new URL("./follow.json", import.meta.url), "utf8"));
const sorted = (list) => list.map((item) => JSON.stringify(item)).sort();
const rowsOf = (rows) => sorted(rows.map(({ table, key }) => ({ table, key })));
const listsOf = (lists) =>
  sorted(lists.map(({ table, index, of, limit, rows, keys = rows.map(({ key }) => key) }) => ({ table, index, of, limit, keys })));

/** Returns the sorted answers of a store for one recorded world. */
async function answered(store, { rows, boxes, reads: { project_id, ...reads } }) {
  const project = new Project(store, undefined, fresh("p"));
  // a box id belongs to one project, so each world gets new ids
  const own = new Map(boxes.map((box_id) => [box_id, crypto.randomUUID()]));
  const mine = (text) => [...own].reduce((whole, [box_id, id]) => whole.replaceAll(box_id, id), text);
  const theirs = (value) => JSON.parse([...own].reduce((whole, [box_id, id]) => whole.replaceAll(id, box_id), JSON.stringify(value)));
  await project.commit({
    boxes: [...own.values()].map((box_id) => ({ change: "create", box: { box_id, card_ids: [] } })),
    rows: JSON.parse(mine(JSON.stringify(rows))),
  });
  const {
    rows: found,
    missing_rows,
    lists,
    boxes: here,
    missing_boxes,
  } = theirs(await project.read(JSON.parse(mine(JSON.stringify(reads)))));
  return {
    rows: rowsOf(found),
    missing_rows: rowsOf(missing_rows),
    lists: listsOf(lists),
    boxes: sorted(here.map(({ box_id }) => box_id)),
    missing_boxes: sorted(missing_boxes),
  };
}

const expected = ({ answers }) => ({
  rows: rowsOf(answers.rows),
  missing_rows: rowsOf(answers.missing_rows),
  lists: listsOf(answers.lists),
  boxes: sorted(answers.boxes),
  missing_boxes: sorted(answers.missing_boxes),
});

test("the JavaScript store answers follow reads like the Rust store", async () => {
  const store = memoryStore();
  for (const [at, world] of worlds.entries()) assert.deepEqual(await answered(store, world), expected(world), `world ${at}`);
});

test("PostgreSQL answers follow reads like the Rust store", async (t) => {
  const server = await startPostgres();
  const pool = poolOf(server.url);
  t.after(async () => {
    await pool.end();
    await server.stop();
  });
  const store = pgStore(pool);
  await store.migrate();
  const isEmpty = (list) => JSON.parse(list).keys.length === 0;
  for (const [at, world] of worlds.entries()) {
    const [found, all] = [await answered(store, world), expected(world)];
    assert.deepEqual([found.rows, found.boxes], [all.rows, all.boxes], `world ${at}`);
    assert.deepEqual(
      found.lists.filter((list) => !isEmpty(list)),
      all.lists.filter((list) => !isEmpty(list)),
      `world ${at}`,
    );
    // PostgreSQL can omit keys that do not fit a column; the core asks for them again
    for (const part of ["missing_rows", "lists", "missing_boxes"])
      assert.deepEqual(
        found[part].filter((one) => !all[part].includes(one)),
        [],
        `world ${at}: ${part}`,
      );
  }
});
