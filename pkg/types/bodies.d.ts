// The bodies of providers, in types that the call of the provider's library accepts. They need no library.
// Parts and tools that only one provider has are sent verbatim and are not in these types.
import type { PayloadOptions } from "./arguments.js";
import type { Provider } from "./codes.js";
import type { JsonObject } from "./json.js";
import type { Payload } from "./results.js";

/** The form of a body: that of the HTTP request, or the whole argument of the call of the provider's library. */
export type BodyForm = NonNullable<PayloadOptions["form"]>;

/** The schema of a tool: JSON Schema of an object. */
export type ToolSchema = { type: "object"; [key: string]: unknown };

/** JSON in the types of the libraries. */
export type PlainJson = null | boolean | number | string | PlainJson[] | { [key: string]: PlainJson };

type Unknowns = { [key: string]: unknown };

/** The mark of Anthropic's cache. */
export type AnthropicCacheControl = { type: "ephemeral"; ttl?: "5m" | "1h" };

type AnthropicMarks = { cache_control?: AnthropicCacheControl };
type AnthropicText = AnthropicMarks & { type: "text"; text: string };
type AnthropicImage = AnthropicMarks & {
  type: "image";
  source:
    | { type: "base64"; media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp"; data: string }
    | { type: "url"; url: string };
};
type AnthropicDocument = AnthropicMarks & {
  type: "document";
  source:
    | { type: "base64"; media_type: "application/pdf"; data: string }
    | { type: "text"; media_type: "text/plain"; data: string }
    | { type: "url"; url: string };
  title?: string;
  context?: string;
  citations?: { enabled?: boolean };
};

/** A block of a message for Anthropic. */
export type AnthropicBlock =
  | AnthropicText
  | AnthropicImage
  | AnthropicDocument
  | (AnthropicMarks & { type: "tool_use"; id: string; name: string; input: JsonObject })
  | (AnthropicMarks & {
      type: "tool_result";
      tool_use_id: string;
      content?: string | (AnthropicText | AnthropicImage | AnthropicDocument)[];
      is_error?: boolean;
    })
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string };

/** The body of Anthropic Messages: the argument of `client.messages.create`. */
export type AnthropicBody = {
  model: string;
  max_tokens: number;
  system?: AnthropicText[];
  messages: ({ role: "user" | "assistant"; content: AnthropicBlock[] } | { role: "system"; content: AnthropicText[] })[];
  tools?: (AnthropicMarks & { name: string; description?: string; input_schema: ToolSchema; strict?: boolean })[];
  tool_choice?:
    | { type: "auto" | "any"; disable_parallel_tool_use?: boolean }
    | { type: "tool"; name: string; disable_parallel_tool_use?: boolean }
    | { type: "none" };
  stop_sequences?: string[];
  thinking?: { type: "enabled"; budget_tokens: number } | { type: "adaptive" };
  output_config?: { effort?: "low" | "medium" | "high" | "xhigh" | "max"; format?: { type: "json_schema"; schema: Unknowns } };
  metadata?: { user_id?: string };
};

type ChatText = { type: "text"; text: string };

/** A message of Chat Completions. */
export type OpenAIChatMessage =
  | { role: "system" | "developer"; content: string | ChatText[]; name?: string }
  | {
      role: "user";
      content:
        | string
        | (
            | ChatText
            | { type: "image_url"; image_url: { url: string; detail?: "auto" | "low" | "high" } }
            | { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } }
            | { type: "file"; file: { file_id?: string; filename?: string; file_data?: string } }
          )[];
      name?: string;
    }
  | {
      role: "assistant";
      content?: string | (ChatText | { type: "refusal"; refusal: string })[] | null;
      name?: string;
      tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
    }
  | { role: "tool"; tool_call_id: string; content: string | ChatText[] };

