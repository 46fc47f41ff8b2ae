// The server that the official conformance suite drives: the tools, resources and prompts that the suite asks for, on
// the protocol of `tuckbox mcp`. The suite passes or fails by the protocol, not by these fixtures.
import { createHmac, randomUUID } from "node:crypto";
import { CODES, Protocol, RpcError } from "../../pkg/lib/mcp/protocol.js";

const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const AUDIO = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
const text = (words) => ({ content: [{ type: "text", text: words }] });
const image = { type: "image", data: IMAGE, mimeType: "image/png" };
const embedded = (uri, words, mimeType = "text/plain") => ({ type: "resource", resource: { uri, mimeType, text: words } });
const form = (message, properties, required = Object.keys(properties)) => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema: { type: "object", properties, required } },
});
const sample = (words) => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: words } }], maxTokens: 100 },
});
const roots = { method: "roots/list", params: {} };
const input = (inputRequests, requestState) => ({
  resultType: "input_required",
  inputRequests,
  ...(requestState === undefined ? {} : { requestState }),
});

const key = randomUUID();
const signed = (data) => JSON.stringify({ data, mac: createHmac("sha256", key).update(data).digest("hex") });
/** Returns signed data; nothing for data that another program changed. */
function verified(state) {
  try {
    const { data, mac } = JSON.parse(state);
    return signed(data) === JSON.stringify({ data, mac }) ? JSON.parse(data) : undefined;
  } catch {
    return undefined;
  }
}
const state = (value) => signed(JSON.stringify({ ...value, nonce: randomUUID() }));

const ENUMS = {
  untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
  titledSingle: {
    type: "string",
    oneOf: [
      { const: "value1", title: "First Option" },
      { const: "value2", title: "Second Option" },
      { const: "value3", title: "Third Option" },
    ],
  },
  legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
  untitledMulti: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", enum: ["option1", "option2", "option3"] } },
  titledMulti: {
    type: "array",
    minItems: 1,
    maxItems: 3,
    items: {
      anyOf: [
        { const: "value1", title: "First Choice" },
        { const: "value2", title: "Second Choice" },
        { const: "value3", title: "Third Choice" },
      ],
    },
  },
};
const DEFAULTS = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};
const NAME = { name: { type: "string" } };
const OK = { ok: { type: "boolean" } };

/** Asks a client of 2025-11-25 with a form. */
const elicited =
  (message, properties, required) =>
  async ({ arguments: args = {} }, { ask }) => {
    const { action, content = {} } = await ask("elicitation/create", form(args.message ?? message, properties, required).params);
    return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
  };

/** The open listeners, and what they listen to. */
const listeners = new Set();
const changed = (kind) => {
  for (const { filter, report } of listeners) if (filter[`${kind}ListChanged`]) report(`notifications/${kind}/list_changed`, {});
  return text("changed");
};

const TOOLS = {
  test_simple_text: () => text("This is a simple text response for testing."),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: "audio", data: AUDIO, mimeType: "audio/wav" }] }),
  test_embedded_resource: () => ({ content: [embedded("test://embedded-resource", "This is an embedded resource content.")] }),
  test_multiple_content_types: () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
  }),
  test_tool_with_logging: (_, { notify }) => {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"])
      notify("notifications/message", { level: "info", data });
    return text("Tool with logging executed successfully");
  },
  test_logging_tool: (_, { notify }) => {
    notify("notifications/message", { level: "info", data: "a line" });
    return text("Logging evaluated");
  },
  test_tool_with_progress: ({ _meta }, { notify }) => {
    const progressToken = _meta?.progressToken ?? 0;
    for (const progress of [0, 50, 100]) notify("notifications/progress", { progressToken, progress, total: 100 });
    return text(String(progressToken));
  },
  test_streaming_elicitation: (_, { notify }) => {
    notify("notifications/progress", { progressToken: "token", progress: 50, total: 100 });
    return text("Streaming complete");
  },
  test_error_handling: () => ({ ...text("This tool intentionally returns an error for testing"), isError: true }),
  test_sampling: async ({ arguments: { prompt } }, { ask }) => {
    const { content } = await ask("sampling/createMessage", sample(prompt).params);
    return text(`LLM response: ${content?.text}`);
  },
  test_elicitation: elicited("?", { response: { type: "string" } }),
  test_elicitation_sep1034_defaults: elicited("Please review the fields", DEFAULTS, []),
  test_elicitation_sep1330_enums: elicited("Please select options", ENUMS, []),
  test_missing_capability: (_, { capabilities }) => {
    if (capabilities.sampling === undefined)
      throw new RpcError(CODES.capability, "sampling is missing", { data: { requiredCapabilities: { sampling: {} } }, status: 400 });
    return text("Success");
  },
  test_trigger_tool_change: () => changed("tools"),
  test_trigger_prompt_change: () => changed("prompts"),
  test_input_required_result_elicitation: ({ inputResponses: given }) =>
    given?.user_name?.content?.name === undefined
      ? input({ user_name: form("What is your name?", NAME) })
      : text(`Hello, ${given.user_name.content.name}!`),
  test_input_required_result_sampling: ({ inputResponses: given }) =>
    given?.sample_request === undefined
      ? input({ sample_request: sample("What is the capital of France?") })
      : text(`Sampling result: ${given.sample_request.content?.text}`),
  test_input_required_result_list_roots: ({ inputResponses: given }) =>
    given?.roots_request === undefined ? input({ roots_request: roots }) : text(`Found ${given.roots_request.roots?.length ?? 0} root(s)`),
  test_input_required_result_request_state: ({ inputResponses: given, requestState }) =>
    verified(requestState)?.kind === "state" && given?.confirm !== undefined
      ? text("state-ok: requestState validated")
      : input({ confirm: form("Please confirm", OK) }, state({ kind: "state" })),
  test_input_required_result_multiple_inputs: ({ inputResponses: given, requestState }) =>
    verified(requestState)?.kind === "multiple" && given?.user_name && given.greeting && given.client_roots
      ? text(
          `Name: ${given.user_name.content?.name}; Greeting: ${given.greeting.content?.text}; Roots: ${given.client_roots.roots?.length}`,
        )
      : input({ user_name: form("What is your name?", NAME), greeting: sample("Greet"), client_roots: roots }, state({ kind: "multiple" })),
  test_input_required_result_multi_round: ({ inputResponses: given, requestState }) => {
    const { round, name } = verified(requestState) ?? {};
    if (round === 2 && given?.step2) return text(`Multi-round complete for ${name} who likes ${given.step2.content?.color}`);
    if (round === 1 && given?.step1)
      return input({ step2: form("Step 2: color?", { color: { type: "string" } }) }, state({ round: 2, name: given.step1.content?.name }));
    return input({ step1: form("Step 1: name?", NAME) }, state({ round: 1 }));
  },
  test_input_required_result_tampered_state: ({ inputResponses: given, requestState }) => {
    if (requestState !== undefined && verified(requestState) === undefined) throw new RpcError(CODES.params, "requestState was changed");
    if (requestState !== undefined && given?.confirm) return text("integrity-ok: state verified");
    return input({ confirm: form("Please confirm", OK) }, state({ kind: "tamper" }));
  },
  test_input_required_result_capabilities: ({ inputResponses: given }, { capabilities }) => {
    if (given !== undefined && Object.keys(given).length > 0) return text(`capabilities-ok: received ${Object.keys(given)}`);
    const requests = {};
    if (capabilities.elicitation) requests.elicit_input = form("Value?", { value: { type: "string" } });
    if (capabilities.sampling) requests.sample_input = sample("Sample request");
    return Object.keys(requests).length === 0
      ? text("No supported capabilities declared")
      : input(requests, state({ kind: "capabilities" }));
  },
};

