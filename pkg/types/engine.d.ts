/// <reference lib="esnext.disposable" />
import type { AgentSpec, CreateBatch, Dispatch, Enqueue, MessageHeaders, RunOperations, RunSettings } from "./arguments.js";
import type { ResponseDelta } from "./clients.js";
import type { Provider } from "./codes.js";
import type { JsonInput } from "./json.js";
import type { OperationName, Operations } from "./operations.js";
import type {
  AgentReady,
  CardRow,
  Dispatched,
  DueCall,
  HeadRow,
  InboxRow,
  OutboxMessage,
  Results,
  RunAnswer,
  RunState,
  Sent,
  WaitingRow,
} from "./results.js";
import type { AbortSignalLike, Store } from "./store.js";
import type { OpenOptions, Workspace } from "./workspace.js";

/** Options of an engine. */
export interface EngineOptions {
  /** The function `open` of the entry point for the runtime. */
  readonly open: (store: Store, options: OpenOptions) => Promise<Workspace>;
  readonly store: Store;
  readonly projectId: string;
  /** Further options of `open`: dialect, limits, recipes. */
  readonly options?: Omit<OpenOptions, "projectId">;
  /** Limits and timeouts that differ from the defaults. */
  readonly settings?: RunSettings;
  /** The transport of messages. Within the process by default. */
  readonly transport?: Transport;
  /** The clock of the engine and its workers. That of the machine by default. A function sets only the time of calls. */
  readonly clock?: Clock | (() => number);
  /** The interval between two ticks, which run due calls: 5,000 by default. */
  readonly tickMs?: number;
  /** The interval between two reads of the outbox: 250 by default. The engine sends its own messages at once. */
  readonly sendMs?: number;
  /** The number of messages per read: 200 by default. */
  readonly sendLimit?: number;
  /** How long the engine retries a call while the store fails: 5,000 by default. */
  readonly patienceMs?: number;
  /**
   * The age at which the engine deletes processed messages, and the steps, calls and views of ended turns; see `prune`.
   * At least 3,600; 0 deletes nothing, which is the default.
   */
  readonly pruneAfterSeconds?: number;
  /** Called after every commit of this engine. */
  readonly onWrite?: () => void;
  /** Receives every log entry. */
  readonly log?: (entry: LogEntry) => void;
}

/** A clock with timers. A test can pass a virtual one. */
export interface Clock {
  /** The time in milliseconds since 1970. */
  now(): number;
  /** Milliseconds that never go backwards, of which only differences count. `now` by default. */
  elapsed?(): number;
  /** Calls `work` once after `ms` milliseconds. Returns the argument of `clearTimeout`. */
  setTimeout(work: () => void, ms: number): unknown;
  /** Cancels a timer that has not fired. Ignores `undefined`. */
  clearTimeout(timer: unknown): void;
}

/** An entry of the log. */
export interface LogEntry {
  readonly level: "info" | "warn" | "error";
  /** A stable name: `engine_started`, `turn_completed`, `publish_failed`, .. */
  readonly event: string;
  readonly [detail: string]: unknown;
}

/** Carries wakeups and events. The store is the source of truth; ticks find work whose wakeup was lost. */
export interface Transport {
  /** Sends a message. If it throws, the engine retries, except for wakeups and messages that are not stored. */
  publish(message: OutboxMessage, of: { readonly projectId: string }): unknown;
  /** Passes every published message of the project to `listener`. Returns a function that ends it. */
  subscribe?(listener: (message: OutboxMessage) => void, of: { readonly projectId: string }): () => unknown;
  /** Passes each wakeup to one worker of all. It is repeated if `handler` rejects. */
  wakeups?(
    handler: (event: EngineEvent & { readonly isMine: true }) => Promise<void>,
    of: { readonly projectId: string },
  ): Promise<() => unknown>;
}

