// The timeline of log files. The files stay in the memory of the core, so each question is answered quickly.
import { enter, Resident, readyWith } from "../core.js";
import { parseJson, toText } from "../json.js";
import { own } from "../options.js";
import { modelTable } from "./models.js";
import { MAX_BYTES, opened } from "./open.js";

/** @type {typeof import("../../types/import.js").openTimeline} */
export async function openTimeline(files, options) {
  await readyWith("import");
  const table = await modelTable(own(options).models);
  const entropy = crypto.getRandomValues(new Uint8Array(32));
  const timeline = new Resident(
    "timeline",
    enter((core) => new core.Timeline(entropy, table)),
  );
  try {
    const budget = { left: MAX_BYTES };
    for await (const file of files) {
      for (const { name, bytes } of await opened(file, budget)) {
        enter(() => timeline.object.begin(name, Math.min(bytes.length, 2 ** 32 - 1)));
        enter(() => timeline.object.push(bytes));
        enter(() => timeline.object.end());
      }
    }
  } catch (error) {
    timeline.free();
    throw error;
  }
  return {
    ask: (question = {}) => {
      const text = toText(question, "bad_request");
      return parseJson(enter(() => timeline.object.ask(text)));
    },
    dispose: () => timeline.free(),
  };
}
