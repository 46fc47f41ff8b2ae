// The types of the view "Runs": steps, each with the orchestration rows of the core.
import type { BatchRow, EdgeRow, HeadRow, InboxRow, Ledger, TaskRow } from "tuckbox/web";

/** The transitions of one operation: which rule changed which row. */
export interface OpTransitions {
  op: string;
  transitions: Ledger["transitions"];
}

/** The rows of the store at a time. */
export interface RunRows {
  at: number;
  /** The names of agents, by id. */
  names: Record<string, string>;
  agents: readonly HeadRow[];
  queued: readonly InboxRow[];
  batches: readonly BatchRow[];
  tasks: readonly TaskRow[];
  edges: readonly EdgeRow[];
  /** The operations that a watchdog has to run. */
  due: string[];
  /** The messages waiting in the outbox. */
  outbox: { message_id: string; subject: string }[];
  /** The tokens of each agent's turn, if it can be rendered. */
  tokens: Record<string, number>;
}

/** One step of a simulation or of a store: the action, and the state after it. */
export interface RunStep extends RunRows {
  action: SimAction | { do: "look" };
  changes: OpTransitions[];
  /** The agents whose wakeup was lost. */
  lost_wakeups: string[];
}

/** A model call that waits for its answer. */
export interface ModelQuestion {
  id: string;
  agent_id: string;
  agent_turn_id: string;
  step_count: number;
  profile: string;
}

/** The maximum number of tasks; larger teams cannot be displayed. */
export const MAX_TASKS = 1_000;

/** An action on a simulated team. */
export type SimAction =
  | { do: "start" }
  | { do: "send"; lose_wakeups: boolean }
  | { do: "wait"; seconds: number }
  | { do: "answer"; question: string; text: string }
  | { do: "answer_all"; text: string }
  | { do: "fork"; question: string; tasks: number; fail_fast: boolean; deadline_seconds: number | null }
  | { do: "fail"; question: string }
  | { do: "kill"; question: string };

export interface SimulationResult {
  /** The newest step. */
  step: RunStep;
  questions: ModelQuestion[];
}
