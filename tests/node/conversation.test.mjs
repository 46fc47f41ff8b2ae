// Conversations without an engine.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { memoryStore, open } from "../../pkg/index.js";
import { fileStore } from "../../pkg/stores/file.js";

const provider = "openai_chat";
const model = "gpt-5";
const newProject = (store = memoryStore()) => open(store, { projectId: "chat" });
const said = ({ body }) => body.messages.map(({ role, content, tool_calls }) => `${role}: ${content || tool_calls?.[0].function.name}`);
const answered = (content, calls) => ({ choices: [{ message: { role: "assistant", content, ...(calls && { tool_calls: calls }) } }] });
const call = { id: "call_1", type: "function", function: { name: "clock", arguments: "{}" } };

test("a conversation with a tool continues after a restart, and each request is what was sent", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-chat-"));
  const path = join(folder, "chat.json");
  try {
    const sent = [];
    const project = await newProject(fileStore(path));
    const chat = project.conversation("talk", { system: "Be brief." });
    await chat.add("What is the time?");
    sent.push(await chat.request({ provider, model }));
    const { message } = await chat.answer({ provider, response: answered(null, [call]) });
    assert.equal(message.tool_calls[0].id, "call_1");
    await chat.add({ role: "tool", tool_call_id: "call_1", content: "12:00" });
    sent.push(await chat.request({ provider, model }));
    await chat.answer({ provider, response: answered("It is 12:00.") });
    project.dispose();

    const later = (await newProject(fileStore(path))).conversation("talk", { system: "Be brief." });
    await later.add("Sure?");
    sent.push(await later.request({ provider, model }));
    assert.deepEqual(said(sent[2]), [
      "system: Be brief.",
      "user: What is the time?",
      "assistant: clock",
      "tool: 12:00",
      "assistant: It is 12:00.",
      "user: Sure?",
    ]);
    for (const [at, take] of [1, 3, 5].entries()) {
      assert.deepEqual((await later.request({ provider, model, take })).body, sent[at].body);
    }
    const fork = await later.fork({ take: 3, id: "other" });
    await fork.add("And in Rome?");
    assert.deepEqual(said(await fork.request({ provider, model })).slice(-2), ["tool: 12:00", "user: And in Rome?"]);
    assert.equal((await later.messages()).length, 5);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a limit drops messages from the request, not from the conversation", async () => {
  const chat = (await newProject()).conversation("long", { system: "Be brief.", limit: 60 });
  const turns = Array.from({ length: 10 }, (_, at) => [
    `Question ${at} about the weather.`,
    { role: "assistant", content: `Answer ${at}.` },
  ]);
  await chat.add([...turns.flat(), "And now?"]);
  const request = await chat.request({ provider, model });
  assert.ok(request.dropped.length > 0);
  assert.equal(typeof request.dropped[0].card_id, "string");
  assert.equal(said(request)[0], "system: Be brief.");
  assert.equal(said(request).at(-1), "user: And now?");
  assert.equal((await chat.messages()).length, 21);
});

test("a policy replaces old messages by a summary, with an account", async () => {
  const project = await newProject();
  const seen = [];
  const summarize = (messages) => {
    seen.push(messages.length);
    return `Summary of ${messages.length} messages.`;
  };
  const chat = project.conversation("compacted", { compact: { above: 100, keep: 40, summarize } });
  await chat.add("Start.");
  assert.equal((await chat.request({ provider, model })).compacted, null);
  for (let at = 0; at < 6; at += 1) {
    const one = { ...call, id: `call_${at}` };
    await chat.add([
      { role: "assistant", content: "I look.", tool_calls: [one] },
      { role: "tool", tool_call_id: one.id, content: `The weather of day ${at} is fine.` },
      { role: "assistant", content: `Day ${at} is fine.` },
      `And day ${at + 1}?`,
    ]);
  }
  const before = await chat.messages();
  const request = await chat.request({ provider, model });
  const { compacted } = request;
  assert.deepEqual(request.losses, [], "no call is parted from its result");
  assert.deepEqual(seen, [compacted.covers.length]);
  assert.ok(compacted.tokens_before > 100);
  const after = await chat.messages();
  assert.equal(after.length, before.length - compacted.covers.length + 1);
  assert.equal(after[0].content, `Summary of ${compacted.covers.length} messages.`);
  assert.deepEqual(await chat.compactions(), [compacted]);
  // the cards stay
  const { cards } = await project.cards.get({ card_ids: compacted.covers });
  assert.equal(cards.length, compacted.covers.length);
  // the next request is short enough
  assert.equal((await chat.request({ provider, model })).compacted, null);
});

test("wrong arguments are errors with their path", async () => {
  const project = await newProject();
  const refused = (work, path) =>
    assert.rejects(
      async () => work(),
      (error) => error.code === "bad_request" && error.path === path,
    );
  await refused(() => project.conversation(""), "id");
  await refused(() => project.conversation("c", { sytem: "x" }), "sytem");
  await refused(() => project.conversation("c", { compact: { above: 0, summarize: () => "" } }), "compact.above");
  await refused(() => project.conversation("c", { compact: { above: 9 } }), "compact.summarize");
  await refused(() => project.conversation("c", { compact: { over: 9, summarize: () => "" } }), "compact.over");
  const chat = project.conversation("c", { compact: { above: 1, summarize: () => " " } });
  await refused(() => chat.add({ content: "x" }), "messages");
  await refused(() => chat.add({ role: "user", content: 7 }), "messages.content");
  await chat.add(["a a a a a", { role: "assistant", content: "b b b b b" }, "c c c c c"]);
  await refused(() => chat.request({ provider, model }), "compact.summarize");
});
