// Cards and boxes in one file of SQLite, which processes of every language can share.
//
// The file has one table with a row of JSON text for each row of a project: `docs/reference/sqlite.md` describes it.
// Every supported driver is synchronous, so a transaction never waits for other code.
/** @import { ProfileRow } from "../types/cards.js" */
/** @import { JsonText } from "../types/json.js" */
/** @import { Reads, Writes } from "../types/store.js" */
/** @import { SqliteDatabase, SqliteStatement } from "../types/stores/sqlite.js" */
/** @import { Change, Shelves } from "../lib/rows.js" */
import { deciding, selecting } from "../lib/decide.js";
import { messageOf, TuckboxError } from "../lib/error.js";
import { only, own } from "../lib/options.js";
import { answersText, columns, placed, withFollowed } from "../lib/rows.js";
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from "../lib/sqlite.js";

const PUT = `insert into tuckbox_rows (project_id, shelf, key, text) values (?, ?, ?, ?)
  on conflict (project_id, shelf, key) do update set text = excluded.text`;

/** The pause before a file in use is opened again, in milliseconds. */
const PAUSE_MS = 10;

/** @type {typeof import("../types/stores/sqlite.js").sqliteStore} */
export async function sqliteStore(file, options) {
  only(options, ["timeoutMs"]);
  const { timeoutMs = 30_000 } = own(options);
  if (typeof timeoutMs !== "number" || !(timeoutMs >= 0)) {
    throw new TuckboxError("bad_request", "`timeoutMs` must be a number of milliseconds", { path: "timeoutMs" });
  }
  const isOwn = typeof file === "string";
  const database = isOwn ? await opened(file) : file;
  try {
    await prepare(database, timeoutMs);
  } catch (error) {
    if (isOwn) database.close?.();
    throw failed(error);
  }
  return new SqliteStore(database);
}

class SqliteStore {
  #database;
  /** @type {Map<string, SqliteStatement>} */
  #statements = new Map();

  /** @param {SqliteDatabase} database */
  constructor(database) {
    this.#database = database;
  }

  /** @param {Reads} reads */
  async read(reads) {
    const select = await selecting(reads);
    return this.#transaction("begin", () => {
      const rows = { ...this.#rows(reads.project_id), select };
      return answersText(withFollowed(reads, rows), rows);
    });
  }

  /** @param {Writes} writes @param {{ text?: string }} [more] */
  async commit(writes, { text } = {}) {
    const { project_id, operation_id } = writes;
    const batch = await deciding(writes, text);
    const receipt = this.#transaction("begin immediate", () => {
      const rows = this.#rows(project_id);
      const { receipt, changes, operation } = batch.decide(rows, rows.find("operations", operation_id));
      this.#put(project_id, changes);
      if (operation !== undefined) this.#put(project_id, [{ shelf: "operations", key: operation_id, text: operation }]);
      return receipt;
    });
    // the log has the content until a checkpoint; a reader can delay it
    if ((writes.erase_cards ?? []).length > 0) this.#database.exec("pragma wal_checkpoint(truncate)");
    return receipt;
  }

  /**
   * Registers profiles. A profile replaces one with the same name; case is ignored.
   *
   * @param {string} project_id
   * @param {readonly (ProfileRow | JsonText)[]} rows
   */
  async addProfiles(project_id, rows) {
    const version = crypto.randomUUID();
    const puts = rows.map((row) => placed("project_profiles", columns(row), version));
    this.#transaction("begin immediate", () => this.#put(project_id, puts));
  }

  /** Returns the ids of the projects in the file. */
  projects() {
    const found = this.#transaction("begin", () => this.#all("select distinct project_id as id from tuckbox_rows order by 1"));
    return found.map(({ id }) => String(id));
  }

  /**
   * Returns the ids of the boxes of a project, and its agents and profiles.
   *
   * @param {string} project_id
   */
  listed(project_id) {
    /** @param {string} shelf */
    const keys = (shelf) =>
      this.#all("select key from tuckbox_rows where project_id = ? and shelf = ? order by key", project_id, shelf).map(({ key }) =>
        String(key),
      );
    return this.#transaction("begin", () => ({
      box_ids: keys("boxes"),
      agent_ids: keys("project_agents").map((key) => JSON.parse(key)[0]),
      profile_names: this.#texts(project_id, "project_profiles").map((text) => JSON.parse(text).row.name),
    }));
  }

  close() {
    this.#database.close?.();
  }

  /** @param {string} project_id @returns {Shelves} */
  #rows(project_id) {
    return {
      find: (shelf, key) => {
        const row = this.#statement("select text from tuckbox_rows where project_id = ? and shelf = ? and key = ?").get(
          project_id,
          shelf,
          key,
        );
        // some drivers return `null` if there is no row
        return row === null || row === undefined ? undefined : String(row.text);
      },
      all: (shelf) => this.#texts(project_id, shelf),
      paths: () =>
        this.#all("select key from tuckbox_rows where project_id = ? and shelf = 'files'", project_id).map(({ key }) => String(key)),
    };
  }

  /** @param {string} project_id @param {string} shelf */
  #texts(project_id, shelf) {
    return this.#all("select text from tuckbox_rows where project_id = ? and shelf = ?", project_id, shelf).map(({ text }) => String(text));
  }

  /** @param {string} project_id @param {readonly Change[]} changes */
  #put(project_id, changes) {
    for (const { shelf, key, text } of changes) {
      if (text === undefined)
        this.#statement("delete from tuckbox_rows where project_id = ? and shelf = ? and key = ?").run(project_id, shelf, key);
      else this.#statement(PUT).run(project_id, shelf, key, text);
    }
  }

  /** @param {string} sql @param {string[]} values */
  #all(sql, ...values) {
    return this.#statement(sql).all(...values);
  }

  /** @param {string} sql */
  #statement(sql) {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const made = this.#database.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }

  /**
   * Runs work in one transaction. Nothing is written if it throws.
   *
   * @template Result
   * @param {string} begin
   * @param {() => Result} work
   * @returns {Result}
   */
  #transaction(begin, work) {
    return transaction(this.#database, begin, () => {
      // another process can have migrated the file meanwhile
      checkVersion(Number(this.#statement("pragma user_version").get()?.user_version));
      return work();
    });
  }
}

