import type { ChangeCode, Provider } from "./codes.js";
import type { MessageInput } from "./compose.js";
import type { JsonInput, JsonObject, JsonText } from "./json.js";
import type { Render } from "./operations.js";
import type { CachePolicy, Results } from "./results.js";

/** Where a message came from, and what a budget may do to it. An entry of the composer's ledger is one too. */
export interface Origin {
  /** The layer of a composed prompt. */
  readonly layer?: string | null;
  /** The card of a rendered one. */
  readonly card_id?: string | null;
  /** True for the message that holds the query. */
  readonly is_query?: boolean;
  /** A budget never drops it. */
  readonly protected?: boolean;
  /** A budget drops lower figures first. */
  readonly priority?: number | null;
}

/** Where a prompt comes from: messages that come with the call, cards, a whole turn, or the composer. */
export type PromptSource =
  | {
      readonly messages: readonly (MessageInput | JsonText)[] | JsonText;
      /** Where each message came from, in the same order; shorter where nothing is known. */
      readonly origins?: readonly (Origin | null)[];
      /** `{"type": "function", "function": {..}}`, or bare functions. */
      readonly tools?: readonly JsonInput[];
    }
  | Render
  /** The call of `turn_view`. */
  | { readonly turn: { readonly [key: string]: JsonInput | undefined } | JsonText }
  /** The call of `compose`. */
  | { readonly compose: { readonly [key: string]: JsonInput | undefined } | JsonText };

/** How much a model thinks before it answers. */
export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** What a server that speaks chat completions does differently; the name of a server stands for its quirks. */
export type Quirk = "system_first" | "alternate" | "text_content" | "no_tool_choice" | "max_completion_tokens" | "developer" | "vllm" | "llama_cpp" | "ollama";

/** What is known about a model: an entry of the table of models. */
export interface ModelInfo {
  readonly context_window?: number;
  readonly output_limit?: number;
  /** The kinds of file that it sees. */
  readonly media?: readonly ("image" | "audio" | "video" | "document")[];
  /** System messages may stand in the conversation. */
  readonly system_in_conversation?: boolean;
  readonly thinking?: "none" | "budget" | "effort" | "adaptive";
  /** An assistant's last message may be the beginning of the answer. */
  readonly prefill?: boolean;
  /** It takes `temperature` and `top_p`. */
  readonly temperature?: boolean;
  /** A call has to carry the signature that the model gave it. */
  readonly call_signatures?: boolean;
  readonly cache?: { readonly least_tokens?: number; readonly step?: number };
  readonly price?: JsonObject;
}

/** What a host says beside a prompt. */
export interface PayloadOptions {
  /** Which model. `payload` needs one; counting and comparing do not. */
  readonly model?: string;
  readonly max_output_tokens?: number;
  /** Whether and which tool the model calls, under the name that the prompt gives it. The forms of the providers are read too. */
  readonly tool_choice?: "auto" | "none" | "required" | { readonly tool: string } | { readonly [key: string]: JsonInput | undefined };
  /** Whether the model may make several calls at once. */
  readonly parallel_tool_calls?: boolean;
  readonly temperature?: number;
  readonly top_p?: number;
  /** Texts at which the answer stops. */
  readonly stop?: readonly string[];
  /** The schema of the answer. */
  readonly response_schema?: { readonly name?: string; readonly schema: { readonly [key: string]: JsonInput | undefined }; readonly strict?: boolean };
  /** How much the model thinks. */
  readonly effort?: Effort;
  /** The most tokens that the model thinks, for models that count them. */
  readonly thinking_tokens?: number;
  /** Names and texts that the provider keeps with the request. */
  readonly metadata?: { readonly [key: string]: JsonInput | undefined };
  /** Layers after whose last message the provider's cache may end. */
  readonly cache_after?: readonly string[];
  /** The response that this request goes on from, at OpenAI. */
  readonly previous_response_id?: string;
  /** What a server that speaks chat completions does differently. */
  readonly quirks?: readonly Quirk[];
  /** What the host knows about the model better than the table of models. */
  readonly model_info?: ModelInfo;
  /** Refuse instead of changing what the model would see. */
  readonly strict?: boolean;
  /** Changes that `strict` lets pass. */
  readonly allow?: readonly ChangeCode[];
  /** Send `reasoning_content` back, to servers that speak chat completions and know the key. */
  readonly keep_reasoning?: boolean;
  /** The assistant's last message is the beginning of the answer, for models that continue it. */
  readonly prefill?: boolean;
  /** Further keys of the body, such as `temperature`. */
  readonly extra?: { readonly [key: string]: JsonInput | undefined };
}

