// Runs all tests of the page in one process: `node --test-reporter=spec tests/browser/all.mjs [FILES]`, with names such
// as `saved`. Files run in parallel and share browsers; the tests of a file run in sequence. `--test-name-pattern`
// before the script selects tests by name.
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { after, describe } from "node:test";
import { closeBrowsers } from "./page.mjs";

/** The longest files start first, so that no file runs alone at the end. */
const LONGEST = ["extension", "large", "axe", "hostile", "context", "build", "saved", "runs", "ui", "fix"];
const SUFFIX = ".test.mjs";

const names = readdirSync(new URL(".", import.meta.url))
  .filter((name) => name.endsWith(SUFFIX))
  .map((name) => name.slice(0, -SUFFIX.length));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`unknown file \`${unknown.join("`, `")}\`; expected one of ${names.join(", ")}`);

const place = (name) => (LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length);
const files = names.filter((name) => wanted.length === 0 || wanted.includes(name)).sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));

// a slow page keeps a processor busy
const lanes = availableParallelism() + (process.env.TUCKBOX_CPU === undefined ? 1 : 0);
describe("page", { concurrency: Number(process.env.TUCKBOX_LANES ?? lanes) }, () => {
  for (const name of files) describe(name, { concurrency: 1 }, () => import(`./${name}${SUFFIX}`).then(() => undefined));
});

after(closeBrowsers);
