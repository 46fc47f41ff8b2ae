// An engine deletes rows of work that ended long ago.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { engine } from "../../pkg/engine.js";
import { memoryStore, open } from "../../pkg/index.js";
import { worker } from "../../pkg/worker.js";

const DAY_MS = 86_400_000;

/** Returns the rows of these tables. */
const rowsOf = (store, ...tables) => JSON.parse(store.export()).projects[0].rows.filter(({ table }) => tables.includes(table));

test("an engine deletes the rows of old turns, keeps their cards, and goes on", async () => {
  const store = memoryStore();
  let now = Date.UTC(2026, 0, 1);
  const team = engine({ open, store, projectId: "p", clock: () => now });
  await team.profile({ name: "Writer", llm_config: { provider: "openai_chat", model: "any" } });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  const crew = worker({ engine: team, model: ({ body }) => `Done: ${body.messages.at(-1).content}` });
  await Promise.all([team.start(), crew.start()]);
  const ask = async (instruction) => {
    const turn = await team.dispatch({ agent_id: "ann", instruction });
    return { turn, fields: (await team.result(turn)).fields };
  };
  const { turn } = await ask("one");
  const rows = () => rowsOf(store, "inbox", "steps");
  const there = rows().length;
  assert.ok(there >= 2, "a message and a step");
  assert.deepEqual(await team.prune(), { messages: 0, steps: 0, calls: 0, views: 0 }, "nothing is old");
  now += 40 * DAY_MS;
  const { messages, steps, views } = await team.prune();
  assert.ok(messages >= 1 && steps >= 1 && views >= 1, JSON.stringify({ messages, steps, views }));
  assert.equal(rows().length, there - messages - steps);
  const project = await open(store, { projectId: "p" });
  assert.notEqual((await project.render({ box_id: turn.output_box_id })).messages.length, 0);
  assert.equal((await ask("two")).fields.output, "Done: two");
  await assert.rejects(team.prune({ olderThanSeconds: 60 }), { code: "bad_request", path: "older_than_seconds" });
  await Promise.all([crew.close(), team.close()]);
});

test("a repeated message is sent once until its row is pruned, and a repeated batch never applies again", async () => {
  const [inner, batches] = [memoryStore(), []];
  let [now, runs] = [Date.UTC(2026, 0, 1), 0];
  const commit = (writes, more) => {
    batches.push([writes, more]);
    return inner.commit(writes, more);
  };
  const store = { read: (reads) => inner.read(reads), commit };
  const team = engine({ open, store, projectId: "p", clock: () => now });
  const { profile_box_id } = await team.profile({ name: "Writer", llm_config: { provider: "openai_chat", model: "any" } });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  const [context_box_id, output_box_id] = [randomUUID(), randomUUID()];
  for (const box_id of [context_box_id, output_box_id]) await team.call("create_box", { box_id, card_ids: [] });
  const crew = worker({ engine: team, model: () => `Done: ${(runs += 1)}` });
  const payload = { agent_id: "ann", channel_id: "public", agent_turn_id: "turn_ask", profile_box_id, context_box_id, output_box_id };
  const ask = async () => {
    const { status } = await team.enqueue({ target_agent_id: "ann", message_type: "turn", correlation_id: "ask", payload });
    await crew.step();
    return status;
  };
  assert.deepEqual([await ask(), runs], ["accepted", 1]);
  const first = [...batches];
  assert.deepEqual([await ask(), runs], ["accepted", 1], "a repeat at once");
  now += 29 * DAY_MS;
  assert.equal((await team.prune()).messages, 0);
  assert.deepEqual([await ask(), runs], ["accepted", 1], "a repeat inside of the window");
  now += 2 * DAY_MS;
  assert.ok((await team.prune()).messages > 0);
  const rows = inner.export();
  for (const [writes, more] of first) assert.equal((await inner.commit(writes, more)).repeated, true, writes.operation_id);
  assert.equal(inner.export(), rows, "batches of pruned work");
  assert.deepEqual([await ask(), runs], ["accepted", 2], "a repeat outside of the window is a new message");
  await Promise.all([crew.close(), team.close()]);
});

test("`pruneAfterSeconds` deletes old rows while the engine runs, and is checked", async () => {
  const given = { open, store: memoryStore(), projectId: "p" };
  for (const pruneAfterSeconds of [60, -1, Number.NaN, "1"]) {
    assert.throws(() => engine({ ...given, pruneAfterSeconds }), { code: "bad_request", path: "pruneAfterSeconds" });
  }
  const row = { inbox_id: "m", agent_id: "ann", message_type: "note", status: "consumed", created_at: "2020-01-01T00:00:00.000Z" };
  given.store.project("p").addRow("inbox", row);
  let team;
  // the engine writes nothing else
  await new Promise((resolve, reject) => {
    team = engine({ ...given, pruneAfterSeconds: 3600, onWrite: resolve });
    team.start().catch(reject);
  });
  assert.deepEqual(rowsOf(given.store, "inbox"), []);
  await team.close();
});
