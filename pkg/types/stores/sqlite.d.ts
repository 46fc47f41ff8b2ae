import type { ProfileRow } from "../cards.js";
import type { JsonText } from "../json.js";
import type { Receipt } from "../results.js";
import type { Reads, Store, Writes } from "../store.js";

/** A prepared statement of a synchronous driver. */
export interface SqliteStatement {
  get(...values: string[]): { readonly [column: string]: unknown } | null | undefined;
  all(...values: string[]): readonly { readonly [column: string]: unknown }[];
  run(...values: string[]): unknown;
}

/** An open database of `node:sqlite`, `bun:sqlite`, `better-sqlite3` or `libsql`. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close?(): unknown;
}

/** A store in a file of SQLite. Processes of every language can share the file. */
export interface SqliteStore extends Store {
  read(reads: Reads): Promise<string>;
  commit(writes: Writes, more?: { readonly text?: string }): Promise<Receipt>;
  /** Registers profiles. A profile replaces one with the same name; case is ignored. */
  addProfiles(projectId: string, rows: readonly (ProfileRow | JsonText)[]): Promise<void>;
  /** Returns the ids of the projects in the file. */
  projects(): string[];
  /** Returns the boxes, agents and profiles of a project. */
  listed(projectId: string): { readonly box_ids: string[]; readonly agent_ids: string[]; readonly profile_names: string[] };
  /** Closes the database. */
  close(): void;
}

/**
 * Opens a store in a file of SQLite, and creates the file if it does not exist. A path is opened with the driver of
 * the runtime (Node 22.5 or newer, Bun), or with `better-sqlite3` or `libsql` if one is installed.
 *
 * @example
 * const store = await sqliteStore("project.db");
 * const project = await open(store, { projectId: "demo" });
 */
export declare function sqliteStore(
  file: string | SqliteDatabase,
  options?: {
    /** The number of milliseconds that a call waits for another writer. Default: 30,000. */
    readonly timeoutMs?: number;
  },
): Promise<SqliteStore>;
