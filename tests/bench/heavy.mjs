// Measures the heaviest calls that fit in a body of 8 MiB, with the default limits, each in a new process. A preview
// over HTTP must not trap, take more than 2 s of CPU or use more than 512 MiB. The last column is the same call as a
// JavaScript value. `cargo xtask bench heavy` builds the package and runs this file.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { fetchHandler } from "../../pkg/http.js";
import { jsonText, memoryStore, open } from "../../pkg/index.js";
import { cards } from "./heavy/cards.mjs";
import { imports } from "./heavy/imports.mjs";
import { prompts } from "./heavy/prompts.mjs";
import { runs } from "./heavy/runs.mjs";

const BODY = 8 * 1024 * 1024;
const [MAX_SECONDS, MAX_BYTES] = [2, 512 * 1024 * 1024];

/**
 * Each case returns a call and the rows of its project. `whole` is the JSON of arguments that `JSON.stringify` cannot
 * write.
 */
const CASES = { ...cards, ...prompts, ...imports, ...runs };

const [, , name, door] = process.argv;
if (name === undefined) await all();
else await alone(CASES[name](), door);

async function alone({ rows = {}, op, args, whole }, door) {
  const store = memoryStore({ projects: [{ project_id: "p1", ...rows }] });
  const project = await open(store, { projectId: "p1" });
  // load the module and the rows first, so that only the call is measured
  await project.call("get_cards", { card_ids: [] });
  const body = whole ?? JSON.stringify(args);
  const handler = fetchHandler({ open, store, authorize: () => true });
  const request = () =>
    new Request(`http://localhost/projects/p1/operations/${op}/preview`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
  const ask = {
    http: () => overHttp(handler, request()),
    value: () => byValue(project, op, () => (whole === undefined ? args : jsonText(whole))),
  }[door];
  // collect the garbage of the setup
  globalThis.gc();
  const before = process.cpuUsage();
  const answer = await ask();
  const { user, system } = process.cpuUsage(before);
  process.send({ bytes: Buffer.byteLength(body), seconds: (user + system) / 1e6, memory: project.stats().memoryBytes, answer });
  process.disconnect();
}

async function overHttp(handler, request) {
  const response = await handler(request);
  const text = await response.text();
  return response.ok ? "answered" : refused(JSON.parse(text).error);
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
  const child = fork(fileURLToPath(import.meta.url), [name, door], {
    execArgv: ["--expose-gc"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const died = once(child, "exit").then(() => [{ bytes: 0, seconds: 0, memory: 0, answer: "the process ended" }]);
  const [found] = await Promise.race([once(child, "message"), died]);
  return found;
}

async function all() {
  let failed = 0;
  console.log(`${"".padEnd(44)}${"body".padStart(9)}${"over HTTP".padStart(10)}${"memory".padStart(11)}${"by value".padStart(10)}`);
  for (const name of Object.keys(CASES)) {
    const { bytes, seconds, memory, answer } = await measured(name, "http");
    const own = await measured(name, "value");
    const isGood =
      bytes > 0 &&
      bytes < BODY &&
      seconds <= MAX_SECONDS &&
      Math.max(memory, own.memory) <= MAX_BYTES &&
      own.bytes > 0 &&
      ![answer, own.answer].some((outcome) => outcome.startsWith("trap"));
    if (!isGood) failed += 1;
    const [megabytes, mebibytes] = [bytes / 1e6, memory / 1048576];
    console.log(
      `${isGood ? "  " : "! "}${name.padEnd(42)}${megabytes.toFixed(1).padStart(6)} MB${seconds.toFixed(2).padStart(8)} s${mebibytes.toFixed(0).padStart(7)} MiB${own.seconds.toFixed(2).padStart(8)} s  ${answer}`,
    );
  }
  console.log(`${Object.keys(CASES).length} calls, ${failed} over 8 MiB, ${MAX_SECONDS} s of CPU or ${MAX_BYTES / 1048576} MiB`);
  process.exitCode = failed === 0 ? 0 : 1;
}
