// Writes `exact.json` again: `node tests/corpus/count.mjs`, after a text was added.
import { writeFileSync } from "node:fs";
import { openaiCounter } from "../node/installed.mjs";
import { corpus } from "./corpus.mjs";

const { count } = await openaiCounter("o200k_base");
const lines = Object.entries(corpus).map(([kind, texts]) => `  ${JSON.stringify(kind)}: [${texts.map(count).join(", ")}]`);
writeFileSync(new URL("exact.json", import.meta.url), `{\n${lines.join(",\n")}\n}\n`);
