// Bodies and answers by provider, without the libraries of the providers.
import type { AnthropicBody, BedrockArgument, GeminiArgument, GeminiBody, JsonObject, Provider, ResponseDelta, Workspace } from "tuckbox";

declare const project: Workspace;
declare const provider: Provider;

/** Compiles if both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yes = <_ extends true>() => {};
const use = (..._: unknown[]) => {};

export async function bodies(): Promise<void> {
  const messages = [{ role: "user", content: "Hello" }];
  const anthropic = await project.payload({ provider: "anthropic", model: "m", messages });
  yes<Same<typeof anthropic.body, AnthropicBody>>();
  const gemini = await project.payload({ provider: "gemini", model: "m", messages });
  yes<Same<typeof gemini.body, GeminiBody>>();
  const argument = await project.payload({ provider: "gemini", form: "client", model: "m", messages });
  yes<Same<typeof argument.body, GeminiArgument>>();
  const bedrock = await project.payload({ provider: "bedrock", form: "client", model: "m", box_id: "b" });
  yes<Same<typeof bedrock.body, BedrockArgument>>();
  // a provider that is not a literal has a body of JSON
  const any = await project.payload({ provider, model: "m", messages });
  yes<Same<typeof any.body, JsonObject>>();
  use(any.losses, bedrock.body.modelId);
}

export async function constants(): Promise<void> {
  // without `as const`
  const call = { provider: "anthropic", model: "m", effort: "low", tool_choice: "auto", messages: [{ role: "user", content: "Hello" }] };
  const { body, losses } = await project.payload(call);
  const text: string = body.model;
  const { tokens } = await project.countTokens(call);
  const { dropped } = await project.budget({ ...call, limit: 100 });
  const before = { provider: "anthropic", before: { messages: call.messages }, after: { messages: call.messages } };
  const { same_messages } = await project.prompt.diffPayloads(before);
  use(text, losses, tokens, dropped, same_messages);
  // @ts-expect-error: a misspelled provider
  await project.payload({ provider: "antropic", model: "m", messages: [] });
  // @ts-expect-error: a misspelled provider
  await project.countTokens({ provider: "antropic", messages: [] });
}

export async function conversations(): Promise<void> {
  const chat = project.conversation("c1");
  const { body, dropped } = await chat.request({ provider: "anthropic", model: "m", take: 2 });
  yes<Same<typeof body, AnthropicBody>>();
  const client = await chat.request({ provider: "gemini", form: "client", model: "m" });
  yes<Same<typeof client.body, GeminiArgument>>();
  const call = { provider: "openai_chat", model: "m", effort: "low" };
  const text: string = (await chat.request(call)).body.model;
  use(dropped, text);
  // @ts-expect-error: a misspelled provider
  await chat.request({ provider: "antropic", model: "m" });
}

interface Message {
  id: string;
  content: { type: "text"; text: string }[];
}

export async function answers(whole: Message, stream: AsyncIterable<{ type: string }>): Promise<void> {
  const { message } = await project.prompt.readResponse({ provider: "anthropic", response: whole });
  const reading = project.prompt.readResponse({ provider: "anthropic", response: stream });
  for await (const delta of reading) {
    yes<Same<typeof delta, ResponseDelta>>();
    if (delta.type === "text") use(delta.text);
    if (delta.type === "tool_call") use(delta.name, delta.arguments);
  }
  const { usage } = await reading;
  // the output of Bedrock, a promise of a client, and a response of `fetch`
  const output: { stream?: AsyncIterable<object> | undefined; $metadata: object } = { stream, $metadata: {} };
  for await (const delta of project.prompt.readResponse({ provider: "bedrock", response: output })) use(delta.type);
  await project.prompt.readResponse({ provider: "openai_chat", response: Promise.resolve(whole) });
  const web = { ok: true, status: 200, headers: { get: (_: string) => null }, text: async () => "" };
  for await (const delta of project.prompt.readResponse({ provider: "gemini", response: web })) use(delta.type);
  await project.prompt.readResponse({ provider: "gemini", events: [{}] });
  use(message, usage);
}
