// Runs the conversations of one kind (`clients` or `adapters`) and prints what was sent, as JSON.

import { adaptFetch } from "../../pkg/adapters/fetch.js";
import { memoryStore, open } from "../../pkg/index.js";
import { startProviders } from "../support/providers.mjs";
import * as conversations from "./conversations.mjs";

const [kind] = process.argv.slice(2);
const server = await startProviders();
const runs = [];
for (const [name, converse] of Object.entries(conversations[kind])) {
  for (const mode of ["look", "assemble"]) {
    const project = await open(memoryStore(), { projectId: "demo" });
    const previewed = [];
    const chosen = [];
    const errors = [];
    const onError = (error) => errors.push(error.message);
    const onText = ({ text }) => previewed.push(text);
    // an adapter of a framework chooses the messages, the `fetch` of its client writes the body
    const fetch = kind === "adapters" && mode === "assemble" ? adaptFetch({ project, mode, sink: () => {}, onRequest: onText }) : undefined;
    const options = { project, mode, onError, onRequest: kind === "clients" ? onText : (request) => chosen.push(request) };
    const from = server.bodies.length;
    const answer = await converse(`${server.url}/openai/v1`, options, fetch);
    // records are imported one after the other, after their answer
    let records = 0;
    for (let waited = 0; waited < 600 && records + errors.length < 4; waited += 1) {
      if (waited > 0) await new Promise((resolve) => setTimeout(resolve, 100));
      records = (await project.agents.list({})).rows.length;
    }
    const losses = chosen.flatMap((request) => request.losses);
    runs.push({ name, mode, answer, arrived: server.bodies.slice(from), previewed, chosen: chosen.length, losses, errors, records });
  }
}
await server.close();
process.stdout.write(JSON.stringify(runs), () => process.exit());
