// The heaviest calls that fit into a body of 8 MiB, each previewed over HTTP in a process of its own, with what a host
// allows by default: none may trap, take more than 2 s of CPU or more than 512 MiB. Beside it what the same call takes
// as a value of the host itself. `cargo xtask bench heavy` builds first and calls this.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { fetchHandler } from "../../pkg/http.js";
import { jsonText, memoryStore, open } from "../../pkg/index.js";
import { cardId } from "./worlds.mjs";

const BODY = 8 * 1024 * 1024;
const [MOST_SECONDS, MOST_BYTES] = [2, 512 * 1024 * 1024];

const list = (length, make) => Array.from({ length }, (_, at) => make(at));
const text = (card_id, words) => ({ card_id, type: "note", author_id: "me", content: { __type__: "TextContent", text: words }, metadata: { role: "user" } });
const message = (at, words = "x") => ({ role: at % 2 === 0 ? "user" : "assistant", content: `${words} ${at}` });
const chained = (at) => JSON.stringify({ request: { model: "m", previous_response_id: `r${at - 1}`, input: [message(0, at)] }, response: { id: `r${at}`, output: [message(1, at)] } });
const history = (answers) => ({ name: "talk.json", text: JSON.stringify(list(2 * answers, (at) => message(at))) });
const fileOf = (words) => ({ op: "import", args: { files: [{ name: "log", text: words }] } });
const attribute = (key, stringValue) => ({ key, value: { stringValue } });
const span = (at) => ({ traceId: "t", spanId: `s${at}`, parentSpanId: `s${at - 1}`, name: "chat", attributes: [attribute("gen_ai.operation.name", "chat"), attribute("gen_ai.input.messages", '[{"role":"user","parts":[{"type":"text","content":"x"}]}]')] });
const compactions = (count) => ['{"type":"session","cwd":"/","id":"s"}', '{"type":"message","id":"m","parentId":null,"message":{"role":"user","content":"a"}}', ...list(count, (at) => JSON.stringify({ type: "compaction", id: `c${at}`, parentId: at === 0 ? "m" : `c${at - 1}`, firstKeptEntryId: "m" }))].join("\n");
const nested = (depth) => list(depth, () => "[").join("") + list(depth, () => "]").join("");
const people = {
  profiles: [{ name: "Lead", profile_box_id: "pb", delegation_policy: {} }, { name: "Writer", profile_box_id: "pb" }],
  agents: [{ agent_id: "lead", profile_box_id: "pb" }],
};
const large = { box_id: "large", card_ids: list(200_000, cardId), parent_ids: [], version: 1 };
const packing = { context_packing_config: { inherit_context: { include_boxes_from_args: ["boxes"] } } };
const task = (at, context_box_id) => ({ target_strategy: "new", target_ref: "Writer", instruction: `part ${at}`, context_box_id });
const inherits = (names) => ({ context_packing_config: { inherit_context: { include_boxes_from_args: names } } });
const called = (calls, id, answer) => [message(0), { role: "assistant", tool_calls: list(calls, () => ({ id, type: "function", function: { name: "f", arguments: "{}" } })) }, ...list(calls, () => ({ role: "tool", tool_call_id: answer, content: "x" }))];
const schema = (depth) => (depth === 0 ? { type: "string" } : { type: "object", properties: { [`a${depth}`]: schema(depth - 1) } });
const tool = (at, parameters) => ({ type: "function", function: { name: `tool_${at}`, description: "d", parameters } });

