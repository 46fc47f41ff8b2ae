// The models of `examples/models.mjs` with a real HTTP server: their requests, and the answers that they return.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { anthropic, gemini, openai, openaiStream } from "../../examples/models.mjs";
import { engine } from "../../pkg/engine.js";
import { memoryStore, open } from "../../pkg/index.js";
import { VirtualClock } from "../../pkg/lib/contract/clock.js";
import { worker } from "../../pkg/worker.js";

const requests = [];
let answer;
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  requests.push({ path: request.url, headers: request.headers, body: JSON.parse(body) });
  answer(response);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${server.address().port}`;
after(() => server.close());

const json =
  (value, status = 200) =>
  (response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

/** The time limit of a model, on a clock that only the test moves. */
const modelTimeoutMs = 2000;
const clock = new VirtualClock();

/** Runs one turn with a model and returns the fields of its deliverable. */
async function turn(provider, model) {
  const team = engine({ open, store: memoryStore(), projectId: "p", clock });
  await team.profile({
    name: "Writer",
    system_prompt: "You write.",
    llm_config: { provider, model: "some-model", max_output_tokens: 100 },
  });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  const crew = worker({ engine: team, model, modelTimeoutMs });
  const asked = await team.dispatch({ agent_id: "ann", instruction: "Say it." });
  await crew.step();
  const { content } = await team.result(asked);
  await crew.close();
  await team.close();
  return Object.fromEntries(content.data.fields.map(({ name, value }) => [name, value]));
}

test("`openai` calls an OpenAI-compatible server", async () => {
  answer = json({ choices: [{ finish_reason: "stop", message: { role: "assistant", content: "said" } }] });
  assert.equal((await turn("openai_chat", openai({ key: "k1", url }))).output, "said");
  const { path, headers, body } = requests.at(-1);
  assert.deepEqual(
    [path, headers.authorization, body.model, body.messages.at(-1)],
    ["/chat/completions", "Bearer k1", "some-model", { role: "user", content: "Say it." }],
  );
});

test("`openaiStream` passes each piece of text to `onText`", async () => {
  answer = (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const content of ["sa", "id"]) response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
    response.end(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`);
  };
  const heard = [];
  assert.equal((await turn("openai_chat", openaiStream({ key: "k1", url, onText: (text) => heard.push(text) }))).output, "said");
  assert.equal(heard.join(""), "said");
  assert.equal(requests.at(-1).body.stream, true);
});

test("`anthropic` calls the Messages API", async () => {
  answer = json({
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "said" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 3, output_tokens: 1 },
  });
  assert.equal((await turn("anthropic", anthropic({ key: "k2", url }))).output, "said");
  const { path, headers, body } = requests.at(-1);
  assert.deepEqual(
    [path, headers["x-api-key"], body.model, body.max_tokens, body.system[0].text],
    ["/messages", "k2", "some-model", 100, "You write."],
  );
});

test("`gemini` calls `generateContent`", async () => {
  answer = json({ candidates: [{ content: { role: "model", parts: [{ text: "said" }] }, finishReason: "STOP" }] });
  assert.equal((await turn("gemini", gemini({ key: "k3", url }))).output, "said");
  assert.equal(requests.at(-1).path, "/models/some-model:generateContent");
  assert.equal(requests.at(-1).headers["x-goog-api-key"], "k3");
});

test("an error status or a timeout of the server fails the turn with the reason", async () => {
  answer = json({ error: "slow down" }, 429);
  assert.match((await turn("openai_chat", openai({ key: "k1", url }))).error, /returned status 429: .*slow down/);
  answer = () => clock.advance(modelTimeoutMs);
  assert.match((await turn("openai_chat", openai({ key: "k1", url }))).error, /did not answer within 2000 ms/);
  server.closeAllConnections();
});
