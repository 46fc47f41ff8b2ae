import type { FindingType } from "./codes.js";
import type { Json, JsonInput, JsonObject, JsonText } from "./json.js";

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

/** One thing that is wrong or odd, and where. */
export interface Finding {
  /** `error`: the value is refused; `lint`: a person should look. */
  readonly weight: "error" | "lint";
  /** What kind it is. */
  readonly type: FindingType;
  readonly path: string;
  readonly message: string;
  readonly details?: JsonObject;
}

/** How far to read. */
export type Depth = "report_summary" | "typical_cases" | "all_cases";

/** What is read. */
export type HandoffPart = "package" | "report" | "entry" | "sample" | "trace" | "evaluation" | "attribution" | "artifact";

/** How much of something is kept. */
export type Cut =
  | { readonly keep: "whole" | "head" }
  | { readonly keep: "summary"; readonly problems: number; readonly of: number }
  | { readonly keep: "head_and_tail"; readonly tokens: number }
  | { readonly keep: "turns"; readonly head: number; readonly tail: number; readonly key: number; readonly turn_tokens: number };

/** One thing to read, and why it has its place. */
export interface LoadStep {
  readonly read: HandoffPart;
  /** From the package's root; absent for what the package itself holds. */
  readonly path?: string;
  /** The sample or artefact it belongs to. */
  readonly name?: string;
  readonly cut: Cut;
  readonly tokens: number;
  readonly whole_tokens: number;
  readonly reason: { readonly typical_of?: string; readonly priority?: "high" | "medium" | "low"; readonly affected_count?: number };
}

/** What is not read of one sample, or of the package. */
export interface HandoffLeftOut {
  readonly name?: string;
  readonly parts: readonly HandoffPart[];
  readonly tokens: number;
  readonly because: "budget" | "depth";
}

/** What to read within a budget. `spent` is the sum of the steps and never above `budget`. */
export interface LoadPlan {
  readonly budget: number;
  readonly spent: number;
  readonly depth: Depth;
  readonly steps: readonly LoadStep[];
  readonly left_out: readonly HandoffLeftOut[];
  readonly findings: readonly Finding[];
}

/** A file that something points to and that is not stored. */
export interface MissingFile {
  readonly read: HandoffPart;
  readonly path: string;
  readonly name: string;
}

/** A loaded context: what a model reads, piece by piece, each with its account. */
export interface LoadedHandoff {
  readonly budget: number;
  readonly spent: number;
  readonly depth: Depth;
  readonly pieces: readonly ({ readonly text: string } & LoadStep)[];
  readonly left_out: readonly HandoffLeftOut[];
  readonly missing: readonly MissingFile[];
  readonly findings: readonly Finding[];
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
    value: { readonly dump: Json; readonly extra_fields: readonly string[] };
  };
  /** Checks what a person would check: version, paths, counts, names, size. */
  check_handoff: {
    args: { readonly package: HandoffPackage; readonly report?: Layer1ProblemsReport | JsonText };
    value: {
      readonly accepted: boolean;
      readonly findings: readonly Finding[];
      readonly size: {
        readonly tokens: number;
        readonly exact: boolean;
        readonly low: number;
        readonly high: number;
        readonly fit: "below" | "within" | "above";
        readonly contributors: readonly { readonly path: string; readonly tokens: number }[];
      };
    };
  };
  /** Makes files, index, report and package of an iteration's records. */
  build_handoff: {
    args: Iteration;
    value: {
      readonly package: ExecuteToInit;
      readonly report: Layer1ProblemsReport;
      readonly files: readonly { readonly path: string; readonly text: string }[];
      readonly findings: readonly Finding[];
    };
  };
  /** Stores files in one batch, provided that everything the package points to is in it or stored. */
  store_handoff: {
    args: {
      readonly package: HandoffPackage;
      readonly files: readonly { readonly path: string; readonly text: string }[];
      readonly package_path?: string;
      readonly operation_id?: string;
    };
    value: { readonly stored: readonly string[]; readonly already_stored: readonly string[]; readonly findings: readonly Finding[] };
  };
  /** Finds dangling pointers, missing files and orphans. */
  audit_handoff: {
    args: { readonly package: HandoffPackage };
    value: {
      readonly complete: boolean;
      readonly dangling: readonly string[];
      readonly missing: readonly string[];
      readonly orphans: readonly string[];
      readonly findings: readonly Finding[];
    };
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
    value: LoadPlan;
  };
  /** Reads what the budget allows, and accounts for every piece. */
  load_handoff: {
    args: { readonly package: HandoffPackage; readonly budget?: number; readonly depth?: Depth };
    value: LoadedHandoff;
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
    value: {
      readonly box_id: string;
      readonly card_ids: readonly string[];
      readonly spent?: number;
      readonly left_out: readonly HandoffLeftOut[];
      readonly missing: readonly MissingFile[];
    };
  };
}
