// Cards and boxes in PostgreSQL, with any driver: a host passes `query(text, params)`.
/** @import { Shape } from "../lib/sql/read.js" */
/** @import { ProfileRow } from "../types/cards.js" */
/** @import { JsonText } from "../types/json.js" */
/** @import { Receipt } from "../types/results.js" */
/** @import { AbortSignalLike, Reads, Writes } from "../types/store.js" */
/** @import { Query } from "../types/stores/sql.js" */
import { exists, notUnique, otherBatch, otherText, rowTaken, stale, staleRow, taken } from "../lib/conflicts.js";
import { messageOf, TuckboxError } from "../lib/error.js";
import { toText } from "../lib/json.js";
import { only, own } from "../lib/options.js";
import { members } from "../lib/raw.js";
import { columns, fold, placed } from "../lib/rows.js";
import { namesIn } from "../lib/sql/names.js";
import { MIGRATED, readShape, readStatement, shapeQuery, unmigrated } from "../lib/sql/read.js";
import { atVersion, migration, otherVersion } from "../lib/sql/schema.js";

export { migration } from "../lib/sql/schema.js";

/**
 * Returns a store over `query(text, params, { signal })`, which resolves with the rows or with `{ rows }`.
 *
 * @type {typeof import("../types/stores/sql.js").sqlStore}
 */
export function sqlStore(query, options) {
  if (typeof query !== "function") {
    throw new TuckboxError("bad_request", "`query` must be a function that takes a statement and its parameters", { path: "query" });
  }
  only(options, ["schema"]);
  const { schema } = own(options);
  if (schema !== undefined && (typeof schema !== "string" || schema === "")) {
    throw new TuckboxError("bad_request", "`schema` must be the name of a schema", { path: "schema" });
  }
  return new SqlStore(query, schema);
}

/** The maximum number of tries of a statement after a serialization failure or a deadlock. */
const MAX_TRIES = 40;
/** The state of a canceled statement, and the maximum number of retries of one that its own caller did not cancel. */
const CANCELED = "57014";
const MAX_STRAY = 3;

class SqlStore {
  #query;
  #schema;
  #names;
  /** @type {Shape} */
  #shape = MIGRATED;

  /** @param {Query} query @param {string | undefined} schema */
  constructor(query, schema) {
    this.#query = query;
    this.#schema = schema;
    this.#names = namesIn(schema);
  }

