// The memory store satisfies the contract.
import assert from "node:assert/strict";
import { test } from "node:test";
import { JsonText, memoryStore } from "../../pkg/index.js";
import { selecting } from "../../pkg/lib/decide.js";
import { answersText } from "../../pkg/lib/rows.js";
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

/** The forms of columns, and the values that lists select them by. */
const FORMS = ["null", '""', '"a"', '"b c"', '"\\u0061"', '"1"', "1", "-1", "0", "1.0", "1e0", "12345678901234567890", "true", "[1]", "{}"];
const VALUES = ["", "a", "b c", "1", "-1", "0", "1.0", "1e0", "12345678901234567890", "true", "null", "[1]"];

test("many lists of one index have the rows that each has alone", async () => {
  const tables = memoryStore();
  let at = 0;
  for (const agent of FORMS)
    for (const turn of FORMS) {
      at += 1;
      tables.project("p").addRow("inbox", new JsonText(`{"inbox_id":"i${at}","agent_id":${agent},"agent_turn_id":${turn}}`));
    }
  const lists = VALUES.flatMap((agent) => VALUES.map((turn) => ({ table: "inbox", index: "by_turn", of: [agent, turn], limit: 1000 })));
  const read = async (some) => JSON.parse(await tables.read({ project_id: "p", lists: some })).lists;
  const together = await read(lists);
  assert.ok(together.filter(({ rows }) => rows.length > 0).length > 50);
  for (const [index, list] of lists.entries()) assert.deepEqual(together[index], (await read([list]))[0], JSON.stringify(list.of));
});

test("many lists of one index look at each row of their table a few times", async () => {
  const COUNT = 1000;
  const row = (agent_id) =>
    JSON.stringify({ key: [`i_${agent_id}`], version: "v", row: { inbox_id: `i_${agent_id}`, agent_id, status: "queued" } });
  const rows = Array.from({ length: COUNT }, (_, at) => row(`a${at}`));
  const lists = rows.map((_, at) => ({ table: "inbox", index: "by_agent", of: [`a${at}`, "queued"], limit: 10 }));
  const select = await selecting({ project_id: "p", lists });
  let [shelves, looks, bytes] = [0, 0, 0];
  const all = () => {
    shelves += 1;
    return rows;
  };
  const counted = (list, text) => {
    bytes += text.length;
    return select(list, text);
  };
  const counting = Object.assign(counted, { among: select.among });
  const { includes } = String.prototype;
  String.prototype.includes = function (...given) {
    looks += 1;
    return includes.apply(this, given);
  };
  let answers;
  try {
    answers = JSON.parse(answersText({ project_id: "p", lists }, { find: () => undefined, all, select: counting }));
  } finally {
    String.prototype.includes = includes;
  }
  assert.deepEqual(
    answers.lists.map(({ rows: found }) => found.length),
    rows.map(() => 1),
  );
  assert.ok(shelves <= 4, `${shelves} looks at the table`);
  assert.ok(looks < 20 * COUNT, `${looks} looks at ${COUNT} rows`);
  assert.ok(bytes < 2 * rows.join("").length, `${bytes} bytes`);
});