/**
 * @template Result
 * @param {SqliteDatabase} database
 * @param {string} begin
 * @param {() => Result} work
 * @returns {Result}
 */
function transaction(database, begin, work) {
  try {
    database.exec(begin);
  } catch (error) {
    throw failed(error);
  }
  try {
    const result = work();
    database.exec("commit");
    return result;
  } catch (error) {
    try {
      database.exec("rollback");
    } catch {
      // SQLite has rolled back already
    }
    throw failed(error);
  }
}

/**
 * Opens a file with the driver of the runtime, or with one that is installed.
 *
 * @param {string} path
 * @returns {Promise<SqliteDatabase>}
 */
async function opened(path) {
  const drivers = [
    // bundlers must not look for a driver that only one runtime has
    { name: "bun:sqlite", make: (/** @type {any} */ loaded) => new loaded.Database(path, { create: true }) },
    { name: "node:sqlite", make: (/** @type {any} */ loaded) => new loaded.DatabaseSync(path) },
    { name: "better-sqlite3", make: (/** @type {any} */ loaded) => new loaded.default(path) },
    { name: "libsql", make: (/** @type {any} */ loaded) => new loaded.default(path) },
  ];
  for (const { name, make } of drivers) {
    let loaded;
    try {
      loaded = await import(/* @vite-ignore */ /* webpackIgnore: true */ name);
    } catch {
      continue;
    }
    try {
      return make(loaded);
    } catch (error) {
      throw failed(error);
    }
  }
  const message = "SQLite needs Node 22.5 or newer, Bun, or one of the packages `better-sqlite3` and `libsql`";
  throw new TuckboxError("store", message, { path: "store" });
}

/**
 * Sets up a connection, and creates the table in an empty file.
 *
 * @param {SqliteDatabase} database
 * @param {number} timeoutMs
 */
async function prepare(database, timeoutMs) {
  database.exec(`pragma busy_timeout = ${Math.min(Math.floor(timeoutMs), 2 ** 31 - 1)}`);
  if (numberOf(database, "user_version") === 0) {
    // before `wal`, so that the file has its mark and not only the log
    transaction(database, "begin immediate", () => {
      if (numberOf(database, "user_version") === 0) create(database);
    });
  }
  if (numberOf(database, "application_id") !== APPLICATION_ID) throw otherProgram();
  checkVersion(numberOf(database, "user_version"));
  const end = Date.now() + timeoutMs;
  for (;;) {
    try {
      // fails at once, without the timeout, while another process uses the file
      database.exec("pragma journal_mode = wal");
      break;
    } catch (error) {
      if (Date.now() >= end) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
  database.exec("pragma synchronous = full");
  // freed pages keep no content
  database.exec("pragma secure_delete = on");
}

/** @param {SqliteDatabase} database */
function create(database) {
  const tables = database.prepare("select count(*) as count from sqlite_master").get();
  if (Number(tables?.count) > 0) throw otherProgram();
  database.exec(SCHEMA);
  database.exec(`pragma application_id = ${APPLICATION_ID}`);
  database.exec(`pragma user_version = ${SCHEMA_VERSION}`);
}

function otherProgram() {
  return new TuckboxError("store", "the file is a database of another program");
}

/** @param {number} version */
function checkVersion(version) {
  if (version === SCHEMA_VERSION) return;
  const message = `the file has schema version ${version}, made by a newer version of this package; expected ${SCHEMA_VERSION}: use a newer version`;
  throw new TuckboxError("store", message, { details: { reason: "newer", schema_version: version } });
}

/** @param {SqliteDatabase} database @param {string} pragma */
function numberOf(database, pragma) {
  return Number(database.prepare(`pragma ${pragma}`).get()?.[pragma]);
}

/** @param {unknown} error */
function failed(error) {
  if (error instanceof TuckboxError) return error;
  return new TuckboxError("store", `SQLite failed: ${messageOf(error)}`, { path: "store", cause: error });
}
