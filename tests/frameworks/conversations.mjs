// A conversation with a tool in each framework. `options` are those of an adapter.
import { HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import OpenAI from "openai";
import { adaptFetch } from "../../pkg/adapters/fetch.js";
import { wrapOpenAI } from "../../pkg/adapters/openai.js";

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };

/** LangChain: the `fetch` of its client. */
export async function langchain(baseURL, options) {
  const model = new ChatOpenAI({ model: "gpt-5", apiKey: "k", configuration: { baseURL, fetch: adaptFetch(options) } });
  const bound = model.bindTools([{ type: "function", function: { name: "weather", parameters } }]);
  const messages = [new SystemMessage("Be brief."), new HumanMessage("How is the weather in Oslo?")];
  for (;;) {
    const answer = await bound.invoke(messages);
    messages.push(answer);
    if (!answer.tool_calls?.length) return answer.content;
    for (const call of answer.tool_calls) messages.push(new ToolMessage({ content: "rain", tool_call_id: call.id }));
  }
}

/** OpenAI Agents: its client. */
export async function openaiAgents(baseURL, options) {
  const openAIClient = wrapOpenAI(new OpenAI({ apiKey: "k", baseURL }), options);
  const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses: false }), tracingDisabled: true });
  const weather = tool({ name: "weather", description: "Returns the weather.", parameters, strict: true, execute: async () => "rain" });
  const agent = new Agent({ name: "a", instructions: "Be brief.", tools: [weather], model: "gpt-5" });
  return (await runner.run(agent, "How is the weather in Oslo?")).finalOutput;
}
