import type { MakePayload } from "./arguments.js";
import type { BodyForm, PayloadOf } from "./bodies.js";
import type { Loose, LooseArguments } from "./clients.js";
import type { Provider } from "./codes.js";
import type { JsonObjectInput } from "./json.js";
import type { DroppedMessage, Message, Response } from "./results.js";

/** A message as a caller passes it: text of the user, or a neutral message. */
export type ConversationMessage = string | (JsonObjectInput & { readonly role: string });

/** When and how old messages are replaced by a summary. */
export interface CompactPolicy {
  /** The number of tokens of the conversation above which a request compacts it. */
  readonly above: number;
  /** The number of tokens of the last messages that are kept. Half of `above` by default. */
  readonly keep?: number;
  /** Returns the summary of messages, usually the answer of a model. An earlier summary is one of them. */
  readonly summarize: (messages: readonly Message[]) => string | Promise<string>;
}

/** Options of a conversation. */
export interface ConversationOptions {
  /** The system prompt. It is not stored. */
  readonly system?: string;
  /** The maximum number of tokens of a request. What does not fit is dropped from the request, not from the conversation. */
  readonly limit?: number;
  readonly compact?: CompactPolicy;
}

/** A summary, and what it replaced. */
export interface Compacted {
  /** The card of the summary. */
  readonly card_id: string;
  /** The cards that the summary replaced. They stay in the store. */
  readonly covers: readonly string[];
  /** The tokens of the conversation before. */
  readonly tokens_before: number;
}

/** The arguments of a request of a conversation, without the provider: those of `payload`. */
export type ConversationCall = Partial<Omit<MakePayload, "provider" | "origins">> & {
  /** The number of messages of the conversation. All by default. */
  readonly take?: number;
};

/** The request of a conversation. The type of its body is what the library of the provider takes. */
export type ConversationRequest<P extends string = Provider, F extends string = BodyForm> = PayloadOf<P, F> & {
  /** The messages that did not fit. */
  readonly dropped: readonly DroppedMessage[];
  /** The compaction that this request caused. */
  readonly compacted: Compacted | null;
};

/** A conversation: a box whose cards are its messages. */
export interface Conversation {
  /** The id of the conversation and of its box. */
  readonly id: string;
  /** Appends messages and returns the ids of their cards. */
  add(messages: ConversationMessage | readonly ConversationMessage[]): Promise<readonly string[]>;
  /**
   * Returns the body of the next request. With `take`, it is the request as of that number of messages: nothing is
   * compacted.
   */
  request<P extends Provider, F extends BodyForm = "http">(
    call: Loose<ConversationCall> & { readonly provider: P; readonly form?: F },
  ): Promise<ConversationRequest<P, F>>;
  request<P extends string>(call: LooseArguments<ConversationCall, P>): Promise<ConversationRequest<string>>;
  /** Reads the answer of a model, whole or as a stream, appends it and returns it. */
  answer(
    answer: { readonly provider: MakePayload["provider"]; readonly tools?: readonly JsonObjectInput[] } & (
      | { readonly response: unknown }
      | { readonly events: unknown }
    ),
  ): Promise<Response>;
  /** Returns the messages that a model sees: all, or the first `take`. */
  messages(options?: { readonly take?: number }): Promise<readonly Message[]>;
  /** Copies the first `take` messages to a new conversation with the same options. */
  fork(options?: { readonly take?: number; readonly id?: string }): Promise<Conversation>;
  /** Lists the summaries that are part of the conversation. */
  compactions(): Promise<readonly Compacted[]>;
}
