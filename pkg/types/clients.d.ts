// Methods whose types depend on the provider, for calls with the libraries of providers.
import type { MakePayload } from "./arguments.js";
import type { BodyForm, PayloadOf } from "./bodies.js";
import type { Provider } from "./codes.js";
import type { Json, JsonObjectInput, JsonText } from "./json.js";
import type { Operations } from "./operations.js";
import type { Message, Payload, Results } from "./results.js";
import type { CallOptions } from "./workspace.js";

/** Arguments whose words can be plain strings, as in a constant object without `as const`. */
export type Loose<Value> = Value extends string
  ? string
  : Value extends JsonText
    ? Value
    : Value extends readonly (infer Item)[]
      ? readonly Loose<Item>[]
      : Value extends object
        ? { [Key in keyof Value]: Loose<Value[Key]> }
        : Value;

/** Arguments whose provider is a name, or only known to be a string. A misspelled name is an error. */
export type LooseArguments<Arguments, P extends string> = Loose<Arguments> & { readonly provider: P } & (string extends P
    ? unknown
    : never);

/** The operations that name a provider. */
export type ProviderOperation = "count_tokens" | "token_texts" | "budget" | "diff_payloads" | "restore_call" | "read_deltas";

/** The method of an operation that names a provider. */
export interface LooseMethod<Name extends ProviderOperation> {
  <P extends string>(args: LooseArguments<Operations[Name]["args"], P>, options?: CallOptions): Promise<Operations[Name]["value"]>;
  // last, so that a type error names the wrong key of its arguments
  (args: Operations[Name]["args"] | JsonText | Uint8Array, options?: CallOptions): Promise<Operations[Name]["value"]>;
}

/**
 * Builds the request body for a provider. The type of the body is what the library of the provider takes.
 *
 * @example
 * const { body } = await project.payload({ provider: "gemini", form: "client", model, messages });
 * const response = await ai.models.generateContent(body);
 */
export interface PayloadMethod {
  <P extends Provider, F extends BodyForm = "http">(
    args: Loose<MakePayload> & { readonly provider: P; readonly form?: F },
    options?: CallOptions,
  ): Promise<PayloadOf<P, F>>;
  <P extends string>(args: LooseArguments<MakePayload, P>, options?: CallOptions): Promise<PayloadOf<string>>;
  // last, so that a type error names the wrong key of its arguments
  (args: MakePayload | JsonText | Uint8Array, options?: CallOptions): Promise<Payload>;
}

/** The part of the response of `fetch` that is used here, without the DOM's types. */
export interface WebResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** What a client returns for a stream: its events, an object with them, a response of `fetch`, or a promise of these. */
export type StreamedResponse =
  | AsyncIterable<unknown>
  | { readonly stream?: AsyncIterable<unknown> | undefined }
  | { readonly fullStream: AsyncIterable<unknown> }
  | WebResponse
  | PromiseLike<unknown>;

/** The arguments of `readResponse` with what a client returned. */
export interface ReadClientResponse<R> {
  /** The provider of the model. */
  readonly provider: string;
  /** The tools of the prompt. */
  readonly tools?: readonly JsonObjectInput[];
  /** What the client returned. */
  readonly response: R;
}

/** A tool call in the message of a model. */
export interface AnswerCall {
  readonly id: string;
  readonly type: "function";
  /** The name of the tool in the prompt, and the arguments as JSON text. */
  readonly function: { readonly name: string; readonly arguments: string };
  readonly [key: string]: Json | undefined;
}

/** The message of a model. */
export interface AnswerMessage extends Message {
  readonly role: "assistant";
  readonly tool_calls?: readonly AnswerCall[];
}

/** The answer of a model. */
export type Answer = Omit<Results["read_response"], "message"> & { readonly message: AnswerMessage };

/** What one event of a stream adds to the answer. */
export type ResponseDelta = Results["read_deltas"]["deltas"][number];

/**
 * A stream that is being read: a promise of the whole answer, and an iteration over its deltas. Ending the iteration
 * early cancels the stream.
 *
 * @example
 * const reading = project.prompt.readResponse({ provider: "anthropic", response: stream });
 * for await (const delta of reading) if (delta.type === "text") write(delta.text);
 * const { message, usage } = await reading;
 */
export interface ResponseReading extends Promise<Answer>, AsyncIterable<ResponseDelta> {}

/** Reads the answer of a model: a body, what a client returned, or a stream. */
export interface ReadResponseMethod {
  (args: ReadClientResponse<StreamedResponse>, options?: CallOptions): ResponseReading;
  (args: ReadClientResponse<object>, options?: CallOptions): Promise<Answer>;
  // last, so that a type error names the wrong key of its arguments
  (args: Operations["read_response"]["args"] | JsonText, options?: CallOptions): Promise<Answer>;
}
