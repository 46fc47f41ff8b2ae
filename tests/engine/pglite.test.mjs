// The engine satisfies its contract on PGlite.
import { test } from "node:test";
import { notifyTransport } from "../../pkg/engines/postgres.js";
import { open } from "../../pkg/index.js";
import { pgliteStore } from "../../pkg/stores/pglite.js";
import { testEngine } from "../../pkg/testing.js";
import { onlyDeep } from "../support/deep.mjs";
import { openPglite } from "../support/pglite.mjs";
import { rings } from "./rings.mjs";

const db = await openPglite();
const store = pgliteStore(db);
await store.migrate();

/** Parts of the names of the cases in fast tests. The other cases run the same SQL on a real server. */
const FAST = ["a turn runs", "a lead forks three"];
const chosen = (name, run) =>
  test(name, FAST.some((start) => name.includes(start)) ? {} : onlyDeep("the same SQL runs on a real server"), run);
testEngine(chosen, "pglite", () => ({ open, store }));
test("pglite: a wakeup starts a worker of another host", async () => {
  const [here, there] = [await notifyTransport(db), await notifyTransport(db)];
  await rings("rings", here, there);
  await Promise.all([here.close(), there.close()]);
});
test.after(() => db.close());
