// Explains the caches of long sessions and of recorded ones.
//
//   node cache.mjs [--requests=N] [PATH ..]      (`cargo xtask bench cache` builds the package and runs this)
//
// 1. Sessions of 2,500, 5,000 and 10,000 requests: the time for each megabyte, and the ratio to plain JavaScript that
//    compares `JSON.stringify` prefixes. Both alternate in one process. `bytes`: both begin with the bytes of a file.
//    `objects`: both begin with JavaScript objects.
// 2. Recorded sessions with the usage that the provider reported: forecasts against what was read from the cache. The
//    excerpt in `tests/recordings` is the default; pass other logs as paths.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { memoryStore, open } from "../../pkg/index.js";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const words = process.argv.slice(2);
const most = Number(words.find((word) => word.startsWith("--requests="))?.slice("--requests=".length) ?? 10_000);
const paths = words.filter((word) => !word.startsWith("--"));
const project = await open(memoryStore(), {
  projectId: "bench",
  limits: { max_bytes: 2 ** 30, max_values: 2 ** 30, max_requests: 2 ** 20, max_messages: 2 ** 24, max_answer_bytes: 2 ** 30 },
});

const RULES = "Answer in one sentence and name the file. ".repeat(60);
const TOOLS = ["read", "edit", "bash"].map((name) => ({
  name,
  description: `Use ${name} on a file of the project.`,
  input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
}));

/** Returns the requests of a session. A compaction keeps at most the last `kept` messages, as agents with a small window do. */
function session(count, kept) {
  const all = [];
  const said = (at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: [{ type: "text", text: `${at}: ${"x".repeat(80 + (at % 7) * 20)}` }],
  });
  for (let at = 0; at < count; at += 1) {
    const first = Math.max(0, kept * Math.floor((2 * at - kept / 2) / kept));
    const messages = Array.from({ length: 2 * at + 1 - first }, (_, index) => said(first + index));
    all.push({
      body: {
        model: "claude-sonnet-4-5",
        max_tokens: 1000,
        tools: TOOLS,
        system: [{ type: "text", text: RULES, cache_control: { type: "ephemeral" } }],
        messages,
      },
    });
  }
  return all;
}

/** Returns how many characters each request shares with the one before, as a script without a library does. */
function plainly(requests) {
  const found = [];
  let last = "";
  for (const { body } of requests) {
    const text = JSON.stringify([body.tools, body.system, body.messages]);
    let same = 0;
    while (same < last.length && same < text.length && last.charCodeAt(same) === text.charCodeAt(same)) same += 1;
    found.push(same);
    last = text;
  }
  return found;
}

async function timed(work) {
  const start = performance.now();
  const made = await work();
  return { ms: performance.now() - start, made };
}

console.log("requests  window      bytes    begin     explained   per MB   plain JavaScript   ratio");
for (const [count, kept, begin] of [
  [most / 4, 16, "bytes"],
  [most / 2, 16, "bytes"],
  [most, 16, "bytes"],
  [most, 48, "bytes"],
  [most, 16, "objects"],
]) {
  const requests = session(count, kept);
  const bytes = new TextEncoder().encode(JSON.stringify({ provider: "anthropic", requests }));
  const given = begin === "bytes" ? bytes : { provider: "anthropic", requests };
  const parsed = begin === "bytes" ? () => JSON.parse(new TextDecoder().decode(bytes)).requests : () => requests;
  const ours = [];
  const plain = [];
  for (let round = 0; round < 4; round += 1) {
    ours.push(await timed(() => project.cache.explain(given)));
    plain.push(await timed(() => plainly(parsed())));
  }
  assert.equal(ours[0].made.requests.length, count);
  const best = (rounds) => Math.min(...rounds.map(({ ms }) => ms));
  const [own, other, mb] = [best(ours), best(plain), bytes.length / 1e6];
  console.log(
    `${String(count).padStart(8)} ${String(kept).padStart(7)} ${mb.toFixed(1).padStart(7)} MB ${begin.padStart(8)} ${own.toFixed(0).padStart(10)} ms ${(own / mb).toFixed(2).padStart(5)} ms ${other.toFixed(0).padStart(15)} ms ${(other / own).toFixed(2).padStart(7)}x`,
  );
}

for (const path of paths.length === 0 ? [here("../recordings/pi-session.jsonl")] : paths) {
  const files = [{ name: basename(path), text: readFileSync(path, "utf8") }];
  const { value } = await project.preview("import", { files, shape: "cache" });
  for (const { source, explanation } of value.sessions) {
    let [hits, close, misses, wrong] = [0, 0, 0, 0];
    const causes = {};
    for (const { cause, sure, expected, recorded } of explanation.requests) {
      causes[cause] = (causes[cause] ?? 0) + 1;
      if (recorded === undefined || cause === "first") continue;
      if (recorded.read === 0) {
        misses += 1;
        if (sure && cause === "appended") wrong += 1;
      } else if (cause === "appended") {
        hits += 1;
        if (Math.abs(expected.read - recorded.read) <= 0.05 * recorded.read) close += 1;
      }
    }
    console.log(
      `${basename(path)} (${source}): ${explanation.requests.length} requests, ${hits} hits, ${close} forecast within 5 %; ${misses} misses, ${wrong} of them forecast as sure hits`,
    );
    console.log(
      `  ${Object.entries(causes)
        .map(([cause, count]) => `${cause} ${count}`)
        .join(", ")}`,
    );
  }
}
