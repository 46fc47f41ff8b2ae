/// <reference lib="esnext.disposable" />

import type { MessageHeaders } from "./arguments.js";
import type { Provider } from "./codes.js";
import type { Engine, LogEntry, ToolHandle } from "./engine.js";
import type { Json, JsonInput, JsonObject } from "./json.js";
import type { Message, Payload, TurnProfile } from "./results.js";
import type { AbortSignalLike } from "./store.js";
import type { Telemetry } from "./telemetry.js";

/** The runtime's `AbortSignal` if its types are loaded. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Own extends AbortSignalLike } } ? Own : AbortSignalLike;

/** The turn of a model request or tool call. */
export interface RunningTurn {
  readonly project_id: string;
  readonly agent_id: string;
  readonly agent_turn_id: string;
  /** Fences writes of earlier workers: it increases when another worker takes the turn. */
  readonly turn_epoch: number;
  readonly step_id: string;
  /** The number of earlier steps. */
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
  /** The messages of the request, in no provider's format. */
  readonly messages: readonly Message[];
  /** Fires if the worker loses the turn, a timeout passes, or the worker closes. */
  readonly signal: Signal;
}

/**
 * The request of a model. `body` is that of the profile's provider, which types do not know. Its type is any, so that
 * the call of a library takes it: one of `HttpBodies`.
 */
export type ModelRequest = Omit<Payload, "body"> & { readonly body: any };

/**
 * The answer of a model: the provider's response, the events of its stream, plain text, or text and tool calls.
 * The worker replaces the ids of tool calls, because models can repeat ids.
 */
export type ModelAnswer =
  | string
  | { readonly text: string; readonly tool_calls?: readonly JsonInput[] }
  | { readonly [key: string]: unknown }
  | AsyncIterable<unknown>;

/** A tool: a function that returns the result, or an object. */
export type Tool =
  | ToolFunction
  | (ToolDefinition &
      (
        | {
            /** Returns the result. The model receives the message of an error that it throws. */
            readonly run: ToolFunction;
            /** The timeout. The worker's `toolTimeoutMs` by default. */
            readonly timeoutMs?: number;
            /**
             * False for a tool that must not run twice for one call. If its worker is lost while it runs, its outcome is
             * unknown, and `unknownOutcome` of the worker decides. By default the next worker runs it again, with the same
             * `tool_call_id`.
             */
            readonly idempotent?: boolean;
          }
        | {
            /**
             * Starts work that answers later. The worker suspends the turn, then calls this function. The host calls
             * `engine.answer(call.handle, ..)` when the work is done. A value that it resolves with is the answer.
             */
            readonly start: (args: any, call: ToolCall & { readonly handle: ToolHandle }) => unknown;
            /** How long the turn waits: 30 by default. */
            readonly timeoutSeconds?: number;
          }
        | {
            readonly recipe: RecipeName;
            readonly toolSuffix?: string;
            readonly timeoutSeconds?: number;
            /** The maximum number of tasks of one `fork_join`: 8 by default. */
            readonly maxTasks?: number;
          }
        | { readonly deliver: true }
      ));

export type ToolFunction = (args: any, call: ToolCall) => unknown;

/** A tool call and its turn. Another worker that repeats the step uses the same `tool_call_id` for the same call. */
export type ToolCall = RunningTurn & { readonly tool_call_id: string; readonly tool_name: string };

/** The definition of a tool in a request. */
export interface ToolDefinition {
  readonly description?: string;
  /** The parameters as JSON Schema. */
  readonly parameters?: { readonly [key: string]: JsonInput };
}

export type RecipeName = "fork_join" | "delegate_async" | "launch_principal" | "ask_expert";