/** How much a model of OpenAI thinks. */
export type OpenAIEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** The body of OpenAI Chat Completions: the argument of `client.chat.completions.create`. */
export type OpenAIChatBody = {
  model: string;
  messages: OpenAIChatMessage[];
  tools?: { type: "function"; function: { name: string; description?: string; parameters?: Unknowns; strict?: boolean } }[];
  max_completion_tokens?: number;
  max_tokens?: number;
  tool_choice?: "auto" | "none" | "required" | { type: "function"; function: { name: string } };
  parallel_tool_calls?: boolean;
  temperature?: number;
  top_p?: number;
  stop?: string[];
  response_format?: { type: "json_schema"; json_schema: { name: string; schema?: Unknowns; strict?: boolean } };
  reasoning_effort?: OpenAIEffort;
  metadata?: { [key: string]: string };
};

type ResponsesContent =
  | string
  | (
      | { type: "input_text"; text: string }
      | { type: "input_image"; detail: "auto" | "low" | "high"; image_url?: string; file_id?: string }
      | { type: "input_file"; filename?: string; file_data?: string; file_url?: string; file_id?: string }
    )[];

/** An item of the input of OpenAI Responses. */
export type OpenAIResponsesItem =
  | { role: "user" | "system" | "developer"; content: ResponsesContent }
  | { role: "assistant"; content: string }
  | { type: "function_call"; call_id: string; name: string; arguments: string }
  | { type: "function_call_output"; call_id: string; output: ResponsesContent }
  | { type: "reasoning"; id: string; summary: { type: "summary_text"; text: string }[]; encrypted_content?: string | null };

/** The body of OpenAI Responses: the argument of `client.responses.create`. */
export type OpenAIResponsesBody = {
  model: string;
  input: OpenAIResponsesItem[];
  tools?: { type: "function"; name: string; description?: string; parameters: Unknowns; strict: boolean }[];
  max_output_tokens?: number;
  tool_choice?: "auto" | "none" | "required" | { type: "function"; name: string };
  parallel_tool_calls?: boolean;
  temperature?: number;
  top_p?: number;
  text?: { format: { type: "json_schema"; name: string; schema: Unknowns; strict?: boolean } };
  reasoning?: { effort: OpenAIEffort };
  metadata?: { [key: string]: string };
  previous_response_id?: string;
};

/** A part of a content for Gemini. */
export type GeminiPart = {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  inlineData?: { mimeType: string; data: string };
  fileData?: { mimeType: string; fileUri: string };
  functionCall?: { name: string; args: JsonObject };
  functionResponse?: { name: string; response: JsonObject };
};

type GeminiTools = { functionDeclarations?: { name: string; description?: string; parametersJsonSchema?: unknown }[] }[];

/** A string of an enum of Google's library. Only an import of the library could name the enum. */
type GeminiEnum = any;

type GeminiToolConfig = { functionCallingConfig: { mode: GeminiEnum; allowedFunctionNames?: string[] } };

type GeminiSettings = {
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  stopSequences?: string[];
  responseMimeType?: string;
  responseJsonSchema?: unknown;
  thinkingConfig?: { thinkingLevel?: GeminiEnum; thinkingBudget?: number };
};

/** The body of a request to Gemini. The library takes another form: use `form: "client"`. */
export type GeminiBody = {
  contents: { role: "user" | "model"; parts: GeminiPart[] }[];
  systemInstruction?: { parts: GeminiPart[] };
  tools?: GeminiTools;
  toolConfig?: GeminiToolConfig;
  generationConfig?: GeminiSettings;
  /** Never set. It makes passing this body to the library an error of the compiler instead of a loss. */
  config?: 'this is the HTTP body: pass `form: "client"` to get the argument of the library';
};

/** The argument of `ai.models.generateContent` of `@google/genai`. */
export type GeminiArgument = {
  model: string;
  contents: { role: "user" | "model"; parts: GeminiPart[] }[];
  config?: GeminiSettings & { systemInstruction?: { parts: GeminiPart[] }; tools?: GeminiTools; toolConfig?: GeminiToolConfig };
};

