// Conversations of many turns with one agent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engine } from "../../pkg/engine.js";
import { memoryStore, open } from "../../pkg/index.js";
import { tool, worker } from "../../pkg/worker.js";

const llm_config = { provider: "openai_chat", model: "m" };

/** Returns a team with one agent on a store. */
async function teamOn(store, profile = {}) {
  const team = engine({ open, store, projectId: "chat" });
  await team.profile({ name: "Clerk", system_prompt: "You help.", llm_config, ...profile });
  await team.provision({ agent_id: "clerk", profile: "Clerk" });
  return team;
}

/** Returns what a model was sent: role and text of each message. */
const said = ({ body }) => body.messages.map(({ role, content, tool_calls }) => `${role}: ${content || tool_calls?.[0].function.name}`);

/** Sends a message and runs its turn. Returns what the model was sent at each step, and the result. */
async function say(team, instruction, { model = () => "Yes.", conversation = "talk", tools = {}, ...more } = {}) {
  const sent = [];
  const listening = (payload, turn) => {
    sent.push(said(payload));
    return model(payload, turn);
  };
  const turn = await team.dispatch({ agent_id: "clerk", instruction, conversation, ...more });
  await worker({ engine: team, model: listening, tools }).step();
  return { sent, turn, result: await team.result(turn, { pollMs: 5 }) };
}

test("a message is answered with all earlier messages, tool calls and answers, also by another process", async () => {
  const store = memoryStore();
  const tools = { clock: () => "noon" };
  const model = (_, { step_count }) =>
    step_count === 0 ? { text: "", tool_calls: [{ function: { name: "clock", arguments: "{}" } }] } : "It is noon.";
  const team = await teamOn(store);
  await say(team, "What time is it?", { model, tools });
  await team.close();
  const later = await teamOn(store);
  const { sent, result } = await say(later, "Sure?", { model: () => "Yes.", tools });
  assert.deepEqual(sent, [
    ["system: You help.", "user: What time is it?", "assistant: clock", "tool: noon", "assistant: It is noon.", "user: Sure?"],
  ]);
  assert.equal(result.status, "success");
  assert.equal(result.fields.output, "Yes.");
  const other = await say(later, "Hello.", { conversation: "other" });
  assert.deepEqual(other.sent, [["system: You help.", "user: Hello."]]);
  await later.close();
});

test("messages that wait enter the conversation one after the other", async () => {
  const team = await teamOn(memoryStore());
  const sent = [];
  const turns = [];
  for (const instruction of ["One?", "Two?", "Three?"]) {
    turns.push(await team.dispatch({ agent_id: "clerk", instruction, conversation: "talk" }));
  }
  const model = (payload) => {
    sent.push(said(payload).slice(1));
    return `Answer ${sent.length}.`;
  };
  await worker({ engine: team, model }).step();
  assert.deepEqual(sent.at(-1), ["user: One?", "assistant: Answer 1.", "user: Two?", "assistant: Answer 2.", "user: Three?"]);
  for (const [at, turn] of turns.entries()) assert.equal((await team.result(turn)).fields.output, `Answer ${at + 1}.`);
  await team.close();
});

test("two agents of one conversation take turns", async () => {
  const team = await teamOn(memoryStore());
  await team.provision({ agent_id: "guest", profile: "Clerk" });
  const first = await team.dispatch({ agent_id: "clerk", instruction: "One?", conversation: "talk" });
  const second = await team.dispatch({ agent_id: "guest", instruction: "Two?", conversation: "talk" });
  assert.equal(first.turn_epoch, 1);
  assert.equal(second.turn_epoch, undefined, "the second turn waits");
  const sent = [];
  const crew = worker({
    engine: team,
    model: (payload, { agent_id }) => {
      sent.push(said(payload).slice(1));
      return `From ${agent_id}.`;
    },
  });
  await crew.step();
  await team.tick();
  await crew.step();
  assert.deepEqual(sent, [["user: One?"], ["user: One?", "assistant: From clerk.", "user: Two?"]]);
  await team.close();
});

