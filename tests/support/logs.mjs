// Logs of agents in the formats of their tools, for tests of the timeline.

const start = Date.parse("2026-03-02T09:12:00Z");

/** A log of Claude Code: one line for each message, which names the line before. */
class Talk {
  #lines = [];
  #last = null;
  #count = 0;
  #seconds = 0;
  #more;

  constructor(sessionId, more = {}) {
    this.#more = { sessionId, isSidechain: false, ...more };
  }

  wait(seconds) {
    this.#seconds += seconds;
    return this;
  }

  line(fields) {
    const uuid = `${this.#more.agentId ?? "u"}${this.#count++}`;
    this.#seconds += 4;
    const timestamp = new Date(start + this.#seconds * 1000).toISOString();
    this.#lines.push(JSON.stringify({ parentUuid: this.#last, ...this.#more, uuid, timestamp, ...fields }));
    this.#last = uuid;
    return this;
  }

  user(content, more = {}) {
    return this.line({ type: "user", message: { role: "user", content }, ...more });
  }

  /** The result of a call. */
  result(tool_use_id, content, is_error = false) {
    return this.user([{ type: "tool_result", tool_use_id, content, ...(is_error ? { is_error } : {}) }]);
  }

  /** An answer with its usage: tokens that are fresh, read and written. */
  answer(content, [input_tokens, cache_read_input_tokens, cache_creation_input_tokens], model = "claude-sonnet-4-5") {
    const usage = { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens: 120 };
    return this.line({
      type: "assistant",
      message: { id: `msg_${this.#more.agentId ?? ""}${this.#count}`, role: "assistant", model, content, usage },
    });
  }

  /** A summary replaces everything so far. */
  compact(summary) {
    const covered = this.#last;
    this.#last = null;
    this.line({ type: "system", subtype: "compact_boundary", logicalParentUuid: covered, compactMetadata: { trigger: "auto" } });
    return this.user(summary, { isCompactSummary: true });
  }

  get text() {
    return this.#lines.join("\n");
  }
}

const thinking = (text) => ({ type: "thinking", thinking: text, signature: "c2ln" });
const call = (id, name, input) => ({ type: "tool_use", id, name, input });
const words = (text) => ({ type: "text", text });
const file = (name) => Array.from({ length: 60 }, (_, at) => `${name} line ${at}: export const value${at} = total(${at});`).join("\n");

/**
 * A session of Claude Code with thinking, a failed tool, a sub-agent, an expired cache, a compaction and another model;
 * as files.
 */
export function claudeSession() {
  const main = new Talk("s1")
    .user("The checkout total is wrong when a coupon and a gift card are used")
    .answer([thinking("The total is in total.ts."), call("t1", "Read", { file_path: "src/total.ts" })], [12, 0, 9_000])
    .result("t1", file("total"))
    .answer(
      [call("t2", "Edit", { file_path: "src/total.ts", old_string: "a", new_string: "b" }), call("t3", "Bash", { command: "npm test" })],
      [8, 9_000, 1_900],
    )
    .result("t2", "The file was changed.")
    .result("t3", "1 test failed: giftCard is applied twice", true)
    .answer([call("t4", "Read", { file_path: "src/total.ts" })], [6, 10_900, 700])
    .result("t4", file("total"))
    .answer(
      [call("t5", "Task", { subagent_type: "Explore", prompt: "Find all uses of giftCard", description: "Find uses" })],
      [6, 11_600, 1_800],
    )
    .wait(60)
    .result("t5", "giftCard is used in four files.")
    .answer([words("The gift card is now applied once.")], [5, 13_400, 300])
    .user("Rename cartTotal to orderTotal everywhere")
    .answer([call("t6", "Grep", { pattern: "cartTotal", path: "src" })], [9, 13_700, 200])
    .wait(457)
    .result("t6", "src/cart.ts:14\nsrc/checkout.ts:88")
    .answer([call("t7", "Edit", { file_path: "src/cart.ts", old_string: "cartTotal", new_string: "orderTotal" })], [14_400, 0, 0])
    .result("t7", "The file was changed.")
    .answer([words("Renamed in all files.")], [10, 0, 14_600])
    .compact("This session continues an earlier one. Summary: the gift card bug is mended, cartTotal is orderTotal.")
    .user("Add a test for both")
    .answer(
      [call("t8", "Write", { file_path: "test/total.test.ts", content: "test('both', () => {});" })],
      [3_000, 0, 0],
      "claude-opus-4-5",
    )
    .result("t8", "The file was written.")
    .answer([words("Done.")], [9, 0, 3_200], "claude-opus-4-5");
  const sub = new Talk("s1", { isSidechain: true, agentId: "explore1" })
    .wait(30)
    .user("Find all uses of giftCard")
    .answer([call("x1", "Grep", { pattern: "giftCard" })], [4, 0, 3_000])
    .result("x1", "src/total.ts:9\nsrc/receipt.ts:12")
    .answer([words("giftCard is used in four files.")], [4, 3_000, 100]);
  return [
    { name: "project/s1.jsonl", text: main.text },
    { name: "project/agent-explore1.jsonl", text: sub.text },
  ];
}

/** A session of Claude Code with so many requests; each reads a file of so many characters. */
export function longSession(requests, characters) {
  const talk = new Talk("long").user("Read all files of the project");
  let read = 4_000;
  for (let at = 0; at < requests; at += 1) {
    const added = 100 + Math.round(characters / 4);
    const isBreak = at % 50 === 49;
    talk.answer([call(`c${at}`, "Read", { file_path: `src/file${at % 40}.ts` })], isBreak ? [read, 0, added] : [12, read, added]);
    read = Math.min(180_000, read + added);
    talk.result(`c${at}`, `${at} ${"line of a file; ".repeat(Math.ceil(characters / 16))}`.slice(0, characters));
  }
  return { name: "project/long.jsonl", text: talk.answer([words("All files are read.")], [12, read, 100]).text };
}

/** A log of request bodies with tools, of which one is called; the output limit changes. */
export function requestLog() {
  const tool = (name) => ({
    name,
    description: `${name}: ${"does something useful with many words. ".repeat(6)}`,
    input_schema: { type: "object", properties: { path: { type: "string" } } },
  });
  const tools = ["search", "read_page", "send_mail", "book_boat"].map(tool);
  const body = (messages, max_tokens = 500) => ({ model: "claude-sonnet-4-5", max_tokens, system: "You plan trips.", tools, messages });
  const first = { role: "user", content: "When does the last boat leave?" };
  const asked = { role: "assistant", content: [call("b1", "search", { path: "harbor/timetable" })] };
  const found = { role: "user", content: [{ type: "tool_result", tool_use_id: "b1", content: "The last boat leaves at 23:40." }] };
  return { name: "requests.jsonl", text: [body([first]), body([first, asked, found], 900)].map((one) => JSON.stringify(one)).join("\n") };
}