/** A published message. `lagged` counts messages that were dropped because the reader was too slow. */
export type EngineEvent =
  | {
      readonly kind: "state" | "step" | "task" | "inbox_progress" | "wakeup" | "delta";
      readonly agent_id: string;
      /** The kind of worker that a wakeup is for. */
      readonly worker_target?: string;
      readonly channel_id: string;
      readonly subject: string;
      readonly message_id: string;
      readonly payload: { readonly [key: string]: JsonInput };
      readonly headers: MessageHeaders | null;
    }
  | { readonly kind: "lagged"; readonly dropped: number };

/** A turn: the answer of `dispatch`, or its ids. */
export type TurnRef = Dispatched | { readonly agent_id: string; readonly agent_turn_id: string; readonly output_box_id: string };

/**
 * The result of a turn: its deliverable card, with the fields by name. Without an explicit deliverable, `fields.output` is
 * the last text of the model. A canceled turn has no card.
 */
export type TurnResult =
  | (CardRow & {
      readonly status: "success";
      /** The number of workers that ran the turn. All but the last were lost. */
      readonly attempts: number;
      readonly fields: { readonly [name: string]: string };
      readonly error?: undefined;
    })
  | (Partial<CardRow> & {
      readonly status: "failed";
      readonly attempts: number;
      readonly fields: { readonly [name: string]: string };
      readonly error: { readonly message: string };
    });

/** What happens in a turn. `position` counts the stored cards so far. */
export type TurnEvent =
  | { readonly kind: "card"; readonly position: number; readonly card: CardRow }
  | { readonly kind: "delta"; readonly position: number; readonly step_id: string; readonly delta: ResponseDelta }
  | { readonly kind: "end"; readonly position: number; readonly result: TurnResult };

/** Options of one call. */
export interface EngineCallOptions {
  /** The time of the call. */
  readonly now?: number;
  readonly signal?: AbortSignalLike;
  /** How long the call is repeated while the store fails. */
  readonly patienceMs?: number;
  /** Ends the repetition while the store fails; a call that runs is completed. */
  readonly patienceSignal?: AbortSignalLike;
}

/** A tool call that a turn waits for, as plain JSON. A tool that answers later receives it. */
export interface ToolHandle
  extends Pick<WaitingRow, "agent_id" | "agent_turn_id" | "turn_epoch" | "step_id" | "tool_call_id" | "tool_name"> {
  readonly project_id?: string;
  readonly recursion_depth?: number;
  readonly channel_id?: string;
}

/** The answer of a tool. */
export interface ToolAnswer {
  /** `success` by default. */
  readonly status?: "success" | "failed" | "partial" | "timeout";
  readonly result?: JsonInput;
  readonly error?: { readonly [key: string]: JsonInput } | null;
  /** `terminate` ends the turn; `suspend`, the default, continues it. */
  readonly after_execution?: "suspend" | "terminate";
}

/** Consecutive calls that share the rows they read. */
export interface EngineSession {
  /** Runs a call of orchestration. */
  run<Name extends keyof RunOperations>(
    op: Name,
    args: RunOperations[Name]["args"],
    options?: EngineCallOptions,
  ): Promise<RunOperations[Name]["value"]>;
  /** Runs any call. */
  call<Name extends OperationName>(
    op: Name,
    args: Operations[Name]["args"],
    options?: EngineCallOptions,
  ): Promise<Operations[Name]["value"]>;
  /** Previews a call of orchestration, and commits nothing. */
  look<Name extends keyof RunOperations>(
    op: Name,
    args: RunOperations[Name]["args"],
    options?: EngineCallOptions,
  ): Promise<RunOperations[Name]["value"]>;
  /** Previews any call, and commits nothing. */
  view<Name extends OperationName>(
    op: Name,
    args: Operations[Name]["args"],
    options?: EngineCallOptions,
  ): Promise<Operations[Name]["value"]>;
}

