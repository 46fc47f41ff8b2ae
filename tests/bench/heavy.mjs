// Measures the heaviest calls that fit in a body of 8 MiB, with the default limits, each in a new process. A preview
// over HTTP must not trap, take more than 2 s of CPU or use more than 512 MiB. The last column is the same call as a
// JavaScript value. The second table has every route, on a store in memory and on PostgreSQL, with the CPU time of the
// database. `cargo xtask bench heavy` builds the package and runs this file; `node tests/bench/heavy.mjs TEXT` runs the
// cases whose name contains TEXT.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fetchHandler } from "../../pkg/http.js";
import { jsonText, memoryStore, open } from "../../pkg/index.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { poolOf, startPostgres, startServer } from "../stores/server.mjs";
import { cards } from "./heavy/cards.mjs";
import { imports } from "./heavy/imports.mjs";
import { prompts } from "./heavy/prompts.mjs";
import { routes } from "./heavy/routes.mjs";
import { runs } from "./heavy/runs.mjs";

const BODY = 8 * 1024 * 1024;
const [MAX_SECONDS, MAX_BYTES] = [2, 512 * 1024 * 1024];

/**
 * Each case returns a call and the rows of its project. `whole` is the JSON of arguments that `JSON.stringify` cannot
 * write.
 */
const CASES = { ...cards, ...prompts, ...imports, ...runs };

/** The stores of the requests. `filled` is called after their rows are written; `seconds` is the CPU time of the store. */
const STORES = {
  memory: async () => ({ store: memoryStore(), filled() {}, seconds: () => 0, close() {} }),
  postgres: async () => {
    const server = await startPostgres();
    const pool = poolOf(server.url);
    const store = pgStore(pool);
    await store.migrate();
    const processes = async () => (await pool.query("select pid from pg_stat_activity where datname = current_database()")).rows;
    return {
      store,
      // the server does it a minute later
      filled: () => pool.query("analyze"),
      seconds: async () => (await processes()).reduce((sum, { pid }) => sum + processSeconds(pid), 0),
      close: () => pool.end(),
    };
  },
};

/** Returns the CPU seconds of a process of Linux; on other systems, the time of the machine. */
function processSeconds(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [user, system] = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13);
    return (Number(user) + Number(system)) / 100;
  } catch {
    return performance.now() / 1000;
  }
}

const [, , name, door] = process.argv;
if (door === undefined) await all(name ?? "");
else if (door in STORES) await requested(routes[name](), door);
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

/** Measures a request of one route. */
async function requested({ fill = [], route: { method, path, body } }, door) {
  const { store, filled, seconds, close } = await STORES[door]();
  const at = "2026-01-04T10:30:00.000Z";
  for (const [nth, writes] of fill.entries()) await store.commit({ project_id: "p1", operation_id: `fill_${nth}`, at, ...writes });
  await filled();
  const handler = fetchHandler({ open, store, authorize: () => true });
  const request = (path, init) => new Request(`http://localhost/projects/p1${path}`, init);
  // load the module first, so that only the request is measured
  await (await handler(request("/boxes/none"))).text();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const measured = request(path, { method, body: text, headers: { "content-type": "application/json" } });
  globalThis.gc();
  const spent = await seconds();
  const [before, held] = [process.cpuUsage(), process.memoryUsage().rss];
  const answer = await overHttp(handler, measured);
  const { user, system } = process.cpuUsage(before);
  // the highest memory since the process began: more than that of the request, never less
  const memory = Math.max(process.resourceUsage().maxRSS * 1024 - held, 0);
  const total = (user + system) / 1e6 + (await seconds()) - spent;
  process.send({ bytes: Buffer.byteLength(text ?? path), seconds: total, memory, answer });
  process.disconnect();
  await close();
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

/** Prints the measurements of a case at its two doors, and returns true if they are within the limits. */
async function shown(name, doors, isWithin) {
  const [one, other] = [await measured(name, doors[0]), await measured(name, doors[1])];
  const { bytes, seconds, memory, answer } = one;
  const isGood =
    bytes > 0 &&
    bytes < BODY &&
    isWithin(one, other) &&
    Math.max(memory, other.memory) <= MAX_BYTES &&
    other.bytes > 0 &&
    ![answer, other.answer].some((outcome) => outcome.startsWith("trap"));
  const [megabytes, mebibytes] = [bytes / 1e6, Math.max(memory, other.memory) / 1048576];
  console.log(
    `${isGood ? "  " : "! "}${name.padEnd(60)}${megabytes.toFixed(1).padStart(6)} MB${seconds.toFixed(2).padStart(8)} s${mebibytes.toFixed(0).padStart(7)} MiB${other.seconds.toFixed(2).padStart(8)} s  ${answer}`,
  );
  return isGood;
}

function head(...columns) {
  const [first, second] = columns;
  console.log(`${"".padEnd(62)}${"body".padStart(9)}${first.padStart(10)}${"memory".padStart(11)}${second.padStart(10)}`);
}

async function all(part) {
  const [calls, requests] = [CASES, routes].map((cases) => Object.keys(cases).filter((name) => name.includes(part)));
  let failed = 0;
  if (calls.length > 0) head("over HTTP", "by value");
  for (const name of calls) if (!(await shown(name, ["http", "value"], ({ seconds }) => seconds <= MAX_SECONDS))) failed += 1;
  if (requests.length > 0) {
    head("in memory", "PostgreSQL");
    const server = await startServer();
    process.env.TUCKBOX_POSTGRES = server.url;
    const isWithin = (...both) => both.every(({ seconds }) => seconds <= MAX_SECONDS);
    for (const name of requests) if (!(await shown(name, ["memory", "postgres"], isWithin))) failed += 1;
    await server.stop();
  }
  const count = calls.length + requests.length;
  console.log(`${count} calls and requests, ${failed} over 8 MiB, ${MAX_SECONDS} s or ${MAX_BYTES / 1048576} MiB`);
  process.exitCode = count > 0 && failed === 0 ? 0 : 1;
}
