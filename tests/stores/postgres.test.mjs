// A real PostgreSQL server satisfies the contract, with both drivers.
import { test } from "node:test";
import "../../pkg/index.js";
import postgres from "postgres";
import { pgStore } from "../../pkg/stores/pg.js";
import { postgresStore } from "../../pkg/stores/postgres.js";
import { testStore } from "../../pkg/testing.js";
import { poolOf, startPostgres } from "./server.mjs";
import { sizes } from "./sizes.mjs";

const server = await startPostgres();
const pool = poolOf(server.url);
const sql = postgres(server.url, { max: 12 });
test.after(async () => {
  await Promise.all([pool.end(), sql.end()]);
  await server.stop();
});

const overPg = pgStore(pool);
await overPg.migrate();
testStore(test, "pg", () => overPg, { sizes });

const overPostgres = postgresStore(sql, { schema: 'odd "schema"' });
await overPostgres.migrate();
testStore(test, "postgres", () => overPostgres, { sizes });