const odd = (card_id, words) => ({ ...text(card_id, words), metadata: {} });
const inParts = (card_id, words) => ({ ...text(card_id, "x"), metadata: { role: "assistant", message_parts: [{ type: "text", text: words }] } });
const again = (count) => list(count, () => "c");
const standing = (card) => ({ cards: [card], boxes: [{ box_id: "b", card_ids: again(25_000) }] });
const stored = (count, size) => ({ cards: list(count, (at) => text(`c${at}`, "word ".repeat(size / 5))), boxes: [{ box_id: "b", card_ids: list(count, (at) => `c${at}`) }] });
const handing = (instruction) => ({ op: "preview_handover", args: { call: { op: "pack_context_with_instruction", source_agent_id: "lead", profile_name: "Writer", instruction, inherit_box_ids: ["b"] } } });
const asPrompt = { provider: "anthropic", model: "m" };
const moment = "2026-01-01T00:00:00.000Z";
const boxOf = (number) => `00000000-0000-4000-8000-${number.toString().padStart(12, "0")}`;
/** A project whose lead may hand work out, with rows of its tables. */
const running = (tables = {}, more = {}) => ({ profiles: [{ name: "Lead", profile_box_id: boxOf(1), delegation_policy: {}, worker_target: "w" }, { name: "Writer", profile_box_id: boxOf(2), worker_target: "w" }], agents: [{ agent_id: "lead", profile_box_id: boxOf(1), worker_target: "w" }], boxes: [{ box_id: "large", card_ids: ["c"] }, { box_id: boxOf(3), card_ids: list(200_000, cardId) }], rows: Object.entries(tables).flatMap(([table, rows]) => rows.map((row) => ({ table, version: "v", row }))), ...more });
const headOf = (agent_id, status) => ({ agent_id, status, active_agent_turn_id: "t", active_channel_id: "public", turn_epoch: 1, active_recursion_depth: 0, updated_at: moment, profile_box_id: boxOf(1), context_box_id: boxOf(3), output_box_id: boxOf(4), waiting_tool_count: 0 });
const working = { agent_id: "lead", agent_turn_id: "t", turn_epoch: 1, channel_id: "public", profile_box_id: boxOf(1), context_box_id: boxOf(3), output_box_id: boxOf(4), headers: { "CG-Recursion-Depth": "0" }, step_id: "s" };
const waits = (at) => ({ inbox_id: `i${at}`, agent_id: "lead", message_type: "turn", status: "pending", created_at: moment, seq: at, payload: { agent_id: "lead", agent_turn_id: "t", turn_epoch: 1 }, channel_id: "public" });
const toSend = (at) => ({ message_id: `m${at}`, subject: "s", payload: {}, status: "pending", created_at: moment, seq: at });
const batch = (tasks, more) => ({ op: "create_batch", args: { source_agent_id: "lead", parent_agent_turn_id: "t", parent_turn_epoch: 1, parent_tool_call_id: "call", recursion_depth: 0, activate: true, task_specs: list(tasks, (at) => ({ provision: true, profile_box_id: boxOf(2), context_box_id: boxOf(3), task_args: { text: "x".repeat(3_000), at } })), ...more } });
const handedOut = (tasks, size) => ({ op: "hand_out", args: { parent_agent_turn_id: "t", parent_turn_epoch: 1, parent_tool_call_id: "call", call: { op: "fork_join", max_tasks: tasks, source_agent_id: "lead", tool_suffix: "t", arguments: { tasks: list(tasks, (at) => ({ ...task(at, "large"), instruction: `${"x".repeat(size)}${at}` })) } } } });
const numbers = (count) => `{"a":[${"1,".repeat(count)}1]}`;
const callOf = (args) => ({ id: "c", type: "function", function: { name: "f", arguments: args } });