type BedrockCachePoint = { cachePoint: { type: "default"; ttl?: "5m" | "1h" } };
type BedrockSource<Bytes> = { bytes: Bytes } | { s3Location: { uri: string } };
type BedrockText = { text: string };
type BedrockImage<Bytes> = { image: { format: "png" | "jpeg" | "gif" | "webp"; source: BedrockSource<Bytes> } };
type BedrockDocument<Bytes> = {
  document: {
    format: "pdf" | "csv" | "doc" | "docx" | "xls" | "xlsx" | "html" | "txt" | "md";
    name: string;
    source: BedrockSource<Bytes>;
  };
};

/** A block of a message for Bedrock. */
export type BedrockBlock<Bytes = string> =
  | BedrockText
  | BedrockImage<Bytes>
  | BedrockDocument<Bytes>
  | { toolUse: { toolUseId: string; name: string; input: PlainJson } }
  | {
      toolResult: {
        toolUseId: string;
        content: (BedrockText | BedrockImage<Bytes> | BedrockDocument<Bytes>)[];
        status?: "error";
      };
    }
  | { reasoningContent: { reasoningText: { text: string; signature: string } } | { redactedContent: Bytes } }
  | BedrockCachePoint;

/** The body of Bedrock `Converse`, without the model. */
export type BedrockBody<Bytes = string> = {
  system?: (BedrockText | BedrockCachePoint)[];
  messages: { role: "user" | "assistant"; content: BedrockBlock<Bytes>[] }[];
  inferenceConfig?: { maxTokens?: number; temperature?: number; topP?: number; stopSequences?: string[] };
  toolConfig?: {
    tools: ({ toolSpec: { name: string; description?: string; inputSchema: { json: PlainJson } } } | BedrockCachePoint)[];
    toolChoice?: { auto: Record<never, never> } | { any: Record<never, never> } | { tool: { name: string } };
  };
  requestMetadata?: { [key: string]: string };
};

/** The argument of `ConverseCommand` and `ConverseStreamCommand` of `@aws-sdk/client-bedrock-runtime`. */
export type BedrockArgument = { modelId: string } & BedrockBody<Uint8Array>;

type MistralText = { type: "text"; text: string };
type MistralThinking = { type: "thinking"; thinking: MistralText[] };

/** The body of a request to Mistral. The library takes another form: use `form: "client"`. */
export type MistralBody = {
  model: string;
  messages: (
    | { role: "system"; content: string | MistralText[] }
    | {
        role: "user";
        content:
          | string
          | (
              | MistralText
              | { type: "image_url"; image_url: { url: string; detail?: "auto" | "low" | "high" } }
              | { type: "document_url"; document_url: string }
            )[];
      }
    | {
        role: "assistant";
        content?: string | (MistralText | MistralThinking)[] | null;
        tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
        prefix?: boolean;
      }
    | { role: "tool"; tool_call_id: string; content: string | MistralText[] }
  )[];
  tools?: { type: "function"; function: { name: string; description?: string; parameters: Unknowns; strict?: boolean } }[];
  max_tokens?: number;
  tool_choice?: "auto" | "none" | "required" | { type: "function"; function: { name: string } };
  parallel_tool_calls?: boolean;
  temperature?: number;
  top_p?: number;
  stop?: string[];
  response_format?: { type: "json_schema"; json_schema: { name: string; schema: Unknowns; strict?: boolean } };
};

/** The argument of `client.chat.complete` and `client.chat.stream` of `@mistralai/mistralai`. */
export type MistralArgument = {
  model: string;
  messages: (
    | { role: "system"; content: string | MistralText[] }
    | {
        role: "user";
        content:
          | string
          | (
              | MistralText
              | { type: "image_url"; imageUrl: { url: string; detail?: "auto" | "low" | "high" } }
              | { type: "document_url"; documentUrl: string }
            )[];
      }
    | {
        role: "assistant";
        content?: string | (MistralText | MistralThinking)[] | null;
        toolCalls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
        prefix?: boolean;
      }
    | { role: "tool"; toolCallId: string; content: string | MistralText[] }
  )[];
  tools?: { type: "function"; function: { name: string; description?: string; parameters: Unknowns; strict?: boolean } }[];
  maxTokens?: number;
  toolChoice?: "auto" | "none" | "required" | { type: "function"; function: { name: string } };
  parallelToolCalls?: boolean;
  temperature?: number;
  topP?: number;
  stop?: string[];
  responseFormat?: { type: "json_schema"; jsonSchema: { name: string; schemaDefinition: Unknowns; strict?: boolean } };
};

