// Measures the time from messages to the text of a request's body: this package, LangChain and the AI SDK, in one
// process, alternating. LangChain and the AI SDK send; their time ends when their `fetch` gets the body.
//
//   node speed.mjs      (`cargo xtask bench peers` builds the package, installs the libraries and runs this)
import { createOpenAI } from "@ai-sdk/openai";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, jsonSchema, tool } from "ai";
import { assemble } from "../../pkg/adapters/fetch.js";
import { memoryStore, open } from "../../pkg/index.js";

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const definition = { type: "function", function: { name: "weather", description: "Returns the weather.", parameters } };
const words = "The wind comes from the west and brings rain to the coast in the evening. ".repeat(2);

/** Returns a conversation of about so many messages: a question with a number, then steps of a call and its result. */
function conversation(count, number = 0) {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: `How is the weather? (${number})` },
  ];
  for (let at = 0; messages.length < count; at += 1) messages.push(...step(at));
  return messages.slice(0, Math.max(2, count));
}

/** Returns one step of a loop: the model calls a tool, and the tool answers. */
function step(at) {
  const call = { id: `call_${at}`, type: "function", function: { name: "weather", arguments: `{"city":"Oslo ${at}"}` } };
  return [
    { role: "assistant", content: `${at}: ${words}`, tool_calls: [call] },
    { role: "tool", tool_call_id: call.id, content: `${at}: ${words}` },
  ];
}

/** Returns the messages as LangChain's. */
const langchainMessages = (messages) =>
  messages.map(({ role, content, tool_calls: calls, tool_call_id }) => {
    if (role === "system") return new SystemMessage(content);
    if (role === "user") return new HumanMessage(content);
    if (role === "tool") return new ToolMessage({ content, tool_call_id });
    const tool_calls = calls.map(({ id, function: { name, arguments: args } }) => ({
      id,
      name,
      args: JSON.parse(args),
      type: "tool_call",
    }));
    return new AIMessage({ content, tool_calls });
  });

/** Returns the messages as the AI SDK's. */
const sdkMessages = (messages) =>
  messages.slice(1).map(({ role, content, tool_calls: calls, tool_call_id }) => {
    if (role === "user") return { role, content };
    if (role === "tool") {
      const result = { type: "tool-result", toolCallId: tool_call_id, toolName: "weather", output: { type: "text", value: content } };
      return { role, content: [result] };
    }
    const parts = calls.map(({ id, function: { name, arguments: args } }) => ({
      type: "tool-call",
      toolCallId: id,
      toolName: name,
      input: JSON.parse(args),
    }));
    return { role, content: [{ type: "text", text: content }, ...parts] };
  });

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const message = { role: "assistant", content: "so" };
const answer = {
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, finish_reason: "stop", message }],
  usage,
};

/** The time at which a library passed its last body to `fetch`, and the body. */
let sent;
async function fetch(_, { body }) {
  sent = { at: performance.now(), body };
  return new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } });
}

const settings = { apiKey: "k", baseURL: "http://localhost/v1" };
const langchain = new ChatOpenAI({ model: "gpt-4.1", apiKey: "k", configuration: { ...settings, fetch } }).bindTools([definition]);
const model = createOpenAI({ ...settings, fetch }).chat("gpt-4.1");
const tools = { weather: tool({ description: "Returns the weather.", inputSchema: jsonSchema(parameters) }) };
const project = await open(memoryStore(), { projectId: "bench" });

/** The libraries: what they are given, and how they make a body. Each returns its time in milliseconds. */
const LIBRARIES = {
  tuckbox: {
    given: (messages) => messages,
    async run(messages) {
      const start = performance.now();
      const { text } = await assemble({ project, provider: "openai_chat", body: { model: "gpt-4.1", messages, tools: [definition] } });
      // the text is complete when it is one block of memory
      text.charCodeAt(text.length - 1);
      sent = { at: performance.now(), body: text };
      return sent.at - start;
    },
  },
  LangChain: {
    given: langchainMessages,
    async run(messages) {
      const start = performance.now();
      await langchain.invoke(messages);
      return sent.at - start;
    },
  },
  "AI SDK": {
    given: sdkMessages,
    async run(messages) {
      const start = performance.now();
      await generateText({ model, system: "Be brief.", messages, tools });
      return sent.at - start;
    },
  },
};

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
const shown = (ms) => `${ms.toFixed(2)} ms`.padStart(12);
const names = Object.keys(LIBRARIES);
console.log(`${"messages".padEnd(24)}${"body".padStart(10)}${names.map((name) => name.padStart(12)).join("")}`);

for (const count of [8, 100, 1000]) {
  const times = names.map(() => []);
  let bytes;
  for (let round = 0; round < 40; round += 1) {
    // each round is another conversation, of which nothing is in memory
    const messages = conversation(count, round);
    const given = names.map((name) => LIBRARIES[name].given(messages));
    for (const [at, name] of names.entries()) {
      const ms = await LIBRARIES[name].run(given[at]);
      if (at === 0) bytes = sent.body.length;
      if (JSON.parse(sent.body).messages.length !== messages.length) throw new Error(`${name} sent other messages`);
      // the first rounds warm up
      if (round >= 15) times[at].push(ms);
    }
  }
  const line = (title, of) => console.log(`${title.padEnd(24)}${`${Math.round(bytes / 1000)} KB`.padStart(10)}${times.map(of).join("")}`);
  line(String(count), (list) => shown(median(list)));
  line(`${count}, fastest`, (list) => shown(Math.min(...list)));
}

/** The number of loops. Each step counts with its median: other programs of the machine delay single steps. */
const LOOPS = 9;
const steps = names.map(() => Array.from({ length: 200 }, () => []));
for (let loop = 0; loop < LOOPS; loop += 1) {
  for (const [at, name] of names.entries()) {
    const messages = conversation(2, 1000 + loop);
    // the program keeps the messages, and passes all of them at every step
    const { given } = LIBRARIES[name];
    for (let number = 0; number < 200; number += 1) {
      messages.push(...step(number));
      steps[at][number].push(await LIBRARIES[name].run(given(messages)));
    }
  }
}
const sums = steps.map((list) => list.reduce((sum, times) => sum + median(times), 0));
console.log(`${"200 steps, in total".padEnd(34)}${sums.map(shown).join("")}`);
const fastest = steps.map((list) => list.reduce((sum, times) => sum + Math.min(...times), 0));
console.log(`${"200 steps, fastest".padEnd(34)}${fastest.map(shown).join("")}`);
const [ours, ...others] = sums;
console.log(`others over tuckbox: ${others.map((sum, at) => `${names[at + 1]} ${(sum / ours).toFixed(1)}x`).join(", ")} (goal: 5x)`);
