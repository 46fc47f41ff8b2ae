import type { ImportLintCode } from "./codes.js";
import type { Json } from "./json.js";
import type { Lint } from "./ledger.js";
import type { AbortSignalLike } from "./store.js";

/** A file of a log: its text, or its bytes where it is no text. */
export type ImportFile = { readonly name: string; readonly text: string } | { readonly name: string; readonly base64: string };

/** What of a request a log may not hold. */
export type UnknownWhat =
  | "system"
  | "tools"
  | "tool_descriptions"
  | "tool_schemas"
  | "messages"
  | "reasoning"
  | "images"
  | "files"
  | "tool_calls"
  | "tool_results"
  | "order"
  | "params";

/** Something that cannot be known from the log, and why. */
export interface ImportUnknown {
  readonly what: UnknownWhat;
  readonly why: string;
}

/** Where something was read. */
export interface ImportOrigin {
  readonly file: string | null;
  /** From 1; absent where the file is one value. */
  readonly line?: number;
  /** A JSON pointer; absent for the whole. */
  readonly pointer?: string;
}

/** One request of a session. */
export interface ImportedRequest {
  /** Its number among all requests of the import, from 0. */
  readonly request: number;
  readonly kind: "main" | "sub" | "compaction" | "side";
  /** The box with everything the request held, as far as the log has it. */
  readonly box_id: string;
  /** The box with the answer; absent where the log has none. */
  readonly answer_box_id?: string;
  readonly model: string | null;
  readonly api: "openai_chat" | "openai_responses" | "anthropic" | "gemini" | null;
  readonly agent: string | null;
  readonly at: string | null;
  readonly origin: ImportOrigin;
  readonly messages: number;
  readonly tools: number;
  /** How many messages it begins with as the request before did. */
  readonly shared: number;
  readonly came: number;
  readonly went: number;
  /** True when a summary stands for what went. */
  readonly compacted: boolean;
  /** The box of the summary that stands for what went, over the boxes that it covers; absent where nothing was compacted. */
  readonly summary_box_id?: string;
  /** How often it was repeated after a failure. */
  readonly retries: number;
  /** Tokens as the log recorded them. */
  readonly recorded: { readonly input: number | null; readonly output: number | null; readonly cached: number | null };
  /** An estimate of the tokens of what the log holds. */
  readonly estimated: number;
  /** The estimate as the model counts; `null` where `calibration` does not know the model. */
  readonly calibrated: number | null;
  /** Recorded tokens that are not in the log; `null` where nothing is missing. */
  readonly residual: number | null;
  readonly unknown: readonly ImportUnknown[];
}

/** What an import found. */
export interface ImportReport {
  readonly files: readonly { readonly name: string; readonly format: string | null }[];
  /** The one with the newest request last. */
  readonly sessions: readonly {
    readonly id: string;
    readonly source: string;
    readonly parent?: string;
    readonly agent?: string;
    readonly requests: readonly ImportedRequest[];
  }[];
  /** For each model, over the requests that their log holds whole: what was recorded, what is estimated, and the factor between them. */
  readonly calibration: readonly {
    readonly model: string;
    readonly requests: number;
    readonly recorded: number;
    readonly estimated: number;
    /** What 100 estimated tokens are for the model; `null` where nothing is estimated. */
    readonly factor_percent: number | null;
    /** How far the estimates of single requests are off, in hundredths of what was recorded. */
    readonly off_percent: number | null;
    /** The same with every estimate multiplied by the factor. */
    readonly off_percent_scaled: number | null;
  }[];
  readonly notes: readonly { readonly code: ImportLintCode; readonly origin: ImportOrigin; readonly message: string }[];
}

/** A request in the neutral shape. */
export interface NeutralRequest {
  readonly system: readonly string[];
  readonly messages: readonly { readonly role: "system" | "user" | "assistant" | "tool"; readonly parts: readonly Json[] }[];
  readonly tools: readonly { readonly name: string; readonly description?: string; readonly schema?: Json }[];
  readonly unknown: readonly ImportUnknown[];
  readonly output?: readonly Json[];
  /** Every request, where `every` was asked for. */
  readonly requests?: readonly (NeutralRequest & { readonly index?: number })[];
}

/** Reading the logs of other tools. */
export interface ImportOperations {
  /** Reads logs: a report by default, with the project as writes; or one request, or a snapshot. */
  import: {
    args: {
      readonly files: readonly ImportFile[];
      readonly shape?: "report" | "neutral" | "snapshot";
      readonly request?: number | "last";
      readonly every?: boolean;
    };
    value: ImportReport | NeutralRequest | { readonly projects: readonly Json[] };
  };
}

/** Files as a call of `import` takes them: gzip and zip are opened, what is no text becomes base64. */
export function importFiles(files: readonly { readonly name: string; readonly bytes: Uint8Array }[]): Promise<ImportFile[]>;

/** A file of a log that is read in pieces, or whole. */
export type ImportSource =
  | { readonly name: string; readonly bytes: Uint8Array }
  | {
      readonly name: string;
      /** How many bytes there are; a wrong figure costs time only. */
      readonly size?: number;
      readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
    };

/**
 * The report of `import` over files of any size: each goes into the core in pieces and is forgotten once it is told.
 * Nothing can be committed of it.
 */
export function importStream(
  files: Iterable<ImportSource> | AsyncIterable<ImportSource>,
  options?: {
    /**
     * Told after every file and on the way through a large one: how much was read so far. Requests in a file that is not
     * whole yet are counted where its lines can be read one by one.
     */
    readonly progress?: (told: { readonly name: string; readonly files: number; readonly bytes: number; readonly requests: number }) => void;
    /** Ends the import between two pieces. */
    readonly signal?: AbortSignalLike;
  },
): Promise<{
  readonly value: ImportReport;
  /** The value as JSON text, made when it is asked for. */
  readonly text: string;
  readonly lints: readonly Lint[];
}>;