test("a failed turn is a failed result, and its message stays in the conversation", async () => {
  const team = await teamOn(memoryStore());
  const fails = () => {
    throw Object.assign(new Error("no such model"), { status: 404 });
  };
  const { result } = await say(team, "One?", { model: fails });
  assert.equal(result.status, "failed");
  assert.match(result.error.message, /no such model/);
  const { sent } = await say(team, "Two?");
  assert.deepEqual(sent, [["system: You help.", "user: One?", "user: Two?"]]);
  await team.close();
});

test("a conversation continues from any of its messages as a fork", async () => {
  const team = await teamOn(memoryStore());
  for (const message of ["One?", "Two?", "Three?"]) await say(team, message);
  const { box_id } = await team.call("fork_box", { box_id: "talk", take: 2 });
  const { sent } = await say(team, "Four?", { conversation: box_id });
  assert.deepEqual(sent, [["system: You help.", "user: One?", "assistant: Yes.", "user: Four?"]]);
  await team.close();
});

test("a budget drops the oldest messages and logs them", async () => {
  const team = await teamOn(memoryStore(), { llm_config: { ...llm_config, max_input_tokens: 120 } });
  const long = (at) => `Message ${at}: ${"word ".repeat(30)}`;
  for (let at = 0; at < 4; at += 1) await say(team, long(at));
  const log = [];
  const sent = [];
  const turn = await team.dispatch({ agent_id: "clerk", instruction: "And now?", conversation: "talk" });
  const model = (payload) => {
    sent.push(said(payload));
    return "Done.";
  };
  await worker({ engine: team, model, log: (entry) => log.push(entry) }).step();
  assert.equal((await team.result(turn)).fields.output, "Done.");
  assert.equal(sent[0].at(-1), "user: And now?");
  assert.ok(!sent[0].some((message) => message.includes("Message 0")), sent[0].join("\n"));
  const { dropped } = log.find(({ event }) => event === "messages_dropped");
  assert.ok(dropped.length > 0 && dropped.every(({ card_id }) => card_id !== undefined), JSON.stringify(dropped[0]));
  await team.close();
});

test("a dispatch with a conversation and a box is refused", async () => {
  const team = await teamOn(memoryStore());
  const base = { agent_id: "clerk", conversation: "talk" };
  for (const [more, error_code] of [
    [{}, "missing_instruction"],
    [{ instruction: "Go.", context_box_id: "b" }, "instruction_with_box"],
    [{ instruction: "Go.", output_box_id: "b" }, "instruction_with_box"],
  ]) {
    const refused = await team.dispatch({ ...base, ...more });
    assert.deepEqual([refused.status, refused.error_code], ["rejected", error_code]);
  }
  await team.close();
});

test("a changed profile is stored, and the answer lists the changes", async () => {
  const team = await teamOn(memoryStore());
  const declare = (more) => team.profile({ name: "Clerk", system_prompt: "You help.", llm_config, ...more });
  const { profile_box_id, ...same } = await declare({});
  assert.deepEqual(same, { made: false, changed: [], version: 1 });
  const changed = await declare({ system_prompt: "Be brief.", worker_target: "gpu" });
  assert.deepEqual(changed, { profile_box_id, made: false, changed: ["system_prompt_template", "worker_target"], version: 2 });
  assert.deepEqual((await say(team, "One?")).sent, [["system: Be brief.", "user: One?"]]);
  await team.close();
});

test("a profile that allows an unknown tool fails its turns", async () => {
  const team = await teamOn(memoryStore(), { allowed_tools: ["clock", "serach"] });
  const { result } = await say(team, "One?", { tools: { clock: () => "noon", search: () => "" } });
  assert.equal(result.status, "failed");
  assert.match(result.error.message, /`allowed_tools` of profile `Clerk` has `serach`; tools of the worker: `clock`, `search`/);
  await team.close();
});

/** A Standard Schema of a place, as a library makes one. */
const place = {
  "~standard": {
    version: 1,
    vendor: "test",
    jsonSchema: { input: () => ({ $schema: "s", type: "object", properties: { city: { type: "string" } }, required: ["city"] }) },
    validate: (value) =>
      typeof value?.city === "string"
        ? { value: { city: value.city.toUpperCase() } }
        : { issues: [{ message: "expected a string", path: ["city"] }] },
  },
};

