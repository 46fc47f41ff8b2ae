// The engine keeps its contract on a real PostgreSQL server.
import { test } from "node:test";
import { open } from "../../pkg/index.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { testEngine } from "../../pkg/testing.js";
import { poolOf, startPostgres } from "../stores/server.mjs";

const server = await startPostgres();
const pool = poolOf(server.url);
const store = pgStore(pool);
await store.migrate();
testEngine(test, "postgres", () => ({ open, store }));
test.after(async () => {
  await pool.end();
  await server.stop();
});
