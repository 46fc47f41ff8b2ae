// PGlite satisfies the contract.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "../../pkg/index.js";
import { pgliteStore } from "../../pkg/stores/pglite.js";
import { testStore } from "../../pkg/testing.js";
import { openPglite } from "../support/pglite.mjs";
import { sizes } from "./sizes.mjs";

const db = await openPglite();
const store = pgliteStore(db);
await store.migrate();
testStore(test, "pglite", () => store, { sizes });
test("the projects of a database are listed", async () => {
  const projectId = `listed_${crypto.randomUUID()}`;
  assert.ok(!(await store.projects()).includes(projectId));
  const project = await open(store, { projectId });
  await project.boxes.create({ card_ids: [] });
  assert.ok((await store.projects()).includes(projectId));
});
test.after(() => db.close());
