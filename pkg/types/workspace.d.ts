/// <reference lib="esnext.disposable" />
import type { CustomRecipe, Dialect } from "./arguments.js";
import type { ComposerPolicy } from "./compose.js";
import type { JsonText } from "./json.js";
import type { Ledger } from "./ledger.js";
import type { CamelCase, OperationName, Operations } from "./operations.js";
import type { Lint, Receipt } from "./results.js";
import type { AbortSignalLike, Writes } from "./store.js";

/** What every call can be given. */
export interface CallOptions {
  /** Stops waiting for the store: the call is rejected with `aborted`. */
  readonly signal?: AbortSignalLike;
  /** How long one answer of the store may take, 30 seconds by default; 0 for no limit. */
  readonly timeout_ms?: number;
  /** The time of the call in milliseconds since 1970; the clock by default. */
  readonly now?: number | (() => number);
  /** 32 random bytes that the call's new ids come from; the runtime's own by default. */
  readonly entropy?: Uint8Array | (() => Uint8Array);
}

/** What a project is opened with. */
export interface OpenOptions extends CallOptions {
  /** The only project that is seen. */
  readonly project_id: string;
  /** The rule dialect of calls that name none. */
  readonly dialect?: Dialect;
  /** The host's own recipes: each is an operation under its name. Checked here, every fault named. */
  readonly recipes?: readonly (CustomRecipe | JsonText)[];
  /** How prompts are composed in this project. */
  readonly composer?: ComposerPolicy;
  /** What new cards may hold, and how much work one call may be; more is an error with the code `limit`. */
  readonly limits?: {
    /** The deepest nesting of lists and objects; 128 by default. */
    readonly max_depth?: number;
    /** The longest content in bytes; 1 MiB by default. */
    readonly max_content_bytes?: number;
    /** The most tasks of one call, calls of one turn, and rows of a list of orchestration, whatever the call itself allows; 1,000 by default. */
    readonly max_tasks?: number;
    /** The most card ids that one call puts into new boxes, or finds in the boxes that it puts together or searches; 1,200,000 by default. */
    readonly max_ids?: number;
    /** The most bytes of content that one call makes new cards of, or that an import of `every` request answers; 64 MiB by default. */
    readonly max_bytes?: number;
    /** The most items of lists and members of objects in what one call is given, in the files that it imports and in JSON that stands in texts of them or of an answer that is read, all together; 250,000 by default. */
    readonly max_values?: number;
    /** The most rows that one call reads; 60,000 by default. */
    readonly max_rows?: number;
    /** The most messages that one call brings along, also in the files that it imports, and the most cards that it shows to a model; 25,000 by default. */
    readonly max_messages?: number;
    /** The most requests that one import finds in its files; 3,000 by default. `importStream` reads any number. */
    readonly max_requests?: number;
    /** The most bytes of rows that one call reads, where every value counts as 16 at least, and the most that it shows of its cards, each as often as it is shown; 32 MiB by default. */
    readonly max_read_bytes?: number;
    /** The most bytes of JSON that one call answers, and that it writes; 96 MiB by default. */
    readonly max_answer_bytes?: number;
    /** The most bytes of answers that stay in memory; with more, the next call starts with none. 128 MiB by default. */
    readonly max_resident_bytes?: number;
    /** How long a card that was read is taken to be alive, in seconds; 60 by default. */
    readonly max_card_age_seconds?: number;
  };
}

/** A call as one object: `{ op: "pack_context", .. }`. */
export type Call<Name extends OperationName = OperationName> = {
  [Each in Name]: { readonly op: Each } & Operations[Each]["args"];
}[Name];

/**
 * A project, opened. What was read stays in memory: cards never change, and a box that changed
 * elsewhere is caught by its version when something is committed. Calls may run side by side.
 *
 * Every operation is a method that does it and resolves with its value: `packContext`,
 * `putCards`, `createBox`, .. To look before anything is written, use {@link Workspace.preview}.
 */
export type Workspace = WorkspaceBase & {
  [Name in OperationName as CamelCase<Name>]: (
    args: Operations[Name]["args"] | JsonText,
    options?: CallOptions,
  ) => Promise<Operations[Name]["value"]>;
};

/** What a workspace can do beside the operations. */
export interface WorkspaceBase extends Disposable {
  /**
   * Works out what a call would do, and writes nothing.
   *
   * @example
   * const preview = await project.preview("pack_context", call);
   * console.log(preview.value.attached_card_ids, preview.lints, preview.ledger.boxes[0].entries(0, 10));
   * await preview.commit();
   */
  preview(call: JsonText, options?: CallOptions): Promise<Preview<unknown>>;
  preview<Name extends OperationName>(call: Call<Name>, options?: CallOptions): Promise<Preview<Operations[Name]["value"]>>;
  // last, so that a type error names the wrong key of its arguments
  preview<Name extends OperationName>(
    op: Name,
    args: Operations[Name]["args"] | JsonText,
    options?: CallOptions,
  ): Promise<Preview<Operations[Name]["value"]>>;

  /** Does a call: previews it, commits what it writes, and resolves with its value. */
  call(call: JsonText, options?: CallOptions): Promise<unknown>;
  call<Name extends OperationName>(call: Call<Name>, options?: CallOptions): Promise<Operations[Name]["value"]>;
  // last, so that a type error names the wrong key of its arguments
  call<Name extends OperationName>(
    op: Name,
    args: Operations[Name]["args"] | JsonText,
    options?: CallOptions,
  ): Promise<Operations[Name]["value"]>;

  /** Forgets everything that can change, so that the next call reads it again. */
  refresh(): void;

  /** How much is resident. */
  stats(): Stats;

  /** Frees what is resident now instead of some time later. */
  dispose(): void;
}

/** How much is resident. */
export interface Stats {
  /** Different card ids. */
  readonly card_ids: number;
  readonly boxes: number;
  readonly cards: number;
  readonly profiles: number;
  readonly agents: number;
  readonly files: number;
  /** Rows of the declared tables. */
  readonly rows: number;
  /** The memory of the whole core, which all workspaces share. */
  readonly memory_bytes: number;
}

/** A commit that has not happened. Its parts leave the core when they are looked at. */
export interface Preview<Value> extends Disposable {
  /** What was asked for. */
  readonly value: Value;
  /** The value as exact JSON text. */
  readonly valueText: string;
  /** The batch that a commit sends, unchanged. */
  readonly writes: Writes;
  /** The batch as exact JSON text. */
  readonly writesText: string;
  /** What names the batch: sent again under this name, it applies once. */
  readonly operationId: string;
  /** Why every card is where it is. */
  readonly ledger: Ledger;
  /** The warnings. */
  readonly lints: readonly Lint[];
  /** The hash of the cards and boxes that a commit makes: the same before and after. */
  readonly contentHash: string;
  /**
   * Makes it real. Again is safe: the same operation applies once.
   *
   * @throws {@link TuckboxError} `conflict` when something changed since it was read. What changed
   * is forgotten, so that the next preview reads it again.
   */
  commit(options?: Pick<CallOptions, "signal" | "timeout_ms">): Promise<Receipt>;
  /** The project as it would be after the commit, to preview the next step on. */
  after(): Promise<Workspace>;
  /** Frees it now instead of some time later. */
  dispose(): void;
}
