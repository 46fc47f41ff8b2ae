// A host that the parent process kills: an engine, or a worker with a scripted model. It reports each call of the model
// to the parent.
import * as jetstream from "@nats-io/jetstream";
import * as nats from "@nats-io/transport-node";
import { engine } from "../../../pkg/engine.js";
import { natsTransport } from "../../../pkg/engines/nats.js";
import { open } from "../../../pkg/index.js";
import { pgStore } from "../../../pkg/stores/pg.js";
import { recipe, worker } from "../../../pkg/worker.js";
import { poolOf } from "../../stores/server.mjs";
import { settings } from "./settings.mjs";

const [kind, url, natsUrl, project_id] = process.argv.slice(2);
const pool = poolOf(url, { max: 6 });

/** Connects to NATS. Retries while the server is down. */
async function transport() {
  for (;;) {
    try {
      return await natsTransport({ nats, jetstream, connect: { servers: natsUrl, timeout: 1000 }, publishTimeoutMs: 1000 });
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

const team = engine({
  open,
  store: pgStore(pool),
  projectId: project_id,
  settings,
  transport: await transport(),
  tickMs: 500,
  sendMs: 200,
  patienceMs: 10_000,
});

function model(_, { profile, agent_id, agent_turn_id, turn_epoch, step_count }) {
  process.send({ thought: [agent_id, agent_turn_id, turn_epoch, step_count] });
  if (profile?.name !== "Lead") return new Promise((resolve) => setTimeout(resolve, Math.random() * 60, "found"));
  if (step_count > 0) return "summed up";
  const tasks = ["tides", "winds", "stars"].map((instruction) => ({ target_strategy: "new", target_ref: "Researcher", instruction }));
  return {
    text: "Let us see.",
    tool_calls: [{ function: { name: "fork_join", arguments: JSON.stringify({ tasks, deadline_seconds: 600 }) } }],
  };
}

const until = async (begin) => {
  for (;;) {
    try {
      return await begin();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
};
let crew;
if (kind === "engine") {
  await until(() => team.start());
} else {
  crew = worker({
    engine: team,
    model,
    concurrency: 4,
    pollMs: 500,
    takeUpMs: 1000,
    leaseMs: 500,
    tools: { fork_join: recipe("fork_join", { timeoutSeconds: 600 }) },
  });
  await until(() => crew.start());
}
// a clean shutdown releases the turns
process.on("SIGTERM", async () => {
  await crew?.close({ graceMs: 0 }).catch(() => {});
  process.exit();
});
process.send({ ready: true });
process.on("disconnect", () => process.exit());
