// Writes the requests that the AI SDK builds for conversations: `node ai_sdk.mjs conversations.json bodies.json`.
//
// The SDK has its own message format. This file converts each part as a host would, without repairs. Parts without a
// counterpart are passed unchanged, and the SDK accepts or refuses them.
import { readFileSync, writeFileSync } from "node:fs";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema } from "ai";

const [given, written] = process.argv.slice(2);

/** Stops a call before its request is sent, and keeps the body. */
class Sent extends Error {}
let body;
const fetch = async (_, { body: text }) => {
  body = JSON.parse(text);
  throw new Sent("sent");
};

const settings = { apiKey: "none", fetch };
const models = {
  anthropic: createAnthropic(settings)("claude-sonnet-4-5"),
  gemini: createGoogle(settings)("gemini-2.5-flash"),
  openai_chat: createOpenAI(settings).chat("gpt-4.1"),
  openai_responses: createOpenAI(settings).responses("gpt-4.1"),
};

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Returns the type and the bytes of a data URL. */
const data = (url) => /^data:([^;]+);base64,(.*)$/.exec(url)?.slice(1);

/** Returns a file part of a user message. Assistant messages use the same format. */
function file(url, role, filename) {
  const [mediaType, bytes] = data(url) ?? ["image/*", new URL(url)];
  return role === "user" && mediaType.startsWith("image/")
    ? { type: "image", image: bytes, ...(mediaType === "image/*" ? {} : { mediaType }) }
    : { type: "file", data: bytes, mediaType, filename };
}

function part(from, role) {
  const { type, image_url: image, file: held, input_audio: audio } = from;
  if (type === "image_url") return file(image.url, role);
  if (type === "input_audio") return { type: "file", data: audio.data, mediaType: `audio/${audio.format}` };
  if (type === "file" && held.file_data !== undefined) return file(held.file_data, role, held.filename);
  if (type === "file")
    return {
      type,
      data: { type: "reference", reference: { openai: held.file_id, anthropic: held.file_id, google: held.file_id } },
      mediaType: "application/pdf",
    };
  if (type === "refusal") return { type: "text", text: from.refusal };
  return from;
}

function output(content) {
  if (typeof content === "string") return { type: "text", value: content };
  const value = content.map((from) => {
    const [mediaType, bytes] = data(from.image_url?.url ?? "") ?? [];
    return mediaType === undefined ? from : { type: "file", data: { type: "data", data: bytes }, mediaType };
  });
  return { type: "content", value };
}

function message(from, names) {
  const { role, content, tool_calls: calls, tool_call_id: id } = from;
  const parts = Array.isArray(content)
    ? content.map((from) => part(from, role))
    : content === null || content === undefined || content === ""
      ? []
      : [{ type: "text", text: content }];
  if (role === "system" || role === "developer") return { role: "system", content: parts.map(({ text }) => text).join("\n") };
  if (role === "tool")
    return {
      role,
      content: [{ type: "tool-result", toolCallId: id, toolName: from.name ?? names.get(id) ?? "", output: output(content) }],
    };
  if (typeof from.refusal === "string") parts.push({ type: "text", text: from.refusal });
  if (typeof from.reasoning_content === "string") parts.unshift({ type: "reasoning", text: from.reasoning_content });
  for (const call of calls ?? []) {
    names.set(call.id, call.function?.name);
    parts.push({ type: "tool-call", toolCallId: call.id, toolName: call.function?.name, input: parsed(call.function?.arguments ?? "{}") });
  }
  return { role, content: parts };
}

function toolset(tools) {
  const functions = tools.map((tool) => tool.function);
  const schema = ({ parameters }) => jsonSchema(parameters ?? { type: "object", properties: {} });
  return Object.fromEntries(
    functions.map((tool) => [tool.name, { description: tool.description, inputSchema: schema(tool), strict: tool.strict }]),
  );
}

const bodies = {};
for (const [provider, model] of Object.entries(models)) {
  bodies[provider] = [];
  for (const { messages, tools = [] } of JSON.parse(readFileSync(given, "utf8"))) {
    body = null;
    try {
      const names = new Map();
      await generateText({
        model,
        messages: messages.map((from) => message(from, names)),
        tools: toolset(tools),
        maxRetries: 0,
        allowSystemInMessages: true,
      });
    } catch (error) {
      // the SDK refused the messages, the request was stopped, or an image could not be downloaded
      if (error.name === "AI_DownloadError") body = "offline";
    }
    bodies[provider].push(body);
  }
}
writeFileSync(written, JSON.stringify(bodies));
