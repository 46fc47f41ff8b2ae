/// <reference lib="esnext.disposable" />
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
  RunAnswer,
  RunState,
  Sent,
  WaitingRow,
} from "./results.js";
import type { AgentSpec, CreateBatch, Dispatch, MessageHeaders, RunOperations, RunSettings, SendMessage } from "./run.js";
import type { AbortSignalLike, Store } from "./store.js";
import type { OpenOptions, Workspace } from "./workspace.js";

/** What an engine is made with. */
export interface EngineOptions {
  /** The function `open` of the entry that fits the runtime. */
  readonly open: (store: Store, options: OpenOptions) => Promise<Workspace>;
  readonly store: Store;
  readonly project_id: string;
  /** Further options of `open`: dialect, limits, recipes. */
  readonly options?: Omit<OpenOptions, "project_id">;
  /** Times and counts that differ from the defaults. */
  readonly settings?: RunSettings;
  /** Where messages go; within the process by default. */
  readonly transport?: Transport;
  /** The clock that the engine and its workers go by; that of the machine by default. A function gives only the time of calls. */
  readonly clock?: Clock | (() => number);
  /** How often `start` looks for what is due; 5,000 by default. */
  readonly tick_ms?: number;
  /** How often `start` looks for messages to send; 250 by default. What this process writes is sent at once. */
  readonly send_ms?: number;
  /** How many messages are read at a time; 200 by default. */
  readonly send_limit?: number;
  /** How long a call is repeated while the store fails; 5,000 by default. */
  readonly patience_ms?: number;
  /** Called after every commit of this engine. */
  readonly onWrite?: () => void;
  /** Told of everything that happens. */
  readonly log?: (entry: LogEntry) => void;
}

/** A clock: the time, and timers that go by it. A test passes one that it moves itself. */
export interface Clock {
  /** The time in milliseconds since 1970. */
  now(): number;
  /** Calls `work` once, after `ms` milliseconds; returns what `clearTimeout` takes. */
  setTimeout(work: () => void, ms: number): unknown;
  /** Takes back a timer, where it has not fired; `undefined` is no timer. */
  clearTimeout(timer: unknown): void;
}

/** One line of a log. */
export interface LogEntry {
  readonly level: "info" | "warn" | "error";
  /** A stable name: `engine_started`, `turn_completed`, `publish_failed`, .. */
  readonly event: string;
  readonly [detail: string]: unknown;
}

/** Carries messages. It is a doorbell and a newspaper, never the truth: what it loses is found by ticks. */
export interface Transport {
  /** Sends one message; what it throws is tried again, unless the message is a wakeup or kept by nobody. */
  publish(message: OutboxMessage, of: { readonly project_id: string }): unknown;
  /** Hands every message of the project that anybody published to `listener`. */
  subscribe?(listener: (message: OutboxMessage) => void, of: { readonly project_id: string }): () => unknown;
  /** Hands every wakeup to one of all the workers; it is done when `handler` has resolved, and rung again where it has rejected. */
  doorbells?(
    handler: (event: EngineEvent & { readonly isMine: true }) => Promise<void>,
    of: { readonly project_id: string },
  ): Promise<() => unknown>;
}

/** A message that came by. `lagged` says that so many were left out, because nobody fetched them. */
export type EngineEvent =
  | {
      readonly kind: "state" | "step" | "task" | "inbox_progress" | "wakeup";
      readonly agent_id: string;
      /** The kind of worker that a wakeup rings for. */
      readonly worker_target?: string;
      readonly channel_id: string;
      readonly subject: string;
      readonly message_id: string;
      readonly payload: { readonly [key: string]: JsonInput };
      readonly headers: MessageHeaders | null;
    }
  | { readonly kind: "lagged"; readonly dropped: number };

/** Options of one call. */
export interface EngineCallOptions {
  /** The time of the call. */
  readonly now?: number;
  readonly signal?: AbortSignalLike;
  readonly patience_ms?: number;
}

/** A tool call that a turn waits for: what a tool that answers later was started with. It is plain JSON. */
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
  /** `terminate` ends the turn; `suspend`, the default, goes on with it. */
  readonly after_execution?: "suspend" | "terminate";
}

/** Calls in a row, on what the first ones read. */
export interface EngineSession {
  /** A call of orchestration. */
  run<Name extends keyof RunOperations>(
    op: Name,
    args: RunOperations[Name]["args"],
    options?: EngineCallOptions,
  ): Promise<RunOperations[Name]["value"]>;
  /** Any call. */
  call<Name extends OperationName>(
    op: Name,
    args: Operations[Name]["args"],
    options?: EngineCallOptions,
  ): Promise<Operations[Name]["value"]>;
  /** A call of orchestration that only looks. */
  look<Name extends keyof RunOperations>(
    op: Name,
    args: RunOperations[Name]["args"],
    options?: EngineCallOptions,
  ): Promise<RunOperations[Name]["value"]>;
  /** Any call that only looks. */
  view<Name extends OperationName>(
    op: Name,
    args: Operations[Name]["args"],
    options?: EngineCallOptions,
  ): Promise<Operations[Name]["value"]>;
}

/** What a pass over everything that is due did. */
export interface Ticked {
  /** How many calls were made. */
  readonly made: number;
  readonly failed: readonly { readonly op: DueCall["op"]; readonly args: { readonly [key: string]: unknown }; readonly error: unknown }[];
  /** How many messages were sent. */
  readonly sent: number;
}

