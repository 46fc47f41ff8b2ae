// Prints the lockfile of the sample project, in any runtime.
import { contexts } from "../../examples/lock/contexts.mjs";
import { memoryStore, open } from "../../pkg/index.js";

const project = await open(memoryStore(), { projectId: "p" });
const entries = [];
for (const [name, context] of Object.entries(contexts())) entries.push(await project.lock.entry({ name, ...context }));
process.stdout.write((await project.lock.update({ entries })).lock);
