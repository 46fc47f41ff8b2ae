// The texts of this folder by kind, as `cargo xtask tokens` makes them too.
import { readFileSync } from "node:fs";

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const texts = (name) => read(`${name}.txt`).replace(/\n$/, "").split("\n%%\n");

const kinds = ["english", "chinese", "code", "json"];
const [english, chinese, code, json] = kinds.map(texts);
const mixed = english.map((text, i) => (i % 2 === 0 ? `${text}\n\n${json[i]}` : `${chinese[i]}\n\n${code[i]}`));
const later = Object.fromEntries(kinds.map((kind) => [`later_${kind}`, texts(`later/${kind}`)]));

/** Texts of one kind each: scripts, data and layouts that prose and programs do not show. */
const odd = [
  "arabic",
  "base64",
  "compact_json",
  "escaped_json",
  "german",
  "greek",
  "hebrew",
  "hex",
  "hindi",
  "indentation",
  "japanese",
  "korean",
  "links",
  "logs",
  "markup",
  "padded_columns",
  "polish",
  "russian",
  "sql",
  "tabs",
  "ukrainian",
  "uuids",
];
const kind = Object.fromEntries(odd.map((name) => [`kind_${name}`, texts(`kinds/${name}`)]));

export const corpus = { english, chinese, code, json, mixed, ...later, ...kind };
export const exact = () => JSON.parse(read("exact.json"));
