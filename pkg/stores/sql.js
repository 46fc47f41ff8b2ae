// Cards and boxes in PostgreSQL, over any driver: a host passes `query(text, params)`.
import { exists, notUnique, otherBatch, otherText, rowTaken, stale, staleRow, taken } from "../lib/conflicts.js";
import { TuckboxError, messageOf } from "../lib/error.js";
import { toText } from "../lib/json.js";
import { columns, fold, placed } from "../lib/rows.js";
import { members } from "../lib/raw.js";
import { namesIn } from "../lib/sql/names.js";
import { MIGRATED, readShape, readStatement, shapeQuery, unmigrated } from "../lib/sql/read.js";
import { migration } from "../lib/sql/schema.js";

export { migration } from "../lib/sql/schema.js";

/** A store over `query(text, params, { signal })`, which resolves with the rows or with `{ rows }`. */
export function sqlStore(query, options = {}) {
  if (typeof query !== "function") {
    throw new TuckboxError("bad_request", "`query` is a function that takes a statement and its parameters", { path: "query" });
  }
  const { schema, ...unknown } = options;
  for (const name of Object.keys(unknown)) throw new TuckboxError("bad_request", `unknown option \`${name}\``, { path: name });
  if (schema !== undefined && (typeof schema !== "string" || schema === "")) {
    throw new TuckboxError("bad_request", "`schema` is the name of a schema", { path: "schema" });
  }
  return new SqlStore(query, schema);
}

/** How often a statement is tried when the database let another one go first. */
const TRIES = 40;

class SqlStore {
  #query;
  #schema;
  #names;
  #shape = MIGRATED;

  constructor(query, schema) {
    this.#query = query;
    this.#schema = schema;
    this.#names = namesIn(schema);
  }

  /**
   * Makes the tables, or brings them up to date. Running it again changes nothing. With `rekey`, ids in tables
   * of other software become unique within their project, and no longer in the whole table.
   */
  async migrate({ rekey } = {}) {
    const statement = migration({ schema: this.#schema, rekey });
    try {
      await this.#query(statement, []);
    } catch (error) {
      throw new TuckboxError("store", `the database could not be migrated: ${messageOf(error)}`, { path: "store.migrate", cause: error });
    }
    this.#shape = MIGRATED;
  }

  async read(reads, more) {
    try {
      return await this.#read(reads, more);
    } catch (error) {
      if (!isUnknownName(error)) throw failure("read", error);
    }
    // not the tables that a migration makes: look at them, once
    try {
      await this.#look(more);
      return await this.#read(reads, more);
    } catch (error) {
      throw failure("read", error);
    }
  }

  async commit(writes, { text = toText(writes, "store", ["writes"]), signal } = {}) {
    // somebody may have migrated the tables since they were read
    if (!this.#shape.isMigrated) await this.#look({ signal });
    const statement = { text: `select ${this.#names.tuckbox_commit}($1::text, $2::text, $3::text) as answers`, params: [writes.project_id, text, foldsOf(writes)] };
    try {
      return receiptOf(writes, JSON.parse(await this.#one(statement, { signal })));
    } catch (error) {
      throw failure("commit", error);
    }
  }

  /** Registers profiles; one with the same name in any case is replaced. */
  async addProfiles(project_id, rows) {
    const puts = rows.map((row) => {
      const { text } = placed("project_profiles", columns(row), globalThis.crypto.randomUUID());
      const parts = new Map(members(text));
      return [parts.get("key"), parts.get("row"), parts.get("version")];
    });
    // one after the other: of two with one name the last counts
    const text = `select bool_and(${this.#names.tuckbox_put}($1::text, 'project_profiles', p->0, p->1, p->>2, p->>3, null)) from jsonb_array_elements($2::text::jsonb) p`;
    const param = puts.map(([key, row, version]) => `[${key},${row},${version},${JSON.stringify(fold("profiles", JSON.parse(key)[0]))}]`);
    try {
      await this.#query(text, [project_id, `[${param.join(",")}]`]);
    } catch (error) {
      throw failure("addProfiles", error);
    }
  }

  async #look(more) {
    this.#shape = readShape(await this.#one(shapeQuery(this.#names), more));
  }

  async #read(reads, more) {
    const { text, params, finish, isEmpty } = readStatement(this.#names, this.#shape, reads);
    return finish(isEmpty ? "{}" : await this.#one({ text, params }, more));
  }

  async #one({ text, params }, { signal } = {}) {
    const result = await this.#tried(text, params, signal);
    const answers = (Array.isArray(result) ? result : result?.rows)?.[0]?.answers;
    if (typeof answers === "string") return answers;
    throw new TuckboxError("store", "`query` resolved with something else than rows", { path: "query" });
  }

  async #tried(text, params, signal) {
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.#query(text, params, { signal });
      } catch (error) {
        if (tried >= TRIES || signal?.aborted || !isRetry(error)) throw error;
      }
      // by chance, so that those who met once do not meet again
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** tried, 100)));
    }
  }
}

