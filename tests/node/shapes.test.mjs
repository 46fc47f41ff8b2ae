// Checks the types against real calls. The calls of every operation and their results are written as TypeScript and
// compiled. Extra keys, missing keys and keys of another type are errors.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import operations from "../../pkg/generated/operations.js";
import { open } from "../../pkg/index.js";
import { callAll, fixedEntropy } from "./all_calls.mjs";
import { review } from "./samples.mjs";
import { filled } from "./support.mjs";

const tests = fileURLToPath(new URL("..", import.meta.url));

test("the results of all operations match their types", async () => {
  const checks = ['import type { Ledger, Lint, Operations, Receipt, Stats, Writes } from "tuckbox";'];
  const seenLines = new Set();
  const check = (type, value) => {
    const line = `({} as { x: unknown }).x = ${JSON.stringify(value)} satisfies ${type};`;
    if (!seenLines.has(line)) checks.push(line);
    seenLines.add(line);
  };
  const store = filled();
  const workspace = await open(store, { projectId: "p1", recipes: [review] });
  const seen = new Set();
  const examples = {};
  const entropy = fixedEntropy();
  const call = async (op, args, now) => {
    const preview = await workspace.preview(op, args, { entropy, now });
    if (examples[op] === undefined || Object.keys(examples[op]).length === 0) examples[op] = JSON.parse(JSON.stringify(args));
    check(`Operations["${op}"]["args"]`, args);
    check(`Operations["${op}"]["value"]`, preview.value);
    check("Writes", preview.writes);
    check("readonly Lint[]", preview.lints);
    check('Ledger["dropped"]', preview.ledger.dropped);
    check('Ledger["audit"]', preview.ledger.audit);
    check('Ledger["transitions"]', preview.ledger.transitions);
    for (const account of preview.ledger.boxes) check('ReturnType<Ledger["boxes"][number]["entries"]>', account.entries());
    check("Receipt", await preview.commit());
    seen.add(op);
    return preview.value;
  };
  await callAll(call);
  check("Stats", workspace.stats());

  // the examples of the reference are calls of this test
  const file = new URL("examples.json", import.meta.url);
  const text = `${JSON.stringify(Object.fromEntries(operations.map((op) => [op, examples[op]])), undefined, 1)}\n`;
  if (process.env.TUCKBOX_BLESS !== undefined) writeFileSync(file, text);
  assert.ok(readFileSync(file, "utf8") === text, "`examples.json` is old: run with `TUCKBOX_BLESS=1` and commit it");

  const folder = `${tests}.cache/shapes`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/results.ts`, checks.join("\n"));
  writeFileSync(
    `${folder}/tsconfig.json`,
    JSON.stringify({ extends: "../../types/tsconfig.json", compilerOptions: { skipLibCheck: true }, include: ["results.ts"] }),
  );
  const compiler = `${tests}node_modules/typescript/bin/tsc`;
  const compiled = promisify(execFile)(process.execPath, [compiler, "--pretty", "false", "--project", folder]);
  const { stdout, stderr, code = 0 } = await compiled.catch((failed) => failed);
  const lines = stdout
    .trim()
    .split("\n")
    .filter((line) => line !== "");
  const errors = lines.map((line) => {
    const at = /\((\d+),/.exec(line);
    return at === null ? line : `${line}\n    ${checks[Number(at[1]) - 1].slice(0, 400)}`;
  });
  assert.equal(errors.slice(0, 5).join("\n"), "");
  assert.equal(code, 0, stderr);
  const missing = operations.filter((op) => !seen.has(op));
  assert.deepEqual(missing, [], "operations without a sample in `samples.mjs`");
});
