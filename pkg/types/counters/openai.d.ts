import type { CounterFigures, MakePayload } from "../arguments.js";
import type { Workspace } from "../workspace.js";

/** Counts the tokens of strings. A host can pass its own. */
export interface Counter {
  /** True if the counts are those of the model. */
  readonly exact: boolean;
  /** The name of the encoding. */
  readonly encoding?: string;
  count(text: string): number;
}

/**
 * Returns an exact counter for one of OpenAI's encodings. It requires the package `gpt-tokenizer`, and loads
 * the vocabulary (2.4 MB for `o200k_base`, 1.1 MB compressed).
 *
 * @example
 * const counter = await openaiCounter();
 * const call = { provider: "openai_chat", messages: [{ role: "user", content: "hello" }] };
 * const account = await project.countTokens({ ...call, counter: await countWith(counter, project, call) });
 */
export declare function openaiCounter(encoding?: "o200k_base" | "cl100k_base"): Promise<Counter>;

/**
 * Counts the strings of payloads. Returns the `counter` of a `count_tokens`, `budget` or `diff_payloads` call.
 * For a comparison, pass the earlier call first.
 */
export declare function countWith(counter: Counter, workspace: Workspace, ...calls: readonly MakePayload[]): Promise<CounterFigures>;
