// Generates session logs of a coding agent. Each line names its parent, and tool results are long. The same size
// produces the same bytes.
import { closeSync, mkdirSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";

/** The share of each session in the bytes. One session is by far the largest. */
const SHARES = [0.2, 0.12, 0.12, 0.1, 0.1, 0.08, 0.08, 0.06, 0.05, 0.04, 0.03, 0.02];

const WORDS =
  "the of a to in file line test value config branch error request token box card agent store build check merge path reads writes because naïve über layout".split(
    " ",
  );

function randomFrom(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function uuid(random) {
  const hex = () => random(0x10000).toString(16).padStart(4, "0");
  return `${hex()}${hex()}-${hex()}-4${hex().slice(1)}-a${hex().slice(1)}-${hex()}${hex()}${hex()}`;
}

function prose(random, words) {
  let text = "";
  for (let at = 0; at < words; at += 1) text += `${WORDS[random(WORDS.length)]}${at % 17 === 16 ? ".\n" : " "}`;
  return text;
}

function program(random, lines) {
  let text = "";
  for (let at = 1; at <= lines; at += 1) {
    text += `${String(at).padStart(6)}\t${"  ".repeat(random(4))}const ${WORDS[random(20)]}_${random(100)} = read("${WORDS[random(20)]}/${WORDS[random(20)]}.json", ${random(10_000)});\n`;
  }
  return text;
}

/** Writes logs of about `megabytes` MB to a folder. Returns their paths and the size of the largest. */
export function writeSessions(folder, megabytes) {
  mkdirSync(folder, { recursive: true });
  const paths = SHARES.map((share, at) => {
    const path = join(folder, `session-${String(at).padStart(2, "0")}.jsonl`);
    writeSession(path, share * megabytes * 1e6, at + 1);
    return path;
  });
  const sizes = paths.map((path) => statSync(path).size);
  return { paths, largest: Math.max(...sizes), bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function writeSession(path, bytes, seed) {
  const random = randomFrom(seed);
  const sessionId = uuid(random);
  const file = openSync(path, "w");
  let [written, parent, clock, turn, context] = [0, null, Date.UTC(2026, 0, seed), 0, 9_000];
  let waiting = [];
  const put = (type, message, more = {}) => {
    const id = uuid(random);
    clock += 700 + random(4_000);
    const line = {
      parentUuid: parent,
      isSidechain: false,
      userType: "external",
      cwd: "/home/ana/project",
      sessionId,
      version: "2.1.0",
      gitBranch: "main",
      type,
      message,
      uuid: id,
      timestamp: new Date(clock).toISOString(),
      ...more,
    };
    const text = `${JSON.stringify(line)}\n`;
    written += Buffer.byteLength(text);
    waiting.push(text);
    if (waiting.length > 200) flush();
    parent = id;
  };
  const flush = () => {
    writeSync(file, waiting.join(""));
    waiting = [];
  };
  const answer = (content) => {
    turn += 1;
    context += 400;
    const usage = { input_tokens: 12, cache_creation_input_tokens: 400, cache_read_input_tokens: context, output_tokens: 40 + random(400) };
    put("assistant", {
      id: `msg_${seed}_${turn}`,
      type: "message",
      role: "assistant",
      model: "claude-opus-4-8",
      content,
      stop_reason: "end_turn",
      usage,
    });
  };
  while (written < bytes) {
    put("user", { role: "user", content: prose(random, 20 + random(60)) });
    for (let step = random(6); step >= 0; step -= 1) {
      const id = `toolu_${seed}_${turn}`;
      answer([
        { type: "thinking", thinking: prose(random, 30), signature: "c2lnbmF0dXJl" },
        {
          type: "tool_use",
          id,
          name: ["Read", "Bash", "Grep"][random(3)],
          input: { file_path: `/src/${WORDS[random(20)]}.ts`, limit: random(2_000) },
        },
      ]);
      const content = program(random, 20 + random(120));
      put(
        "user",
        { role: "user", content: [{ tool_use_id: id, type: "tool_result", content }] },
        { toolUseResult: { type: "text", file: { filePath: "/src/x.ts", content, numLines: 40 } } },
      );
    }
    answer([{ type: "text", text: prose(random, 60 + random(120)) }]);
  }
  flush();
  closeSync(file);
}