/** The names of profiles that a batch speaks of, as they are kept: a database folds some letters in its own way. */
function foldsOf({ expects = [], rows = [] }) {
  const names = [...expects, ...rows].filter(({ table }) => table === "profiles" || table === "project_profiles").map(({ key }) => key[0]);
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, fold("profiles", name)])));
}

function receiptOf({ operation_id }, { fault, repeated, boxes, box_id, card_id, path, table, key, expected, found }) {
  switch (fault) {
    case undefined:
      return { operation_id, repeated, boxes };
    case "stale":
      throw stale(box_id, expected ?? null, found ?? null);
    case "stale_row":
      throw staleRow(table, key, expected ?? null, found ?? null);
    case "row_taken":
      throw rowTaken(table, key);
    case "twice":
      throw rowTaken(table, key);
    case "not_unique":
      throw notUnique(table);
    case "other_batch":
      throw otherBatch(operation_id);
    case "exists":
      throw exists(box_id);
    case "taken":
      throw taken(card_id);
    case "other_text":
      throw otherText(path);
    case "not_uuid":
      throw new TuckboxError("bad_request", `box ids of this database are uuids, and \`${box_id}\` is none`, { path: "boxes", details: { box_id } });
    default:
      throw new TuckboxError("store", `the function for commits answered \`${fault}\`, which this version does not know`, { path: "store.commit" });
  }
}

/** The SQLSTATE of an error, wherever its driver puts it. */
function stateOf(error) {
  return [error?.code, error?.errno, error?.sqlState, error?.cause?.code].find((code) => /^[0-9A-Z]{5}$/.test(String(code)));
}

/** A table, column or function that is not there, or an id column of another type. */
function isUnknownName(error) {
  return ["42P01", "42703", "42883", "3F000"].includes(stateOf(error));
}

/** Another transaction went first; nothing was applied. */
function isRetry(error) {
  return ["40001", "40P01"].includes(stateOf(error));
}

function failure(method, error) {
  if (error instanceof TuckboxError) return error;
  const state = stateOf(error);
  const more = { path: `store.${method}`, details: state === undefined ? {} : { sqlstate: state }, cause: error };
  if (isUnknownName(error)) return unmigrated("what a commit needs", error);
  if (["22P05", "22021", "22P02"].includes(state)) return new TuckboxError("invalid_content", `the database cannot keep it: ${messageOf(error)}`, more);
  if (state === "23502") return new TuckboxError("invalid_content", `the database needs a value: ${messageOf(error)}`, more);
  if (["54000", "22003", "22008"].includes(state)) return new TuckboxError("limit", `the database cannot keep it: ${messageOf(error)}`, more);
  return new TuckboxError("store", `the database failed: ${messageOf(error)}`, more);
}
