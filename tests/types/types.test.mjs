// What callers write compiles against the types of the package, under the strictest settings.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

test("programs that use the package compile, and the types themselves do", async () => {
  const compiled = promisify(execFile)(process.execPath, [here("../node_modules/typescript/bin/tsc"), "--pretty", "false", "--project", here("tsconfig.json")]);
  const { stdout, stderr, code = 0 } = await compiled.catch((failed) => failed);
  assert.deepEqual([stdout, code], ["", 0], stdout || stderr);
});
