// PGlite satisfies the contract.
import { test } from "node:test";
import "../../pkg/index.js";
import { pgliteStore } from "../../pkg/stores/pglite.js";
import { testStore } from "../../pkg/testing.js";
import { openPglite } from "../support/pglite.mjs";
import { sizes } from "./sizes.mjs";

const db = await openPglite();
const store = pgliteStore(db);
await store.migrate();
testStore(test, "pglite", () => store, { sizes });
test.after(() => db.close());
