// Writes the fixtures of a release: `node tests/upgrades/make.mjs VERSION`. Run it once, in the commit of the release.
//
// Each file is a store as this version writes it. `tests/stores/upgrades.test.mjs` opens them with later versions.
// `project.db` comes from the Python package, because some versions of Node have no SQLite.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { memoryStore } from "../../pkg/index.js";
import { fileStore } from "../../pkg/stores/file.js";
import { kvStore } from "../../pkg/stores/kv.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { migration } from "../../pkg/stores/sql.js";
import { poolOf, startPostgres } from "../stores/server.mjs";
import { entriesStore, fill, seen } from "./project.mjs";

const folder = fileURLToPath(new URL(`./${process.argv[2]}/`, import.meta.url));
mkdirSync(folder, { recursive: true });
const write = (name, text) => writeFileSync(`${folder}${name}`, text);

rmSync(`${folder}project.json`, { force: true });
await fill(fileStore(`${folder}project.json`));
const memory = memoryStore();
await fill(memory);
write("export.json", memory.export());
write("expected.json", `${JSON.stringify(await seen(memory), null, 2)}\n`);

const entries = new Map();
await fill(kvStore(entriesStore(entries)));
write("kv.json", JSON.stringify([...entries]));

// the tables, and the statements that filled them
const server = await startPostgres();
const pool = poolOf(server.url);
const statements = [];
const record = (statement, params, ...rest) => {
  const text = statement?.text ?? statement;
  const values = statement?.values ?? params;
  if (String(text).includes("tuckbox_commit") && Array.isArray(values)) statements.push({ text, values });
  return pool.query(statement, params, ...rest);
};
await pgStore(pool).migrate();
await fill(pgStore({ query: record, connect: () => pool.connect() }));
write("postgres.sql", migration());
write("postgres.json", JSON.stringify(statements));
await pool.end();
await server.stop();

rmSync(`${folder}project.db`, { force: true });
execFileSync("python3", [fileURLToPath(new URL("./make.py", import.meta.url)), `${folder}project.db`], {
  env: { ...process.env, PYTHONPATH: fileURLToPath(new URL("../../python", import.meta.url)) },
  stdio: "inherit",
});