/** A call of `payload`. */
export type MakePayload = PromptSource & PayloadOptions & { readonly provider: Provider };

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

/** The figures of a counter that ran in the host: those of the texts of `token_texts`, in order; or estimates held against what a provider once counted. */
export type CounterFigures =
  | {
      readonly counts: readonly number[];
      /** True when they are the model's own. */
      readonly exact?: boolean;
      /** The name of the encoding. Counts of `o200k_base` and `cl100k_base` are exact for OpenAI only. */
      readonly encoding?: string;
    }
  | {
      /** What the `usage` of an answer says, and what was estimated for the same request. */
      readonly scale: { readonly counted: number; readonly estimated: number };
    }
  | {
      /** The `calibration` of an import's report: that of the model scales the estimates; without one they stay as they are. */
      readonly calibration: readonly { readonly model: string; readonly recorded: number; readonly estimated: number }[];
      /** The `model` of the call by default. */
      readonly model?: string;
    };

/** Operations from a prompt to what a provider gets. They write nothing. */
export interface PayloadOperations {
  /** The request body for a provider, always legal, and a report of every change. */
  payload: { args: MakePayload; value: Results["payload"] };
  /** A model's answer, whole or as the events of a stream, as a neutral message and as a card. */
  read_response: {
    args: { readonly provider: Provider; readonly tools?: readonly JsonInput[] } & (
      | { readonly response: { readonly [key: string]: JsonInput | undefined } | JsonText }
      | { readonly events: readonly JsonInput[] | JsonText }
    );
    value: Results["read_response"];
  };
  /** A model's call with the name and the arguments that its tool was defined with. Text stays text. */
  restore_call: {
    args: { readonly provider: Provider; readonly tools: readonly JsonInput[]; readonly name: string; readonly arguments: JsonInput };
    value: Results["restore_call"];
  };
  /** The texts of a payload that a counter of the host's own has to count. */
  token_texts: { args: MakePayload; value: Results["token_texts"] };
  /** Where the tokens of a payload go. Without `counter` the figures are estimates. */
  count_tokens: { args: MakePayload & { readonly counter?: CounterFigures }; value: Results["count_tokens"] };
  /** Drops what does not fit, in one fixed order; never the system prompt or the query. */
  budget: {
    args: MakePayload & {
      /** The window of the model by default, less what is kept for the answer. */
      readonly limit?: number;
      readonly priorities?: { readonly [layer: string]: number };
      /** Positions of messages that stay whatever happens. */
      readonly pinned?: readonly number[];
      /** Leave the prompt and the account of its messages out of the answer: positions and the sum say enough to whoever has it. */
      readonly brief?: boolean;
      /** Other limits, of which only the figures are wanted: limits times messages are 40,000 at most. */
      readonly also?: readonly number[];
      readonly counter?: CounterFigures;
    };
    value: Results["budget"];
  };
  /** Where two payloads part, why, and what a prefix cache keeps. */
  diff_payloads: {
    args: {
      readonly provider: Provider;
      readonly before: PromptSource & PayloadOptions;
      readonly after: PromptSource & PayloadOptions;
      readonly cache?: Partial<Omit<CachePolicy, "marked">>;
      readonly counter?: CounterFigures;
    };
    value: Results["diff_payloads"];
  };
}
