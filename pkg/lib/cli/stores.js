// The store of a command: a file, standard input, a database or a server.
/** @import { Store } from "../../types/store.js" */
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { fileStore } from "../../stores/file.js";
import { httpStore } from "../../stores/http.js";
import { sqlStore } from "../../stores/sql.js";
import { sqliteStore } from "../../stores/sqlite.js";
import { messageOf } from "../error.js";
import { memoryStore } from "../memory.js";
import { namesIn } from "../sql/names.js";
import { APPLICATION_ID } from "../sqlite.js";
import { folderStore } from "./folder.js";
import { UsageError } from "./usage.js";

/**
 * An open store. `projects` are its projects, if they are known; `listed` returns the boxes of one.
 *
 * @typedef {object} Opened
 * @property {Store} store
 * @property {boolean} isWritable
 * @property {string[]} [projects]
 * @property {(project_id: string) => object | Promise<object>} [listed]
 * @property {() => unknown} close
 */

/**
 * Opens the store `--store`.
 *
 * @param {string | undefined} name
 * @param {{ schema?: string, headers?: string[], env: NodeJS.ProcessEnv, cwd: string, stdin: () => Promise<string> }} options
 * @returns {Promise<Opened>}
 */
export async function openStore(name, { schema, headers = [], env, cwd, stdin }) {
  if (name === undefined) return { store: memoryStore(), isWritable: false, projects: [], close() {} };
  if (name === "-") return snapshot(await stdin());
  if (/^postgres(ql)?:\/\//.test(name)) return postgres(name, schema, cwd);
  if (/^https?:\/\//.test(name)) return server(name, headers, env);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(name))
    throw new UsageError(`\`${hidden(name)}\` is not a store: pass a file, a folder, \`-\`, \`postgres://..\` or \`https://..\``);
  const path = resolve(cwd, name);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    return { store: folderStore(path), isWritable: false, projects: [], close() {} };
  if (isSqlite(path)) {
    const store = await sqlite(path, cwd);
    return { store, isWritable: true, projects: store.projects(), listed: (id) => store.listed(id), close: () => store.close() };
  }
  return {
    store: fileStore(path),
    isWritable: true,
    projects: existsSync(path) ? idsIn(readFileSync(path, "utf8")) : [],
    listed: (project_id) => listedIn(readFileSync(path, "utf8"), project_id),
    close() {},
  };
}

/**
 * Opens a file of SQLite with the driver that is installed where the command runs, or with that of the runtime.
 *
 * @param {string} path
 * @param {string} cwd
 */
async function sqlite(path, cwd) {
  for (const name of ["better-sqlite3", "libsql"]) {
    const Database = await driver(name, cwd);
    if (Database !== undefined) return sqliteStore(new Database(path));
  }
  return sqliteStore(path);
}

/** The first bytes of a file of SQLite, and the place of its `application_id`. */
const SQLITE = { magic: "SQLite format 3\0", application: 68, bytes: 100 };

/**
 * Returns true if `--store` names a file of SQLite.
 *
 * @param {string} name
 * @param {string} cwd
 */
export function isSqlitePath(name, cwd) {
  const path = resolve(cwd, name);
  return (
    name !== "-" && !/^[a-z][a-z0-9+.-]+:\/\//i.test(name) && !statSync(path, { throwIfNoEntry: false })?.isDirectory() && isSqlite(path)
  );
}

/**
 * Returns true for a file of SQLite. A new file is one if its name ends in `.db` or `.sqlite`.
 *
 * @param {string} path
 */
function isSqlite(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.size === 0) return /\.(db|sqlite3?)$/i.test(path);
  return headOf(path).toString("latin1").startsWith(SQLITE.magic);
}

/**
 * Returns true for a file of SQLite with projects. Other tools keep their logs in SQLite too.
 *
 * @param {string} path
 */
export function isSqliteStore(path) {
  const head = headOf(path);
  return head.toString("latin1").startsWith(SQLITE.magic) && head.readUInt32BE(SQLITE.application) === APPLICATION_ID;
}

/** @param {string} path */
function headOf(path) {
  const head = Buffer.alloc(SQLITE.bytes);
  const file = openSync(path, "r");
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  return head;
}

/** @param {string} text @returns {Opened} */
function snapshot(text) {
  return { store: memoryStore(text), isWritable: false, projects: idsIn(text), close() {} };
}

/**
 * Returns the projects of a snapshot; none for other text, which the store rejects.
 *
 * @param {string} text
 * @returns {string[]}
 */
function idsIn(text) {
  try {
    return JSON.parse(text).projects.map((/** @type {any} */ { project_id }) => project_id);
  } catch {
    return [];
  }
}

/**
 * Lists a project of a file, and the calls in the file.
 *
 * @param {string} text
 * @param {string} project_id
 */
function listedIn(text, project_id) {
  const { projects, calls = [] } = /** @type {{ projects: any[], calls?: unknown[] }} */ (JSON.parse(text));
  const { boxes = [], agents = [], profiles = [] } = projects.find((one) => one.project_id === project_id) ?? {};
  return {
    box_ids: boxes.map((/** @type {any} */ { box_id }) => box_id),
    agent_ids: agents.map((/** @type {any} */ { agent_id }) => agent_id),
    profile_names: profiles.map((/** @type {any} */ { name }) => name),
    calls,
  };
}

/**
 * Lists the boxes of a project in a database, the last changed first; none in tables without our columns.
 *
 * @param {(text: string, params: string[]) => Promise<any>} query
 * @param {string | undefined} schema
 * @param {string} project_id
 */
async function listedAt(query, schema, project_id) {
  const text = `select box_id::text as box_id from ${namesIn(schema).card_boxes} where tenant_id = $1 and deleted_at is null order by updated_at desc limit 500`;
  const found = await query(text, [project_id]).catch(() => []);
  return { box_ids: (found.rows ?? found).map((/** @type {any} */ { box_id }) => box_id) };
}

/** @param {string} url @param {readonly string[]} headers @param {NodeJS.ProcessEnv} env @returns {Opened} */
function server(url, headers, { TUCKBOX_TOKEN }) {
  const given = headers.map((header) => {
    const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(header) ?? [];
    if (name === undefined) throw new UsageError("a header must have the form `name: value`");
    return [name, value];
  });
  const token = TUCKBOX_TOKEN === undefined ? {} : { authorization: `Bearer ${TUCKBOX_TOKEN}` };
  return { store: httpStore(url, { headers: { ...token, ...Object.fromEntries(given) } }), isWritable: true, close() {} };
}

/**
 * Opens a database with the driver that is installed where the command runs.
 *
 * @param {string} url
 * @param {string | undefined} schema
 * @param {string} cwd
 * @returns {Promise<Opened>}
 */
async function postgres(url, schema, cwd) {
  const options = schema === undefined ? {} : { schema };
  const pg = await driver("pg", cwd);
  if (pg !== undefined) {
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    // a lost connection that is not in use is not an error
    pool.on("error", () => {});
    /** @param {string} text @param {string[]} params */
    const query = (text, params) => pool.query(text, params);
    return {
      store: sqlStore(query, options),
      isWritable: true,
      listed: (project_id) => listedAt(query, schema, project_id),
      close: () => pool.end(),
    };
  }
  const connect = await driver("postgres", cwd);
  if (connect === undefined) throw new UsageError("a database needs a driver: `npm install pg` or `npm install postgres`");
  const sql = connect(url, { max: 2, onnotice() {} });
  /** @param {string} text @param {string[]} params */
  const query = (text, params) => sql.unsafe(text, params, { prepare: true });
  return {
    store: sqlStore(query, options),
    isWritable: true,
    listed: (project_id) => listedAt(query, schema, project_id),
    close: () => sql.end(),
  };
}

/**
 * Loads a package of the host, found where the command runs.
 *
 * @param {string} name
 * @param {string} cwd
 */
export async function driver(name, cwd) {
  for (const from of [join(cwd, "any.js"), import.meta.url]) {
    let path;
    try {
      path = createRequire(from).resolve(name);
    } catch {
      continue;
    }
    try {
      const loaded = await import(pathToFileURL(path).href);
      return loaded.default ?? loaded;
    } catch (error) {
      throw new UsageError(`the driver \`${name}\` could not be loaded: ${messageOf(error)}`);
    }
  }
  return undefined;
}

/**
 * Returns a URL without credentials.
 *
 * @param {string} url
 */
export function hidden(url) {
  return url.replace(/\/\/[^/@]*@/, "//***@");
}
