// The engine keeps its contract on PostgreSQL inside the process.
import { test } from "node:test";
import { PGlite } from "@electric-sql/pglite";
import { open } from "../../pkg/index.js";
import { pgliteStore } from "../../pkg/stores/pglite.js";
import { testEngine } from "../../pkg/testing.js";

const db = new PGlite();
const store = pgliteStore(db);
await store.migrate();
testEngine(test, "pglite", () => ({ open, store }));
test.after(() => db.close());
