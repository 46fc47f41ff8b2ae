// Conversations with a tool in each framework. `options` are those of an adapter. Without an adapter of the framework,
// the client has a `fetch` that assembles or records. With one, `fetch` is that of the client, which decides the bytes.
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAI as createPrevious } from "@ai-sdk/openai-previous";
import { HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { Agent, tool as agentTool, OpenAIProvider, Runner } from "@openai/agents";
import * as sdk from "ai";
import * as previous from "ai-previous";
import { createAgent, tool } from "langchain";
import OpenAI from "openai";
import { z } from "zod";
import { tuckboxMiddleware as sdkMiddleware } from "../../pkg/adapters/ai-sdk.js";
import { adaptFetch } from "../../pkg/adapters/fetch.js";
import { tuckboxMiddleware } from "../../pkg/adapters/langchain.js";
import { tuckboxProcessor } from "../../pkg/adapters/mastra.js";
import { wrapOpenAI } from "../../pkg/adapters/openai.js";
import { tuckboxInputFilter, tuckboxSession } from "../../pkg/adapters/openai-agents.js";

const QUESTIONS = ["How is the weather in Oslo?", "And tomorrow?"];
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const weather = { name: "weather", description: "Returns the weather." };
const execute = async () => "rain";

/** The clients of frameworks. */
export const clients = {
  /** LangChain: the `fetch` of its client. */
  async langchain(baseURL, options) {
    const model = new ChatOpenAI({ model: "gpt-5", apiKey: "k", configuration: { baseURL, fetch: adaptFetch(options) } });
    const bound = model.bindTools([{ type: "function", function: { ...weather, parameters } }]);
    const messages = [new SystemMessage("Be brief.")];
    for (const question of QUESTIONS) {
      messages.push(new HumanMessage(question));
      for (;;) {
        const answer = await bound.invoke(messages);
        messages.push(answer);
        if (!answer.tool_calls?.length) break;
        for (const call of answer.tool_calls) messages.push(new ToolMessage({ content: "rain", tool_call_id: call.id }));
      }
    }
    return messages.at(-1).content;
  },

  /** OpenAI Agents: its client. */
  async openaiAgents(baseURL, options) {
    const openAIClient = wrapOpenAI(new OpenAI({ apiKey: "k", baseURL }), options);
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses: false }), tracingDisabled: true });
    const agent = new Agent({
      name: "a",
      instructions: "Be brief.",
      tools: [agentTool({ ...weather, parameters, strict: true, execute })],
      model: "gpt-5",
    });
    const first = await runner.run(agent, QUESTIONS[0]);
    const history = [...first.history, { role: "user", content: QUESTIONS[1] }];
    return (await runner.run(agent, history)).finalOutput;
  },
};

/** A conversation with the AI SDK of one version. */
async function withSdk(
  { generateText, isStepCount, stepCountIs = isStepCount, tool: define, wrapLanguageModel, jsonSchema },
  openai,
  options,
) {
  const model = wrapLanguageModel({ model: openai.chat("gpt-5"), middleware: sdkMiddleware(options) });
  const tools = { weather: define({ description: weather.description, inputSchema: jsonSchema(parameters), execute }) };
  const messages = [];
  let answer;
  for (const content of QUESTIONS) {
    messages.push({ role: "user", content });
    answer = await generateText({ model, system: "Be brief.", messages, tools, stopWhen: stepCountIs(5) });
    messages.push(...answer.response.messages);
  }
  return answer.text;
}

/** The adapters of frameworks. */
export const adapters = {
  /** LangChain 1: an agent with a checkpointer of LangGraph. */
  async langchain(baseURL, options, fetch) {
    const agent = createAgent({
      model: new ChatOpenAI({ model: "gpt-5", apiKey: "k", configuration: { baseURL, fetch } }),
      tools: [tool(execute, { ...weather, schema: z.object({ city: z.string() }) })],
      systemPrompt: "Be brief.",
      middleware: [tuckboxMiddleware(options)],
      checkpointer: new MemorySaver(),
    });
    let answer;
    for (const content of QUESTIONS) {
      const state = await agent.invoke({ messages: [{ role: "user", content }] }, { configurable: { thread_id: "t1" } });
      answer = state.messages.at(-1).content;
    }
    return answer;
  },

  /** OpenAI Agents: a filter of the input, and a session in the project. */
  async openaiAgents(baseURL, options, fetch) {
    const openAIClient = new OpenAI({ apiKey: "k", baseURL, fetch });
    const runner = new Runner({
      modelProvider: new OpenAIProvider({ openAIClient, useResponses: false }),
      callModelInputFilter: tuckboxInputFilter(options),
      tracingDisabled: true,
    });
    const tools = [agentTool({ ...weather, parameters: z.object({ city: z.string() }), execute })];
    const agent = new Agent({ name: "a", instructions: "Be brief.", tools, model: "gpt-5" });
    let answer;
    for (const question of QUESTIONS) {
      // a new session reads what the one before it stored
      const session = tuckboxSession(options.project, "chat_1");
      answer = (await runner.run(agent, question, { session })).finalOutput;
    }
    return answer;
  },

  aiSdk: (baseURL, options, fetch) => withSdk(sdk, createOpenAI({ apiKey: "k", baseURL, fetch }), options),

  aiSdkPrevious: (baseURL, options, fetch) => withSdk(previous, createPrevious({ apiKey: "k", baseURL, fetch }), options),

  /** Mastra: an input processor. */
  async mastra(baseURL, options, fetch) {
    const { Agent: MastraAgent } = await import("@mastra/core/agent");
    const { createTool } = await import("@mastra/core/tools");
    const inputSchema = z.object({ city: z.string() });
    const agent = new MastraAgent({
      id: "a",
      name: "a",
      instructions: "Be brief.",
      model: createOpenAI({ apiKey: "k", baseURL, fetch }).chat("gpt-5"),
      tools: { weather: createTool({ id: "weather", description: weather.description, inputSchema, execute }) },
      inputProcessors: [tuckboxProcessor(options)],
    });
    const first = await agent.generate(QUESTIONS[0]);
    const messages = [{ role: "user", content: QUESTIONS[0] }, ...first.response.messages, { role: "user", content: QUESTIONS[1] }];
    const { steps } = await agent.generate(messages);
    return steps.at(-1).text;
  },
};
