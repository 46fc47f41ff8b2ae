// Models over plain `fetch`, for `tuckbox/worker`: copy the one you need. Each takes the payload that the worker made for
// its provider and gives back what the provider answered; the worker reads both.
//
//   worker({ engine, model: anthropic({ key: process.env.ANTHROPIC_API_KEY }), tools });

/** OpenAI, and everybody who speaks chat completions: vLLM, Ollama, llama.cpp, OpenRouter, .. */
export function openai({ key, url = "https://api.openai.com/v1" }) {
  return ({ body }, { signal }) => post(`${url}/chat/completions`, { authorization: `Bearer ${key}` }, body, signal);
}

/** The same as a stream: `onText` is told of every piece as it comes, the worker gets the events. */
export function openaiStream({ key, url = "https://api.openai.com/v1", onText = () => {} }) {
  return async function* ({ body }, { signal }) {
    const response = await sent(`${url}/chat/completions`, { authorization: `Bearer ${key}` }, { ...body, stream: true }, signal);
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

/** The model of a Gemini request stands in its address. */
export function gemini({ key, url = "https://generativelanguage.googleapis.com/v1beta" }) {
  return ({ body, model }, { signal }) => post(`${url}/models/${model}:generateContent`, { "x-goog-api-key": key }, body, signal);
}

async function post(url, headers, body, signal) {
  return (await sent(url, headers, body, signal)).json();
}

/** What is not an answer is thrown: it ends the turn, and its text stands in the deliverable. */
async function sent(url, headers, body, signal) {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body), signal });
  if (response.ok) return response;
  throw Object.assign(new Error(`the model's server answered ${response.status}: ${(await response.text()).slice(0, 500)}`), { code: `http_${response.status}` });
}
