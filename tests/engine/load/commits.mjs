// A process that makes commits of the same size as those of the engine, without reads or decisions. It measures the
// maximum rate of the store.
import { pgStore } from "../../../pkg/stores/pg.js";
import "../../../pkg/index.js";
import { poolOf } from "../../stores/server.mjs";

const [url, project_id, lanes] = process.argv.slice(2);
const pool = poolOf(url, { max: Number(lanes) });
const store = pgStore(pool);
const at = "2026-01-04T10:30:00.000Z";

async function lane(count, each) {
  const owed = { rows: 0, cards: 0, boxes: 0 };
  const due = (kind) => {
    owed[kind] += each[kind];
    const whole = Math.floor(owed[kind]);
    owed[kind] -= whole;
    return Array.from({ length: whole }, () => crypto.randomUUID());
  };
  for (let step = 0; step < count; step += 1) {
    const cards = due("cards").map((card_id) => ({
      card_id,
      content: { text: "a thought", __type__: "TextContent" },
      metadata: { type: "agent.thought", author_id: "a", created_at: at },
      tool_calls: null,
      tool_call_id: null,
      ttl_seconds: null,
    }));
    const boxes = due("boxes").map((box_id) => ({
      change: "create",
      box: { box_id, card_ids: [], parent_ids: [], version: 1, deleted_at: null },
    }));
    const rows = due("rows").map((id) => ({
      table: "outbox",
      key: [id],
      version: null,
      row: { message_id: id, subject: "s", payload: { status: "idle" }, status: "pending", created_at: at },
    }));
    await store.commit({ project_id, operation_id: crypto.randomUUID(), at, cards, boxes, rows });
  }
}

process.send({ ready: true });
process.on("message", async ({ commits, each: per }) => {
  const each = Math.ceil(commits / Number(lanes));
  const started = performance.now();
  await Promise.all(Array.from({ length: Number(lanes) }, () => lane(each, per)));
  process.send({ made: each * Number(lanes), ms: performance.now() - started });
  await pool.end();
  process.disconnect();
});
