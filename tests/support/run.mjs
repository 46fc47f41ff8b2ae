// Runs the tests of a folder: `node tests/support/run.mjs FOLDER [--busy] [--test-..] [FILE ..]`.
//
// All files share one PostgreSQL server, which takes longer to start than most of them take. Files share a few processes,
// two at a time: to load the module took a quarter of the time of the folder `node`. The longest files are dealt first.
// `--busy` slows the machine down (`busy.mjs`).
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startServer } from "../stores/server.mjs";
import { times } from "./deep.mjs";
import { writeEntry } from "./entry.mjs";

/** Files that take long, the longest first. All others follow. */
const LONGEST = {
  types: ["providers"],
  consumers: ["consumers"],
  node: ["shapes", "cli", "fuzz", "input", "import", "parts"],
  stores: [
    "indexeddb",
    "postgres",
    "file",
    "pglite",
    "file_lock",
    "http",
    "postgres_tables",
    "kv",
    "postgres_crash",
    "postgres_decide",
    "readme",
  ],
  engine: ["chaos", "postgres", "team", "nats", "cli", "pglite"],
};
/** Folders with tests that need databases. */
const ON_POSTGRES = ["stores", "engine"];
/** The number of processes of a folder. The files of other folders run alone. */
const PROCESSES = { node: 4, stores: 4, engine: 3 };
/** The timeout of a file: 200 kills took 11 minutes at a load of 15 on 2 cores. */
const STUCK_MS = times(900_000, 3_600_000);

const [folder, ...args] = process.argv.slice(2);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const order = LONGEST[folder] ?? [];
const place = (file) => (order.includes(file) ? order.indexOf(file) : order.length);
const names = readdirSync(here(`../${folder}`))
  .filter((name) => name.endsWith(".test.mjs"))
  .map((name) => name.slice(0, -".test.mjs".length));
const wanted = args.filter((arg) => !arg.startsWith("--")).map((arg) => basename(arg, ".test.mjs"));
const chosen = names.filter((name) => wanted.length === 0 || wanted.includes(name)).sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
if (chosen.length === 0)
  throw new Error(`no tests in \`tests/${folder}\`${wanted.length > 0 ? ` with the name ${wanted.join(", ")}` : ""}`);

/** Returns the files to run: each imports the tests of one process. */
function files() {
  const paths = chosen.map((name) => here(`../${folder}/${name}.test.mjs`));
  const count = Math.min(PROCESSES[folder] ?? paths.length, paths.length);
  return Array.from({ length: count }, (_, at) => {
    const own = paths.filter((_, index) => index % count === at);
    return writeEntry(join(folder, count === paths.length ? chosen[at] : String(at + 1)), own);
  });
}

const server = ON_POSTGRES.includes(folder) ? await startServer() : undefined;
const flags = ["--test", "--test-force-exit", "--test-reporter=spec", `--test-timeout=${STUCK_MS}`, "--test-concurrency=2"];
flags.push(...args.filter((arg) => arg.startsWith("--test-")));
if (args.includes("--busy")) flags.unshift("--import", new URL("busy.mjs", import.meta.url).href);
const env = server === undefined ? process.env : { ...process.env, TUCKBOX_POSTGRES: server.url };
const tests = spawn(process.execPath, [...flags, ...files()], {
  env,
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => tests.kill(signal));
const code = await new Promise((resolve) => tests.once("close", (code) => resolve(code ?? 1)));
await server?.stop();
process.exitCode = code;
