// Runs the examples of `pkg/README.md` that need a store, without changes. The example store satisfies the contract.
// The delegation example starts with an empty database and ends with the receiver's request.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { until } from "../support/until.mjs";
import { poolOf, startPostgres } from "./server.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manual = readFileSync(`${root}pkg/README.md`, "utf8");

/** Writes the JavaScript of one section to a file below the tests. */
function program(section) {
  const from = manual.indexOf(`## ${section}\n`);
  assert.notEqual(from, -1, `section "${section}" does not exist`);
  const blocks = [...manual.slice(from, manual.indexOf("\n## ", from)).matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block);
  const code = blocks
    .join("\n")
    .replace(/\b(from|import) "tuckbox(\/[\w/]+)?"/g, (_, word, path = "/index") => `${word} "${pathToFileURL(`${root}pkg${path}.js`)}"`);
  const folder = `${root}tests/.cache/readme`;
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/${section.replace(/\W+/g, "_")}.mjs`;
  writeFileSync(file, code);
  const promised = code.split("\n").flatMap((line) => (line.includes("// → ") ? [line.split("// → ")[1].trim()] : []));
  return { file: pathToFileURL(file).href, promised };
}

// registers the cases of the contract
await import(program("Write a store").file);

test("the delegation example runs on an empty PostgreSQL database", async (t) => {
  const server = await startPostgres();
  t.after(() => server.stop());
  process.env.DATABASE_URL = server.url;
  const { file, promised } = program("Delegation on PostgreSQL");
  const printed = [];
  t.mock.method(console, "log", (...values) =>
    printed.push(values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" ")),
  );
  await import(file);
  assert.deepEqual(printed, promised);
  // the program has closed its connections, but the server can notice it later
  const pool = poolOf(server.url);
  t.after(() => pool.end());
  const others =
    "select query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'";
  await until(
    "no other client is connected",
    async () => (await pool.query(others)).rows,
    ({ length }) => length === 0,
  );
});