type SdkOptions = { providerOptions?: { [provider: string]: { [key: string]: PlainJson } } };
type SdkText = SdkOptions & { type: "text"; text: string };

/** A message of the AI SDK. */
export type AiSdkMessage =
  | (SdkOptions & { role: "system"; content: string })
  | {
      role: "user";
      content:
        | string
        | (
            | SdkText
            | (SdkOptions & { type: "image"; image: string; mediaType?: string })
            | (SdkOptions & { type: "file"; data: string; mediaType: string; filename?: string })
          )[];
    }
  | {
      role: "assistant";
      content:
        | string
        | (
            | SdkText
            | (SdkOptions & { type: "reasoning"; text: string })
            | (SdkOptions & { type: "tool-call"; toolCallId: string; toolName: string; input: unknown })
          )[];
    }
  | {
      role: "tool";
      content: (SdkOptions & {
        type: "tool-result";
        toolCallId: string;
        toolName: string;
        output:
          | { type: "text" | "error-text"; value: string }
          | { type: "content"; value: ({ type: "text"; text: string } | { type: "file-data"; data: string; mediaType: string })[] };
      })[];
    };

/** A schema that the AI SDK takes: a Standard Schema whose JSON Schema is sent verbatim. */
export type AiSdkSchema = {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: { readonly input: (options: unknown) => Unknowns; readonly output: (options: unknown) => Unknowns };
  };
};

/** The prompt and the settings of the AI SDK. A string as the model is a model of its gateway. */
export type AiSdkBody<Schema = ToolSchema> = {
  model: string;
  messages: AiSdkMessage[];
  tools?: { [name: string]: { description?: string; inputSchema: Schema } };
  toolChoice?: "auto" | "none" | "required" | { type: "tool"; toolName: string };
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  stopSequences?: string[];
  allowSystemInMessages?: boolean;
};

/** The body of the HTTP request by provider. */
export interface HttpBodies {
  neutral: JsonObject;
  openai_chat: OpenAIChatBody;
  openai_responses: OpenAIResponsesBody;
  anthropic: AnthropicBody;
  gemini: GeminiBody;
  bedrock: BedrockBody;
  mistral: MistralBody;
  openai_compatible: OpenAIChatBody;
  ai_sdk: AiSdkBody;
}

/** The whole argument of the call of the library, by provider. */
export interface ClientBodies {
  neutral: JsonObject;
  openai_chat: OpenAIChatBody;
  openai_responses: OpenAIResponsesBody;
  anthropic: AnthropicBody;
  gemini: GeminiArgument;
  bedrock: BedrockArgument;
  mistral: MistralArgument;
  openai_compatible: OpenAIChatBody;
  ai_sdk: AiSdkBody<AiSdkSchema>;
}

/** The body of a provider in a form. If the provider is only known to be a string, nothing is known about its body. */
export type BodyOf<P extends string, F extends string = "http"> = string extends P | F
  ? any
  : [Provider] extends [P]
    ? JsonObject
    : P extends Provider
      ? F extends "client"
        ? ClientBodies[P]
        : HttpBodies[P]
      : JsonObject;

/** A payload of one provider. */
export type PayloadOf<P extends string = Provider, F extends string = BodyForm> = Omit<Payload, "body" | "provider"> & {
  readonly provider: P;
  /** The body, verbatim. */
  readonly body: BodyOf<P, F>;
};
