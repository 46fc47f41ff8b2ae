// `tuckbox run`: shows what runs, waits, is due or must be sent; stops or repeats a turn.
/** @import { Preview } from "../../types/workspace.js" */
/** @import { Args } from "./calls.js" */
/** @import { Session } from "./session.js" */
/** @import { Command } from "./usage.js" */
import { Rows } from "../engine/rows.js";
import { TuckboxError } from "../error.js";
import { given, needed, number } from "./calls.js";
import { line, table } from "./paint.js";
import { UsageError } from "./usage.js";

/** @type {Command} */
export const RUN = {
  summary: "Show what runs: agents, queues, batches, due calls, outbox messages",
  usage: "ls | show AGENT|BATCH | due [RULE] | outbox | stop AGENT | retry TURN",
  about:
    "`ls` shows the agents of the project, waiting turns and running batches. `show` shows one agent (its messages,\nits steps, the tools it waits for) or one batch (its tasks and edges). `due` lists the calls that a watchdog must make\nnow, `outbox` the messages that must be sent. `stop` stops the turn of an agent, in any worker. `retry` repeats a turn\nthat ended, as a new turn with the same boxes. Both write only with `--commit`.",
  writes: true,
  options: {
    limit: { value: "N", help: "maximum number of rows per list; 100 by default" },
    reason: { value: "TEXT", help: "reason for `stop`" },
  },
  examples: [
    "tuckbox run ls --store project.json",
    "tuckbox run show agent_b --store project.json",
    "tuckbox run stop agent_b --reason 'no longer needed' --store project.json --commit",
    "tuckbox run due --store postgres://localhost/agents --project demo --json",
  ],
  async run(session, [action, name], { limit, reason }) {
    const found = Object.hasOwn(ACTIONS, action ?? "") ? ACTIONS[action] : undefined;
    if (found === undefined)
      throw new UsageError(
        `expected \`run\` and one of ${Object.keys(ACTIONS)
          .map((known) => `\`${known}\``)
          .join(", ")}`,
      );
    const most = given([["limit", limit && number(limit, "--limit")]]);
    const preview = await found.ask(session, name, most, reason);
    return { preview, view: () => found.view(preview.value, session) };
  },
};

/**
 * @type {{ [action: string]: {
 *   ask: (session: Session, name: string | undefined, most: Args, reason: string | undefined) => Promise<Preview<any>>,
 *   view: (value: any, session: Session) => string[],
 * } }}
 */
const ACTIONS = {
  ls: { ask: (session, _, most) => session.preview("run_state", most), view: stateView },
  show: { ask: shownBy, view: stateView },
  due: { ask: (session, rule) => session.preview("due", given([["rule", rule]])), view: dueView },
  outbox: { ask: (session, _, most) => session.preview("outbox", most), view: outboxView },
  stop: { ask: stopped, view: ({ ended }, { paint }) => [ended ? paint.yellow("stops the turn") : "the agent has no turn"] },
  retry: { ask: again, view: retryView },
};

/**
 * Previews the stop of the turn of an agent.
 *
 * @param {Session} session
 * @param {string | undefined} name
 * @param {Args} _
 * @param {string} [reason]
 */
async function stopped(session, name, _, reason = "stopped_by_operator") {
  const agent_id = needed(name, "AGENT");
  const [head] = (await session.preview("run_state", given([["agent_id", agent_id]]))).value.agents;
  if (head?.active_agent_turn_id === undefined) throw new TuckboxError("not_found", `agent \`${agent_id}\` has no turn`, { path: "" });
  const headers = { "CG-Recursion-Depth": String(head.active_recursion_depth) };
  return session.preview(
    "stop",
    given(
      Object.entries({ agent_id, agent_turn_id: head.active_agent_turn_id, turn_epoch: head.turn_epoch, headers, payload: { reason } }),
    ),
  );
}

/**
 * Previews a new turn with the profile and the context of one that ended.
 *
 * @param {Session} session
 * @param {string | undefined} name
 */
async function again(session, name) {
  const agent_turn_id = needed(name, "TURN");
  const rows = new Rows({ store: (await session.opened()).store, projectId: await session.projectId() });
  const message = await rows.startOf(agent_turn_id);
  if (message === undefined) throw new TuckboxError("not_found", `turn \`${agent_turn_id}\` does not exist`, { path: "" });
  const { agent_id, recursion_depth, payload } = message;
  const { output_box_id = "" } = /** @type {any} */ (payload);
  const turn = Object.entries({ agent_id, agent_turn_id, output_box_id: output_box_id ?? "" });
  if ((await session.preview("turn_result", given(turn))).value.result === null)
    throw new TuckboxError(
      "conflict",
      `turn \`${agent_turn_id}\` of \`${agent_id}\` has not ended; \`tuckbox run stop ${agent_id}\` stops it`,
    );
  const { profile_box_id, context_box_id, channel_id, runtime_config, display_name } = /** @type {any} */ (payload);
  const headers = { "CG-Recursion-Depth": String(recursion_depth) };
  const pairs = Object.entries({ agent_id, profile_box_id, context_box_id, channel_id, runtime_config, display_name, headers });
  return session.preview("dispatch", given(pairs.filter(([, value]) => value !== null)));
}

