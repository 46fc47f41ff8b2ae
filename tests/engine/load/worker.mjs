// A worker process with a scripted model. It reports each turn to its parent until the parent stops it.
import { engine } from "../../../pkg/engine.js";
import { open } from "../../../pkg/index.js";
import { pgStore } from "../../../pkg/stores/pg.js";
import { worker } from "../../../pkg/worker.js";
import { poolOf } from "../../stores/server.mjs";
import { clear, counted } from "./counted.mjs";

const [url, project_id, concurrency] = process.argv.slice(2);
const pool = poolOf(url, { max: Number(concurrency) + 2 });
const store = counted(pgStore(pool));
const team = engine({ open, store, projectId: project_id });
const model = (_payload, { agent_id, agent_turn_id, turn_epoch }) => {
  process.send({ agent_id, agent_turn_id, turn_epoch });
  return "done";
};
const crew = worker({ engine: team, model, concurrency: Number(concurrency), leaseMs: 5000, takeUpMs: 60_000 });
// load the WebAssembly module before the measurement
await team.look("due", {});
await team.call("payload", { provider: "openai_chat", model: "m", messages: [] }).catch(() => {});
await team.call("turn_view", { agent_id: "agent_0" }).catch(() => {});
clear(store.counts);
process.send({ ready: true });
process.on("message", async (command) => {
  if (command === "go") {
    await crew.start();
    return;
  }
  await crew.close();
  await team.close();
  await pool.end();
  process.send({ counts: store.counts });
  process.disconnect();
});
