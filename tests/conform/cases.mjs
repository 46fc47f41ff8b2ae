// Runs the recorded cases through the npm package, in any runtime.
//
// An adaptor is a module in `adaptors/`, named like its file of cases, with a line in `index.mjs`:
//
//   export async function run({ input, inputText, worlds, worldsText }, tuckbox) {
//     return [{ label: "v1r3", okText: "..." }, { label: "v1r4", error }];
//   }
//
// `tuckbox` is the package's module. An outcome has `okText` (JSON text from the core, without losses), `ok` (a
// JavaScript value) or `error` (a thrown TuckboxError). No outcome means that the rule does not exist yet. Any other
// exception is a crash and a failure.
import * as adaptors from "./adaptors/index.mjs";
import { items, members } from "./raw.mjs";
import { objectText } from "./world.mjs";

/**
 * Returns the answers to files of cases, `{ name: text }`: one line of JSON per outcome, `{file, case, label,
 * ok|error}`. Files without an adaptor are reported as skipped.
 */
export async function answers(files, tuckbox) {
  const lines = [];
  for (const [file, text] of Object.entries(files)) {
    const named = { file: JSON.stringify(file) };
    if (adaptors[file] === undefined) lines.push(objectText({ ...named, skipped: '"no adaptor"' }));
    else lines.push(...(await answersOf(named, text, adaptors[file], tuckbox)));
  }
  return lines.map((line) => `${line}\n`).join("");
}

async function answersOf(named, text, adaptor, tuckbox) {
  const whole = Object.fromEntries(members(text));
  const worldsText = whole.worlds ?? "null";
  const worlds = JSON.parse(worldsText);
  const lines = [];
  for (const caseText of items(whole.cases)) {
    const { name, input: inputText } = Object.fromEntries(members(caseText));
    const line = { ...named, case: name };
    try {
      const given = { input: JSON.parse(inputText), inputText, worlds, worldsText };
      const outcomes = await adaptor.run(given, tuckbox);
      if (outcomes.length === 0) lines.push(objectText({ ...line, skipped: "true" }));
      for (const outcome of outcomes) lines.push(objectText({ ...line, ...outcomeTexts(outcome) }));
    } catch (error) {
      lines.push(objectText({ ...line, crash: JSON.stringify(String(error?.stack ?? error)) }));
    }
  }
  return lines;
}

function outcomeTexts({ label = "", ok, okText, error }) {
  const named = { label: JSON.stringify(label) };
  if (error === undefined) return { ...named, ok: okText ?? JSON.stringify(ok) };
  if (typeof error?.code !== "string") throw error;
  const { code, details } = error;
  // the option `projectId` of `open` is `project_id` in the core
  const [path, message] = [error.path, error.message].map((text) => text.replaceAll("projectId", "project_id"));
  return { ...named, error: JSON.stringify({ code, path, message, details }) };
}
