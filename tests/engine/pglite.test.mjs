// The engine keeps its contract on PostgreSQL inside the process.
import { test } from "node:test";
import { open } from "../../pkg/index.js";
import { pgliteStore } from "../../pkg/stores/pglite.js";
import { testEngine } from "../../pkg/testing.js";
import { notifyTransport } from "../../pkg/engines/postgres.js";
import { openPglite } from "../support/pglite.mjs";
import { rings } from "./rings.mjs";

const db = await openPglite();
const store = pgliteStore(db);
await store.migrate();
testEngine(test, "pglite", () => ({ open, store }));
test("pglite: a doorbell wakes a worker of another host", async () => {
  const [here, there] = [await notifyTransport(db), await notifyTransport(db)];
  await rings("rings", here, there);
  await Promise.all([here.close(), there.close()]);
});
test.after(() => db.close());
