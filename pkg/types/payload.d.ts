import type { Provider } from "./codes.js";
import type { JsonInput, JsonObject } from "./json.js";

/** One part of a message's content. The forms of providers and frameworks are read too. Part by part: docs/reference/parts.md. */
export type MessagePart = TextPart | FilePart | ToolCallPart | ToolResultPart | ReasoningPart | RefusalPart | ProviderPart;

/** What may stand beside any part. */
export type PartMarks = {
  /** The provider's cache may end after this part; `true` is as long as the provider keeps it by default. */
  readonly cache?: boolean | "5m" | "1h";
  /** Gemini's signature, to be given back as it came. */
  readonly thoughtSignature?: string;
};

/** Words. */
export type TextPart = PartMarks & {
  readonly type: "text";
  readonly text: string;
  /** What an assistant cited, as Anthropic wrote it. */
  readonly citations?: readonly JsonInput[];
  /** What an assistant cited, as OpenAI Responses wrote it. */
  readonly annotations?: readonly JsonInput[];
};

/** An image, a sound, a video, a document or another file. */
export type FilePart = FileSource &
  PartMarks & {
    readonly type: "image" | "audio" | "video" | "document" | "file";
    /** Such as `image/png`; a guess from the address or the first bytes where it is not said. */
    readonly mime_type?: string;
    /** The name of the file. */
    readonly name?: string;
    /** What is said about a document (Anthropic). */
    readonly title?: string;
    readonly context?: string;
    readonly citations?: boolean | JsonObject;
    /** How closely a picture is looked at (OpenAI). */
    readonly detail?: string;
  };

/** Where a file is. */
export type FileSource =
  /** The bytes as base64. */
  | { readonly data: string }
  /** An address, of any scheme. */
  | { readonly url: string }
  /** The text of a document itself. */
  | { readonly text: string }
  /** The id of a file that was uploaded, and whose id it is. */
  | { readonly file_id: string; readonly provider?: "openai" | "anthropic" };

/** A call that an assistant makes. */
export type ToolCallPart = PartMarks & {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
};

/** What a tool answered. */
export type ToolResultPart = PartMarks & {
  readonly type: "tool_result";
  readonly call_id: string;
  /** Text, or texts and files. */
  readonly content: string | readonly (TextPart | FilePart | ProviderPart)[];
  /** The call failed. */
  readonly is_error?: boolean;
  /** The name of the tool. */
  readonly name?: string;
};

/** What an assistant thought. */
export type ReasoningPart = PartMarks & {
  readonly type: "reasoning";
  readonly text: string;
  /** Anthropic's signature over the text. */
  readonly signature?: string;
  /** Anthropic's reasoning in encrypted form. */
  readonly encrypted?: string;
};

/** An assistant declined. */
export type RefusalPart = PartMarks & {
  readonly type: "refusal";
  readonly refusal: string;
};

/** A part that only one provider has, such as a call of a tool on its side and the result: it goes back to it untouched and is a reported loss elsewhere. */
export type ProviderPart = PartMarks & {
  readonly type: "provider";
  readonly provider: Provider;
  readonly value: JsonObject;
};
