/// <reference lib="esnext.disposable" />
import type { Provider } from "./codes.js";
import type { Engine, LogEntry, ToolHandle } from "./engine.js";
import type { Json, JsonInput, JsonObject } from "./json.js";
import type { Message, Payload, TurnProfile } from "./results.js";
import type { MessageHeaders } from "./run.js";
import type { AbortSignalLike } from "./store.js";
import type { Telemetry } from "./telemetry.js";

/** The runtime's own `AbortSignal`, where its types are there. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Own extends AbortSignalLike } } ? Own : AbortSignalLike;

/** The turn that a model answers for, or a tool is called in. */
export interface RunningTurn {
  readonly project_id: string;
  readonly agent_id: string;
  readonly agent_turn_id: string;
  /** With the turn's id the right to write; it rises when the turn goes to somebody else. */
  readonly turn_epoch: number;
  readonly step_id: string;
  /** How many steps went before. */
  readonly step_count: number;
  readonly channel_id: string;
  readonly context_box_id: string | null;
  readonly output_box_id: string;
  readonly recursion_depth: number;
  readonly headers: MessageHeaders;
  readonly trace_id?: string | null;
  readonly runtime_config?: JsonObject | null;
  readonly provider: Provider;
  readonly profile: TurnProfile | null;
  /** What the model sees, before any provider's own shape. */
  readonly messages: readonly Message[];
  /** Fires when the turn is lost, its time is over, or the worker is shut down. */
  readonly signal: Signal;
}

/**
 * What a model answers: the provider's response, the events of its stream, plain text, or text and calls. The
 * ids of calls are replaced: those of a model may repeat.
 */
export type ModelAnswer =
  | string
  | { readonly text: string; readonly tool_calls?: readonly JsonInput[] }
  | { readonly [key: string]: unknown }
  | AsyncIterable<unknown>;

/** A tool, as a function that answers in place or as one of its longer forms. */
export type Tool =
  | ToolFunction
  | (ToolDefinition &
      (
        | {
            /** Answers in place. What it throws is told to the model. */
            readonly run: ToolFunction;
            /** The longest it may take; the worker's `tool_timeout_ms` by default. */
            readonly timeout_ms?: number;
          }
        | {
            /**
             * Begins something that answers later: the turn is suspended first, then this is called, and somebody calls
             * `engine.answer(call.handle, ..)`. What it resolves with, unless nothing, is the answer.
             */
            readonly start: (args: any, call: ToolCall & { readonly handle: ToolHandle }) => unknown;
            /** How long the turn waits; 30 by default. */
            readonly timeout_seconds?: number;
          }
        | {
            readonly recipe: RecipeName;
            readonly tool_suffix?: string;
            readonly timeout_seconds?: number;
            /** How many tasks one `fork_join` may have; 8 by default. */
            readonly max_tasks?: number;
          }
        | { readonly deliver: true }
      ));

export type ToolFunction = (args: any, call: ToolCall) => unknown;

/** The call of a tool, and the turn that it is made in. */
export type ToolCall = RunningTurn & { readonly tool_call_id: string; readonly tool_name: string };

/** What a model is told about a tool. */
export interface ToolDefinition {
  readonly description?: string;
  /** Its parameters, as JSON Schema. */
  readonly parameters?: { readonly [key: string]: JsonInput };
}

export type RecipeName = "fork_join" | "delegate_async" | "launch_principal" | "ask_expert";

/** What a worker is made with. */
export interface WorkerOptions {
  readonly engine: Engine;
  /** Answers for a model. What it throws ends the turn as failed. */
  readonly model: (payload: Payload, turn: RunningTurn) => ModelAnswer | PromiseLike<ModelAnswer>;
  /** Whose turns it runs; everybody's by default. */
  readonly agents?: readonly string[] | ((agent_id: string) => boolean);
  /** The kinds of agents (`worker_target`) that it runs; turns of others are never claimed. All by default. */
  readonly targets?: readonly string[];
  /** The tools by name. A profile chooses among them. */
  readonly tools?: { readonly [name: string]: Tool };
  /** Whose payloads are made; what the profile's `llm_config.provider` says by default, or else `openai_chat`. */
  readonly provider?: Provider | ((profile: TurnProfile | null) => Provider | undefined);
  /** What is put behind every system prompt. */
  readonly system_append?: string;
  readonly name?: string;
  /** How many turns it runs at once; 4 by default. */
  readonly concurrency?: number;
  /** How often it looks for work where no doorbell rings; 1,000 by default. */
  readonly poll_ms?: number;
  /** How often it looks for results that nobody reported; 5,000 by default. */
  readonly take_up_ms?: number;
  /** How often it checks that its turns are its own; 2,000 by default. */
  readonly lease_ms?: number;
  /** How long a model may take; 120,000 by default. */
  readonly model_timeout_ms?: number;
  /** How long a tool may take that answers in place, or until one that answers later has begun; 60,000 by default. */
  readonly tool_timeout_ms?: number;
  /** The longest answer of a model; 1 MiB by default. */
  readonly max_answer_bytes?: number;
  /** The most calls in one answer; 32 by default. */
  readonly max_tool_calls?: number;
  /** Spans and metrics: what `telemetry()` of `tuckbox/telemetry` gives. */
  readonly telemetry?: Telemetry;
  readonly log?: (entry: LogEntry) => void;
}

/** Runs turns. Any number of workers may run on one project, in any number of processes. */
export interface Worker extends AsyncDisposable {
  readonly name: string;
  /** How many turns it works on. */
  readonly running: number;
  /** Begins to claim turns. */
  start(): Promise<void>;
  /** Works on everything that waits now, and on what follows from it; how many messages were taken. */
  step(): Promise<number>;
  /**
   * Takes nothing more, waits `grace_ms` (10,000 by default) for what is under way, and gives back the rest: the next
   * worker goes on with the step that was begun, whose tools may run again.
   */
  close(options?: { readonly grace_ms?: number }): Promise<void>;
}

/**
 * A worker.
 *
 * @example
 * const crew = worker({
 *   engine: team,
 *   model: ({ body }, { signal }) => fetch(url, { method: "POST", body: JSON.stringify(body), signal }).then((answer) => answer.json()),
 *   tools: { fork_join: recipe("fork_join"), search: ({ query }) => lookUp(query) },
 * });
 * await crew.start();
 */
export declare function worker(options: WorkerOptions): Worker;

/** A recipe as a tool that a model can call. */
export declare function recipe(
  name: RecipeName,
  more?: ToolDefinition & { readonly tool_suffix?: string; readonly timeout_seconds?: number; readonly max_tasks?: number },
): Tool;

/** A tool that ends the turn: its arguments are the fields of the deliverable. */
export declare function submitResult(parameters?: { readonly [key: string]: Json }): Tool;
