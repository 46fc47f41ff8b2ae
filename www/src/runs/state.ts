// Reads all rows of orchestration.
import type { BatchRow, EdgeRow, Operations, RunState, TaskRow } from "tuckbox/web";
import type { RunRows } from "./types.ts";

/** Runs an operation that only reads. */
export type ReadOp = (op: string, args: object) => Promise<unknown>;

/** The maximum number of batches read in detail, and of turns counted. */
const MAX_DETAILED = 40;

/** Returns the run state, and the tokens of running turns. `known` are batches of earlier steps. */
export async function readRunState(look: ReadOp, at: number, window: number, known: readonly string[]): Promise<RunRows> {
  const ask: Ask = async (op, args) => (await look(op, args)) as never;
  const { agents, queued, batches: running } = (await ask("run_state", { limit: 1000 })) as OfProject;
  const { calls } = await ask("due", {});
  const { messages } = await ask("outbox", { limit: 200 });
  const [tasks, edges]: [TaskRow[], EdgeRow[]] = [[], []];
  const batches: BatchRow[] = [];
  // ended batches are no longer listed, but still shown
  for (const batch_id of [...new Set([...running.map((batch) => batch.batch_id), ...known])].slice(0, MAX_DETAILED)) {
    const found = (await ask("run_state", { batch_id })) as OfBatch;
    batches.push(...found.batches);
    tasks.push(...found.tasks);
    edges.push(...found.edges);
  }
  const tokens: Record<string, number> = {};
  for (const { agent_id, status } of agents.filter((agent) => agent.status !== "idle").slice(0, MAX_DETAILED)) {
    // a turn that cannot be rendered has no token count
    const request = await ask("inspect_request", { turn: { agent_id }, window }).catch(() => null);
    if (request !== null && status !== "idle") tokens[agent_id] = request.tokens;
  }
  return {
    at,
    names: await namesOf(ask),
    agents,
    queued,
    batches,
    tasks,
    edges,
    due: calls.map(({ op }) => op),
    outbox: messages.map(({ message_id, subject }) => ({ message_id, subject })),
    tokens,
  };
}

type Ask = <Op extends keyof Operations>(op: Op, args: Operations[Op]["args"]) => Promise<Operations[Op]["value"]>;
type OfProject = Extract<RunState, { queued: unknown; batches: unknown }>;
type OfBatch = Extract<RunState, { tasks: unknown }>;

/** Returns the names of agents: the display name, or the name of the profile. */
async function namesOf(ask: Ask): Promise<Record<string, string>> {
  const listed = async (op: "list_profiles" | "list_agents") => (await ask(op, { limit: 1000 }).catch(() => ({ rows: [] }))).rows;
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const profiles = new Map((await listed("list_profiles")).map(({ profile_box_id, name }) => [profile_box_id, text(name) ?? ""]));
  const names: Record<string, string> = {};
  const taken = new Map<string, number>();
  for (const { agent_id, display_name, profile_box_id } of await listed("list_agents")) {
    const name = text(display_name) ?? profiles.get(profile_box_id) ?? "";
    if (name === "") continue;
    const number = (taken.get(name) ?? 0) + 1;
    taken.set(name, number);
    // agents with the same name are numbered
    names[text(agent_id) ?? ""] = number === 1 ? name : `${name} ${number}`;
  }
  return names;
}
