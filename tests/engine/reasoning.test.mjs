// The reasoning of a model is sent back to it within the turn, in the format of its provider.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engine } from "../../pkg/engine.js";
import { memoryStore, open } from "../../pkg/index.js";
import { worker } from "../../pkg/worker.js";

/** Returns the second request of a turn. The model first answers with `response`, which calls `search`. */
async function secondRequest(provider, response, last, more = {}) {
  const team = engine({ open, store: memoryStore(), projectId: "p" });
  await team.profile({
    name: "Writer",
    system_prompt: "You write.",
    llm_config: { provider, model: "some-model", max_output_tokens: 4000, ...more },
  });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  const requests = [];
  const model = ({ body }, { step_count }) => {
    requests.push(body);
    return step_count === 0 ? response : last;
  };
  const crew = worker({
    engine: team,
    model,
    tools: {
      search: { description: "Looks it up.", parameters: { type: "object", properties: { q: { type: "string" } } }, run: () => "found" },
    },
  });
  const turn = await team.dispatch({ agent_id: "ann", instruction: "Look it up." });
  await crew.step();
  const card = await team.result(turn);
  await crew.close();
  await team.close();
  assert.equal(requests.length, 2, card?.content.data.fields.map(({ value }) => value).join(" "));
  return requests[1];
}

test("Anthropic: signed and redacted thinking are before the text and the call", async () => {
  const thinking = [
    { type: "thinking", thinking: "The tides are asked for.", signature: "c2lnbmVk" },
    { type: "redacted_thinking", data: "ZW5jcnlwdGVk" },
  ];
  const usage = { input_tokens: 1, output_tokens: 1 };
  const first = {
    id: "m1",
    type: "message",
    role: "assistant",
    model: "some-model",
    stop_reason: "tool_use",
    usage,
    content: [...thinking, { type: "text", text: "Let me look." }, { type: "tool_use", id: "t1", name: "search", input: { q: "tides" } }],
  };
  const last = { ...first, stop_reason: "end_turn", content: [{ type: "text", text: "done" }] };
  const { messages } = await secondRequest("anthropic", first, last, { thinking_tokens: 2000 });
  const { content } = messages.find(({ role }) => role === "assistant");
  assert.deepEqual(content.slice(0, 2), thinking);
  assert.deepEqual(
    content.slice(2).map(({ type }) => type),
    ["text", "tool_use"],
  );
});

test("OpenAI Responses: the unchanged reasoning item is before the call", async () => {
  const item = {
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: "The tides." }],
    encrypted_content: "ZW5jcnlwdGVk",
  };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const first = {
    id: "r1",
    object: "response",
    status: "completed",
    model: "some-model",
    usage,
    output: [item, { type: "function_call", id: "fc_1", call_id: "c1", name: "search", arguments: '{"q":"tides"}', status: "completed" }],
  };
  const last = {
    ...first,
    id: "r2",
    output: [
      {
        type: "message",
        id: "m1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "done", annotations: [] }],
      },
    ],
  };
  const { input } = await secondRequest("openai_responses", first, last);
  const at = input.findIndex(({ type }) => type === "reasoning");
  assert.deepEqual(input[at], item);
  assert.equal(input[at + 1].type, "function_call");
});

test("Gemini: the signature of a call stays with the call", async () => {
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1 };
  const parts = [
    { text: "The tides are asked for.", thought: true },
    { functionCall: { name: "search", args: { q: "tides" } }, thoughtSignature: "c2lnbmVk" },
  ];
  const first = { candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts } }], usageMetadata };
  const last = { candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts: [{ text: "done" }] } }], usageMetadata };
  const { contents } = await secondRequest("gemini", first, last);
  const sent = contents.find(({ role }) => role === "model").parts;
  assert.equal(sent.find(({ functionCall }) => functionCall !== undefined).thoughtSignature, "c2lnbmVk");
});

test("`reasoning_content` is sent back if the profile keeps reasoning", async () => {
  const call = { id: "c1", type: "function", function: { name: "search", arguments: "{}" } };
  const first = {
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: { role: "assistant", content: "", reasoning_content: "The tides.", tool_calls: [call] },
      },
    ],
  };
  const last = { choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "done" } }] };
  const kept = await secondRequest("openai_compatible", first, last, { keep_reasoning: true });
  assert.equal(kept.messages.find(({ role }) => role === "assistant").reasoning_content, "The tides.");
  const dropped = await secondRequest("openai_compatible", first, last);
  assert.equal(dropped.messages.find(({ role }) => role === "assistant").reasoning_content, undefined);
});
