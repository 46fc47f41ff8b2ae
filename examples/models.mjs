// Model functions for `tuckbox/worker` that call providers with `fetch`. Copy the one you need. Each takes the payload
// that the worker built for its provider and returns the provider's response. The worker parses the response.
//
//   worker({ engine, model: anthropic({ key: process.env.ANTHROPIC_API_KEY }), tools });

/** Calls OpenAI or any server with the chat completions API, such as vLLM, Ollama, llama.cpp and OpenRouter. */
export function openai({ key, url = "https://api.openai.com/v1" }) {
  return ({ body }, { signal }) => post(`${url}/chat/completions`, { authorization: `Bearer ${key}` }, body, signal);
}

/** Calls the same API as a stream. `onText` receives each piece of text; the worker receives the events. */
export function openaiStream({ key, url = "https://api.openai.com/v1", onText = () => {} }) {
  return async function* ({ body }, { signal }) {
    const response = await send(`${url}/chat/completions`, { authorization: `Bearer ${key}` }, { ...body, stream: true }, signal);
    let text = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = `${text}${chunk}`.split("\n");
      text = lines.pop();
      for (const line of lines) {
        if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
        const event = JSON.parse(line.slice("data: ".length));
        onText(event.choices?.[0]?.delta?.content ?? "");
        yield event;
      }
    }
  };
}

export function anthropic({ key, url = "https://api.anthropic.com/v1" }) {
  return ({ body }, { signal }) => post(`${url}/messages`, { "x-api-key": key, "anthropic-version": "2023-06-01" }, body, signal);
}

/** Calls Gemini. The URL of a Gemini request contains the model. */
export function gemini({ key, url = "https://generativelanguage.googleapis.com/v1beta" }) {
  return ({ body, model }, { signal }) => post(`${url}/models/${model}:generateContent`, { "x-goog-api-key": key }, body, signal);
}

async function post(url, headers, body, signal) {
  return (await send(url, headers, body, signal)).json();
}

/** Sends a request. Throws for an error status: the turn ends, and its deliverable contains the message. */
async function send(url, headers, body, signal) {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body), signal });
  if (response.ok) return response;
  throw Object.assign(new Error(`the model server returned status ${response.status}: ${(await response.text()).slice(0, 500)}`), { code: `http_${response.status}` });
}
