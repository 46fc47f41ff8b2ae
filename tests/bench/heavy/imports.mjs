// Heavy imports.
import { callOf, list, message, nested, numbers } from "./parts.mjs";

const chained = (at) =>
  JSON.stringify({
    request: { model: "m", previous_response_id: `r${at - 1}`, input: [message(0, at)] },
    response: { id: `r${at}`, output: [message(1, at)] },
  });
const history = (answers) => ({ name: "talk.json", text: JSON.stringify(list(2 * answers, (at) => message(at))) });
const fileOf = (words) => ({ op: "import", args: { files: [{ name: "log", text: words }] } });
const attribute = (key, stringValue) => ({ key, value: { stringValue } });
const span = (at) => ({
  traceId: "t",
  spanId: `s${at}`,
  parentSpanId: `s${at - 1}`,
  name: "chat",
  attributes: [
    attribute("gen_ai.operation.name", "chat"),
    attribute("gen_ai.input.messages", '[{"role":"user","parts":[{"type":"text","content":"x"}]}]'),
  ],
});
const compactions = (count) =>
  [
    '{"type":"session","cwd":"/","id":"s"}',
    '{"type":"message","id":"m","parentId":null,"message":{"role":"user","content":"a"}}',
    ...list(count, (at) =>
      JSON.stringify({ type: "compaction", id: `c${at}`, parentId: at === 0 ? "m" : `c${at - 1}`, firstKeptEntryId: "m" }),
    ),
  ].join("\n");

export const imports = {
  "an import of 25,000 requests": () => ({
    op: "import",
    args: {
      files: [{ name: "log.jsonl", text: list(25_000, (at) => JSON.stringify({ model: "m", messages: [message(at)] })).join("\n") }],
    },
  }),
  "an import of 3,000 requests (the limit)": () => ({
    op: "import",
    args: {
      files: [
        {
          name: "log.jsonl",
          text: list(3_000, (at) => JSON.stringify({ model: "m", messages: [message(at, "x".repeat(2_450))] })).join("\n"),
        },
      ],
    },
  }),
  "an import of a chain of 5,000 responses": () => ({
    op: "import",
    args: { files: [{ name: "log.jsonl", text: list(5_000, chained).join("\n") }] },
  }),
  "an import of a chain of 25,000 responses": () => ({
    op: "import",
    args: { files: [{ name: "log.jsonl", text: list(25_000, chained).join("\n") }] },
  }),
  "an import of a history of 25,000 answers": () => ({ op: "import", args: { files: [history(25_000)] } }),
  "an import of a history of 5,000 answers": () => ({ op: "import", args: { files: [history(5_000)] } }),
  "all requests of a history of 25,000 answers": () => ({
    op: "import",
    args: { shape: "neutral", every: true, files: [history(25_000)] },
  }),
  "an import of a file of 80,000 messages": () =>
    fileOf(JSON.stringify({ model: "m", messages: list(80_000, (at) => message(at, "x".repeat(40))) })),
  "an import of 25,000 messages (the limit)": () =>
    fileOf(JSON.stringify({ model: "m", messages: list(25_000, (at) => message(at, "x".repeat(90))) })),
  "an import of 3,900,000 numbers": () => fileOf(`[${"1,".repeat(3_900_000)}1]`),
  "an import with 3 of 4 lines invalid": () => fileOf(("{}\n".repeat(10) + "{x\n".repeat(30)).repeat(48_000)),
  "an import of 16,000 spans": () => fileOf(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: list(16_000, span) }] }] })),
  "an import of 40,000 compactions that keep everything": () => fileOf(compactions(40_000)),
  "an import of calls with 75,000 numbers each": () =>
    fileOf(
      JSON.stringify({
        model: "m",
        messages: list(50, (at) => ({
          role: "assistant",
          content: "",
          tool_calls: [{ id: `c${at}`, type: "function", function: { name: "f", arguments: `{"a":[${"1,".repeat(75_000)}1]}` } }],
        })),
      }),
    ),
  "an import of 40,000 messages in 40,000 lines": () =>
    fileOf(
      `{"sessionId":"s","messages":[]}\n${list(40_000, (at) => JSON.stringify({ id: `m${at}`, type: "user", content: "x", sessionId: "s" })).join("\n")}`,
    ),
  "an import of brackets": () => ({ op: "import", args: { files: [{ name: "log.json", text: nested(4_000_000) }] } }),
  "an import of a long line of quotes": () => ({ op: "import", args: { files: [{ name: "log.txt", text: '"\\'.repeat(1_900_000) }] } }),
  "an import of 3,700,000 numbers in strings": () => ({
    op: "import",
    args: {
      shape: "neutral",
      every: true,
      files: [
        {
          name: "log",
          text: JSON.stringify({
            model: "m",
            messages: list(20, () => ({ role: "assistant", content: "x", tool_calls: [callOf(numbers(180_000))] })),
          }),
        },
      ],
    },
  }),
};