/** @param {any} answer @param {Session} session */
function retryView({ status, error_code, agent_id, agent_turn_id, turn_epoch }, { paint }) {
  if (status !== "accepted") return [paint.red(`${agent_id ?? "the agent"}: ${status}, ${error_code}`)];
  return [`${paint.cyan(line(agent_id))} gets ${line(agent_turn_id)}${turn_epoch === undefined ? ", after its current turn" : ""}`];
}

/**
 * Previews the state of the agent or the batch with a name.
 *
 * @param {Session} session
 * @param {string | undefined} name
 * @param {Args} most
 */
async function shownBy(session, name, most) {
  const id = needed(name, "AGENT or BATCH");
  for (const key of ["agent_id", "batch_id"]) {
    const preview = await session.preview("run_state", new Map([...given([[key, id]]), ...most]));
    if (Object.values(preview.value).some((/** @type {any} */ rows) => rows.length > 0)) return preview;
  }
  throw new TuckboxError("not_found", `\`${id}\` is neither an agent with turns nor a batch`, { path: "" });
}

/** @param {string | undefined} id @param {number | undefined} epoch */
const turn = (id, epoch) => (id === undefined ? "" : `${id}${epoch === undefined ? "" : ` @${epoch}`}`);

/**
 * The lists of a state, in order: the title, and the cells of a row.
 *
 * @type {{ [list: string]: [title: string, cells: (row: any) => unknown[]] }}
 */
const LISTS = {
  agents: [
    "agents",
    (row) => [
      row.agent_id,
      row.status,
      turn(row.active_agent_turn_id, row.turn_epoch),
      row.resume_deadline === undefined ? "" : `${row.waiting_tool_count} tools until ${row.resume_deadline}`,
      row.updated_at,
    ],
  ],
  queued: ["messages", (row) => [row.agent_id, row.status, row.message_type, row.inbox_id, row.created_at]],
  waiting: [
    "waits for",
    (row) => [row.tool_call_id, row.wait_status, row.tool_name, turn(row.agent_turn_id, row.turn_epoch), row.created_at],
  ],
  steps: ["steps", (row) => [row.step_id, row.status, row.agent_turn_id, row.started_at, row.error ?? ""]],
  batches: [
    "batches",
    (row) => [
      row.batch_id,
      row.status,
      `${row.open_count ?? "?"} of ${row.task_count} open`,
      `for ${row.parent_agent_id} ${turn(row.parent_agent_turn_id, row.parent_turn_epoch)}`,
      row.deadline_at === undefined ? "" : `until ${row.deadline_at}`,
    ],
  ],
  tasks: [
    "tasks",
    (row) => [
      row.agent_id,
      row.status,
      turn(row.current_agent_turn_id, row.current_turn_epoch),
      `${row.attempt_count} tried`,
      row.error_detail ?? "",
    ],
  ],
  edges: [
    "edges",
    (row) => [
      row.primitive,
      row.edge_phase,
      `${row.source_agent_id ?? "?"} to ${row.target_agent_id ?? "?"}`,
      row.correlation_id,
      row.created_at,
    ],
  ],
};

/** @param {any} state @param {Session} session */
function stateView(state, { paint, width }) {
  /** @type {{ [status: string]: (text: string) => string }} */
  const colors = {
    success: paint.green,
    running: paint.green,
    failed: paint.red,
    error: paint.red,
    timeout: paint.red,
    suspended: paint.yellow,
    partial: paint.yellow,
  };
  return Object.entries(LISTS)
    .filter(([key]) => state[key] !== undefined)
    .flatMap(([key, [title, cells]]) => {
      if (state[key].length === 0) return [`${paint.bold(title)} none`];
      const rows = state[key].map((/** @type {any} */ row) => cells(row).map((cell) => line(cell)));
      /** @param {string} text */
      const status = (text) => (colors[text.trim()] ?? paint.dim)(text);
      const columns = [{ paint: paint.cyan }, { paint: status }, {}, {}, { paint: paint.dim }];
      return [paint.bold(title), ...table(rows, columns, width - 2).map((text) => `  ${text}`)];
    });
}

/** @param {any} due @param {Session} session */
function dueView({ calls }, { paint, width }) {
  if (calls.length === 0) return ["nothing is due"];
  const rows = calls.map((/** @type {any} */ { op, ...args }) => [op, line(JSON.stringify(args))]);
  return table(rows, [{ paint: paint.cyan }, {}], width);
}

/** @param {any} outbox @param {Session} session */
function outboxView({ messages }, { paint, width }) {
  if (messages.length === 0) return ["the outbox is empty"];
  const rows = messages.map((/** @type {any} */ { message_id, subject, payload }) => [
    message_id,
    line(subject),
    line(JSON.stringify(payload)),
  ]);
  return table(rows, [{ paint: paint.dim }, { paint: paint.cyan }, {}], width);
}
