// Runs one worker of the team. Start any number of these processes, on any number of machines:
//
//   npm install tuckbox pg @nats-io/transport-node @nats-io/jetstream
//   export DATABASE_URL=postgres://localhost/agents NATS_URL=nats://127.0.0.1:4222
//   npx tuckbox migrate --store $DATABASE_URL --commit
//   npx tuckbox engine --store $DATABASE_URL --project demo --nats $NATS_URL --port 8080 &
//   for worker in 1 2 3 4; do node worker.mjs & done
//   node ask.mjs "What moves a ship?"
//
// The database is the source of truth; NATS carries wakeups. The team continues after any of these processes is killed.
import * as jetstream from "@nats-io/jetstream";
import * as nats from "@nats-io/transport-node";
import pg from "pg";
import { open } from "tuckbox";
import { engine } from "tuckbox/engine";
import { natsTransport } from "tuckbox/engines/nats";
import { pgStore } from "tuckbox/stores/pg";
import { recipe, submitResult, worker } from "tuckbox/worker";
import { model } from "./model.mjs";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
// the pool reports a lost idle connection as an error event; the next query opens a new one
pool.on("error", () => {});
const transport = await natsTransport({ nats, jetstream, connect: { servers: process.env.NATS_URL } });
const team = engine({ open, store: pgStore(pool), projectId: "demo", transport });
const crew = worker({
  engine: team,
  model,
  tools: { fork_join: recipe("fork_join"), submit_result: submitResult() },
  log: (entry) => console.log(JSON.stringify(entry)),
});
await crew.start();

// running turns have 10 s to finish; after that, another worker continues them
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    await crew.close({ graceMs: 10_000 });
    await team.close();
    await transport.close();
    await pool.end();
  });
}
