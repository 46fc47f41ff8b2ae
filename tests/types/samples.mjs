// Conversations, options and answers of every kind, for the types of the official libraries.

const call = (id, name, args = "{}") => ({ id, type: "function", function: { name, arguments: args } });
const file = (file_id, format = null) => ({ type: "file", file: { file_id, format } });
const media = (mime_type, encoding = "base64") => ({ type: "media_placeholder", media_info: { mime_type, encoding, content: "AAAA" } });
const user = (content) => ({ role: "user", content });
const own = (provider, value) => ({ type: "provider", provider, value });

const schema = { type: "object", properties: { q: { type: "string" }, n: { type: "integer", minimum: 1 } }, required: ["q"] };

export const tools = [
  { type: "function", function: { name: "search", description: "Finds pages.", parameters: schema, strict: true } },
  { type: "function", function: { name: "now" } },
  { name: "a.b/c", input_schema: { properties: {} }, cache: true },
  { name: "choose", parameters: { anyOf: [{ type: "string" }, { type: "number" }] } },
  // tools that a provider runs
  { type: "web_search_20250305", name: "web_search" },
  { type: "web_search" },
  { type: "custom", custom: { name: "shell", description: "Runs a line." } },
  { googleSearch: {} },
];

const everywhere = (type, mime_type) => [
  { type, data: "AAAA", mime_type },
  { type, url: `https://h/a.${mime_type.split("/")[1]}`, mime_type },
  { type, file_id: "file-1", mime_type },
];

/** Conversations with every kind of message part. */
export const talks = {
  plain: [{ role: "system", content: "Be brief." }, user("hello")],
  systems: [
    { role: "system", content: "one" },
    { role: "developer", content: "two" },
    user("a"),
    { role: "system", content: "three" },
    user("b"),
  ],
  calls: [
    user("look"),
    { role: "assistant", content: null, tool_calls: [call("k1", "search", '{"q": "otters"}'), call("k2", "now")] },
    { role: "tool", tool_call_id: "k2", content: "noon" },
    user("well?"),
    { role: "tool", tool_call_id: "k1", content: [{ type: "text", text: "three" }, file("https://h/a.png")] },
    { role: "assistant", content: "three", reasoning_content: "counted" },
    user("thanks"),
  ],
  broken: [
    { role: "assistant", content: "I begin" },
    { role: "tool", tool_call_id: "nobody", content: "lost" },
    { role: "wizard", content: "abracadabra", name: "Mer lin" },
    { role: "assistant", tool_calls: [call("k:1", "a.b/c", "not json"), call("open", "search"), { odd: true }] },
    { role: "tool", tool_call_id: "k:1", content: "" },
    { role: "tool", tool_call_id: "k:1", content: "again" },
    user(""),
    { role: "assistant", content: "" },
  ],
  files: [
    user([
      { type: "text", text: "see" },
      file("https://h/a.png"),
      file("https://h/a.pdf"),
      file("s3://b/k", "image/png"),
      media("image/jpeg"),
      media("application/pdf"),
      media("audio/wav"),
      media("video/mp4"),
      media("image/png", "hex"),
      { type: "image_url", image_url: { url: "https://h/p" } },
      { type: "poem", lines: 3 },
    ]),
  ],
  media: [
    user([
      ...everywhere("image", "image/png"),
      ...everywhere("audio", "audio/wav"),
      ...everywhere("video", "video/mp4"),
      ...everywhere("document", "application/pdf"),
      ...everywhere("file", "text/plain"),
      { type: "image", data: "AAAA", mime_type: "image/jpg", detail: "low" },
      { type: "document", data: "AAAA", mime_type: "application/pdf", name: "a.pdf", title: "A", context: "about", citations: true },
    ]),
  ],
  results: [
    user([{ type: "text", text: "look", cache: "1h" }]),
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm", signature: "c2ln" },
        { type: "reasoning", text: "", encrypted: "ZW5j" },
        { type: "text", text: "let me see" },
        { type: "tool_call", id: "k1", name: "search", arguments: '{"q":"otters"}', thoughtSignature: "dGg=" },
        { type: "tool_call", id: "k2", name: "choose", arguments: '"a"' },
      ],
    },
    user([
      {
        type: "tool_result",
        call_id: "k1",
        content: [
          { type: "text", text: "a picture" },
          { type: "image", data: "AAAA", mime_type: "image/png" },
        ],
      },
      { type: "tool_result", call_id: "k2", content: "no such thing", is_error: true },
      { type: "text", text: "well?", cache: "1h" },
    ]),
    { role: "assistant", content: [{ type: "refusal", refusal: "I cannot." }] },
    user("why?"),
  ],
  own: [
    user("search"),
    {
      role: "assistant",
      content: [
        own("anthropic", { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "otters" } }),
        own("openai_responses", {
          type: "web_search_call",
          id: "ws_1",
          status: "completed",
          action: { type: "search", query: "otters", queries: ["otters"] },
        }),
        own("gemini", { executableCode: { code: "1", language: "PYTHON" } }),
        own("bedrock", { cachePoint: { type: "default" } }),
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "e==" },
        { type: "text", text: "found" },
      ],
    },
    user("and?"),
  ],
};

