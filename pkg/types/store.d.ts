import type { AgentRow, ProfileRow } from "./cards.js";
import type { JsonInput, JsonText } from "./json.js";
import type { BoxRow, CardRow, Receipt } from "./results.js";

/** The part of `AbortSignal` that is used here, without the DOM's types. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** A batch of distinct keys to read. Kinds without keys are omitted. */
export interface Reads {
  /** The project. A store must not answer rows of another one. */
  readonly project_id: string;
  /** Profiles by name, in any case. */
  readonly profiles?: readonly string[];
  /** Profiles by the id of their box. */
  readonly profiles_by_box?: readonly string[];
  readonly boxes?: readonly string[];
  readonly cards?: readonly string[];
  readonly agents?: readonly string[];
  /** Files by path from the project's root. */
  readonly files?: readonly string[];
  /** Directories by path. The answer lists their files at any depth. */
  readonly directories?: readonly string[];
  /** Rows of declared tables. */
  readonly rows?: readonly RowKey[];
  /** Lists of rows of declared tables. */
  readonly lists?: readonly List[];
  /** Further reads that depend on rows of this batch. A store can ignore them; the core then asks again. */
  readonly follow?: readonly Follow[];
  /** Applied operations by id. Only a server sends them. If a store does not answer, the server commits again. */
  readonly operations?: readonly string[];
}

/** Reads that depend on each row of `from`, a row or list of the same batch. */
export interface Follow {
  readonly from: RowKey | List;
  readonly to: readonly Named[];
}

/** A row, list or box whose key comes from a row. There is none if the column is absent, `null` or empty. */
export type Named =
  | { readonly table: string; readonly key: readonly NamedPart[] }
  | { readonly table: string; readonly index: string; readonly of: readonly NamedPart[]; readonly limit: number }
  | { readonly box: NamedPart };

/** A column of the row, a member of the object in that column, or a constant string. */
export type NamedPart = { readonly column: string; readonly inside?: string } | string;

/** A file of a project. Like a card, it is immutable. */
export interface StoredFile {
  /** The path from the project's root, separated by `/`. */
  readonly path: string;
  readonly text: string;
}

/** The kinds of rows that are read by key. */
export type Kind = "profiles" | "profiles_by_box" | "boxes" | "cards" | "agents" | "files" | "directories";

/**
 * The answer to {@link Reads}: found rows, missing keys, and keys that could not be read. Every key
 * of the reads appears exactly once. Other keys appear only for `follow`.
 */
export interface Answers {
  readonly profiles?: readonly (ProfileRow | JsonText)[];
  readonly missing_profiles?: readonly string[];
  readonly profiles_by_box?: readonly (ProfileRow | JsonText)[];
  readonly missing_profiles_by_box?: readonly string[];
  readonly boxes?: readonly (StoredBox | JsonText)[];
  readonly missing_boxes?: readonly string[];
  readonly cards?: readonly (StoredCard | JsonText)[];
  readonly missing_cards?: readonly string[];
  readonly agents?: readonly (AgentRow | JsonText)[];
  readonly missing_agents?: readonly string[];
  readonly files?: readonly (StoredFile | JsonText)[];
  readonly missing_files?: readonly string[];
  readonly directories?: readonly ({ readonly directory: string; readonly paths: readonly string[] } | JsonText)[];
  readonly missing_directories?: readonly string[];
  readonly rows?: readonly (RowKey & TableRow)[];
  readonly missing_rows?: readonly RowKey[];
  readonly lists?: readonly (List & { readonly rows: readonly TableRow[] })[];
  readonly operations?: readonly { readonly operation_id: string; readonly batch_hash: string | null; readonly receipt: Receipt }[];
  readonly missing_operations?: readonly string[];
  readonly failed?: readonly (
    | { readonly kind: Kind; readonly key: string; readonly message: string }
    | (RowKey & { readonly error: string })
    | (List & { readonly error: string })
  )[];
}

/** A box in the answer of a store. Omitted columns have their default. */
export interface StoredBox {
  readonly box_id: string;
  readonly card_ids?: readonly string[];
  readonly parent_ids?: readonly string[];
  readonly version?: number | bigint;
  readonly deleted_at?: string | null;
  readonly [column: string]: JsonInput | undefined;
}

/** A card in the answer of a store. Omitted columns have their default. */
export interface StoredCard {
  readonly card_id: string;
  readonly content: JsonInput;
  readonly metadata?: JsonInput;
  readonly tool_calls?: JsonInput;
  readonly tool_call_id?: string | null;
  readonly ttl_seconds?: number | bigint | null;
  readonly tenant_id?: string | null;
  readonly expires_at?: string | null;
  readonly deleted_at?: string | null;
  readonly [column: string]: JsonInput | undefined;
}

/** A row that a batch depends on. */
export interface Expectation {
  /** A declared table, or the name of a {@link Kind}. */
  readonly table: string;
  /** The values of its key columns. */
  readonly key: readonly string[];
  /** The version that was read, or `null` if the row did not exist. */
  readonly version: string | number | null;
}

/** The key of a row of a declared table. */
export interface RowKey {
  readonly table: string;
  /** The values of its key columns. */
  readonly key: readonly string[];
}

