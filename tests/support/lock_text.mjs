// The lockfile of the sample project, made in any runtime.
import { contexts } from "../../examples/lock/contexts.mjs";

/** Returns the text that `repeats` builds make. Each must have the same bytes and no changes. */
export async function lockText({ memoryStore, open }, repeats) {
  const project = await open(memoryStore(), { projectId: "p" });
  let text;
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const entries = [];
    for (const [name, context] of Object.entries(contexts())) entries.push(await project.lock.entry({ name, ...context }));
    const { lock } = await project.lock.update({ entries });
    const { status } = await project.lock.check({ lock, entries });
    if (status !== "same") throw new Error(status);
    text ??= lock;
    if (lock !== text) throw new Error(`repeat ${repeat} has other bytes`);
  }
  return text;
}
