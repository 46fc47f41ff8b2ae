import type { JsonInput, JsonText } from "./json.js";
import type { Depth, Results } from "./results.js";

/** What every handoff package has. Fields that the protocol does not know travel untouched. */
interface PackageBase {
  /** `2.0`. Any text is read, only `2.0` is accepted for anything but reading. */
  readonly version?: string;
  readonly timestamp: string;
  readonly metadata?: { readonly [key: string]: JsonInput | undefined };
  readonly [key: string]: JsonInput | undefined;
}

/** From the designing to the running agent. */
export interface InitToExecute extends PackageBase {
  readonly handoff_type: "init_to_execute";
  readonly user_requirement: string;
  /** Name to path, relative to the package's root. */
  readonly design_artifacts: { readonly [name: string]: string };
  readonly design_rationale?: string | null;
  readonly design_iterations?: readonly { readonly [key: string]: JsonInput | undefined }[] | null;
  readonly known_constraints?: readonly string[] | null;
}

/** One failed sample: ids, paths below the output directory and key figures. */
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

/** From the running back to the designing agent. */
export interface ExecuteToInit extends PackageBase {
  readonly handoff_type: "execute_to_init";
  /** Where the iteration's files are, relative to the package's root. */
  readonly execution_output_dir: string;
  readonly trigger_reason: string;
  readonly iteration_summary: { readonly [key: string]: JsonInput | undefined };
  readonly failure_samples_index: readonly FailureSample[];
  /** Where the problems report is, below the output directory. */
  readonly layer1_problems_report_path: string;
  /** The three to five changes that matter most. */
  readonly modification_suggestions_summary: readonly string[];
}

/** A handoff package. */
export type HandoffPackage = InitToExecute | ExecuteToInit | JsonText;

/** One problem of the design. */
export interface Layer1Problem {
  readonly problem_id: string;
  readonly problem_type: string;
  readonly severity: "critical" | "high" | "medium" | "low";
  readonly title: string;
  readonly description: string;
  /** A last `...` says that the list is shortened. */
  readonly affected_samples: readonly string[];
  readonly affected_count: number;
  readonly evidence_summary: string;
  readonly typical_case_id: string;
  readonly suggested_fix: {
    readonly target: string;
    readonly section: string;
    readonly modification: string;
    readonly rationale: string;
    readonly [key: string]: JsonInput | undefined;
  };
  readonly [key: string]: JsonInput | undefined;
}

/** `layer1_problems_report.json`. */
export interface Layer1ProblemsReport {
  readonly report_version: string;
  readonly generated_at: string;
  readonly iteration: number;
  readonly total_samples: number;
  readonly failed_samples: number;
  readonly failure_rate: number;
  readonly layer1_problems: readonly Layer1Problem[];
  readonly modification_priority: readonly {
    readonly priority: number;
    readonly problem_id: string;
    readonly impact: string;
    readonly estimated_improvement: string;
    readonly [key: string]: JsonInput | undefined;
  }[];
  readonly [key: string]: JsonInput | undefined;
}

/** One sample's records, as they came from the run. */
export interface SampleRecord {
  readonly sample_id: string;
  readonly sample: JsonInput;
  /** With `conversation_history`, or the list of turns itself. */
  readonly trace: JsonInput;
  /** With `passed`, `checkers_failed` or `checker_results`. */
  readonly evaluation: JsonInput;
  /** With `failure_type`, `problem_id`, `problem_type`, `severity`, `priority`, where they are known. */
  readonly attribution?: JsonInput;
}

/** The records of one iteration and what only its runner knows. */
export interface Iteration {
  readonly execution_output_dir: string;
  readonly timestamp: string;
  readonly iteration: number;
  readonly trigger_reason: string;
  readonly iteration_summary?: { readonly [key: string]: JsonInput | undefined };
  readonly records: readonly SampleRecord[];
  readonly modification_suggestions_summary?: readonly string[];
  /** The finished report; a skeleton is made otherwise. */
  readonly report?: Layer1ProblemsReport | JsonText;
  readonly metadata?: { readonly [key: string]: JsonInput | undefined };
}

/**
 * The operations on handoff packages: two agents pass a small package of paths and indexes while
 * everything real lies in storage.
 *
 * @example
 * const { package: handoff, files } = await project.buildHandoff(iteration);
 * await project.storeHandoff({ package: handoff, files });
 * const { pieces, left_out } = await project.loadHandoff({ package: handoff, budget: 40_000 });
 */
export interface HandoffOperations {
  /** Reads a package; every wrong field is in the error's `details.errors`. */
  read_handoff: {
    args: { readonly model?: "ContextPackage" | "InitToExecuteContext" | "ExecuteToInitContext"; readonly data: JsonInput };
    value: Results["read_handoff"];
  };
  /** Checks what a person would check: version, paths, counts, names, size. */
  check_handoff: {
    args: { readonly package: HandoffPackage; readonly report?: Layer1ProblemsReport | JsonText };
    value: Results["check_handoff"];
  };
  /** Makes files, index, report and package of an iteration's records. */
  build_handoff: {
    args: Iteration;
    value: Results["build_handoff"];
  };
  /** Stores files in one batch, provided that everything the package points to is in it or stored. */
  store_handoff: {
    args: {
      readonly package: HandoffPackage;
      readonly files: readonly { readonly path: string; readonly text: string }[];
      readonly package_path?: string;
      readonly operation_id?: string;
    };
    value: Results["store_handoff"];
  };
  /** Finds dangling pointers, missing files and orphans. */
  audit_handoff: {
    args: { readonly package: HandoffPackage };
    value: Results["audit_handoff"];
  };
  /** Plans what to read within a budget, 40,000 tokens by default. */
  plan_handoff: {
    args: {
      readonly package: HandoffPackage;
      readonly report?: Layer1ProblemsReport | JsonText;
      readonly budget?: number;
      readonly depth?: Depth;
      /** Tokens of files that were measured, by path from the package's root. */
      readonly sizes?: { readonly [path: string]: number };
    };
    value: Results["plan_handoff"];
  };
  /** Reads what the budget allows, and accounts for every piece. */
  load_handoff: {
    args: { readonly package: HandoffPackage; readonly budget?: number; readonly depth?: Depth };
    value: Results["load_handoff"];
  };
  /** Makes a box of cards: the references of a package, or its loaded content. */
  make_handoff_cards: {
    args: {
      readonly package: HandoffPackage;
      readonly author_id: string;
      readonly content?: "references" | "loaded";
      readonly budget?: number;
      readonly depth?: Depth;
      readonly operation_id?: string;
    };
    value: Results["make_handoff_cards"];
  };
}