/**
 * Turns, batches and messages of one project. It keeps nothing that another engine could not read in the
 * store: any number of them may run on one project.
 */
export interface Engine extends AsyncDisposable {
  readonly project_id: string;
  readonly settings: RunSettings;
  /** The time that calls are made at. */
  now(): number;
  /** The clock that the engine and its workers wait by. */
  readonly clock: Clock;

  /** Sends a message to an agent, at depth 0 unless it says otherwise. */
  enqueue(message: SendMessage, options?: EngineCallOptions): Promise<RunAnswer<Sent>>;
  /** Makes a profile: its card, its box, its entry. One of that name that is there is left as it is. */
  profile(
    profile: {
      readonly name: string;
      readonly system_prompt?: string;
      /** `provider`, `model`, and how the model is called: `temperature`, `max_output_tokens`, .. */
      readonly llm_config?: { readonly provider?: Provider; readonly model?: string; readonly [key: string]: JsonInput | undefined };
      /** The tools it may use; all by default. */
      readonly allowed_tools?: readonly string[];
      /** Whom its agents may hand work to; nobody by default. */
      readonly delegation_policy?: { readonly target_profiles?: readonly string[] | null; readonly target_tags?: readonly string[] };
      readonly worker_target?: string;
      readonly tags?: readonly string[];
      readonly author_id?: string;
    },
    options?: EngineCallOptions,
  ): Promise<{ readonly profile_box_id: string; readonly made: boolean }>;
  /** Makes an agent ready: in the roster, with a head. Its profile is named by `profile` or by its box. */
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
  /** Makes a batch and hands it out. */
  batch(spec: CreateBatch, options?: EngineCallOptions): Promise<RunOperations["create_batch"]["value"]>;
  /** Dispatches a turn: with a context that is there, or with an instruction in words. */
  dispatch(
    turn: Omit<Dispatch, "profile_box_id" | "context_box_id"> & { readonly profile_box_id?: string } & (
        | { readonly context_box_id: string; readonly instruction?: undefined }
        | { readonly instruction: string; readonly context_box_id?: undefined }
      ),
    options?: EngineCallOptions,
  ): Promise<Dispatched>;
  /** Stops the turn of an agent, whoever runs it; false where it has none, or another one. */
  stop(
    turn: { readonly agent_id: string; readonly agent_turn_id?: string; readonly reason?: string },
    options?: EngineCallOptions,
  ): Promise<boolean>;
  /** Answers a tool call that a turn waits for. A call that was answered before keeps its first answer. */
  answer(call: ToolHandle, answer?: ToolAnswer, options?: EngineCallOptions): Promise<{ readonly accepted: boolean }>;
  /** What runs: in the project, at an agent, or in a batch. */
  state(of?: RunOperations["run_state"]["args"], options?: EngineCallOptions): Promise<RunState>;
  /** Waits until a turn has ended; resolves with the card that it delivered, where there is one. */
  result(
    turn: { readonly agent_id: string; readonly agent_turn_id: string; readonly output_box_id: string },
    options?: { readonly signal?: AbortSignalLike; readonly poll_ms?: number },
  ): Promise<CardRow | undefined>;

  /** Does everything that is due, and sends what is to be sent. */
  tick(now?: number): Promise<Ticked>;
  /** Sends messages that wait to be sent; how many were. */
  send(now?: number): Promise<number>;
  /** Begins to tick and to send. Fails where the store cannot be used. */
  start(): Promise<void>;
  /** Stops ticking and sending, and ends every `watch`. */
  close(): Promise<void>;
  /** How long ago each loop last did its work. */
  health(): { readonly ticked_ms_ago: number | undefined; readonly sent_ms_ago: number | undefined };
  /** Messages as they come by. */
  watch(options?: {
    readonly signal?: AbortSignalLike;
    readonly kinds?: readonly EngineEvent["kind"][];
  }): AsyncIterableIterator<EngineEvent>;

  /** Hands doorbells to `handler`, until the function that it resolves with is called. */
  doorbells(handler: (event: EngineEvent & { readonly isMine?: true }) => Promise<void>): Promise<() => unknown>;

  /** Makes a call of orchestration; a conflict is decided again, a failing store is waited for. */
  run: EngineSession["run"];
  /** As `run`, for any operation. */
  call: EngineSession["call"];
  /** Makes a call of orchestration that only looks. */
  look: EngineSession["look"];
  /** Makes several calls in a row on what the first ones read. */
  hold<Value>(work: (session: EngineSession) => Promise<Value>): Promise<Value>;
  /** Reads that need no rule. */
  readonly rows: {
    /** The first messages that wait for somebody to take them. */
    pending(limit?: number): Promise<readonly InboxRow[]>;
    head(agent_id: string): Promise<HeadRow | undefined>;
    heads(agent_ids: readonly string[]): Promise<ReadonlyMap<string, HeadRow>>;
  };
}

/**
 * An engine of one project.
 *
 * @example
 * import { memoryStore, open } from "tuckbox";
 * const team = engine({ open, store: memoryStore(), project_id: "demo" });
 * await team.start();
 * const turn = await team.dispatch({ agent_id: "ann", instruction: "Find out." });
 */
export declare function engine(options: EngineOptions): Engine;
