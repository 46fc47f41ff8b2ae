// The counters of a host that has installed the package and `gpt-tokenizer`.
import { cpSync } from "node:fs";

const pkg = new URL("../../pkg/", import.meta.url);
export const home = new URL("../.cache/counters/", import.meta.url);
for (const part of ["counters", "lib", "package.json"]) {
  cpSync(new URL(part, pkg), new URL(part, home), { recursive: true });
}

export const { countWith, openaiCounter } = await import(new URL("counters/openai.js", home).href);
