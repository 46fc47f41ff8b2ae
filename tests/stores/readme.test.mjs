// The examples of the package's manual that need a store run as they stand: one's own store keeps the contract, and a
// delegation goes from an empty database to the receiver's request.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import "../../pkg/index.js";
import { until } from "../support/until.mjs";
import { poolOf, startPostgres } from "./server.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manual = readFileSync(`${root}pkg/README.md`, "utf8");

/** The JavaScript of one section as one program, in a file below the tests. */
function program(section) {
  const from = manual.indexOf(`## ${section}\n`);
  assert.notEqual(from, -1, `there is no section "${section}"`);
  const blocks = [...manual.slice(from, manual.indexOf("\n## ", from)).matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block);
  const code = blocks
    .join("\n")
    .replace(/from "tuckbox(\/[\w/]+)?"/g, (_, path = "/index") => `from "${pathToFileURL(`${root}pkg${path}.js`)}"`);
  const folder = `${root}tests/.cache/readme`;
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/${section.replace(/\W+/g, "_")}.mjs`;
  writeFileSync(file, code);
  const promised = code.split("\n").flatMap((line) => (line.includes("// → ") ? [line.split("// → ")[1].trim()] : []));
  return { file: pathToFileURL(file).href, promised };
}

// registers the cases of the contract
await import(program("Write a store").file);

test("a whole delegation on PostgreSQL, from an empty database", async (t) => {
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
  // the program has ended its connections, and the server may hear of it later
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
