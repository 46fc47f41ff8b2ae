// The recorded cases through the npm package: `node tests/conform/node.mjs DIR`.
//
// Prints one line of JSON an outcome, `{file, case, label, ok|error}`; `cargo xtask conform
// --through node` compares the lines with the recording and with the native core. Files without
// an adaptor are reported as skipped.
//
// An adaptor is a module in `adaptors/`, named like its file of cases:
//
//   export async function run({ input, inputText, worlds, worldsText }, tuckbox) {
//     return [{ label: "v1r3", okText: "..." }, { label: "v1r4", error }];
//   }
//
// `tuckbox` is the package's module. An outcome has `okText` (JSON text straight from the core:
// nothing lost) or `ok` (a JavaScript value), or `error` (a thrown TuckboxError). No outcome at
// all means that the rule does not exist yet. Whatever else is thrown is a crash, and a failure.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { items, members } from "./raw.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const dir = process.argv[2] ?? join(here, "../vectors");
const names = readdirSync(dir).filter((name) => name.endsWith(".json")).sort();
let loaded;

for (const name of names) {
  const file = name.slice(0, -".json".length);
  const adaptor = new URL(`./adaptors/${file}.mjs`, import.meta.url);
  if (existsSync(adaptor)) await runFile(file, join(dir, name), await import(adaptor));
  else print({ file: JSON.stringify(file), skipped: '"no adaptor"' });
}

async function runFile(file, path, adaptor) {
  const whole = Object.fromEntries(members(readFileSync(path, "utf8")));
  const worldsText = whole.worlds ?? "null";
  const worlds = JSON.parse(worldsText);
  for (const text of items(whole.cases)) {
    const { name, input: inputText } = Object.fromEntries(members(text));
    const line = { file: JSON.stringify(file), case: name };
    try {
      loaded ??= await import("../../pkg/index.js");
      const given = { input: JSON.parse(inputText), inputText, worlds, worldsText };
      const outcomes = await adaptor.run(given, loaded);
      if (outcomes.length === 0) print({ ...line, skipped: "true" });
      for (const outcome of outcomes) print({ ...line, ...outcomeTexts(outcome) });
    } catch (error) {
      print({ ...line, crash: JSON.stringify(String(error?.stack ?? error)) });
    }
  }
}

function outcomeTexts({ label = "", ok, okText, error }) {
  const named = { label: JSON.stringify(label) };
  if (error === undefined) return { ...named, ok: okText ?? JSON.stringify(ok) };
  if (typeof error?.code !== "string") throw error;
  const { code, path, message, details } = error;
  return { ...named, error: JSON.stringify({ code, path, message, details }) };
}

/** Prints one object whose values are JSON text already. */
function print(texts) {
  const fields = Object.entries(texts).map(([key, text]) => `${JSON.stringify(key)}:${text}`);
  process.stdout.write(`{${fields.join(",")}}\n`);
}