/** The result of a tick. */
export interface Ticked {
  /** The number of calls that ran. */
  readonly made: number;
  readonly failed: readonly { readonly op: DueCall["op"]; readonly args: { readonly [key: string]: unknown }; readonly error: unknown }[];
  /** The number of messages that were sent. */
  readonly sent: number;
  /** Rows that could not be read. They affect only their own agent or batch. */
  readonly unreadable: readonly UnreadableRow[];
}

/** A row that cannot be read, and why. */
export type UnreadableRow = NonNullable<Results["due"]["unreadable"]>[number];

/**
 * Runs the turns, batches and messages of one project. All state is in the store, so any number of engines
 * can run on one project.
 */
export interface Engine extends AsyncDisposable {
  readonly projectId: string;
  readonly settings: RunSettings;
  /** Returns the time of the clock. */
  now(): number;
  /** The clock of the engine and its workers. */
  readonly clock: Clock;

  /** Sends a message to an agent, at depth 0 by default. */
  enqueue(message: Enqueue, options?: EngineCallOptions): Promise<RunAnswer<Sent>>;
  /**
   * Declares a profile: its card, its box and its registration. A profile of this name that exists changes where it
   * differs: `changed` lists the keys, and `version` is the version of its box.
   */
  profile(
    profile: {
      readonly name: string;
      readonly system_prompt?: string;
      /** `provider`, `model` and parameters of the request: `temperature`, `max_output_tokens`, .. */
      readonly llm_config?: {
        readonly provider?: Provider | (string & Record<never, never>);
        readonly model?: string;
        readonly [key: string]: JsonInput | undefined;
      };
      /** The tools that it can use. All by default. */
      readonly allowed_tools?: readonly string[];
      /** The profiles to which its agents can delegate. None by default. */
      readonly delegation_policy?: { readonly target_profiles?: readonly string[] | null; readonly target_tags?: readonly string[] };
      readonly worker_target?: string;
      readonly tags?: readonly string[];
      readonly author_id?: string;
    },
    options?: EngineCallOptions,
  ): Promise<Results["put_profile"]>;
  /** Registers an agent and creates its head. `profile` is a name; `profile_box_id` is a box. */
  provision(
    agent: AgentSpec & {
      readonly agent_id: string;
      readonly profile?: string;
      readonly kind?: "create" | "derived";
      readonly source_agent_id?: string;
      readonly channel_id?: string;
    },
    options?: EngineCallOptions,
  ): Promise<AgentReady>;
  /** Creates a batch and dispatches it. */
  batch(spec: CreateBatch, options?: EngineCallOptions): Promise<RunOperations["create_batch"]["value"]>;
  /**
   * Dispatches a turn with an existing context box, or with an instruction. With a `conversation`, the agent also reads
   * all earlier messages and answers of that conversation.
   */
  dispatch(
    turn: Omit<Dispatch, "profile_box_id" | "context_box_id" | "instruction" | "conversation"> & { readonly profile_box_id?: string } & (
        | { readonly context_box_id: string; readonly instruction?: undefined; readonly conversation?: undefined }
        | { readonly instruction: string; readonly conversation?: string; readonly context_box_id?: undefined }
      ),
    options?: EngineCallOptions,
  ): Promise<Dispatched>;
  /** Stops the turn of an agent on any worker. Returns false if the agent has no turn or another one. */
  stop(
    turn: { readonly agent_id: string; readonly agent_turn_id?: string; readonly reason?: string },
    options?: EngineCallOptions,
  ): Promise<boolean>;
  /** Answers a tool call that a turn waits for. Later answers to the same call are ignored. */
  answer(call: ToolHandle, answer?: ToolAnswer, options?: EngineCallOptions): Promise<RunOperations["answer_tool_call"]["value"]>;
  /** Returns the state of the project, an agent or a batch. */
  state(of?: RunOperations["run_state"]["args"], options?: EngineCallOptions): Promise<RunState>;
  /**
   * Waits until a turn has ended, and resolves with its result. A turn that failed, was stopped or was canceled has the
   * `status` `failed` and an `error`. Rejects with the code `conflict` for a dispatch that was refused.
   */
  result(turn: TurnRef, options?: { readonly signal?: AbortSignalLike; readonly pollMs?: number }): Promise<TurnResult>;
  /**
   * Iterates over what happens in a turn, until its end: stored cards, deltas of the model's stream, and the result. To
   * resume, pass the `position` of the last event as `after`. Deltas are not stored, so a resumed iteration starts with
   * cards.
   */
  events(
    turn: TurnRef,
    options?: { readonly after?: number; readonly signal?: AbortSignalLike; readonly pollMs?: number },
  ): AsyncIterableIterator<TurnEvent>;
  /** Publishes what a model's stream adds to its answer. Workers call it. */
  publishDelta(
    turn: { readonly agent_id: string; readonly agent_turn_id: string; readonly step_id: string; readonly channel_id: string },
    delta: ResponseDelta,
  ): void;