const answer = {
  name: "answer",
  schema: { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
  strict: true,
};

/** Options with every key except `keep_reasoning`, which adds a key that only third-party servers accept. */
export const options = [
  {},
  { max_output_tokens: 100, tools },
  { prefill: true },
  { tools, tool_choice: "auto", parallel_tool_calls: true, temperature: 0.5, top_p: 0.9, stop: ["END"], metadata: { user_id: "u1" } },
  { tools, tool_choice: "required", parallel_tool_calls: false, effort: "low", max_output_tokens: 9000 },
  { tools, tool_choice: "none", effort: "high", thinking_tokens: 2048, max_output_tokens: 9000 },
  { tools, tool_choice: { tool: "a.b/c" }, effort: "none" },
  { response_schema: answer },
  {
    response_schema: { schema: { type: "object", properties: {} } },
    previous_response_id: "resp_1",
    origins: [{ layer: "system" }],
    cache_after: ["system"],
  },
  { tools, effort: "minimal" },
  { effort: "medium", max_output_tokens: 20_000 },
  { effort: "xhigh" },
  { top_p: 0.9, model_info: { temperature: true } },
  { effort: "max" },
  {
    tools,
    tool_choice: "auto",
    temperature: 0,
    top_p: 1,
    max_output_tokens: 1,
    model_info: { temperature: true, thinking: "none" },
    quirks: ["vllm", "max_completion_tokens", "developer"],
  },
];

/** Keys that only one provider has. A host sets them in `extra`. */
export const extras = {
  openai_chat: {
    prediction: { type: "content", content: "so" },
    modalities: ["text", "audio"],
    audio: { voice: "alloy", format: "wav" },
    prompt_cache_key: "k",
    seed: 1,
    service_tier: "auto",
  },
  openai_responses: { include: ["reasoning.encrypted_content"], prompt_cache_key: "k", store: false, truncation: "auto" },
  anthropic: { service_tier: "auto" },
  gemini: {
    safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_ONLY_HIGH" }],
    generationConfig: { topK: 5, seed: 1 },
    cachedContent: "cachedContents/1",
  },
  bedrock: { additionalModelRequestFields: { top_k: 5 }, guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1" } },
  mistral: { safe_prompt: true, random_seed: 1 },
  openai_compatible: { seed: 1 },
  ai_sdk: { seed: 1, maxRetries: 0 },
};

/** The paths of host options, server tools and cache marks in the bodies. The test compiles each of them. */
export const places = {
  openai_chat: [
    "max_completion_tokens",
    "tool_choice",
    "tool_choice.function.name",
    "parallel_tool_calls",
    "temperature",
    "top_p",
    "stop",
    "response_format.json_schema.schema",
    "reasoning_effort",
    "metadata",
    "tools.custom",
    "prediction",
    "audio",
  ],
  openai_responses: [
    "max_output_tokens",
    "tool_choice",
    "tool_choice.name",
    "parallel_tool_calls",
    "temperature",
    "top_p",
    "text.format.schema",
    "reasoning.effort",
    "metadata",
    "previous_response_id",
    "include",
    "store",
  ],
  anthropic: [
    "max_tokens",
    "tool_choice.name",
    "tool_choice.disable_parallel_tool_use",
    "temperature",
    "top_p",
    "stop_sequences",
    "output_config.format.schema",
    "output_config.effort",
    "thinking.budget_tokens",
    "metadata.user_id",
    "system.cache_control",
    "messages.content.cache_control.ttl",
    "tools.cache_control",
    "service_tier",
  ],
  gemini: [
    "generationConfig.maxOutputTokens",
    "toolConfig.functionCallingConfig.allowedFunctionNames",
    "generationConfig.temperature",
    "generationConfig.topP",
    "generationConfig.stopSequences",
    "generationConfig.responseJsonSchema",
    "generationConfig.thinkingConfig.thinkingLevel",
    "generationConfig.thinkingConfig.thinkingBudget",
    "tools.googleSearch",
    "safetySettings.threshold",
    "cachedContent",
  ],
  bedrock: [
    "inferenceConfig.maxTokens",
    "inferenceConfig.temperature",
    "inferenceConfig.topP",
    "inferenceConfig.stopSequences",
    "toolConfig.toolChoice.tool.name",
    "requestMetadata",
    "system.cachePoint",
    "toolConfig.tools.cachePoint",
    "guardrailConfig",
  ],
  mistral: [
    "max_tokens",
    "tool_choice",
    "parallel_tool_calls",
    "temperature",
    "top_p",
    "stop",
    "response_format.json_schema.schema",
    "safe_prompt",
  ],
  openai_compatible: [
    "max_tokens",
    "max_completion_tokens",
    "tool_choice",
    "parallel_tool_calls",
    "temperature",
    "top_p",
    "stop",
    "response_format.json_schema.schema",
    "reasoning_effort",
  ],
  ai_sdk: [
    "maxOutputTokens",
    "toolChoice.toolName",
    "temperature",
    "topP",
    "stopSequences",
    "messages.providerOptions.anthropic.cacheControl",
    "messages.content.providerOptions.anthropic.cacheControl",
    "messages.content.providerOptions.google.thoughtSignature",
  ],
};

/** Models for which options have different meanings. */
export const models = {
  openai_chat: ["m", "gpt-5", "gpt-4o-audio-preview"],
  openai_responses: ["m", "gpt-5"],
  anthropic: ["m", "claude-opus-4-8", "claude-sonnet-4-5", "claude-3-5-haiku-latest"],
  gemini: ["m", "gemini-3-pro", "gemini-2.5-flash"],
  bedrock: ["m"],
  mistral: ["m"],
  openai_compatible: ["m"],
  ai_sdk: ["m"],
};

/** Complete answers of the providers, with reasoning, text and calls if the provider supports them. */
export const answers = {
  openai_chat: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        logprobs: null,
        message: { role: "assistant", content: "so", refusal: null, tool_calls: [call("k1", "search", '{"q":"otters"}')] },
      },
    ],
    usage: {
      prompt_tokens: 9,
      completion_tokens: 2,
      total_tokens: 11,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 1 },
    },
  },
  openai_responses: {
    id: "resp_1",
    model: "m",
    status: "completed",
    output: [
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "e==" },
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "so", annotations: [] }],
      },
      { type: "function_call", id: "fc_1", call_id: "k1", name: "search", arguments: '{"q":"otters"}', status: "completed" },
    ],
    usage: {
      input_tokens: 9,
      output_tokens: 2,
      total_tokens: 11,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 1 },
    },
  },
  anthropic: {
    content: [
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      { type: "redacted_thinking", data: "ZW5j" },
      { type: "text", text: "so", citations: null },
      { type: "tool_use", id: "k1", name: "search", input: { q: "otters" }, caller: { type: "direct" } },
    ],
    id: "msg_1",
    model: "m",
    role: "assistant",
    stop_reason: "tool_use",
    type: "message",
  },
  gemini: {
    candidates: [
      {
        content: {
          role: "model",
          parts: [
            { text: "hm", thought: true },
            { text: "so", thoughtSignature: "dGg=" },
            { functionCall: { name: "search", args: { q: "otters" } }, thoughtSignature: "dGg=" },
          ],
        },
        finishReason: "STOP",
      },
    ],
    modelVersion: "m",
    responseId: "r1",
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11, cachedContentTokenCount: 4, thoughtsTokenCount: 1 },
  },
  bedrock: {
    output: {
      message: {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "hm", signature: "c2ln" } } },
          { reasoningContent: { redactedContent: "ZW5j" } },
          { text: "so" },
          { toolUse: { toolUseId: "k1", name: "search", input: { q: "otters" } } },
        ],
      },
    },
    stopReason: "tool_use",
    usage: { inputTokens: 9, outputTokens: 2, totalTokens: 11, cacheReadInputTokens: 4, cacheWriteInputTokens: 0 },
    metrics: { latencyMs: 5 },
  },
  mistral: {
    id: "cmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: [
            { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
            { type: "text", text: "so" },
          ],
          tool_calls: [{ id: "abcdefghi", type: "function", function: { name: "search", arguments: '{"q":"otters"}' } }],
        },
      },
    ],
    usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
  },
  ai_sdk: {
    content: [
      { type: "reasoning", text: "hm", providerMetadata: { anthropic: { signature: "c2ln" } } },
      { type: "text", text: "so" },
      { type: "tool-call", toolCallId: "k1", toolName: "search", input: { q: "otters" }, dynamic: true },
    ],
    finishReason: "tool-calls",
    usage: {
      inputTokens: 9,
      inputTokenDetails: { noCacheTokens: 5, cacheReadTokens: 4, cacheWriteTokens: 0 },
      outputTokens: 2,
      outputTokenDetails: { textTokens: 1, reasoningTokens: 1 },
      totalTokens: 11,
    },
  },
};
