// The matchers for contexts in real test runners: `-u`, CI, parallel workers, shards and obsolete entries.
import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";
import { onlyDeep } from "../support/deep.mjs";

const runners = process.env.TUCKBOX_RUNNERS ?? fileURLToPath(new URL("../runners", import.meta.url));
const pkg = fileURLToPath(new URL("../../pkg/", import.meta.url));

/** A test file. `EDIT` changes a context, `MORE` adds one, `LESS` removes one. */
const tests = (name, runner) => `
import { contextMatchers, recordContexts } from "tuckbox/${runner}";
${runner === "vitest" ? 'import { expect, test } from "vitest";' : ""}
expect.extend(contextMatchers);
const body = (system) => ({ model: "gpt-5", messages: [{ role: "system", content: system }, { role: "user", content: "Hello" }] });
const { EDIT = "", MORE, LESS } = process.env;
test("first", async () => {
  await expect(body("One" + EDIT)).toMatchContext("${name}/1");
  await expect(body("One")).toFitBudget(100);
  await expect(body("One")).toBeLegalFor("anthropic");
});
test("second", async () => {
  if (LESS === undefined) await expect(body("Two")).toMatchContext("${name}/2");
  if (MORE !== undefined) await expect(body("Three")).toMatchContext("${name}/3");
});
test("recorded", async () => {
  const send = (system) => fetch("http://localhost/v1", { method: "POST", body: JSON.stringify(body(system)) });
  globalThis.fetch = async () => new Response("{}");
  await recordContexts("${name}/recorded", async () => {
    await send("Four" + EDIT);
    if (LESS === undefined) await send("Five");
  });
});
`;

/** Runs a runner that watches its files. Resolves with the output after each of `steps`, then ends it. */
async function watched(command, args, options, steps) {
  const child = spawn(command, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (chunk) => (text += chunk));
  const closed = new Promise((resolve) => child.once("close", resolve));
  try {
    for (const [act, pattern] of steps) {
      text = "";
      await act(child);
      const end = Date.now() + 120_000;
      while (!pattern.test(stripVTControlCharacters(text))) {
        assert.ok(Date.now() < end && child.exitCode === null, `${pattern} in ${text}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  } finally {
    child.kill("SIGKILL");
    await closed;
  }
}

const RUNNERS = {
  vitest: {
    program: "vitest/vitest.mjs",
    args: ["run"],
    watch: ["watch"],
    done: /Tests .*\n[\s\S]*Duration/,
    ci: [],
    config: ["vitest.config.mjs", "export default { test: { fileParallelism: true } };"],
  },
  jest: {
    program: "jest/bin/jest.js",
    args: ["--workers=2"],
    watch: ["--watchAll"],
    done: /Tests: .*\n[\s\S]*Ran all test suites/,
    ci: ["--ci"],
    config: ["jest.config.mjs", 'export default { testMatch: ["**/*.test.mjs"], transform: {} };'],
  },
};

const root = mkdtempSync(join(tmpdir(), "tuckbox-runners-"));
after(() => rmSync(root, { recursive: true, force: true }));

test("Vitest and Jest treat contexts as their own snapshots", onlyDeep("installs the runners"), async (t) => {
  if (process.env.TUCKBOX_RUNNERS === undefined)
    // `ci` refuses the file where a registry lacks packages of other systems
    await promisify(execFile)("npm", ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: runners });
  for (const [name, { program, args, watch, done, ci, config }] of Object.entries(RUNNERS)) {
    await t.test(name, async () => {
      const cwd = join(root, name);
      mkdirSync(join(cwd, "node_modules"), { recursive: true });
      cpSync(pkg, join(cwd, "node_modules", "tuckbox"), {
        recursive: true,
        filter: (path) => !/[\\/](?:inspector|node_modules)$/.test(path),
      });
      symlinkSync(join(runners, "node_modules", "vitest"), join(cwd, "node_modules", "vitest"), "junction");
      writeFileSync(join(cwd, "package.json"), '{ "type": "module" }');
      writeFileSync(join(cwd, config[0]), config[1]);
      for (const file of ["a", "b"]) writeFileSync(join(cwd, `${file}.test.mjs`), tests(file, name));
      const { CI, NODE_OPTIONS, NODE_TEST_CONTEXT, ...others } = process.env;
      const runner = join(runners, "node_modules", program);
      const environment = { ...others, NO_COLOR: "1", ...(name === "jest" ? { NODE_OPTIONS: "--experimental-vm-modules" } : {}) };
      const run = (more, env = {}) => {
        const found = spawnSync(process.execPath, [runner, ...args, ...more], { cwd, encoding: "utf8", env: { ...environment, ...env } });
        return { code: found.status, text: `${found.stdout}${found.stderr}` };
      };
      const lock = () => readFileSync(join(cwd, "tuckbox.lock"), "utf8");
      const names = () => lock().match(/(?<=^entry ").*(?="$)/gm);
      /** @param {{ code: number, text: string }} found */
      const has = ({ code, text }, expected, pattern) => {
        assert.equal(code, expected, text);
        if (pattern !== undefined) assert.match(text, pattern);
        return text;
      };
      // parallel workers add all entries
      has(run([]), 0);
      assert.deepEqual(names(), ["a/1", "a/2", "a/recorded/1", "a/recorded/2", "b/1", "b/2", "b/recorded/1", "b/recorded/2"]);
      const first = lock();
      assert.match(first, /entry "a\/1"\n {2}from "test:a\.test\.mjs"/);
      assert.doesNotMatch(has(run([]), 0), /obsolete/);
      // in CI, a new context fails and is not written
      has(run(ci, { MORE: "1", CI: "1" }), 1, /not in the lockfile: [ab]\/3/);
      // a change fails with the verdict, and -u replaces the entry
      has(run([], { EDIT: "!" }), 1, /system prompt edited at \/system\/0/);
      assert.equal(lock(), first);
      has(run(["-u"], { EDIT: "!" }), 0);
      assert.notEqual(lock(), first);
      has(run(["-u"]), 0);
      assert.equal(lock(), first);
      // a context that no test compares is obsolete: reported, and removed with -u if all tests of the file ran
      has(run([], { LESS: "1" }), 0, /obsolete context `a\/2`/);
      assert.equal(lock(), first);
      assert.doesNotMatch(has(run(["-u", "-t", "first"], { LESS: "1" }), 0), /obsolete context/);
      assert.equal(lock(), first);
      // a shard has one of the files
      has(run(["-u", "--shard=1/2"], { LESS: "1" }), 0);
      assert.equal(names().length, 6, lock());
      has(run(["-u"], { LESS: "1" }), 0);
      assert.deepEqual(names(), ["a/1", "a/recorded/1", "b/1", "b/recorded/1"]);
      // a runner that watches compares again after an edit, and changes nothing
      has(run([]), 0);
      assert.equal(lock(), first);
      const file = join(cwd, "a.test.mjs");
      const source = readFileSync(file, "utf8");
      await watched(process.execPath, [runner, ...watch], { cwd, env: environment }, [
        [() => {}, done],
        [
          () => writeFileSync(file, source.replace('"One" + EDIT', '"Won" + EDIT')),
          /system prompt edited at \/system\/0, [^\n]*: "One" -> "Won"|system prompt edited at \/system\/0: "One" -> "Won"/,
        ],
        [() => writeFileSync(file, source), done],
      ]);
      assert.equal(lock(), first);
    });
  }
});
