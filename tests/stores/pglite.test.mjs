// PostgreSQL inside the process keeps the contract.
import { test } from "node:test";
import "../../pkg/index.js";
import { PGlite } from "@electric-sql/pglite";
import { pgliteStore } from "../../pkg/stores/pglite.js";
import { testStore } from "../../pkg/testing.js";

const db = new PGlite();
const store = pgliteStore(db);
await store.migrate();
testStore(test, "pglite", () => store);
test.after(() => db.close());