const RESOURCES = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: IMAGE },
  "test://watched-resource": { mimeType: "text/plain", text: "Watched resource content" },
};

const user = (content) => ({ role: "user", content: typeof content === "string" ? { type: "text", text: content } : content });
const PROMPTS = {
  test_simple_prompt: { get: () => [user("This is a simple prompt for testing.")] },
  test_prompt_with_arguments: {
    takes: ["arg1", "arg2"],
    get: ({ arg1, arg2 }) => [user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    takes: ["resourceUri"],
    get: ({ resourceUri }) => [user(embedded(resourceUri, "Embedded resource content for testing.")), user("Please process it.")],
  },
  test_prompt_with_image: { get: () => [user(image), user("Please analyze the image above.")] },
  test_input_required_result_prompt: {
    get: (_, given) =>
      given?.user_context === undefined ? undefined : [user(`Prompt with context: ${given.user_context.content?.context}`)],
  },
};

const methods = {
  "tools/list": () => ({
    tools: Object.keys(TOOLS).map((name) => ({ name, description: name, inputSchema: { type: "object", properties: {} } })),
  }),
  "tools/call": (params, context) => {
    if (!Object.hasOwn(TOOLS, params.name)) throw new RpcError(CODES.params, "unknown tool");
    return TOOLS[params.name](params, context);
  },
  "resources/list": () => ({ resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })) }),
  "resources/templates/list": () => ({ resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }] }),
  "resources/read": ({ uri }) => {
    const id = /^test:\/\/template\/(.+)\/data$/.exec(uri)?.[1];
    if (id !== undefined)
      return {
        contents: [{ uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }],
      };
    if (!Object.hasOwn(RESOURCES, uri)) throw new RpcError(CODES.params, "resource not found", { data: { uri } });
    return { contents: [{ uri, ...RESOURCES[uri] }] };
  },
  "prompts/list": () => ({
    prompts: Object.entries(PROMPTS).map(([name, { takes = [] }]) => ({
      name,
      description: name,
      arguments: takes.map((argument) => ({ name: argument, description: argument, required: true })),
    })),
  }),
  "prompts/get": ({ name, arguments: args = {}, inputResponses }) => {
    if (!Object.hasOwn(PROMPTS, name)) throw new RpcError(CODES.params, "unknown prompt");
    const messages = PROMPTS[name].get(args, inputResponses);
    return messages === undefined ? input({ user_context: form("Which context?", { context: { type: "string" } }) }) : { messages };
  },
  "completion/complete": () => ({ completion: { values: [], total: 0, hasMore: false } }),
};

/** Returns the protocol with the fixtures. */
export function conformanceServer() {
  const listChanged = { listChanged: true };
  return new Protocol({
    info: { name: "tuckbox-conformance", version: "0.0.0" },
    capabilities: {
      tools: listChanged,
      prompts: listChanged,
      resources: { ...listChanged, subscribe: true },
      logging: {},
      completions: {},
    },
    methods,
    listen: (filter, report) => {
      const listener = { filter, report };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
}
