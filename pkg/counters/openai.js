// Exact token counts of OpenAI's encodings, with the package `gpt-tokenizer`, which the host installs. A vocabulary is
// loaded with its first counter.
import { TuckboxError } from "../lib/error.js";

/** @param {unknown} cause @returns {never} */
const missing = (cause) => {
  throw new TuckboxError("bad_request", "the package `gpt-tokenizer` is not installed; install it to count tokens exactly", { cause });
};

// with `catch`, bundlers accept that the package is missing
const encodings = {
  o200k_base: () => import("gpt-tokenizer/encoding/o200k_base").catch(missing),
  cl100k_base: () => import("gpt-tokenizer/encoding/cl100k_base").catch(missing),
};

/**
 * Returns an exact counter of one of OpenAI's encodings.
 *
 * @type {typeof import("../types/counters/openai.js").openaiCounter}
 */
export async function openaiCounter(encoding = "o200k_base") {
  const load = Object.hasOwn(encodings, encoding) ? encodings[encoding] : undefined;
  if (load === undefined) {
    const known = Object.keys(encodings)
      .map((name) => `\`${name}\``)
      .join(", ");
    throw new TuckboxError("bad_request", `unknown encoding \`${encoding}\`; expected one of ${known}`, { path: "encoding" });
  }
  const { countTokens } = await load();
  // special tokens such as `<|endoftext|>` are plain text in a card
  const plain = { disallowedSpecial: /** @type {Set<string>} */ (new Set()) };
  return { encoding, exact: true, count: (/** @type {string} */ text) => countTokens(text, plain) };
}

/**
 * Counts the strings of payloads. The result is the `counter` of a `count_tokens`, `budget` or `diff_payloads` call.
 * Pass both calls of a comparison, the earlier one first.
 *
 * @type {typeof import("../types/counters/openai.js").countWith}
 */
export async function countWith(counter, workspace, ...calls) {
  const texts = /** @type {Set<string>} */ (new Set());
  for (const call of calls) {
    for (const text of (await workspace.prompt.tokenTexts(call)).texts) texts.add(text);
  }
  const { encoding, exact } = counter;
  return { counts: Array.from(texts, (text) => counter.count(text)), exact, ...(encoding === undefined ? {} : { encoding }) };
}
