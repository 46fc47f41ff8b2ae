// Runs tests of the JavaScript under planted bugs: `node tests/support/mutants.mjs LIST`, where LIST is a JSON file with
// `[{ number, what, tests }]`. `cargo xtask mutants --javascript` writes it into a copy of the repository in which the
// environment variable TUCKBOX_MUTANT selects a bug. All runs share one PostgreSQL server.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve as absolute, basename } from "node:path";
import { startServer } from "../stores/server.mjs";
import { writeEntry } from "./entry.mjs";

/** The time after which a test that hangs counts as failed. */
const STUCK_MS = 300_000;

const mutants = JSON.parse(readFileSync(process.argv[2], "utf8"));
const server = await startServer();
const running = new Set();
process.once("exit", () => running.forEach(end));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** Ends a test and its children, which are one group of processes. */
function end(test) {
  try {
    process.kill(-test.pid, "SIGKILL");
  } catch {
    // it has ended
  }
}

/** Returns the name of the first failed test of a file, or nothing if all pass. */
function failure(file, number) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, TUCKBOX_POSTGRES: server.url, TUCKBOX_MUTANT: String(number) };
    const flags = ["--test-reporter=tap", "--test-force-exit"];
    const entry = writeEntry(`mutants/${basename(file, ".mjs")}`, [absolute(file)]);
    const test = spawn(process.execPath, [...flags, entry], { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    running.add(test);
    const [begun, output] = [Date.now(), { text: "" }];
    let failed;
    const timer = setTimeout(() => {
      failed ??= "the tests hang";
      end(test);
    }, STUCK_MS);
    for (const stream of [test.stdout, test.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk) => {
        output.text = `${output.text}${chunk}`.slice(-50_000);
        const [, name] = /^ *not ok \d+ - (.*)$/m.exec(output.text) ?? [];
        if (name === undefined || failed !== undefined) return;
        failed = name;
        end(test);
      });
    }
    test.once("error", reject);
    test.once("close", (code) => {
      clearTimeout(timer);
      running.delete(test);
      if (code !== 0) failed ??= `the process ended with ${code}: ${output.text.slice(-500)}`;
      resolve({ failed, ms: Date.now() - begun });
    });
  });
}

let survivors = 0;
try {
  for (const file of new Set(mutants.flatMap(({ tests }) => tests))) {
    const { failed, ms } = await failure(file, 0);
    console.log(`${file}: ${failed === undefined ? "passes" : `FAILS WITHOUT A BUG (${failed})`} (${Math.round(ms / 100) / 10} s)`);
    if (failed !== undefined) process.exitCode = 1;
  }
  if (process.exitCode !== 1) {
    for (const { number, what, tests } of mutants) {
      let [verdict, total] = ["SURVIVED", 0];
      for (const file of tests) {
        const { failed, ms } = await failure(file, number);
        total += ms;
        if (failed === undefined) continue;
        verdict = `noticed by ${file} (${failed.slice(0, 100)})`;
        break;
      }
      if (verdict === "SURVIVED") survivors += 1;
      console.log(`${String(number).padStart(3)} ${what}: ${verdict} (${Math.round(total / 100) / 10} s)`);
    }
    console.log(`${mutants.length} mutants in JavaScript, ${survivors} survived`);
  }
} finally {
  await server.stop();
}
if (survivors > 0) process.exitCode = 1;
