// The memory store satisfies the contract.
import assert from "node:assert/strict";
import { test } from "node:test";
import { JsonText, memoryStore } from "../../pkg/index.js";
import { testStore } from "../../pkg/testing.js";
import { sizes } from "./sizes.mjs";

const store = memoryStore();
testStore(test, "memory", () => store, { sizes });

test("a list has rows with any escapes", async () => {
  const tables = memoryStore();
  tables.project("p").addRow("outbox", new JsonText('{"message_id":"m1","status":"\\u0070ending","seq":1}'));
  tables.project("p").addRow("outbox", { message_id: "m2", status: "pending", seq: 2 });
  const lists = [{ table: "outbox", index: "by_status", of: ["pending"], limit: 10 }];
  const [{ rows }] = JSON.parse(await tables.read({ project_id: "p", lists })).lists;
  assert.deepEqual(
    rows.map(({ key }) => key[0]),
    ["m1", "m2"],
  );
});
