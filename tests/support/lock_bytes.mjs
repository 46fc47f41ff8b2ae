// Prints the lockfile of the sample project, in Node, Deno or Bun: `node lock_bytes.mjs [REPEATS]`.
import * as tuckbox from "../../pkg/index.js";
import { lockText } from "./lock_text.mjs";

process.stdout.write(await lockText(tuckbox, Number(process.argv[2] ?? 1)));
