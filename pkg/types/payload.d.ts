import type { Provider } from "./codes.js";
import type { JsonInput, JsonObject } from "./json.js";

/** A part of a message's content. The formats of providers and frameworks are accepted too; docs/reference/parts.md lists them. */
export type MessagePart = TextPart | FilePart | ToolCallPart | ToolResultPart | ReasoningPart | RefusalPart | ProviderPart;

/** Optional members of every part. */
export type PartMarks = {
  /** Marks the end of a cached prefix. `true` uses the provider's default lifetime. */
  readonly cache?: boolean | "5m" | "1h";
  /** Gemini's signature, sent back verbatim. */
  readonly thoughtSignature?: string;
};

/** Text. */
export type TextPart = PartMarks & {
  readonly type: "text";
  readonly text: string;
  /** Citations in Anthropic's format. */
  readonly citations?: readonly JsonInput[];
  /** Citations in the format of OpenAI Responses. */
  readonly annotations?: readonly JsonInput[];
};

/** An image, audio, a video, a document or another file. */
export type FilePart = FileSource &
  PartMarks & {
    readonly type: "image" | "audio" | "video" | "document" | "file";
    /** The media type, such as `image/png`. By default it is derived from the URL or the first bytes. */
    readonly mime_type?: string;
    /** The name of the file. */
    readonly name?: string;
    /** Context of a document (Anthropic). */
    readonly title?: string;
    readonly context?: string;
    readonly citations?: boolean | JsonObject;
    /** The level of detail of an image (OpenAI). */
    readonly detail?: string;
  };

/** The source of a file. */
export type FileSource =
  /** The bytes as base64. */
  | { readonly data: string }
  /** A URL of any scheme. */
  | { readonly url: string }
  /** The text of a document. */
  | { readonly text: string }
  /** The id of an uploaded file, and its provider. */
  | { readonly file_id: string; readonly provider?: "openai" | "anthropic" };

/** A tool call of an assistant. */
export type ToolCallPart = PartMarks & {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON text, verbatim. */
  readonly arguments: string;
};

/** The result of a tool. */
export type ToolResultPart = PartMarks & {
  readonly type: "tool_result";
  readonly call_id: string;
  /** Text, or text and files. */
  readonly content: string | readonly (TextPart | FilePart | ProviderPart)[];
  /** True if the call failed. */
  readonly is_error?: boolean;
  /** The name of the tool. */
  readonly name?: string;
};

/** Reasoning of an assistant. */
export type ReasoningPart = PartMarks & {
  readonly type: "reasoning";
  readonly text: string;
  /** Anthropic's signature over the text. */
  readonly signature?: string;
  /** Anthropic's reasoning in encrypted form. */
  readonly encrypted?: string;
};

/** A refusal of an assistant. */
export type RefusalPart = PartMarks & {
  readonly type: "refusal";
  readonly refusal: string;
};

/** A part of one provider, such as a server-side tool call. It goes back to this provider verbatim. For others it is a reported loss. */
export type ProviderPart = PartMarks & {
  readonly type: "provider";
  readonly provider: Provider;
  readonly value: JsonObject;
};
