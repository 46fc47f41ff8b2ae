// Runs one turn. The worker is another host that starts only after a wakeup.
import assert from "node:assert/strict";
import { engine } from "../../pkg/engine.js";
import { memoryStore, open } from "../../pkg/index.js";
import { worker } from "../../pkg/worker.js";
import { guarded } from "../support/until.mjs";

/** Runs the turn. `here` and `there` are the transports of the two hosts. */
export async function rings(project_id, here, there) {
  const store = memoryStore();
  const [team, far] = [here, there].map((transport) => engine({ open, store, projectId: project_id, transport }));
  await team.profile({ name: "Writer", system_prompt: "You write.", llm_config: { model: "m" } });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  const crew = worker({ engine: far, pollMs: 600_000, takeUpMs: 600_000, model: () => "done" });
  try {
    await crew.start();
    await team.start();
    const turn = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
    const card = await team.result(turn, { signal: guarded("the turn has ended"), pollMs: 20 });
    assert.deepEqual(card.content.data.fields, [{ name: "output", value: "done" }]);
  } finally {
    await crew.close();
    await Promise.all([team.close(), far.close()]);
  }
}