  /**
   * Creates or updates the tables; idempotent. With `rekey`, ids in tables of other software become unique within
   * their project instead of the whole table.
   *
   * @param {{ rekey?: boolean }} [options]
   */
  async migrate(options) {
    const { rekey } = own(options);
    const statement = migration({ schema: this.#schema, rekey });
    try {
      await this.#query(statement, []);
    } catch (error) {
      throw new TuckboxError("store", `the database could not be migrated: ${messageOf(error)}`, { path: "store.migrate", cause: error });
    }
    this.#shape = MIGRATED;
  }

  /** @param {Reads} reads @param {{ signal?: AbortSignalLike }} [more] */
  async read(reads, more) {
    try {
      return await this.#read(reads, more);
    } catch (error) {
      if (!isUnknownName(error)) throw failure("read", error);
    }
    // the tables are not those of a migration: read their columns once
    try {
      await this.#look(more);
      return await this.#read(reads, more);
    } catch (error) {
      throw failure("read", error);
    }
  }

  /** Returns the time of the database in milliseconds since 1970. */
  async now() {
    return Number(await this.#one({ text: "select (extract(epoch from clock_timestamp()) * 1000)::text as answers", params: [] }));
  }

  /** Returns the ids of the projects with boxes or agents. */
  async projects() {
    const { card_boxes, rows } = this.#names;
    const ids = `select tenant_id as id from ${card_boxes} union select project_id from ${rows.project_agents}`;
    try {
      return JSON.parse(
        await this.#one({ text: `select coalesce(json_agg(id order by id), '[]')::text as answers from (${ids}) found`, params: [] }),
      );
    } catch (error) {
      throw failure("projects", error);
    }
  }

  /** @param {Writes} writes @param {{ text?: string, signal?: AbortSignalLike }} [more] */
  async commit(writes, { text = toText(writes, "store", ["writes"]), signal } = {}) {
    // another process can have migrated the tables meanwhile
    if (!this.#shape.isMigrated) await this.#look({ signal });
    const statement = {
      text: atVersion(this.#names, `${this.#names.tuckbox_commit}($1::text, $2::text, $3::text)`),
      params: [writes.project_id, text, foldsOf(writes)],
    };
    try {
      return receiptOf(writes, JSON.parse(await this.#one(statement, { signal, projectId: writes.project_id })));
    } catch (error) {
      throw await this.#refusal("commit", error);
    }
  }

  /**
   * Registers profiles. A profile replaces one with the same name; case is ignored.
   *
   * @param {string} project_id
   * @param {readonly (ProfileRow | JsonText)[]} rows
   */
  async addProfiles(project_id, rows) {
    const puts = rows.map((row) => {
      const { text } = placed("project_profiles", columns(row), globalThis.crypto.randomUUID());
      const parts = new Map(members(text));
      /** @param {string} name */
      const part = (name) => parts.get(name) ?? "null";
      return [part("key"), part("row"), part("version")];
    });
    // one at a time: of two with one name the last is kept
    const put = `${this.#names.tuckbox_put}($1::text, 'project_profiles', p->0, p->1, p->>2, p->>3, null)`;
    const text = atVersion(
      this.#names,
      `select json_build_object('isDone', bool_and(${put}))::text from jsonb_array_elements($2::text::jsonb) p`,
    );
    const param = puts.map(([key, row, version]) => `[${key},${row},${version},${JSON.stringify(fold("profiles", JSON.parse(key)[0]))}]`);
    try {
      const { fault, found } = JSON.parse(await this.#one({ text, params: [project_id, `[${param.join(",")}]`] }));
      if (fault === "version") throw otherVersion(found);
    } catch (error) {
      throw await this.#refusal("addProfiles", error);
    }
  }

  /**
   * Returns the error of a write. A table or function can be missing because the tables have another version.
   *
   * @param {string} method
   * @param {unknown} error
   */
  async #refusal(method, error) {
    if (isUnknownName(error)) {
      const { found } = await this.#one({ text: atVersion(this.#names, `'{}'::text`), params: [] })
        .then(JSON.parse)
        .catch(() => ({}));
      if (found > 0) return otherVersion(found);
    }
    return failure(method, error);
  }

  /** @param {{ signal?: AbortSignalLike }} [more] */
  async #look(more) {
    this.#shape = readShape(await this.#one(shapeQuery(this.#names), more));
  }

  /** @param {Reads} reads @param {{ signal?: AbortSignalLike }} [more] */
  async #read(reads, more) {
    const { text, params, finish, isEmpty } = readStatement(this.#names, this.#shape, reads);
    return finish(isEmpty ? "{}" : await this.#one({ text, params }, { signal: more?.signal, projectId: reads.project_id }));
  }

  /** @param {{ text: string, params: string[] }} statement @param {{ signal?: AbortSignalLike, projectId?: string }} [more] */
  async #one({ text, params }, { signal, projectId } = {}) {
    const more = { signal, projectId };
    for (let tried = 1; tried <= MAX_STRAY; tried += 1) {
      const result = /** @type {any} */ (await this.#tried(text, params, more));
      const rows = Array.isArray(result) ? result : result?.rows;
      const answers = rows?.[0]?.answers;
      if (typeof answers === "string") return answers;
      // every statement returns a row; after a cancellation a driver can resolve the next one without its rows or columns
    }
    throw new TuckboxError("store", "`query` must resolve with rows", { path: "query" });
  }

  /** @param {string} text @param {string[]} params @param {{ signal: AbortSignalLike | undefined, projectId: string | undefined }} more */
  async #tried(text, params, more) {
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.#query(text, params, more);
      } catch (error) {
        // the cancellation of another call can arrive late and meet this statement on the same connection
        const isStray = tried <= MAX_STRAY && stateOf(error) === CANCELED;
        if (tried >= MAX_TRIES || more.signal?.aborted || !(isStray || isRetry(error))) throw error;
      }
      // a random time, so that the same transactions do not meet again
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** tried, 100)));
    }
  }
}

/**
 * Returns the folded names of the profiles of a batch. Databases fold some characters differently.
 *
 * @param {Writes} writes
 */
function foldsOf({ expects = [], rows = [] }) {
  const names = [...expects, ...rows].filter(({ table }) => table === "profiles" || table === "project_profiles").map(({ key }) => key[0]);
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, fold("profiles", name)])));
}

/**
 * @param {Writes} writes
 * @param {any} answer
 * @returns {Receipt}
 */
function receiptOf({ operation_id }, { fault, repeated, boxes, box_id, card_id, path, table, key, expected, found }) {
  switch (fault) {
    case undefined:
      return { operation_id, repeated, boxes };
    case "version":
      throw otherVersion(found);
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
      throw new TuckboxError("bad_request", `box ids of this database must be uuids, found \`${box_id}\``, {
        path: "boxes",
        details: { box_id },
      });
    default:
      throw new TuckboxError("store", `unknown answer \`${fault}\` of the function for commits`, {
        path: "store.commit",
      });
  }
}

/**
 * Returns the SQLSTATE of an error. Each driver has its own place for it.
 *
 * @param {any} error
 * @returns {string}
 */
function stateOf(error) {
  return [error?.code, error?.errno, error?.sqlState, error?.cause?.code].find((code) => /^[0-9A-Z]{5}$/.test(String(code))) ?? "";
}

/**
 * Returns true if a table, column or function does not exist, or an id column has another type.
 *
 * @param {unknown} error
 */
function isUnknownName(error) {
  return ["42P01", "42703", "42883", "3F000"].includes(stateOf(error));
}

/**
 * Returns true for a serialization failure or a deadlock: nothing was applied.
 *
 * @param {unknown} error
 */
function isRetry(error) {
  return ["40001", "40P01"].includes(stateOf(error));
}

/** @param {string} method @param {unknown} error */
function failure(method, error) {
  if (error instanceof TuckboxError) return error;
  const state = stateOf(error);
  const more = { path: `store.${method}`, details: state === "" ? {} : { sqlstate: state }, cause: error };
  if (isUnknownName(error)) return unmigrated("a table or function", error);
  if (["22P05", "22021", "22P02"].includes(state))
    return new TuckboxError("invalid_content", `the database cannot store it: ${messageOf(error)}`, more);
  if (state === "23502") return new TuckboxError("invalid_content", `the database requires a value: ${messageOf(error)}`, more);
  if (["54000", "22003", "22008"].includes(state))
    return new TuckboxError("limit", `the database cannot store it: ${messageOf(error)}`, more);
  return new TuckboxError("store", `the database failed: ${messageOf(error)}`, more);
}
