// What the room of runs shows: moments, each the rows of orchestration as the core tells them.
import type { BatchRow, EdgeRow, HeadRow, InboxRow, Ledger, TaskRow } from "tuckbox/web";

/** The calls that changed rows at a moment, and which rule changed which row. */
export interface Transitions {
  op: string;
  transitions: Ledger["transitions"];
}

/** What stands in the store at a moment. */
export interface RunsNow {
  at: number;
  /** What agents are called, by their ids. */
  names: Record<string, string>;
  agents: readonly HeadRow[];
  queued: readonly InboxRow[];
  batches: readonly BatchRow[];
  tasks: readonly TaskRow[];
  edges: readonly EdgeRow[];
  /** The calls that a watchdog has to make. */
  due: string[];
  /** The messages that wait to be sent. */
  outbox: { message_id: string; subject: string }[];
  /** What the turn of an agent costs its model, as far as it has one that can be shown. */
  tokens: Record<string, number>;
}

/** A moment of a simulation: what was done, what the rules made of it. */
export interface Moment extends RunsNow {
  step: SimStep | { do: "look" };
  changes: Transitions[];
  /** The agents whose doorbell was lost. */
  lost: string[];
}

/** A model that waits for its answer. */
export interface Question {
  id: string;
  agent_id: string;
  agent_turn_id: string;
  step_count: number;
  profile: string;
}

/** A team of more would be no picture any more. */
export const MOST_TASKS = 1_000;

/** One thing that is done to a simulated team. */
export type SimStep =
  | { do: "start" }
  | { do: "send"; lose_wakeups: boolean }
  | { do: "wait"; seconds: number }
  | { do: "answer"; question: string; text: string }
  | { do: "answer_all"; text: string }
  | { do: "fork"; question: string; tasks: number; fail_fast: boolean; deadline_seconds: number | null }
  | { do: "fail"; question: string }
  | { do: "kill"; question: string };

export interface Simulated {
  /** The newest. */
  moment: Moment;
  questions: Question[];
}
