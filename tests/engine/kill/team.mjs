// The team of `pkg/README.md` in one process: a lead and three researchers. It prints each event of the worker, each call
// of a model, and the result of the turn.
import { engine } from "../../../pkg/engine.js";
import { open } from "../../../pkg/index.js";
import { fileStore } from "../../../pkg/stores/file.js";
import { recipe, submitResult, worker } from "../../../pkg/worker.js";

const [path, turn, settings] = process.argv.slice(2);
const team = engine({ open, store: fileStore(path), projectId: "demo", settings: JSON.parse(settings) });

function model({ body }, { profile, step_count }) {
  console.log(`model of ${profile.name}`);
  if (profile.name === "Researcher") {
    const task = body.messages.find(({ role }) => role === "user").content;
    return `${task}: found`;
  }
  const call = (name, args) => ({ text: "", tool_calls: [{ function: { name, arguments: JSON.stringify(args) } }] });
  if (step_count === 0) {
    const task = (instruction) => ({ target_strategy: "new", target_ref: "Researcher", instruction });
    return call("fork_join", { tasks: ["tides", "winds", "stars"].map(task) });
  }
  const { status, results } = JSON.parse(body.messages.at(-1).content);
  return call("submit_result", { summary: status, output: `${results.length} answers` });
}

const tools = { fork_join: recipe("fork_join"), submit_result: submitResult() };
const crew = worker({ engine: team, model, tools, log: ({ event }) => console.log(event) });
await Promise.all([team.start(), crew.start()]);
const { status, fields } = await team.result(JSON.parse(turn));
console.log(`result ${status}: ${fields.summary}: ${fields.output}`);
await Promise.all([crew.close(), team.close()]);
