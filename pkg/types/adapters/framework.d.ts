import type { JsonObject } from "../json.js";
import type { RecordSink } from "../record.js";
import type { DroppedMessage, Loss } from "../results.js";
import type { AdapterMode, AssembleOptions } from "./fetch.js";

/** Options of an adapter of an agent framework. */
export interface FrameworkOptions<Message> extends AssembleOptions {
  /** `look` by default. */
  readonly mode?: AdapterMode;
  /** Receives the records. By default the project imports them, so that the inspector shows them. */
  readonly sink?: RecordSink;
  /** Receives what is sent, before it is sent. In the mode `assemble`. */
  readonly onRequest?: (request: ChosenRequest<Message>) => void;
  /** Receives the errors of the sink. */
  readonly onError?: (error: unknown) => void;
}

/** The messages of a request that fit. */
export interface ChosenRequest<Message> {
  readonly messages: readonly Message[];
  /** The messages that did not fit, with their positions. */
  readonly dropped: readonly DroppedMessage[];
  /** The messages and keys that the provider does not take, with the positions of the messages. */
  readonly losses: readonly Loss[];
}

/** A message or an item as JSON. */
export type MessageJson = JsonObject;