test("a schema checks the arguments of a tool, and the model receives the errors", async () => {
  const team = await teamOn(memoryStore());
  const seen = [];
  const weather = tool({ name: "weather", description: "Returns the weather.", schema: place, run: ({ city }) => void seen.push(city) });
  assert.deepEqual(weather.parameters, { type: "object", properties: { city: { type: "string" } }, required: ["city"] });
  const calls = ['{"city": 7}', '{"city": "rome"}'];
  const model = ({ body }, { step_count }) => {
    if (step_count === 1) assert.match(body.messages.at(-1).content, /`city`: expected a string/);
    if (step_count === 2) return "Fine.";
    return { text: "", tool_calls: [{ function: { name: "weather", arguments: calls[step_count] } }] };
  };
  const { result } = await say(team, "Weather?", { model, tools: [weather] });
  assert.equal(result.fields.output, "Fine.");
  assert.deepEqual(seen, ["ROME"]);
  assert.throws(() => tool({ name: "w", schema: { "~standard": { vendor: "other" } }, run() {} }), {
    path: "parameters",
    message: /`other` writes no JSON Schema/,
  });
  assert.throws(() => worker({ engine: team, model, tools: [weather, weather] }), { path: "tools", message: /two tools `weather`/ });
  await team.close();
});

test("events of a turn are deltas, cards and the result, and can be resumed", async () => {
  const team = await teamOn(memoryStore());
  const chunk = (content, finish_reason = null) => ({ choices: [{ index: 0, delta: { content }, finish_reason }] });
  async function* model() {
    yield chunk("Good ");
    yield chunk("day.", "stop");
  }
  const turn = await team.dispatch({ agent_id: "clerk", instruction: "Hello.", conversation: "talk" });
  const events = [];
  const reading = (async () => {
    for await (const event of team.events(turn, { pollMs: 5 })) events.push(event);
  })();
  await worker({ engine: team, model }).step();
  await reading;
  const text = events.filter(({ kind, delta }) => kind === "delta" && delta.text !== undefined).map(({ delta }) => delta.text);
  assert.equal(text.join(""), "Good day.");
  const cards = events.filter(({ kind }) => kind === "card");
  assert.equal(cards[0].card.content.text, "Good day.");
  assert.equal(events.at(-1).result.fields.output, "Good day.");
  const again = [];
  for await (const event of team.events(turn, { after: cards[0].position })) again.push(event);
  assert.deepEqual(again, [...cards.slice(1), events.at(-1)]);
  await team.close();
});

test("in the dialect of new projects, models see neither the pointer to the parent nor the reason of a deliverable", async () => {
  const seen = {};
  for (const dialect of ["current", "v1r3"]) {
    const store = memoryStore();
    const team = engine({ open, store, projectId: "chat", options: { dialect } });
    await team.profile({ name: "Clerk", system_prompt: "You help.", llm_config, delegation_policy: { target_profiles: null } });
    await team.provision({ agent_id: "clerk", profile: "Clerk" });
    const { turn, result } = await say(team, "Hello.", { model: () => "Hi." });
    assert.equal(result.fields.output, "Hi.");
    const failing = await say(team, "Again.", {
      model: () => {
        throw new Error("no answer");
      },
    });
    assert.equal(failing.result.status, "failed");
    assert.match(failing.result.error.message, /no answer/);
    // a later turn reads no deliverable that the rules wrote
    assert.deepEqual((await say(team, "Well?")).sent.at(-1).at(-1), "user: Well?");
    const project = await open(store, { projectId: "chat", dialect });
    const call = { source_agent_id: "clerk", recursion_depth: 0, profile_name: "Clerk", instruction: "Write." };
    const { packed } = await project.recipes.packWithInstruction(call);
    const { messages } = await project.render({ card_ids: packed.attached_card_ids });
    const shown = JSON.stringify([messages.map(({ content }) => content), result.content, failing.result.content]);
    seen[dialect] = ["parent_agent_id", "allback", "completed_without"].filter((word) => shown.includes(word));
    assert.ok(turn.agent_turn_id);
    await team.close();
  }
  assert.deepEqual(seen, { current: [], v1r3: ["parent_agent_id", "allback", "completed_without"] });
});
