// Exact counts of OpenAI's encodings, from the package `gpt-tokenizer`, which the host installs. A
// vocabulary is loaded only when a counter of it is asked for.
import { TuckboxError } from "../lib/error.js";

const missing = (cause) => {
  throw new TuckboxError("bad_request", "the package `gpt-tokenizer` is not installed; it holds the vocabularies", { cause });
};

// a bundler that does not find the package sees that somebody waits for that
const encodings = {
  o200k_base: () => import("gpt-tokenizer/encoding/o200k_base").catch(missing),
  cl100k_base: () => import("gpt-tokenizer/encoding/cl100k_base").catch(missing),
};

/** An exact counter of one of OpenAI's encodings. */
export async function openaiCounter(encoding = "o200k_base") {
  const load = Object.hasOwn(encodings, encoding) ? encodings[encoding] : undefined;
  if (load === undefined) {
    const known = Object.keys(encodings).map((name) => `\`${name}\``).join(", ");
    throw new TuckboxError("bad_request", `unknown encoding \`${encoding}\`; known are ${known}`, { path: "encoding" });
  }
  const { countTokens } = await load();
  // marks such as `<|endoftext|>` are text here: a card that quotes one says nothing to the model
  const plain = { disallowedSpecial: new Set() };
  return { encoding, exact: true, count: (text) => countTokens(text, plain) };
}

/**
 * Counts the texts of payloads: the `counter` of a `count_tokens`, `budget` or `diff_payloads` call.
 * Two calls are those of a comparison, the one before first.
 */
export async function countWith(counter, workspace, ...calls) {
  const texts = new Set();
  for (const call of calls) {
    for (const text of (await workspace.tokenTexts(call)).texts) texts.add(text);
  }
  const { encoding, exact } = counter;
  return { counts: Array.from(texts, (text) => counter.count(text)), exact, ...(encoding === undefined ? {} : { encoding }) };
}
