// Commits as fast as it can and prints each acknowledged operation, until the test kills it.
import { pgStore } from "../../pkg/stores/pg.js";
import { poolOf } from "./server.mjs";

const [url, name] = process.argv.slice(2);
const store = pgStore(poolOf(url, { max: 2 }));
const at = "2026-01-04T10:30:00.000Z";

/** Returns a batch with every kind of write. The ids contain the id of the operation. */
export function batch(project_id, operation_id) {
  const ids = [0, 1, 2].map((index) => `${operation_id}_card_${index}`);
  const card = (card_id) => ({
    card_id,
    content: { text: card_id, __type__: "TextContent" },
    metadata: {},
    tool_calls: null,
    tool_call_id: null,
    ttl_seconds: null,
  });
  return {
    project_id,
    operation_id,
    at,
    cards: ids.map(card),
    boxes: [
      { change: "create", box: { box_id: `${operation_id}_box`, card_ids: ids, parent_ids: [], version: 1, deleted_at: null } },
      { change: "append", box_id: "log", card_ids: ids },
    ],
    agents: [{ agent_id: `${operation_id}_agent`, state: { status: "running", output_box_id: `${operation_id}_box` } }],
    files: [{ path: `${operation_id}_file`, text: operation_id }],
  };
}

async function writer(lane) {
  for (let step = 0; ; step += 1) {
    const operation_id = `${name}_${lane}_${step}`;
    await store.commit(batch("p", operation_id));
    process.stdout.write(`${operation_id}\n`);
  }
}

await store.read({ project_id: "p", boxes: ["log"] });
process.stdout.write("ready\n");
await Promise.all([writer("a"), writer("b")]);
