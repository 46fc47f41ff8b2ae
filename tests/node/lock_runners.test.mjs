// The matchers for contexts in real test runners: `-u`, CI, parallel workers, shards and obsolete entries.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onlyDeep } from "../support/deep.mjs";

const runners = process.env.TUCKBOX_RUNNERS ?? fileURLToPath(new URL("../runners", import.meta.url));
const pkg = fileURLToPath(new URL("../../pkg/", import.meta.url));

/** A test file. `EDIT` changes a context, `MORE` adds one, `LESS` removes one. */
const tests = (name, runner) => `
import { contextMatchers } from "tuckbox/${runner}";
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
`;

const RUNNERS = {
  vitest: {
    program: "vitest/vitest.mjs",
    args: ["run"],
    ci: [],
    config: ["vitest.config.mjs", "export default { test: { fileParallelism: true } };"],
  },
  jest: {
    program: "jest/bin/jest.js",
    args: ["--workers=2"],
    ci: ["--ci"],
    config: ["jest.config.mjs", 'export default { testMatch: ["**/*.test.mjs"], transform: {} };'],
  },
};

const root = mkdtempSync(join(tmpdir(), "tuckbox-runners-"));
after(() => rmSync(root, { recursive: true, force: true }));

test("Vitest and Jest treat contexts as their own snapshots", onlyDeep("installs the runners"), async (t) => {
  if (process.env.TUCKBOX_RUNNERS === undefined)
    await promisify(execFile)("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: runners });
  for (const [name, { program, args, ci, config }] of Object.entries(RUNNERS)) {
    await t.test(name, () => {
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
      const run = (more, env = {}) => {
        const { CI, NODE_OPTIONS, NODE_TEST_CONTEXT, ...others } = process.env;
        const found = spawnSync(process.execPath, [join(runners, "node_modules", program), ...args, ...more], {
          cwd,
          encoding: "utf8",
          env: { ...others, NO_COLOR: "1", ...(name === "jest" ? { NODE_OPTIONS: "--experimental-vm-modules" } : {}), ...env },
        });
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
      assert.deepEqual(names(), ["a/1", "a/2", "b/1", "b/2"]);
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
      assert.equal(names().length, 3, lock());
      has(run(["-u"], { LESS: "1" }), 0);
      assert.deepEqual(names(), ["a/1", "b/1"]);
    });
  }
});
