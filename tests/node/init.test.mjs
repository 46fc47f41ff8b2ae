// `tuckbox init` writes a project that compiles and runs without a key.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { deep } from "../support/deep.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = (file, args, cwd) => promisify(execFile)(process.execPath, [file, ...args], { cwd });
const tuckbox = `${root}pkg/bin/tuckbox.js`;

test("init: a new project runs, and a folder with files is refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-init-"));
  const { stdout } = await run(tuckbox, ["init", "My Team"], folder);
  assert.match(stdout, /wrote package\.json.*src\/main\.ts[\s\S]*npm install[\s\S]*npm run look/);
  const project = join(folder, "My Team");
  const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  assert.deepEqual([manifest.name, manifest.scripts.look], ["my-team", "tuckbox ui project.json"]);

  mkdirSync(join(project, "node_modules"));
  symlinkSync(`${root}pkg`, join(project, "node_modules/tuckbox"));
  if (deep) await run(`${root}tests/node_modules/typescript/bin/tsc`, [], project);
  else {
    const main = readFileSync(join(project, "src/main.ts"), "utf8");
    const { outputText } = ts.transpileModule(main, { compilerOptions: { target: "ES2022", module: "ES2022" } });
    mkdirSync(join(project, "dist"));
    writeFileSync(join(project, "dist/main.js"), outputText);
  }
  const printed = await run("dist/main.js", [], project);
  assert.match(printed.stdout, /Both writers have answered\./);
  // again: the profiles and the agent exist, and the team goes on
  if (deep) assert.match((await run("dist/main.js", [], project)).stdout, /Both writers have answered\./);

  await assert.rejects(run(tuckbox, ["init"], project), ({ code, stderr }) => code === 2 && /is not empty/.test(stderr));
});
