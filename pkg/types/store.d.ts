import type { AgentRow, ProfileRow } from "./cards.js";
import type { JsonInput, JsonText } from "./json.js";
import type { BoxRow, CardRow, Receipt } from "./results.js";

/** What `AbortSignal` is, without the DOM's types. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** One batch of keys to read, each once. A kind without keys is left out. */
export interface Reads {
  /** The only project that may be seen. */
  readonly project_id: string;
  /** Profiles by name; upper and lower case are the same. */
  readonly profiles?: readonly string[];
  /** Profiles by the id of their box. */
  readonly profiles_by_box?: readonly string[];
  readonly boxes?: readonly string[];
  readonly cards?: readonly string[];
  readonly agents?: readonly string[];
  /** Files by path from the project's root. */
  readonly files?: readonly string[];
  /** Directories by path: what files are inside, at any depth. */
  readonly directories?: readonly string[];
  /** Rows of declared tables. */
  readonly rows?: readonly RowKey[];
  /** Lists of rows of declared tables. */
  readonly lists?: readonly List[];
  /** What rows of these reads name: to be answered in the same round. A store may leave it out, and is asked again. */
  readonly follow?: readonly Follow[];
  /** Operations by id: what was applied. Only a server asks; a store that does not answer is asked to commit again. */
  readonly operations?: readonly string[];
}

/** For every row of `from`, which is a row or a list of the same reads, also what it names. */
export interface Follow {
  readonly from: RowKey | List;
  readonly to: readonly Named[];
}

/** A row, a list or a box. Nothing follows from a row in which a column is absent, `null` or empty. */
export type Named =
  | { readonly table: string; readonly key: readonly NamedPart[] }
  | { readonly table: string; readonly index: string; readonly of: readonly NamedPart[]; readonly limit: number }
  | { readonly box: NamedPart };

/** The value of a column of the row, or of a member of the object in it, or the same text for every row. */
export type NamedPart = { readonly column: string; readonly inside?: string } | string;

/** A file of a project. Like a card it never changes once it is stored. */
export interface StoredFile {
  /** Where it is, from the project's root, names separated by `/`. */
  readonly path: string;
  readonly text: string;
}

/** The kinds of things that can be read by key. */
export type Kind = "profiles" | "profiles_by_box" | "boxes" | "cards" | "agents" | "files" | "directories";

/**
 * The rows that were found, the keys that were not, and the keys that could not be looked up.
 * Every key that was asked for stands here exactly once, and no other than what follows from rows.
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

/** A box as a store may answer it: what is left out has its default. */
export interface StoredBox {
  readonly box_id: string;
  readonly card_ids?: readonly string[];
  readonly parent_ids?: readonly string[];
  readonly version?: number | bigint;
  readonly deleted_at?: string | null;
  readonly [column: string]: JsonInput | undefined;
}

/** A card as a store may answer it: what is left out has its default. */
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

/** A row that a batch rests on. */
export interface Expectation {
  /** A declared table, or the name of a {@link Kind}. */
  readonly table: string;
  /** The values of its key columns. */
  readonly key: readonly string[];
  /** The version that was read; `null` when nothing was there. */
  readonly version: string | number | null;
}

/** A row of a declared table. */
export interface RowKey {
  readonly table: string;
  /** The values of its key columns. */
  readonly key: readonly string[];
}

/** The first rows of a selection, in the order of an index. */
export interface List {
  readonly table: string;
  readonly index: string;
  /** The values of the columns that select. */
  readonly of: readonly string[];
  /** The most rows to answer. */
  readonly limit: number;
  /**
   * Rows that somebody is writing right now may be left out: whoever looks for work need not wait for what
   * another one takes. PostgreSQL does (`for share skip locked`); a store without such locks answers all rows.
   */
  readonly skip_locked?: boolean;
}

/** A row of a declared table, as a store has it. */
export interface TableRow {
  readonly key: readonly string[];
  /** The operation id of the batch that last wrote it, or what else the store tells its states apart by. */
  readonly version: string;
  readonly row: { readonly [column: string]: JsonInput | undefined };
}

