// The store that a command works on: a file, standard input, a database or a server.
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { fileStore } from "../../stores/file.js";
import { httpStore } from "../../stores/http.js";
import { sqlStore } from "../../stores/sql.js";
import { messageOf } from "../error.js";
import { memoryStore } from "../memory.js";
import { namesIn } from "../sql/names.js";
import { folderStore } from "./folder.js";
import { UsageError } from "./usage.js";

/**
 * Opens what `--store` names. `isWritable` says whether a commit makes sense; `projects` are the
 * projects in it, where that can be known; `listed` names the boxes of one; `close` lets go of connections.
 */
export async function openStore(name, { schema, headers = [], env, cwd, stdin }) {
  if (name === undefined) return { store: memoryStore(), isWritable: false, projects: [], close() {} };
  if (name === "-") return snapshot(await stdin());
  if (/^postgres(ql)?:\/\//.test(name)) return postgres(name, schema, cwd);
  if (/^https?:\/\//.test(name)) return server(name, headers, env);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(name)) throw new UsageError(`\`${hidden(name)}\` is no store: pass a file, a folder, \`-\`, \`postgres://..\` or \`https://..\``);
  const path = resolve(cwd, name);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return { store: folderStore(path), isWritable: false, projects: [], close() {} };
  return { store: fileStore(path), isWritable: true, projects: existsSync(path) ? idsIn(readFileSync(path, "utf8")) : [], listed: (project_id) => listedIn(readFileSync(path, "utf8"), project_id), close() {} };
}

function snapshot(text) {
  return { store: memoryStore(text), isWritable: false, projects: idsIn(text), close() {} };
}

/** The projects of a snapshot; none where it is none, and the store says what is wrong with it. */
function idsIn(text) {
  try {
    return JSON.parse(text).projects.map(({ project_id }) => project_id);
  } catch {
    return [];
  }
}

/** What lies in a project of a file, and the calls that were kept beside it. */
function listedIn(text, project_id) {
  const { projects, calls = [] } = JSON.parse(text);
  const { boxes = [], agents = [], profiles = [] } = projects.find((one) => one.project_id === project_id) ?? {};
  return { box_ids: boxes.map(({ box_id }) => box_id), agent_ids: agents.map(({ agent_id }) => agent_id), profile_names: profiles.map(({ name }) => name), calls };
}

/** The boxes of a project in a database, those that changed last first; none in tables that are not ours. */
async function listedAt(query, schema, project_id) {
  const text = `select box_id::text as box_id from ${namesIn(schema).card_boxes} where tenant_id = $1 and deleted_at is null order by updated_at desc limit 500`;
  const found = await query(text, [project_id]).catch(() => []);
  return { box_ids: (found.rows ?? found).map(({ box_id }) => box_id) };
}

function server(url, headers, { TUCKBOX_TOKEN }) {
  const given = headers.map((header) => /^([^:\s]+):\s*(.*)$/.exec(header)?.slice(1));
  if (given.includes(undefined)) throw new UsageError("a header is written as `name: value`");
  const token = TUCKBOX_TOKEN === undefined ? {} : { authorization: `Bearer ${TUCKBOX_TOKEN}` };
  return { store: httpStore(url, { headers: { ...token, ...Object.fromEntries(given) } }), isWritable: true, close() {} };
}

/** Over whichever driver is installed where the command runs. */
async function postgres(url, schema, cwd) {
  const options = schema === undefined ? {} : { schema };
  const pg = await driver("pg", cwd);
  if (pg !== undefined) {
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    // a connection that is cut while nobody uses it is no error
    pool.on("error", () => {});
    const query = (text, params) => pool.query(text, params);
    return { store: sqlStore(query, options), isWritable: true, listed: (project_id) => listedAt(query, schema, project_id), close: () => pool.end() };
  }
  const connect = await driver("postgres", cwd);
  if (connect === undefined) throw new UsageError("a database needs a driver: `npm install pg` or `npm install postgres`");
  const sql = connect(url, { max: 2, onnotice() {} });
  const query = (text, params) => sql.unsafe(text, params, { prepare: true });
  return { store: sqlStore(query, options), isWritable: true, listed: (project_id) => listedAt(query, schema, project_id), close: () => sql.end() };
}

/** A package of the host, found where the command runs. */
export async function driver(name, cwd) {
  for (const from of [join(cwd, "any.js"), import.meta.url]) {
    let path;
    try {
      path = createRequire(from).resolve(name);
    } catch {
      continue;
    }
    try {
      const loaded = await import(pathToFileURL(path));
      return loaded.default ?? loaded;
    } catch (error) {
      throw new UsageError(`the driver \`${name}\` could not be loaded: ${messageOf(error)}`);
    }
  }
  return undefined;
}

/** An address without what is secret in it. */
export function hidden(url) {
  return url.replace(/\/\/[^/@]*@/, "//***@");
}
