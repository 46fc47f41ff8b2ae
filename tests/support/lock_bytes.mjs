// Prints the lockfile of the sample project, in any runtime: `node lock_bytes.mjs [REPEATS]`. Each repeat must have the
// same bytes and no changes.
import { contexts } from "../../examples/lock/contexts.mjs";
import { memoryStore, open } from "../../pkg/index.js";

const project = await open(memoryStore(), { projectId: "p" });

async function lockfile() {
  const entries = [];
  for (const [name, context] of Object.entries(contexts())) entries.push(await project.lock.entry({ name, ...context }));
  const { lock } = await project.lock.update({ entries });
  const { status } = await project.lock.check({ lock, entries });
  if (status !== "same") throw new Error(status);
  return lock;
}

const lock = await lockfile();
for (let repeat = 1; repeat < Number(process.argv[2] ?? 1); repeat += 1) {
  if ((await lockfile()) !== lock) throw new Error(`repeat ${repeat} has other bytes`);
}
process.stdout.write(lock);
