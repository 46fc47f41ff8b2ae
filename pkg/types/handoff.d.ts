import type { JsonInput } from "./json.js";

/** An entry of the failure index: ids, paths below the output directory and numbers. `check_handoff` reports an entry that differs. */
export interface FailureSample {
  readonly sample_id: string;
  readonly sample_path?: string;
  readonly trace_path?: string;
  readonly evaluation_path?: string;
  readonly attribution_path?: string;
  readonly failure_type?: string;
  readonly conversation_turns?: number;
  readonly checkers_failed?: readonly string[];
  readonly priority?: "high" | "medium" | "low";
  readonly [key: string]: JsonInput | undefined;
}