  /** Runs due calls and sends the messages of the outbox. */
  tick(now?: number): Promise<Ticked>;
  /** Sends the messages of the outbox. Returns their number. */
  send(now?: number): Promise<number>;
  /** Returns the messages that cannot be sent, with the reason in `error`. */
  quarantine(of?: { readonly limit?: number }, options?: EngineCallOptions): Promise<readonly OutboxMessage[]>;
  /** Releases messages from quarantine, so that they are sent again. Returns their number. */
  retry(message_ids: readonly string[], options?: EngineCallOptions): Promise<number>;
  /**
   * Deletes rows of work that ended more than `olderThanSeconds` ago (30 days by default), and returns their numbers.
   * Cards, boxes, batches and the audit stay.
   */
  prune(
    of?: { readonly olderThanSeconds?: number },
    options?: EngineCallOptions,
  ): Promise<{ readonly messages: number; readonly steps: number; readonly calls: number; readonly views: number }>;
  /** Starts ticks and sending. Fails if the store does not respond. */
  start(): Promise<void>;
  /** Stops ticks and sending, and ends every `watch`. */
  close(): Promise<void>;
  /** Returns the time since the last tick and the last sending. */
  health(): { readonly tickedMsAgo: number | undefined; readonly sentMsAgo: number | undefined };
  /** Iterates over published messages, each once. Drops late events of an agent, so that they never go backwards. */
  watch(options?: {
    readonly signal?: AbortSignalLike;
    readonly kinds?: readonly EngineEvent["kind"][];
  }): AsyncIterableIterator<EngineEvent>;

  /** Passes wakeups to `handler`. Resolves with a function that ends it. */
  wakeups(handler: (event: EngineEvent & { readonly isMine?: true }) => Promise<void>): Promise<() => unknown>;

  /** Runs a call of orchestration. Repeats it after a conflict, and retries while the store fails. */
  run: EngineSession["run"];
  /** Like `run`, for any operation. */
  call: EngineSession["call"];
  /** Previews a call of orchestration, and commits nothing. */
  look: EngineSession["look"];
  /** Runs consecutive calls that share the rows they read. */
  hold<Value>(work: (session: EngineSession) => Promise<Value>): Promise<Value>;
  /**
   * Returns how many milliseconds this host has seen the head of an agent unchanged. With a clock of the store, rows show
   * their age, and the answer is `Infinity`.
   */
  unchangedMs(agent_id: string): Promise<number>;
  /** Direct reads of rows. */
  readonly rows: {
    /** Returns the first pending messages. */
    pending(limit?: number): Promise<readonly InboxRow[]>;
    head(agent_id: string): Promise<HeadRow | undefined>;
    heads(agent_ids: readonly string[]): Promise<ReadonlyMap<string, HeadRow>>;
  };
}

/**
 * Returns an engine for one project.
 *
 * @example
 * import { memoryStore, open } from "tuckbox";
 * const team = engine({ open, store: memoryStore(), projectId: "demo" });
 * await team.start();
 * const turn = await team.dispatch({ agent_id: "ann", instruction: "Find out." });
 */
export declare function engine(options: EngineOptions): Engine;
