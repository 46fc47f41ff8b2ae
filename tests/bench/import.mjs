// Compares streamed imports of session logs: Node and native code against plain JavaScript, on the same files.
//
//   node import.mjs PROGRAM [--megabytes=N] [--rounds=N]      (`cargo xtask bench import` builds the package and runs this)
//
// Each import runs in a new process, and the three alternate. The time is the CPU time of the importing thread, or wall
// time if the system does not report it. Compare the ratios. Each ratio uses the fastest round.
import assert from "node:assert/strict";
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { importPlainly } from "./import-plain.mjs";
import { writeSessions } from "./sessions.mjs";

const PIECE = 1 << 18;

const option = (name, fallback) => Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback);

if (process.send !== undefined) await alone(process.argv[2], process.argv.slice(3));
else await run(process.argv[2]);

async function run(program) {
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-import-"));
  try {
    const { paths, bytes, largest } = writeSessions(folder, option("megabytes", 200));
    const found = { plain: [], node: [], native: [] };
    for (let round = option("rounds", 3); round > 0; round -= 1) {
      found.plain.push(await apart("plain", paths));
      found.node.push(await apart("node", paths));
      found.native.push(JSON.parse(execFileSync(program, paths, { encoding: "utf8" })));
    }
    const [plain] = found.plain;
    assert.deepEqual(found.node[0].table, plain.table, "both read the same sessions");
    assert.equal(found.native[0].requests, plain.table.flatMap(({ requests }) => requests).length);
    const megabytes = (count) => `${(count / 1e6).toFixed(1)} MB`;
    const best = (rounds) => Math.min(...rounds.map(({ ms }) => ms));
    console.log(
      `${megabytes(bytes)} of session logs in ${paths.length} files, the largest ${megabytes(largest)}, ${found.native[0].requests} requests`,
    );
    for (const [name, goal] of [["plain"], ["node", 1.5], ["native", 4]]) {
      const rounds = found[name];
      const peak = Math.max(...rounds.map(({ peak_bytes }) => peak_bytes ?? 0));
      const ratio = goal === undefined ? "" : `${(best(found.plain) / best(rounds)).toFixed(2)}x plain JavaScript (goal ${goal}), `;
      const most = goal === undefined ? "" : " (goal: at most 2)";
      console.log(
        `${name.padEnd(8)}${best(rounds).toFixed(0).padStart(8)} ms, ${ratio}peak ${megabytes(peak)}: ${(peak / largest).toFixed(2)} of the largest session${most}`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs one import in a new process. */
async function apart(kind, paths) {
  const child = fork(fileURLToPath(import.meta.url), [kind, ...paths]);
  const [found] = await once(child, "message");
  return found;
}

async function alone(kind, paths) {
  const { importStream, memoryStore, open } = await import("../../pkg/index.js");
  // load the modules before the measurement
  (await open(memoryStore(), { projectId: "p" })).dispose();
  await importStream([{ name: "a.json", bytes: new TextEncoder().encode('{"model":"m","messages":[]}') }]);
  const before = process.memoryUsage().rss;
  const start = processorMs();
  const found = kind === "plain" ? importPlainly(paths) : (await importStream(files(paths))).value.sessions;
  const ms = processorMs() - start;
  const peak_bytes = process.resourceUsage().maxRSS * 1024 - before;
  process.send({ ms, table: kind === "plain" ? found : found.map(compared), peak_bytes }, () => process.exit());
}

/** Returns the CPU time of this thread in milliseconds, or wall time if the system does not report it. */
function processorMs() {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** Yields the files. Only one piece is in memory at a time. */
function* files(paths) {
  for (const name of paths) {
    const file = openSync(name);
    yield { name, size: fstatSync(file).size, chunks: pieces(file) };
    closeSync(file);
  }
}

function* pieces(file) {
  const piece = new Uint8Array(PIECE);
  for (let length = readSync(file, piece); length > 0; length = readSync(file, piece)) yield piece.subarray(0, length);
}

/** Returns the columns that plain JavaScript also computes. */
function compared({ id, parent, requests }) {
  const row = ({ model, at, messages, tools, shared, came, went, recorded, estimated, residual }) => ({
    model,
    at,
    messages,
    tools,
    shared,
    came,
    went,
    recorded,
    estimated,
    residual,
  });
  return { id, ...(parent === undefined ? {} : { parent }), requests: requests.map(row) };
}
