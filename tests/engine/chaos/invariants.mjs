// Checks the invariants of the simulator on the real tables, after all work has ended.
import assert from "node:assert/strict";

export async function invariants(pool, project_id, { asked, thoughts, known_boxes }) {
  const all = async (text, ...params) => (await pool.query(text, params)).rows;

  // each batch joins once: it is not `running`, has one response, and its parent has at most one answer
  const batches = await all("select batch_id, status, parent_tool_call_id, task_count from state.pmo_batches");
  const joins = await all("select correlation_id from state.execution_edges where primitive = 'join' and edge_phase = 'response'");
  const answers = await all("select correlation_id from state.agent_inbox where message_type = 'tool_result'");
  const count = (rows, id) => rows.filter(({ correlation_id }) => correlation_id === id).length;
  for (const { batch_id, status, parent_tool_call_id } of batches) {
    assert.notEqual(status, "running", batch_id);
    assert.equal(count(joins, batch_id), 1, `responses of ${batch_id}`);
    assert.ok(count(answers, parent_tool_call_id) <= 1, `answers to ${parent_tool_call_id}`);
  }
  assert.equal(new Set(batches.map(({ parent_tool_call_id }) => parent_tool_call_id)).size, batches.length, "each call has one batch");
  const open = await all("select batch_task_id from state.pmo_batch_tasks where status in ('pending', 'dispatched')");
  assert.deepEqual(open, [], "tasks that have not ended");

  // no accepted turn is lost: each has one message and one deliverable
  const inbox = new Map(
    (await all("select agent_turn_id, status, payload from state.agent_inbox where message_type = 'turn'")).map((row) => [
      row.agent_turn_id,
      row,
    ]),
  );
  const boxes = new Map(
    (await all("select box_id::text as box_id, card_ids from card_boxes")).map(({ box_id, card_ids }) => [box_id, card_ids]),
  );
  const delivered = new Set(
    (await all("select card_id from cards where metadata->>'type' = 'task.deliverable'")).map(({ card_id }) => card_id),
  );
  for (const { agent_turn_id, output_box_id } of asked) {
    assert.ok(inbox.has(agent_turn_id), `the message of ${agent_turn_id}`);
    assert.equal(boxes.get(output_box_id)?.filter((id) => delivered.has(id)).length, 1, `deliverables of ${agent_turn_id}`);
  }

  // no two hosts run the same step of a turn in the same epoch, and no worker writes to a turn it has lost
  assert.equal(new Set(thoughts).size, thoughts.length, "a step ran twice");
  const heads = await all("select agent_id, status, turn_epoch, active_agent_turn_id, waiting_tool_count from state.agent_state_head");
  const highest = new Map();
  for (const { agent_id, payload } of await all("select agent_id, payload from state.agent_inbox where message_type = 'turn'")) {
    const epoch = Number(payload.turn_epoch ?? 0);
    if (epoch === 0) continue;
    const taken = highest.get(agent_id) ?? new Set();
    assert.ok(!taken.has(epoch), `epoch ${epoch} of ${agent_id} was leased twice`);
    highest.set(agent_id, taken.add(epoch));
  }
  for (const { agent_id, status, turn_epoch, active_agent_turn_id, waiting_tool_count } of heads) {
    assert.deepEqual([status, active_agent_turn_id, Number(waiting_tool_count)], ["idle", null, 0], agent_id);
    assert.ok(Number(turn_epoch) >= Math.max(0, ...(highest.get(agent_id) ?? [])), `the epoch of ${agent_id} decreased`);
  }
  assert.deepEqual(
    await all("select tool_call_id from state.turn_waiting_tools where wait_status in ('waiting', 'received')"),
    [],
    "tool calls that are still waiting",
  );
  const after = await all(`select s.step_id from state.agent_steps s where s.status = 'completed' and exists (
    select 1 from state.agent_steps r where r.agent_id = s.agent_id and r.agent_turn_id = s.agent_turn_id and r.step_id like 'step_reap_%' and s.ended_at > r.ended_at)`);
  assert.deepEqual(after, [], "steps that ended after their worker lost the turn");

  // each box belongs to a turn, a task, a step or a profile
  const used = new Set(known_boxes);
  for (const { payload } of inbox.values()) for (const key of ["profile_box_id", "context_box_id", "output_box_id"]) used.add(payload[key]);
  for (const row of await all(
    "select profile_box_id::text as a, context_box_id::text as b, output_box_id::text as c from state.pmo_batch_tasks",
  ))
    for (const id of Object.values(row)) used.add(id);
  for (const { id } of await all("select profile_box_id as id from resource.profiles")) used.add(id);
  for (const { id } of await all("select output_box_id::text as id from state.agent_steps where output_box_id is not null")) used.add(id);
  assert.deepEqual(
    [...boxes.keys()].filter((id) => !used.has(id)),
    [],
    "boxes without an owner",
  );

  const [{ n: ended }] = await all("select count(*)::int as n from state.agent_steps where ended_at is not null and status = 'completed'");
  const statuses = Object.fromEntries(
    await Promise.all(
      ["success", "partial", "failed", "timeout"].map(async (status) => [
        status,
        batches.filter((batch) => batch.status === status).length,
      ]),
    ),
  );
  const errors = Object.fromEntries(
    (await all("select error, count(*)::int as n from state.agent_steps where error is not null group by error")).map(({ error, n }) => [
      error,
      n,
    ]),
  );
  // a killed host delays its turns, and fails none
  const lost = Object.keys(errors).filter((error) => !["given_back", "lease_expired"].includes(error));
  assert.deepEqual([lost, statuses.success], [[], batches.length], "turns that failed");
  return { batches: batches.length, ...statuses, errors, completed_steps: ended, project_id };
}
