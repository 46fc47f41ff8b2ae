// The engine satisfies its contract on a real PostgreSQL server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engine } from "../../pkg/engine.js";
import { open } from "../../pkg/index.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { testEngine } from "../../pkg/testing.js";
import { poolOf, startPostgres } from "../stores/server.mjs";

const server = await startPostgres();
const pool = poolOf(server.url);
const store = pgStore(pool);
await store.migrate();
testEngine(test, "postgres", () => ({ open, store }));

test("a worker skips messages that another worker has locked", async () => {
  const team = engine({ open, store, projectId: "skipped" });
  const waiting = async () => (await team.rows.pending()).map(({ agent_id }) => agent_id).sort();
  await team.profile({ name: "Anyone", system_prompt: "You help." });
  for (const agent_id of ["a", "b", "c"]) {
    await team.provision({ agent_id, profile: "Anyone" });
    await team.dispatch({ agent_id, instruction: "Go." });
  }
  assert.deepEqual(await waiting(), ["a", "b", "c"]);
  const other = await pool.connect();
  try {
    await other.query("begin");
    await other.query("select from state.agent_inbox where project_id = 'skipped' and agent_id = 'b' for update");
    assert.deepEqual(await waiting(), ["a", "c"], "the locked message is skipped without a wait");
    await other.query("rollback");
    assert.deepEqual(await waiting(), ["a", "b", "c"]);
  } finally {
    other.release();
  }
});
test.after(async () => {
  await pool.end();
  await server.stop();
});
