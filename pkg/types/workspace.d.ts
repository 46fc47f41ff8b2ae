/// <reference lib="esnext.disposable" />
import type { CustomRecipe, Dialect, ModelInfo } from "./arguments.js";
import type { LooseMethod, PayloadMethod, ProviderOperation, ReadResponseMethod } from "./clients.js";
import type { ComposerPolicy } from "./compose.js";
import type { Conversation, ConversationOptions } from "./conversation.js";
import type { JsonText } from "./json.js";
import type { Ledger } from "./ledger.js";
import type { ProjectMethods } from "./methods.js";
import type { OperationName, Operations } from "./operations.js";
import type { Lint, Receipt } from "./results.js";
import type { AbortSignalLike, Writes } from "./store.js";

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call: it rejects with the code `aborted`. */
  readonly signal?: AbortSignalLike;
  /** The timeout of one request to the store: 30,000 ms by default; 0 means none. */
  readonly timeoutMs?: number;
  /** The time of the call in milliseconds since 1970. The clock by default. */
  readonly now?: number | (() => number);
  /** 32 random bytes, from which the call derives new ids. Those of the runtime by default. */
  readonly entropy?: Uint8Array | (() => Uint8Array);
}

/** A table of models. */
export interface ModelTable {
  /** Your name for this version of the table. */
  readonly version: string;
  /** The models, each with its provider's family: `anthropic`, `openai`, `google`, `mistral`, `deepseek`, `amazon`. */
  readonly models: readonly (ModelInfo & { readonly provider: string; readonly model: string })[];
}

/** Options of `open`. */
export interface OpenOptions extends CallOptions {
  /** The project. Calls never read another one. */
  readonly projectId: string;
  /** The rule dialect of calls that name none. If it checks authority, no call can turn the check off. */
  readonly dialect?: Dialect;
  /** Recipes of the host. Each becomes an operation with its name. `open` checks them and reports every error. */
  readonly recipes?: readonly (CustomRecipe | JsonText)[];
  /**
   * The authority over inherited boxes, in the dialects that check it. A call can only be stricter.
   */
  readonly authority?: {
    /**
     * `project` (the default): an agent can pass on its own boxes and `box_ids`. `call`: each call lists its boxes in
     * `authorized_inherit_box_ids`, as in the reference systems; for hosts whose own code makes the calls.
     */
    readonly granted_by?: "project" | "call";
    /** The boxes that every agent of the project can pass on. */
    readonly box_ids?: readonly string[];
  };
  /**
   * Follows the reference systems where Tuckbox promises more. Running turns can share boxes, and the boxes of a turn
   * need UUIDs. An incomplete turn is accepted and becomes an error. Cards get no role from their type. `false` by
   * default.
   */
  readonly referenceBehavior?: boolean;
  /** The policy of composed prompts. */
  readonly composer?: ComposerPolicy;
  /** Your own table of models: windows, limits, prices. Its facts replace those that come with the package. */
  readonly models?: ModelTable;
  /** Limits of new cards and of the work of one call. A call beyond a limit fails with the code `limit`. */
  readonly limits?: {
    /** Nesting of lists and objects: 128 by default. */
    readonly max_depth?: number;
    /** Bytes of one content: 1 MiB by default. */
    readonly max_content_bytes?: number;
    /** Tasks of one call, tool calls of one turn, and rows of one list of orchestration: 1,000 by default. */
    readonly max_tasks?: number;
    /** Card ids that one call writes to new boxes, concatenates or searches: 1,200,000 by default. */
    readonly max_ids?: number;
    /** Bytes of content of the new cards of one call, or of the answer of an import of `every` request: 64 MiB by default. */
    readonly max_bytes?: number;
    /** List items and object members in the arguments of one call, in imported files, and in JSON inside their strings: 250,000 in total by default. */
    readonly max_values?: number;
    /** Rows that one call reads: 60,000 by default. */
    readonly max_rows?: number;
    /** Messages that one call passes or imports, and cards that it shows to a model: 25,000 by default. */
    readonly max_messages?: number;
    /** Requests in the files of one import: 3,000 by default. `importStream` has no such limit. */
    readonly max_requests?: number;
    /** Bytes of rows that one call reads; each value counts as at least 16. Also bytes of the cards it shows, counted each time. 32 MiB by default. */
    readonly max_read_bytes?: number;
    /** Bytes of JSON in the answer of one call, and in its writes: 96 MiB by default. */
    readonly max_answer_bytes?: number;
    /** Bytes of rows that stay in memory: 128 MiB by default. Beyond it, the next call starts with an empty cache. */
    readonly max_resident_bytes?: number;
    /** Seconds after which a cached card is read again: 60 by default. */
    readonly max_card_age_seconds?: number;
  };
}

