// Programs of users compile against the types of the package, with the strictest settings.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

test("programs that use the package compile, and so do the types", async () => {
  const compiled = promisify(execFile)(process.execPath, [
    here("../node_modules/typescript/bin/tsc"),
    "--pretty",
    "false",
    "--project",
    here("tsconfig.json"),
  ]);
  const { stdout, stderr, code = 0 } = await compiled.catch((failed) => failed);
  assert.deepEqual([stdout, code], ["", 0], stdout || stderr);
});

test("a type error names the mistyped key, with and without colors", async () => {
  const keys = ["tool_sufix", "context_packing_confg", "include_parnt", "include_boxs_from_args", "profile_nam", "context_box"];
  for (const pretty of ["false", "true"]) {
    const compiled = promisify(execFile)(process.execPath, [
      here("../node_modules/typescript/bin/tsc"),
      "--pretty",
      pretty,
      "--project",
      here("mistakes/tsconfig.json"),
    ]);
    const { stdout } = await compiled.catch((failed) => failed);
    for (const key of keys) assert.ok(stdout.includes(`'${key}' does not exist in type`), `${key}: ${stdout}`);
  }
});