/** Options of a worker. */
export interface WorkerOptions {
  readonly engine: Engine;
  /** Calls a model. The turn fails if it throws. */
  readonly model: (payload: ModelRequest, turn: RunningTurn) => ModelAnswer | PromiseLike<ModelAnswer>;
  /** The agents whose turns it runs. All by default. */
  readonly agents?: readonly string[] | ((agent_id: string) => boolean);
  /** The kinds of agents (`worker_target`) whose turns it claims. All by default. */
  readonly targets?: readonly string[];
  /** The tools by name, or a list of `tool(..)`. A profile selects some of them. A profile that names another tool fails. */
  readonly tools?: { readonly [name: string]: Tool } | readonly NamedTool[];
  /** The provider of the payloads. By default `llm_config.provider` of the profile, or else `openai_chat`. */
  readonly provider?: Provider | ((profile: TurnProfile | null) => Provider | undefined);
  /** Text to append to every system prompt. */
  readonly systemAppend?: string;
  readonly name?: string;
  /** The number of concurrent turns: 4 by default. */
  readonly concurrency?: number;
  /** The interval between two reads of the inbox without a wakeup: 1,000 by default. */
  readonly pollMs?: number;
  /** The interval between two searches for results that were stored but not reported: 5,000 by default. */
  readonly takeUpMs?: number;
  /**
   * The interval between two checks that it still owns its turns: 2,000 by default. It renews the lease of each turn
   * every third of the setting `lease_seconds`.
   */
  readonly leaseMs?: number;
  /** The timeout of a model, with its retries: 120,000 by default. */
  readonly modelTimeoutMs?: number;
  /**
   * The maximum number of calls of a model for one answer: 4 by default. A call is made again after an error with `status`
   * 408, 409, 425, 429 or 5xx, or after an error of the network. It waits for `Retry-After`, or for a random time that
   * doubles from 0.5 to 8 seconds.
   */
  readonly modelAttempts?: number;
  /** The timeout of `run` and `start` of a tool: 60,000 by default. */
  readonly toolTimeoutMs?: number;
  /**
   * How long a worker keeps the answers of models and tools and tries to commit them while the store fails. By default
   * it tries until another worker has the turn, or until it is closed.
   */
  readonly keepAnswerMs?: number;
  /**
   * What happens if a tool with `idempotent: false` was started and its worker was lost: `report` passes an error
   * `unknown_outcome` to the model, `fail` fails the turn with that code. `report` by default.
   */
  readonly unknownOutcome?: "report" | "fail";
  /**
   * Records what the model of each step sees. `turn_view` with the id of the step as `recorded` shows it again, byte for
   * byte. The setting `view_retention_seconds` bounds how long. True by default.
   */
  readonly record?: boolean;
  /** The maximum size of a model's answer: 1 MiB by default. */
  readonly maxAnswerBytes?: number;
  /** The maximum number of tool calls in one answer: 32 by default. */
  readonly maxToolCalls?: number;
  /** Spans and metrics: the result of `telemetry()` from `tuckbox/telemetry`. */
  readonly telemetry?: Telemetry;
  readonly log?: (entry: LogEntry) => void;
}

/** Runs turns. Any number of workers can run on one project, in any number of processes. */
export interface Worker extends AsyncDisposable {
  readonly name: string;
  /** The number of turns that it is running. */
  readonly running: number;
  /** Starts to claim turns. */
  start(): Promise<void>;
  /** Processes pending messages until none is left. Returns their number. */
  step(): Promise<number>;
  /**
   * Claims no more turns, waits `graceMs` (10,000 by default) for running ones, and releases the rest. The next
   * worker repeats the interrupted step, so its tools can run again.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Returns a worker.
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

/** A schema of Zod, Valibot, ArkType or any other library: see https://standardschema.dev. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** What a schema makes of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** A tool with its name. */
export type NamedTool = ToolDefinition & { readonly name: string; readonly run: ToolFunction };

/**
 * Returns a tool whose arguments a schema checks. Arguments that do not match are an error, which the model receives.
 * `parameters` is the JSON Schema for the model; by default the schema's library writes it. A schema that is itself a
 * JSON Schema only describes the arguments.
 *
 * @example
 * const search = tool({ name: "search", schema: z.object({ query: z.string() }), run: ({ query }) => lookUp(query) });
 */
export declare function tool<Output>(definition: {
  readonly name: string;
  readonly description?: string;
  readonly schema: StandardSchema<Output>;
  readonly parameters?: { readonly [key: string]: JsonInput };
  readonly run: (args: Output, call: ToolCall) => unknown;
  readonly timeoutMs?: number;
  readonly idempotent?: boolean;
}): NamedTool;
export declare function tool(definition: {
  readonly name: string;
  readonly description?: string;
  readonly schema: { readonly [key: string]: JsonInput };
  readonly run: ToolFunction;
  readonly timeoutMs?: number;
  readonly idempotent?: boolean;
}): NamedTool;

/** Returns a tool that runs a recipe. */
export declare function recipe(
  name: RecipeName,
  more?: ToolDefinition & { readonly toolSuffix?: string; readonly timeoutSeconds?: number; readonly maxTasks?: number },
): Tool;

/** Returns a tool that ends the turn. Its arguments are the fields of the deliverable. */
export declare function submitResult(parameters?: { readonly [key: string]: Json }): Tool;