/** A call as one object: `{ op: "pack_context", .. }`. */
export type Call<Name extends OperationName = OperationName> = {
  [Each in Name]: { readonly op: Each } & Operations[Each]["args"];
}[Name];

/** The method of an operation. It runs the operation and resolves with its value. */
export type Method<Name extends OperationName> = Name extends "payload"
  ? PayloadMethod
  : Name extends "read_response"
    ? ReadResponseMethod
    : Name extends ProviderOperation
      ? LooseMethod<Name>
      : (args: Operations[Name]["args"] | JsonText | Uint8Array, options?: CallOptions) => Promise<Operations[Name]["value"]>;

/**
 * An open project. It caches the rows it reads: cards never change, and a commit detects a box that
 * changed elsewhere by its version. Calls can run concurrently.
 *
 * Every operation is a method that runs it and resolves with its value: `pack`, `cards.put`,
 * `boxes.create`, .. {@link Workspace.preview} shows the writes without committing them.
 */
export interface Workspace extends ProjectMethods, Disposable {
  /**
   * Returns the value, writes and ledger of a call without committing it.
   *
   * @example
   * const preview = await project.preview("pack_context", call);
   * console.log(preview.value.attached_card_ids, preview.lints, preview.ledger.boxes[0].entries(0, 10));
   * await preview.commit();
   */
  preview(call: JsonText | Uint8Array, options?: CallOptions): Promise<Preview<unknown>>;
  preview<Name extends OperationName>(call: Call<Name>, options?: CallOptions): Promise<Preview<Operations[Name]["value"]>>;
  // last, so that a type error names the wrong key of its arguments
  preview<Name extends OperationName>(
    op: Name,
    args: Operations[Name]["args"] | JsonText | Uint8Array,
    options?: CallOptions,
  ): Promise<Preview<Operations[Name]["value"]>>;

  /** Runs a call: previews it, commits its writes, and resolves with its value. */
  call(call: JsonText | Uint8Array, options?: CallOptions): Promise<unknown>;
  call<Name extends OperationName>(call: Call<Name>, options?: CallOptions): Promise<Operations[Name]["value"]>;
  // last, so that a type error names the wrong key of its arguments
  call<Name extends OperationName>(
    op: Name,
    args: Operations[Name]["args"] | JsonText | Uint8Array,
    options?: CallOptions,
  ): Promise<Operations[Name]["value"]>;

  /** Discards cached rows that can change. The next call reads them again. */
  refresh(): void;

  /** Returns the conversation with this id. It is stored with its first message. */
  conversation(id: string, options?: ConversationOptions): Conversation;

  /** Returns the size of the cache. */
  stats(): Stats;

  /** Frees the cache now instead of at the next garbage collection. */
  dispose(): void;
}

/** The size of the cache of a workspace. */
export interface Stats {
  /** Distinct card ids. */
  readonly cardIds: number;
  readonly boxes: number;
  readonly cards: number;
  readonly profiles: number;
  readonly agents: number;
  readonly files: number;
  /** Rows of the declared tables. */
  readonly rows: number;
  /** The memory of the whole core, which all workspaces share. */
  readonly memoryBytes: number;
}

/** A commit that has not happened yet. Its members are read from the core on first access. */
export interface Preview<Value> extends Disposable {
  /** The value of the operation. */
  readonly value: Value;
  /** The value as exact JSON text. */
  readonly valueText: string;
  /** The batch that `commit` sends. */
  readonly writes: Writes;
  /** The batch as exact JSON text. */
  readonly writesText: string;
  /** The id of the batch. A store applies each id at most once. */
  readonly operationId: string;
  /** The reason for every card and its position. */
  readonly ledger: Ledger;
  /** The warnings. */
  readonly lints: readonly Lint[];
  /** The hash of the cards and boxes that the commit creates. It is the same before and after. */
  readonly contentHash: string;
  /**
   * Commits the batch. It is idempotent.
   *
   * @throws {@link TuckboxError} `conflict` if a row changed since it was read. The workspace
   * discards changed rows, so the next preview reads them again.
   */
  commit(options?: Pick<CallOptions, "signal" | "timeoutMs">): Promise<Receipt>;
  /** Returns the project as it would be after the commit, for the next preview. */
  after(): Promise<Workspace>;
  /** Frees the preview now instead of at the next garbage collection. */
  dispose(): void;
}
