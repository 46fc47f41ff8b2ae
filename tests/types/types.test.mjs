// Programs of users compile against the types of the package, with the strictest settings.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The mistyped keys in `mistakes/keys.ts`. */
const KEYS = [
  "tool_sufix",
  "context_packing_confg",
  "include_parnt",
  "include_boxs_from_args",
  "profile_nam",
  "context_box",
  "box_idd",
  "pack_argumnts",
  "timeout_ms",
  "project_id",
  "tick_ms",
];

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** TypeScript as `www` and the package use it, and the newest release. */
const COMPILERS = ["typescript", "typescript-newest"];

/** Compiles a project and returns what the compiler printed. */
async function compile(compiler, name, pretty = "false") {
  const compiled = promisify(execFile)(process.execPath, [
    here(`../node_modules/${compiler}/bin/tsc`),
    "--pretty",
    pretty,
    "--project",
    here(`${name}/tsconfig.json`),
    // each compiler has its own, because it discards that of another version
    "--tsBuildInfoFile",
    here(`../../target/${compiler}-${name === "." ? "usage" : name}.tsbuildinfo`),
  ]);
  return compiled.catch((failed) => failed);
}

for (const compiler of COMPILERS) {
  test(`${compiler}: programs that use the package compile, and so do the types`, async () => {
    const { stdout, stderr, code = 0 } = await compile(compiler, ".");
    assert.deepEqual([stdout, code], ["", 0], stdout || stderr);
  });

  test(`${compiler}: a type error names the mistyped key, with and without colors`, async () => {
    const source = readFileSync(here("mistakes/keys.ts"), "utf8");
    const count = source.match(/^ {2}\w[^\n]*\(/gm).length;
    for (const pretty of ["false", "true"]) {
      const { stdout } = await compile(compiler, "mistakes", pretty);
      for (const key of KEYS) assert.ok(stdout.includes(`'${key}' does not exist in type`), `${key}: ${stdout}`);
      assert.equal(stdout.match(/error[^\n]*? TS\d+: /g)?.length, count, stdout);
    }
  });
}
