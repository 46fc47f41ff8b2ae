// The engine and the worker of a team, in one process. It prints each event of the worker, and the result of the turn.
import { engine } from "../../../pkg/engine.js";
import { open } from "../../../pkg/index.js";
import { fileStore } from "../../../pkg/stores/file.js";
import { worker } from "../../../pkg/worker.js";

const [path, turn] = process.argv.slice(2);
const settings = { lease_seconds: 1, max_attempts: 1000 };
const team = engine({ open, store: fileStore(path), projectId: "demo", tickMs: 200, settings });

/** Calls the tool twice, then answers with its results. */
function model({ body }) {
  const results = body.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  if (results.length === 2) return `Done: ${results.join(", ")}`;
  const call = { function: { name: "look_up", arguments: JSON.stringify({ part: results.length + 1 }) } };
  return { text: "", tool_calls: [call] };
}

const tools = {
  look_up: {
    parameters: { type: "object", properties: { part: { type: "integer" } } },
    run({ part }) {
      console.log(`ran ${part}`);
      return `part ${part}`;
    },
  },
};
const crew = worker({ engine: team, model, tools, pollMs: 100, log: ({ event }) => console.log(event) });
await Promise.all([team.start(), crew.start()]);
const card = await team.result(JSON.parse(turn));
console.log(`result ${JSON.stringify(card?.content.data.fields)}`);
await Promise.all([crew.close(), team.close()]);