/** The first rows of a selection, in the order of an index. */
export interface List {
  readonly table: string;
  readonly index: string;
  /** The values of the selecting columns. */
  readonly of: readonly string[];
  /** The maximum number of rows. */
  readonly limit: number;
  /**
   * Whether the store can omit rows that another transaction is writing, so that a worker does not wait for
   * them. PostgreSQL does (`for share skip locked`). A store without such locks answers all rows.
   */
  readonly skip_locked?: boolean;
}

/** A stored row of a declared table. */
export interface TableRow {
  readonly key: readonly string[];
  /** The operation id of the batch that last wrote the row, or another value that changes with it. */
  readonly version: string;
  readonly row: { readonly [column: string]: JsonInput | undefined };
}

/** A change to a row of a declared table. */
export interface RowChange extends RowKey {
  /** The version that was read. `null`: the row must not exist. Absent: any version. */
  readonly version?: string | null;
  /** The new columns; `null` deletes the row. */
  readonly row: { readonly [column: string]: JsonInput | undefined } | null;
}

/** A change to a box. */
export type BoxChange =
  | { readonly change: "create"; readonly box: BoxRow }
  | { readonly change: "append"; readonly box_id: string; readonly card_ids: readonly string[]; readonly version?: number }
  | { readonly change: "replace"; readonly box_id: string; readonly card_ids: readonly string[]; readonly version: number }
  | { readonly change: "delete"; readonly box_id: string; readonly version: number };

/** A batch of changes. A store applies all of it or nothing. */
export interface Writes {
  /** The project. The batch changes no other one. */
  readonly project_id: string;
  /** The id of the batch. A store applies each id at most once. */
  readonly operation_id: string;
  /** The time of the change. */
  readonly at: string;
  /** The rows that the batch depends on, with the versions that were read. Another version is a `conflict`. */
  readonly expects?: readonly Expectation[];
  /** New cards. A card that exists with the same content stays unchanged. */
  readonly cards?: readonly CardRow[];
  /** Cards to mark as deleted. */
  readonly delete_cards?: readonly string[];
  /** Cards whose content the store overwrites: text, author, metadata and tool calls. */
  readonly erase_cards?: readonly string[];
  /** Changes to boxes, in order. */
  readonly boxes?: readonly BoxChange[];
  /** New states of agents. */
  readonly agents?: readonly AgentRow[];
  /** New files. A file that exists with the same text stays unchanged. */
  readonly files?: readonly StoredFile[];
  /** Changes to rows of declared tables, at most one per row. */
  readonly rows?: readonly RowChange[];
}

/**
 * The storage of cards, boxes and rows, provided by the host.
 *
 * `read` answers every key exactly once, as a row or as missing, and never with a row of another
 * project. The answer is a value, JSON text, or the bytes of JSON text. Text and bytes go to the core
 * without a copy as JavaScript values.
 *
 * `commit` applies the whole batch or nothing. A repeated `operation_id` changes nothing and returns a
 * receipt with `repeated`. If an expected version does not match, `commit` throws an error whose `code`
 * is `"conflict"`. `text` is the batch as exact JSON.
 *
 * Both can throw. Both receive a signal that fires when the caller no longer waits.
 */
export interface Store {
  read(
    reads: Reads,
    /** `maxBytes` is `limits.max_read_bytes` of the project, if it is set: a store can stop early. */
    more: { readonly signal: AbortSignalLike; readonly maxBytes?: number },
  ): Answers | string | Uint8Array | PromiseLike<Answers | string | Uint8Array>;
  commit(writes: Writes, more: { readonly text: string; readonly signal: AbortSignalLike }): Receipt | PromiseLike<Receipt>;
  /**
   * Returns the time of the store in milliseconds since 1970. Engines use it for all calls, so that hosts whose clocks
   * differ agree on the age of a turn. Without it they use the clock of their machine.
   */
  now?(): number | PromiseLike<number>;
}

/** A store in memory. */
export interface MemoryStore extends Store {
  read(reads: Reads): Promise<string>;
  commit(writes: Writes, more?: { readonly text?: string }): Promise<Receipt>;
  /** Returns the tables of a project, for example to add rows in a test. */
  project(projectId: string): MemoryProject;
  /** Returns the ids of the projects. */
  projects(): string[];
  /** Returns the whole store as JSON text, which {@link memoryStore} reads. */
  export(): string;
}

/** The tables of one project in a {@link MemoryStore}. */
export interface MemoryProject {
  /** Registers a profile under its name. */
  addProfile(row: ProfileRow | JsonText): this;
  /** Adds a box, at version 1 by default. */
  addBox(row: StoredBox | JsonText): this;
  /** Adds a card verbatim. */
  addCard(row: StoredCard | JsonText): this;
  /** Adds a row of a declared table verbatim. */
  addRow(table: string, row: { readonly [column: string]: JsonInput | undefined } | JsonText, version?: string): this;
  /** Adds an agent verbatim. */
  addAgent(row: AgentRow | JsonText): this;
  /** Adds a file verbatim. */
  addFile(row: StoredFile | JsonText): this;
}

/**
 * Returns a store in memory: empty, or with the contents of an export.
 *
 * @example
 * const store = memoryStore();
 * store.project("p1")
 *   .addProfile({ name: "Writer", profile_box_id: "pb_writer" })
 *   .addBox({ box_id: "b1", card_ids: ["c1", "c2"] });
 * const copy = memoryStore(store.export());
 */
export declare function memoryStore(exported?: string | JsonInput): MemoryStore;
