// The texts of this folder by kind, as `cargo xtask tokens` makes them too.
import { readFileSync } from "node:fs";

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const texts = (name) => read(`${name}.txt`).replace(/\n$/, "").split("\n%%\n");

const kinds = ["english", "chinese", "code", "json"];
const [english, chinese, code, json] = kinds.map(texts);
const mixed = english.map((text, i) => (i % 2 === 0 ? `${text}\n\n${json[i]}` : `${chinese[i]}\n\n${code[i]}`));
const later = Object.fromEntries(kinds.map((kind) => [`later_${kind}`, texts(`later/${kind}`)]));

export const corpus = { english, chinese, code, json, mixed, ...later };
export const exact = () => JSON.parse(read("exact.json"));