/** One change to one row of a declared table. */
export interface RowChange extends RowKey {
  /** The version that was read; `null`: it must be absent; left out: whatever is there. */
  readonly version?: string | null;
  /** Its columns from now on; `null` takes the row away. */
  readonly row: { readonly [column: string]: JsonInput | undefined } | null;
}

/** One change to one box. */
export type BoxChange =
  | { readonly change: "create"; readonly box: BoxRow }
  | { readonly change: "append"; readonly box_id: string; readonly card_ids: readonly string[]; readonly version?: number }
  | { readonly change: "replace"; readonly box_id: string; readonly card_ids: readonly string[]; readonly version: number }
  | { readonly change: "delete"; readonly box_id: string; readonly version: number };

/** One batch of changes. A store applies all of it or nothing. */
export interface Writes {
  /** The only project that is touched. */
  readonly project_id: string;
  /** Whatever happens, the batch with this id is applied once. */
  readonly operation_id: string;
  /** The time of the change. */
  readonly at: string;
  /** The rows that were read to get here, at the versions they had; another version is a `conflict`. */
  readonly expects?: readonly Expectation[];
  /** New cards. A card that is there already with the same content is left alone. */
  readonly cards?: readonly CardRow[];
  /** Cards to delete softly. */
  readonly delete_cards?: readonly string[];
  /** Changes to boxes, in order. */
  readonly boxes?: readonly BoxChange[];
  /** Agents as they stand from now on. */
  readonly agents?: readonly AgentRow[];
  /** New files. A file that is there already with the same text is left alone. */
  readonly files?: readonly StoredFile[];
  /** Changes to rows of declared tables, at most one for each row. */
  readonly rows?: readonly RowChange[];
}

/**
 * A place where cards and boxes live: two methods.
 *
 * `read` answers every key it is asked for exactly once, as a row or as missing, and never with a
 * row of another project. It may answer with a value, with JSON text, or with the text's bytes:
 * text and bytes go to the core unread.
 *
 * `commit` applies the whole batch or nothing. The same `operation_id` a second time changes
 * nothing and says `repeated`. A box that is no longer at the expected version is a conflict:
 * throw an error whose `code` is `"conflict"`. `text` is the batch as exact JSON, for stores that
 * keep JSON themselves.
 *
 * Both may throw, and both get a signal that fires when nobody waits any more.
 */
export interface Store {
  read(
    reads: Reads,
    more: { readonly signal: AbortSignalLike },
  ): Answers | string | Uint8Array | PromiseLike<Answers | string | Uint8Array>;
  commit(writes: Writes, more: { readonly text: string; readonly signal: AbortSignalLike }): Receipt | PromiseLike<Receipt>;
}

/** A store in memory. */
export interface MemoryStore extends Store {
  read(reads: Reads): Promise<string>;
  commit(writes: Writes, more?: { readonly text?: string }): Promise<Receipt>;
  /** The tables of a project, to fill them by hand. */
  project(project_id: string): MemoryProject;
  /** Everything in the store as JSON text; {@link memoryStore} takes it back. */
  export(): string;
}

/** The tables of one project in a {@link MemoryStore}. */
export interface MemoryProject {
  /** Registers a profile under its name. */
  addProfile(row: ProfileRow | JsonText): this;
  /** Puts a box, at version 1 unless it says otherwise. */
  addBox(row: StoredBox | JsonText): this;
  /** Puts a card as it stands. */
  addCard(row: StoredCard | JsonText): this;
  /** Puts a row of a declared table as it stands. */
  addRow(table: string, row: { readonly [column: string]: JsonInput | undefined } | JsonText, version?: string): this;
  /** Puts an agent as it stands. */
  addAgent(row: AgentRow | JsonText): this;
  /** Puts a file as it stands. */
  addFile(row: StoredFile | JsonText): this;
}

/**
 * A store in memory, empty or from what another one exported.
 *
 * @example
 * const store = memoryStore();
 * store.project("p1")
 *   .addProfile({ name: "Writer", profile_box_id: "pb_writer" })
 *   .addBox({ box_id: "b1", card_ids: ["c1", "c2"] });
 * const copy = memoryStore(store.export());
 */
export declare function memoryStore(exported?: string | JsonInput): MemoryStore;