/** A call, and what lies in the project; `whole` is the text of arguments that JavaScript's own writer would not make. */
const CASES = {
  "a text of 8 MB": () => ({ op: "put_cards", args: { cards: [text("c", "x".repeat(8_000_000))] } }),
  "texts just below the limit of a card": () => ({ op: "put_cards", args: { cards: list(8, (at) => text(`c${at}`, "漢".repeat(330_000))) } }),
  "40,000 small cards": () => ({ op: "put_cards", args: { cards: list(40_000, (at) => text(`c${at}`, "x")) } }),
  "27,000, as many as may be": () => ({ op: "put_cards", args: { cards: list(27_000, (at) => text(`c${at}`, "x")) } }),
  "27,000 cards of 300 bytes": () => ({ op: "put_cards", args: { cards: list(27_000, (at) => text(`c${at}`, "x".repeat(160))) } }),
  "8 MB of brackets": () => ({ op: "text_form", whole: `{"value": ${nested(4_000_000)}}` }),
  "lists of lists as deep as allowed": () => ({ op: "put_cards", args: { cards: list(2_200, (at) => ({ ...text(`c${at}`), content: { __type__: "JsonContent", data: JSON.parse(nested(100)) } })) } }),
  "long doubles": () => ({ op: "text_form", args: { value: list(249_000, (at) => `0.${"1234567890123456"}${at}`).map(Number) } }),
  "doubles with thousands of digits": () => ({ op: "text_form", whole: `{"value": [${list(4_000, () => `1.${"7".repeat(1900)}e-300`).join(",")}]}` }),
  "450,000 keys": () => ({ op: "text_form", args: { value: Object.fromEntries(list(450_000, (at) => [`k${at}`, at])) } }),
  "249,000 keys, as many as may be": () => ({ op: "text_form", args: { value: Object.fromEntries(list(249_000, (at) => [`key ${at} ${"x".repeat(10)}`, at])) } }),
  "escapes": () => ({ op: "text_form", whole: `{"value": "${"\\u00e9\\ud83d\\ude00".repeat(440_000)}"}` }),
  "a box of 200,000 ids": () => ({ op: "create_box", args: { box_id: "b", card_ids: list(200_000, cardId) } }),
  "100 times the same box of 200,000": () => ({ rows: { ...people, boxes: [large] }, op: "pack_context", args: { tool_suffix: "t", source_agent_id: "lead", arguments: { profile_name: "Writer", boxes: list(100, () => "large") }, handover: packing } }),
  "500,000 boxes that are not there": () => ({ op: "get_boxes", args: { box_ids: list(500_000, (at) => `b${at}`) } }),
  "a fork over a box of 200,000": () => ({ rows: { ...people, boxes: [large] }, op: "fork_join", args: { source_agent_id: "lead", tool_suffix: "t", max_tasks: 60_000, arguments: { tasks: list(60_000, (at) => task(at, "large")) } } }),
  "a fork of 10,000": () => ({ rows: { ...people, boxes: [{ ...large, card_ids: list(150, cardId) }] }, op: "fork_join", args: { source_agent_id: "lead", tool_suffix: "t", max_tasks: 10_000, arguments: { tasks: list(10_000, (at) => task(at, "large")) } } }),
  "a fork of 1,000, as many as may be": () => ({ rows: { ...people, boxes: [{ ...large, card_ids: list(150, cardId) }] }, op: "fork_join", args: { source_agent_id: "lead", tool_suffix: "t", max_tasks: 1_000, arguments: { tasks: list(1_000, (at) => task(at, "large")) } } }),
  "16,000 boxes in one": () => ({ rows: { boxes: list(16_000, (at) => ({ box_id: `b${at}`, card_ids: [`c${at}`] })) }, op: "concat_boxes", args: { box_ids: list(16_000, (at) => `b${at}`) } }),
  "100,000 messages": () => ({ op: "payload", args: { provider: "anthropic", model: "m", messages: list(100_000, (at) => message(at)) } }),
  "25,000 messages, as many as may be": () => ({ op: "payload", args: { provider: "anthropic", model: "m", messages: list(25_000, (at) => message(at, "x".repeat(100))) } }),
  "100,000 calls with one id": () => ({ op: "payload", args: { provider: "gemini", model: "m", messages: list(25_000, (at) => (at % 2 === 0 ? { role: "assistant", content: "", tool_calls: [{ id: "same", type: "function", function: { name: "f", arguments: "{}" } }] } : { role: "tool", tool_call_id: "same", content: "x" })) } }),
  "one message with 41,000 calls": () => ({ op: "payload", args: { provider: "openai_chat", model: "m", messages: [{ role: "user", content: "x" }, { role: "assistant", content: "", tool_calls: list(41_000, (at) => ({ id: `c${at}`, type: "function", function: { name: "f", arguments: "{}" } })) }] } }),
  "15,500 tools": () => ({ op: "payload", args: { provider: "openai_responses", model: "m", messages: [message(0)], tools: list(15_500, (at) => tool(at, schema(3))) } }),
  "a tool with 40,000 references": () => ({ op: "payload", args: { provider: "gemini", model: "m", messages: [message(0)], tools: [tool(0, { type: "object", properties: Object.fromEntries(list(40_000, (at) => [`p${at}`, { $ref: `#/$defs/d${at % 200}` }])), $defs: Object.fromEntries(list(200, (at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }])) })] } }),
  "a budget over 100,000 messages": () => ({ op: "budget", args: { provider: "anthropic", model: "m", limit: 25_000, messages: list(100_000, (at) => message(at)) } }),
  "a budget over 25,000": () => ({ op: "budget", args: { provider: "anthropic", model: "m", limit: 25_000, messages: list(25_000, (at) => message(at, "x".repeat(100))) } }),
  "counting 8 MB": () => ({ op: "count_tokens", args: { provider: "anthropic", model: "m", messages: list(8, (at) => message(at, "word ".repeat(200_000))) } }),
  "two conversations of 25,000 messages": () => ({ op: "diff_payloads", args: { provider: "anthropic", before: { messages: list(25_000, (at) => message(at)) }, after: { messages: list(25_000, (at) => message(at + 1)) } } }),
  "an import of 25,000 requests": () => ({ op: "import", args: { files: [{ name: "log.jsonl", text: list(25_000, (at) => JSON.stringify({ model: "m", messages: [message(at)] })).join("\n") }] } }),
  "an import of 3,000, as many as may be": () => ({ op: "import", args: { files: [{ name: "log.jsonl", text: list(3_000, (at) => JSON.stringify({ model: "m", messages: [message(at, "x".repeat(2_450))] })).join("\n") }] } }),
  "an import of a chain of 5,000 responses": () => ({ op: "import", args: { files: [{ name: "log.jsonl", text: list(5_000, chained).join("\n") }] } }),
  "an import of a chain of 25,000 responses": () => ({ op: "import", args: { files: [{ name: "log.jsonl", text: list(25_000, chained).join("\n") }] } }),
  "an import of a history of 25,000 answers": () => ({ op: "import", args: { files: [history(25_000)] } }),
  "an import of a history of 5,000 answers": () => ({ op: "import", args: { files: [history(5_000)] } }),
  "every request of a history of 25,000 answers": () => ({ op: "import", args: { shape: "neutral", every: true, files: [history(25_000)] } }),
  "an import of a file of 80,000 messages": () => fileOf(JSON.stringify({ model: "m", messages: list(80_000, (at) => message(at, "x".repeat(40))) })),
  "an import of 25,000 messages, as many as may be": () => fileOf(JSON.stringify({ model: "m", messages: list(25_000, (at) => message(at, "x".repeat(90))) })),
  "an import of 3,900,000 numbers": () => fileOf(`[${"1,".repeat(3_900_000)}1]`),
  "an import of lines of which three in four are no JSON": () => fileOf(("{}\n".repeat(10) + "{x\n".repeat(30)).repeat(48_000)),
  "an import of 16,000 spans": () => fileOf(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: list(16_000, span) }] }] })),
  "an import of 40,000 compactions that keep everything": () => fileOf(compactions(40_000)),
  "an import of calls whose arguments are 75,000 numbers": () => fileOf(JSON.stringify({ model: "m", messages: list(50, (at) => ({ role: "assistant", content: "", tool_calls: [{ id: `c${at}`, type: "function", function: { name: "f", arguments: `{"a":[${"1,".repeat(75_000)}1]}` } }] })) })),
  "an import of 40,000 messages in lines of their own": () => fileOf(`{"sessionId":"s","messages":[]}\n${list(40_000, (at) => JSON.stringify({ id: `m${at}`, type: "user", content: "x", sessionId: "s" })).join("\n")}`),
  "an import of brackets": () => ({ op: "import", args: { files: [{ name: "log.json", text: nested(4_000_000) }] } }),
  "an import of a long line of quotes": () => ({ op: "import", args: { files: [{ name: "log.txt", text: "\"\\".repeat(1_900_000) }] } }),
  "a queue message of 8 MB": () => ({ rows: people, op: "enqueue", args: { target_agent_id: "lead", message_type: "turn", payload: { agent_id: "lead", profile_box_id: "pb", data: list(120_000, (at) => ({ at, ...(at % 50 === 0 ? { text: "x".repeat(2_500) } : {}) })) }, headers: {} } }),
  "a search in 8 MB": () => ({ rows: { cards: list(8, (at) => text(`c${at}`, "aab".repeat(330_000))), boxes: [{ box_id: "b", card_ids: list(8, (at) => `c${at}`) }] }, op: "search_cards", args: { box_ids: ["b"], text: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab" } }),
  "a template with 300,000 places": () => ({ op: "collect_contexts", args: { state: { goal: "ship" }, retrieved: { todo__context: { template: "{goal} ".repeat(300_000) } } } }),
  "a composition of 100,000 messages": () => ({ op: "compose", args: { process: "react", system_prompt: "x", query: { runtime: "go" }, checkpoint_messages: list(100_000, (at) => ({ id: `m${at}`, ...message(at) })) } }),
  "a composition of 25,000": () => ({ op: "compose", args: { process: "react", system_prompt: "x", query: { runtime: "go" }, checkpoint_messages: list(25_000, (at) => ({ id: `m${at}`, ...message(at, "x".repeat(80)) })) } }),
  "an answer of 35,000 events": () => ({ op: "read_response", args: { provider: "gemini", events: list(35_000, (at) => ({ candidates: [{ content: { parts: [{ text: `${"x".repeat(150)}${at}` }] } }] })) } }),
  "a context of 80,000 messages in memory": () => ({ op: "change_memory", args: { state: {}, changes: list(2_000, (at) => ({ op: "append", messages: list(40, (nth) => ({ id: `m${at}_${nth}`, ...message(nth) })) })) } }),
  "a context of 25,000 in memory": () => ({ op: "change_memory", args: { state: {}, changes: list(1_000, (at) => ({ op: "append", messages: list(25, (nth) => ({ id: `m${at}_${nth}`, ...message(nth) })) })) } }),
  "a box of 200,000 in 100,000 arguments": () => ({ rows: { ...people, boxes: [large] }, op: "pack_context", args: { tool_suffix: "t", source_agent_id: "lead", arguments: { profile_name: "Writer", boxes: ["large"] }, handover: inherits(list(100_000, () => "boxes")) } }),
  "400 small boxes in 100,000 arguments": () => ({ rows: { ...people, boxes: [{ box_id: "b", card_ids: ["c"] }] }, op: "pack_context", args: { tool_suffix: "t", source_agent_id: "lead", arguments: { profile_name: "Writer", boxes: list(400, () => "b") }, handover: inherits(list(100_000, () => "boxes")) } }),
  "an argument whose name is 3 MB long": () => ({ rows: people, op: "pack_context", args: { tool_suffix: "t", source_agent_id: "lead", arguments: { profile_name: "Writer", ["k".repeat(3_000_000)]: list(25_000, () => []) }, handover: inherits(["k".repeat(3_000_000)]) } }),
  "200,000 times a box of 200,000": () => ({ rows: { boxes: [large] }, op: "concat_boxes", args: { box_ids: list(200_000, () => "large") } }),
  "a card of 900 kB, shown 100,000 times": () => ({ rows: { cards: [text("c", "y".repeat(900_000))], boxes: [{ box_id: "b", card_ids: list(100_000, () => "c") }] }, op: "render", args: { box_id: "b" } }),
  "100 cards of 1 MB": () => ({ rows: { cards: list(100, (at) => text(`c${at}`, "x".repeat(1_000_000))), boxes: [{ box_id: "b", card_ids: list(100, (at) => `c${at}`) }] }, op: "get_box_cards", args: { box_id: "b" } }),
  "a long text that is looked for": () => ({ rows: { cards: list(8, (at) => text(`c${at}`, "a".repeat(1_000_000))), boxes: [{ box_id: "b", card_ids: list(8, (at) => `c${at}`) }] }, op: "inspect", args: { box_id: "b", find: `${"a".repeat(500_000)}b` } }),
  "100,000 parents of a box": () => ({ op: "read_box", args: { box: { box_id: "b", card_ids: [], parent_ids: list(100_000, (at) => `p${at}`) } } }),
  "80,000 properties under other names": () => ({ op: "payload", args: { provider: "anthropic", model: "m", messages: [message(0)], tools: [tool(0, { type: "object", properties: Object.fromEntries(list(80_000, (at) => [`p ${at}`, { type: "string" }])) })] } }),
  "60,000 properties that are required": () => ({ op: "payload", args: { provider: "openai_chat", model: "m", messages: [message(0)], tools: [{ type: "function", function: { name: "t", strict: true, parameters: { type: "object", required: list(60_000, (at) => `p${at}`), properties: Object.fromEntries(list(60_000, (at) => [`p${at}`, { type: "string" }])) } } }] } }),
  "200 references to 7 MB": () => ({ op: "payload", args: { provider: "gemini", model: "m", messages: [message(0)], tools: [tool(0, { type: "object", properties: Object.fromEntries(list(200, (at) => [`p${at}`, { $ref: "#/$defs/d", description: "x" }])), $defs: { d: { enum: ["x".repeat(7_000_000)] } } })] } }),
  "a tool whose name is 4 MB long": () => ({ op: "payload", args: { provider: "anthropic", model: "m", messages: [message(0)], tools: [{ name: "t".repeat(4_000_000), parameters: { type: "object", properties: Object.fromEntries(list(60_000, (at) => [`p${at}`, { type: "odd" }])) } }] } }),
  "20,000 calls under one id": () => ({ op: "payload", args: { provider: "openai_chat", model: "m", messages: called(20_000, "same", "same") } }),
  "20,000 calls without an id": () => ({ op: "payload", args: { provider: "anthropic", model: "m", messages: called(20_000, "", "") } }),
  "12,000 calls of tools that nobody defined": () => ({ op: "payload", args: { provider: "bedrock", model: "m", messages: [message(0), ...list(24_000, (at) => (at % 2 === 0 ? { role: "assistant", tool_calls: [{ id: `c${at}`, type: "function", function: { name: `n ${at}`, arguments: "{}" } }] } : { role: "tool", tool_call_id: `c${at - 1}`, content: "x" }))] } }),
  "a call back under 40,000 names": () => ({ op: "restore_call", args: { provider: "anthropic", name: "tool_0", tools: [tool(0, { type: "object", properties: Object.fromEntries(list(40_000, (at) => [`p ${at}`, { type: "string" }])) })], arguments: Object.fromEntries(list(40_000, (at) => [`p_${at}`, at])) } }),
  "a template with 300,000 times 1 MB": () => ({ op: "collect_contexts", args: { state: { goal: "g".repeat(1_000_000) }, retrieved: { todo__context: { template: "{goal} ".repeat(300_000) } } } }),
  "80,000 results in memory": () => ({ op: "change_memory", args: { state: {}, changes: [{ op: "add_results", results: list(80_000, (at) => ({ task_id: `t${at}` })) }] } }),
  "20,000 changes of 40,000 results": () => ({ op: "change_memory", args: { state: { mapreduce_results: list(40_000, (at) => ({ task_id: `t${at}` })) }, changes: list(20_000, (at) => ({ op: "add_results", results: [{ task_id: `t${at}`, out: 1 }] })) } }),
  "a recipe of 40,000 arguments": () => ({ op: "check_recipe", args: { recipe: { name: "r", arguments: list(40_000, (at) => ({ name: `a${at}`, type: "text" })), handover: { target_profile_config: { profile_name: "Writer" } } } } }),
  "25,000 tools and 40,000 that are allowed": () => ({ rows: { ...people, cards: [{ ...text("sys"), type: "sys.profile", content: { __type__: "JsonContent", data: { name: "Writer", system_prompt: "x", allowed_tools: list(40_000, (at) => `x${at}`) } } }], boxes: [{ box_id: "pb", card_ids: ["sys"] }] }, op: "turn_view", args: { profile_box_id: "pb", tools: list(25_000, (at) => tool(at, { type: "object" })) } }),
  "a handover of 25,000 missing cards": () => ({ rows: { ...people, cards: list(25_000, (at) => text(`c${at}`, "x")), boxes: [{ box_id: "b", card_ids: list(50_000, (at) => `c${at}`) }] }, op: "preview_handover", args: { call: { op: "pack_context_with_instruction", source_agent_id: "lead", profile_name: "Writer", instruction: "x", inherit_box_ids: ["b"] } } }),
  "100,000 passwords without a value": () => ({ rows: people, op: "preview_handover", args: { call: { op: "pack_context_with_instruction", source_agent_id: "lead", profile_name: "Writer", instruction: "password=".repeat(100_000), inherit_box_ids: [] } } }),
  "a card of 900 kB in the call, shown 25,000 times": () => ({ op: "render", args: { cards: [text("c", "y".repeat(900_000))], card_ids: again(25_000) } }),
  "a card of 900 kB without a role, 25,000 times": () => ({ rows: standing(odd("c", "y".repeat(900_000))), op: "turn_view", args: { context_box_id: "b", output_box_id: "b" } }),
  "a message of 900 kB in parts, 25,000 times": () => ({ rows: standing(inParts("c", "y".repeat(900_000))), op: "payload", args: { ...asPrompt, card_ids: again(25_000) } }),
  "a message of 600 bytes in parts, 25,000 times": () => ({ rows: standing(inParts("c", "y".repeat(600))), op: "payload", args: { ...asPrompt, card_ids: again(25_000) } }),
  "both sides of a card of 900 kB, 25,000 times": () => ({ rows: standing(text("c", "y".repeat(900_000))), op: "diff_payloads", args: { provider: "anthropic", before: { card_ids: again(25_000) }, after: { box_id: "b" } } }),
  "texts of a card of 900 kB, 25,000 times": () => ({ rows: standing(text("c", "y".repeat(900_000))), op: "token_texts", args: { provider: "anthropic", card_ids: again(25_000) } }),
  "1,000 rows of a card of 900 kB": () => ({ rows: standing(text("c", "y ".repeat(450_000))), op: "inspect", args: { box_id: "b", to: 1_000 } }),
  "a text looked for in a card of 900 kB, 25,000 times": () => ({ rows: standing(text("c", "y".repeat(900_000))), op: "inspect", args: { box_id: "b", find: "yyyyyyyyyyyyyyyyyyyyx" } }),
  "a handover of 100 cards of 300 kB": () => ({ rows: { ...people, ...stored(100, 300_000) }, ...handing("word ".repeat(60)) }),
  "a handover of 25,000 cards of 200 bytes": () => ({ rows: { ...people, ...stored(25_000, 200) }, ...handing("word ".repeat(30)) }),
  "a budget over 25,000 stored cards": () => ({ rows: stored(25_000, 700), op: "budget", args: { ...asPrompt, limit: 25_000, box_id: "b" } }),
  "a payload of 25,000 stored cards": () => ({ rows: stored(25_000, 700), op: "payload", args: { ...asPrompt, box_id: "b" } }),
  "a request of 25,000 stored cards": () => ({ rows: stored(25_000, 700), op: "inspect_request", args: { box_id: "b", provider: "gemini" } }),
  "a turn of 25,000 stored cards": () => ({ rows: stored(25_000, 700), op: "turn_view", args: { context_box_id: "b", output_box_id: "b" } }),
  "59,000 stored cards": () => ({ rows: stored(59_000, 100), op: "get_box_cards", args: { box_id: "b" } }),
  "30 stored cards of 250,000 numbers": () => ({ rows: { cards: list(30, (at) => ({ ...text(`c${at}`), content: { __type__: "JsonContent", data: list(250_000, () => 1) } })), boxes: [{ box_id: "b", card_ids: list(30, (at) => `c${at}`) }] }, op: "get_box_cards", args: { box_id: "b" } }),
  "a packing of 59,000 cards that are gone": () => ({ rows: { ...people, boxes: [{ ...large, card_ids: list(59_000, cardId) }] }, op: "pack_context", args: { tool_suffix: "t", source_agent_id: "lead", check_liveness: true, arguments: { profile_name: "Writer", boxes: ["large"] }, handover: packing } }),
  "a search in 33 boxes of 25,000": () => ({ rows: { boxes: list(33, (at) => ({ box_id: `b${at}`, card_ids: list(25_000, (nth) => `c${nth}`) })) }, op: "search_cards", args: { box_ids: list(33, (at) => `b${at}`), text: "a" } }),
  "a handover of 240,000 odd rules": () => ({ rows: people, op: "pack_context", args: { tool_suffix: "t", source_agent_id: "lead", arguments: { profile_name: "Writer" }, handover: { context_packing_config: { pack_arguments: list(240_000, (at) => at) } } } }),
  "a handover of 25,000 odd rules": () => ({ rows: people, op: "pack_context", args: { tool_suffix: "t", source_agent_id: "lead", arguments: { profile_name: "Writer" }, handover: { context_packing_config: { pack_arguments: list(25_000, (at) => at) } } } }),
  "a hand-out of 1,000 tasks of 3 kB": () => ({ rows: running(), ...handedOut(1_000, 3_000) }),
  "a hand-out of 1,000 tasks over 120 cards": () => ({ rows: running({}, { boxes: [{ box_id: "large", card_ids: list(120, cardId) }] }), ...handedOut(1_000, 10) }),
  "a batch of 1,000 tasks of 3 kB": () => ({ rows: running(), ...batch(1_000) }),
  "a batch of 1,000 in a channel of 2 MB": () => ({ rows: running(), ...batch(1_000, { channel_id: "x".repeat(1_900_000) }) }),
  "60,000 calls of a turn": () => ({ rows: running({ heads: [headOf("lead", "running")] }), op: "turn_tools", args: { ...working, tool_calls: list(60_000, (at) => ({ id: `c${at}`, name: "f" })) } }),
  "1,000 calls of a turn that failed": () => ({ rows: running({ heads: [headOf("lead", "running")] }), op: "turn_tools", args: { ...working, tool_calls: list(1_000, (at) => ({ id: `c${at}`, name: "f", outcome: "error", error: "x".repeat(3_000) })) } }),
  "the end of a turn of 25,000 cards": () => ({ rows: running({ heads: [headOf("lead", "running")] }, { cards: stored(25_000, 700).cards, boxes: [{ box_id: boxOf(4), card_ids: list(25_000, (at) => `c${at}`) }] }), op: "turn_complete", args: { ...working, thought: { text: "x" } } }),
  "the end of a turn with a card of 900 kB, 25,000 times": () => ({ rows: running({ heads: [headOf("lead", "running")] }, { cards: [text("c", "y".repeat(900_000))], boxes: [{ box_id: boxOf(4), card_ids: again(25_000) }] }), op: "turn_complete", args: { ...working, thought: { text: "x" } } }),
  "the state of 25,000 agents": () => ({ rows: running({ heads: list(25_000, (at) => headOf(`a${at}`, "running")) }), op: "run_state", args: { limit: 1_000_000 } }),
  "what is due of 25,000 agents": () => ({ rows: running({ heads: list(25_000, (at) => headOf(`a${at}`, "dispatched")) }), op: "due", args: { settings: { watchdog_limit: 1_000_000 } } }),
  "a claim of 25,000 messages": () => ({ rows: running({ inbox: list(25_000, waits) }), op: "claim_inbox", args: { agent_id: "lead", limit: 1_000_000 } }),
  "25,000 messages that were sent": () => ({ rows: running({ outbox: list(25_000, toSend) }), op: "mark_sent", args: { message_ids: list(25_000, (at) => `m${at}`) } }),
  "the same 240,000 tags": () => ({ rows: running({}, { agents: [{ agent_id: "lead", profile_box_id: boxOf(1), worker_target: "w", tags: list(240_000, (at) => `t${at}`), metadata: {} }] }), op: "provision_identity", args: { target_agent_id: "lead", action: "update", profile_box_id: boxOf(1), worker_target: "w", tags: list(240_000, (at) => `t${239_999 - at}`) } }),
  "an answer with 3,700,000 numbers in a text": () => ({ op: "read_response", args: { provider: "openai_chat", response: { choices: [{ message: { content: "x", tool_calls: [callOf(numbers(3_700_000))] }, finish_reason: "tool_calls" }] } } }),
  "a call back with 3,700,000 numbers in a text": () => ({ op: "restore_call", args: { provider: "anthropic", tools: [], name: "f", arguments: numbers(3_700_000) } }),
  "an import with 3,700,000 numbers in texts": () => ({ op: "import", args: { shape: "neutral", every: true, files: [{ name: "log", text: JSON.stringify({ model: "m", messages: list(20, (at) => ({ role: "assistant", content: "x", tool_calls: [callOf(numbers(180_000))] })) }) }] } }),
  "a payload with 3,700,000 numbers in texts": () => ({ op: "payload", args: { ...asPrompt, messages: list(140, (at) => (at % 2 === 0 ? { role: "assistant", content: "x", tool_calls: [callOf(numbers(49_000))] } : { role: "tool", tool_call_id: "c", content: "x" })) } }),
};

const [, , name, door] = process.argv;
if (name === undefined) await all();
else await alone(CASES[name](), door);

async function alone({ rows = {}, op, args, whole }, door) {
  const store = memoryStore({ projects: [{ project_id: "p1", ...rows }] });
  const project = await open(store, { project_id: "p1" });
  // the module is there and the store has met its rows: what is measured is the call
  await project.call("get_cards", { card_ids: [] });
  const body = whole ?? JSON.stringify(args);
  const handler = fetchHandler({ open, store, authorize: () => true });
  const request = () => new Request(`http://localhost/projects/p1/operations/${op}/preview`, { method: "POST", headers: { "content-type": "application/json" }, body });
  const ask = { http: () => overHttp(handler, request()), value: () => byValue(project, op, () => (whole === undefined ? args : jsonText(whole))) }[door];
  // nor is what the case itself threw away when it was made
  globalThis.gc();
  const before = process.cpuUsage();
  const answer = await ask();
  const { user, system } = process.cpuUsage(before);
  process.send({ bytes: Buffer.byteLength(body), seconds: (user + system) / 1e6, memory: project.stats().memory_bytes, answer });
  process.disconnect();
}

async function overHttp(handler, request) {
  const response = await handler(request);
  const told = await response.text();
  return response.ok ? "answered" : refused(JSON.parse(told).error);
}

async function byValue(project, op, value) {
  try {
    const preview = await project.preview(op, value());
    void preview.valueText;
    void preview.writesText;
    return "answered";
  } catch (error) {
    return refused(error);
  }
}

function refused({ code, path }) {
  return `${code}${path ? ` at ${path}` : ""}`;
}

async function measured(name, door) {
  const child = fork(fileURLToPath(import.meta.url), [name, door], { execArgv: ["--expose-gc"], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const died = once(child, "exit").then(() => [{ bytes: 0, seconds: 0, memory: 0, answer: "the process died" }]);
  const [found] = await Promise.race([once(child, "message"), died]);
  return found;
}

async function all() {
  let failed = 0;
  console.log(`${"".padEnd(44)}${"body".padStart(9)}${"over HTTP".padStart(10)}${"memory".padStart(11)}${"by value".padStart(10)}`);
  for (const name of Object.keys(CASES)) {
    const { bytes, seconds, memory, answer } = await measured(name, "http");
    const own = await measured(name, "value");
    const isGood = bytes > 0 && bytes < BODY && seconds <= MOST_SECONDS && Math.max(memory, own.memory) <= MOST_BYTES && own.bytes > 0 && ![answer, own.answer].some((said) => said.startsWith("trap"));
    if (!isGood) failed += 1;
    const [megabytes, mebibytes] = [bytes / 1e6, memory / 1048576];
    console.log(`${isGood ? "  " : "! "}${name.padEnd(42)}${megabytes.toFixed(1).padStart(6)} MB${seconds.toFixed(2).padStart(8)} s${mebibytes.toFixed(0).padStart(7)} MiB${own.seconds.toFixed(2).padStart(8)} s  ${answer}`);
  }
  console.log(`${Object.keys(CASES).length} calls, ${failed} beyond 8 MiB, ${MOST_SECONDS} s of CPU or ${MOST_BYTES / 1048576} MiB`);
  process.exitCode = failed === 0 ? 0 : 1;
}
