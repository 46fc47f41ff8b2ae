// Heavy calls on prompts, requests, answers and memory.
import { again, callOf, list, message, numbers, odd, people, standing, stored, text } from "./parts.mjs";

const called = (calls, id, answer) => [
  message(0),
  { role: "assistant", tool_calls: list(calls, () => ({ id, type: "function", function: { name: "f", arguments: "{}" } })) },
  ...list(calls, () => ({ role: "tool", tool_call_id: answer, content: "x" })),
];
const schema = (depth) => (depth === 0 ? { type: "string" } : { type: "object", properties: { [`a${depth}`]: schema(depth - 1) } });
const tool = (at, parameters) => ({ type: "function", function: { name: `tool_${at}`, description: "d", parameters } });
const inParts = (card_id, words) => ({
  ...text(card_id, "x"),
  metadata: { role: "assistant", message_parts: [{ type: "text", text: words }] },
});
const asPrompt = { provider: "anthropic", model: "m" };

export const prompts = {
  "100,000 messages": () => ({ op: "payload", args: { provider: "anthropic", model: "m", messages: list(100_000, (at) => message(at)) } }),
  "25,000 messages (the limit)": () => ({
    op: "payload",
    args: { provider: "anthropic", model: "m", messages: list(25_000, (at) => message(at, "x".repeat(100))) },
  }),
  "100,000 calls with one id": () => ({
    op: "payload",
    args: {
      provider: "gemini",
      model: "m",
      messages: list(25_000, (at) =>
        at % 2 === 0
          ? { role: "assistant", content: "", tool_calls: [{ id: "same", type: "function", function: { name: "f", arguments: "{}" } }] }
          : { role: "tool", tool_call_id: "same", content: "x" },
      ),
    },
  }),
  "one message with 41,000 calls": () => ({
    op: "payload",
    args: {
      provider: "openai_chat",
      model: "m",
      messages: [
        { role: "user", content: "x" },
        {
          role: "assistant",
          content: "",
          tool_calls: list(41_000, (at) => ({ id: `c${at}`, type: "function", function: { name: "f", arguments: "{}" } })),
        },
      ],
    },
  }),
  "15,500 tools": () => ({
    op: "payload",
    args: { provider: "openai_responses", model: "m", messages: [message(0)], tools: list(15_500, (at) => tool(at, schema(3))) },
  }),
  "a tool with 40,000 references": () => ({
    op: "payload",
    args: {
      provider: "gemini",
      model: "m",
      messages: [message(0)],
      tools: [
        tool(0, {
          type: "object",
          properties: Object.fromEntries(list(40_000, (at) => [`p${at}`, { $ref: `#/$defs/d${at % 200}` }])),
          $defs: Object.fromEntries(list(200, (at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }])),
        }),
      ],
    },
  }),
  "a budget over 100,000 messages": () => ({
    op: "budget",
    args: { provider: "anthropic", model: "m", limit: 25_000, messages: list(100_000, (at) => message(at)) },
  }),
  "a budget over 25,000": () => ({
    op: "budget",
    args: { provider: "anthropic", model: "m", limit: 25_000, messages: list(25_000, (at) => message(at, "x".repeat(100))) },
  }),
  "counting 8 MB": () => ({
    op: "count_tokens",
    args: { provider: "anthropic", model: "m", messages: list(8, (at) => message(at, "word ".repeat(200_000))) },
  }),
  "two conversations of 25,000 messages": () => ({
    op: "diff_payloads",
    args: {
      provider: "anthropic",
      before: { messages: list(25_000, (at) => message(at)) },
      after: { messages: list(25_000, (at) => message(at + 1)) },
    },
  }),
  "a template with 300,000 placeholders": () => ({
    op: "collect_contexts",
    args: { state: { goal: "ship" }, retrieved: { todo__context: { template: "{goal} ".repeat(300_000) } } },
  }),
  "a composition of 100,000 messages": () => ({
    op: "compose",
    args: {
      process: "react",
      system_prompt: "x",
      query: { runtime: "go" },
      checkpoint_messages: list(100_000, (at) => ({ id: `m${at}`, ...message(at) })),
    },
  }),
  "a composition of 25,000": () => ({
    op: "compose",
    args: {
      process: "react",
      system_prompt: "x",
      query: { runtime: "go" },
      checkpoint_messages: list(25_000, (at) => ({ id: `m${at}`, ...message(at, "x".repeat(80)) })),
    },
  }),
  "an answer of 35,000 events": () => ({
    op: "read_response",
    args: {
      provider: "gemini",
      events: list(35_000, (at) => ({ candidates: [{ content: { parts: [{ text: `${"x".repeat(150)}${at}` }] } }] })),
    },
  }),
  "a context of 80,000 messages in memory": () => ({
    op: "change_memory",
    args: {
      state: {},
      changes: list(2_000, (at) => ({ op: "append", messages: list(40, (nth) => ({ id: `m${at}_${nth}`, ...message(nth) })) })),
    },
  }),
  "a context of 25,000 messages in memory": () => ({
    op: "change_memory",
    args: {
      state: {},
      changes: list(1_000, (at) => ({ op: "append", messages: list(25, (nth) => ({ id: `m${at}_${nth}`, ...message(nth) })) })),
    },
  }),
  "a card of 900 kB, shown 100,000 times": () => ({
    rows: { cards: [text("c", "y".repeat(900_000))], boxes: [{ box_id: "b", card_ids: list(100_000, () => "c") }] },
    op: "render",
    args: { box_id: "b" },
  }),
  "80,000 renamed properties": () => ({
    op: "payload",
    args: {
      provider: "anthropic",
      model: "m",
      messages: [message(0)],
      tools: [tool(0, { type: "object", properties: Object.fromEntries(list(80_000, (at) => [`p ${at}`, { type: "string" }])) })],
    },
  }),
  "60,000 required properties": () => ({
    op: "payload",
    args: {
      provider: "openai_chat",
      model: "m",
      messages: [message(0)],
      tools: [
        {
          type: "function",
          function: {
            name: "t",
            strict: true,
            parameters: {
              type: "object",
              required: list(60_000, (at) => `p${at}`),
              properties: Object.fromEntries(list(60_000, (at) => [`p${at}`, { type: "string" }])),
            },
          },
        },
      ],
    },
  }),
  "200 references to 7 MB": () => ({
    op: "payload",
    args: {
      provider: "gemini",
      model: "m",
      messages: [message(0)],
      tools: [
        tool(0, {
          type: "object",
          properties: Object.fromEntries(list(200, (at) => [`p${at}`, { $ref: "#/$defs/d", description: "x" }])),
          $defs: { d: { enum: ["x".repeat(7_000_000)] } },
        }),
      ],
    },
  }),
  "a tool with a name of 4 MB": () => ({
    op: "payload",
    args: {
      provider: "anthropic",
      model: "m",
      messages: [message(0)],
      tools: [
        {
          name: "t".repeat(4_000_000),
          parameters: { type: "object", properties: Object.fromEntries(list(60_000, (at) => [`p${at}`, { type: "odd" }])) },
        },
      ],
    },
  }),
  "20,000 calls with one id": () => ({
    op: "payload",
    args: { provider: "openai_chat", model: "m", messages: called(20_000, "same", "same") },
  }),
  "20,000 calls without an id": () => ({ op: "payload", args: { provider: "anthropic", model: "m", messages: called(20_000, "", "") } }),
  "12,000 calls of undefined tools": () => ({
    op: "payload",
    args: {
      provider: "bedrock",
      model: "m",
      messages: [
        message(0),
        ...list(24_000, (at) =>
          at % 2 === 0
            ? { role: "assistant", tool_calls: [{ id: `c${at}`, type: "function", function: { name: `n ${at}`, arguments: "{}" } }] }
            : { role: "tool", tool_call_id: `c${at - 1}`, content: "x" },
        ),
      ],
    },
  }),
  "a restored call with 40,000 names": () => ({
    op: "restore_call",
    args: {
      provider: "anthropic",
      name: "tool_0",
      tools: [tool(0, { type: "object", properties: Object.fromEntries(list(40_000, (at) => [`p ${at}`, { type: "string" }])) })],
      arguments: Object.fromEntries(list(40_000, (at) => [`p_${at}`, at])),
    },
  }),
  "a template with 300,000 values of 1 MB": () => ({
    op: "collect_contexts",
    args: { state: { goal: "g".repeat(1_000_000) }, retrieved: { todo__context: { template: "{goal} ".repeat(300_000) } } },
  }),
  "80,000 results in memory": () => ({
    op: "change_memory",
    args: { state: {}, changes: [{ op: "add_results", results: list(80_000, (at) => ({ task_id: `t${at}` })) }] },
  }),
  "20,000 changes of 40,000 results": () => ({
    op: "change_memory",
    args: {
      state: { mapreduce_results: list(40_000, (at) => ({ task_id: `t${at}` })) },
      changes: list(20_000, (at) => ({ op: "add_results", results: [{ task_id: `t${at}`, out: 1 }] })),
    },
  }),
  "25,000 tools and 40,000 allowed names": () => ({
    rows: {
      ...people,
      cards: [
        {
          ...text("sys"),
          type: "sys.profile",
          content: { __type__: "JsonContent", data: { name: "Writer", system_prompt: "x", allowed_tools: list(40_000, (at) => `x${at}`) } },
        },
      ],
      boxes: [{ box_id: "pb", card_ids: ["sys"] }],
    },
    op: "turn_view",
    args: { profile_box_id: "pb", tools: list(25_000, (at) => tool(at, { type: "object" })) },
  }),
  "a card of 900 kB in the call, shown 25,000 times": () => ({
    op: "render",
    args: { cards: [text("c", "y".repeat(900_000))], card_ids: again(25_000) },
  }),
  "a card of 900 kB without a role, 25,000 times": () => ({
    rows: standing(odd("c", "y".repeat(900_000))),
    op: "turn_view",
    args: { context_box_id: "b", output_box_id: "b" },
  }),
  "a message of 900 kB in parts, 25,000 times": () => ({
    rows: standing(inParts("c", "y".repeat(900_000))),
    op: "payload",
    args: { ...asPrompt, card_ids: again(25_000) },
  }),
  "a message of 600 bytes in parts, 25,000 times": () => ({
    rows: standing(inParts("c", "y".repeat(600))),
    op: "payload",
    args: { ...asPrompt, card_ids: again(25_000) },
  }),
  "a diff of a card of 900 kB, 25,000 times": () => ({
    rows: standing(text("c", "y".repeat(900_000))),
    op: "diff_payloads",
    args: { provider: "anthropic", before: { card_ids: again(25_000) }, after: { box_id: "b" } },
  }),
  "token texts of a card of 900 kB, 25,000 times": () => ({
    rows: standing(text("c", "y".repeat(900_000))),
    op: "token_texts",
    args: { provider: "anthropic", card_ids: again(25_000) },
  }),
  "a budget over 25,000 stored cards": () => ({
    rows: stored(25_000, 700),
    op: "budget",
    args: { ...asPrompt, limit: 25_000, box_id: "b" },
  }),
  "a payload of 25,000 stored cards": () => ({ rows: stored(25_000, 700), op: "payload", args: { ...asPrompt, box_id: "b" } }),
  "a request of 25,000 stored cards": () => ({
    rows: stored(25_000, 700),
    op: "inspect_request",
    args: { box_id: "b", provider: "gemini" },
  }),
  "a turn of 25,000 stored cards": () => ({
    rows: stored(25_000, 700),
    op: "turn_view",
    args: { context_box_id: "b", output_box_id: "b" },
  }),
  "an answer with 3,700,000 numbers in a string": () => ({
    op: "read_response",
    args: {
      provider: "openai_chat",
      response: { choices: [{ message: { content: "x", tool_calls: [callOf(numbers(3_700_000))] }, finish_reason: "tool_calls" }] },
    },
  }),
  "a restored call with 3,700,000 numbers": () => ({
    op: "restore_call",
    args: { provider: "anthropic", tools: [], name: "f", arguments: numbers(3_700_000) },
  }),
  "a payload with 3,700,000 numbers in strings": () => ({
    op: "payload",
    args: {
      ...asPrompt,
      messages: list(140, (at) =>
        at % 2 === 0
          ? { role: "assistant", content: "x", tool_calls: [callOf(numbers(49_000))] }
          : { role: "tool", tool_call_id: "c", content: "x" },
      ),
    },
  }),
};
