import type { ImportFile } from "./arguments.js";
import type { ImportReport, Lint, MessageDetail, StepDetail, TimelineHits, TimelineOverview } from "./results.js";
import type { AbortSignalLike } from "./store.js";
import type { ModelTable } from "./workspace.js";

/**
 * Returns files as arguments of `import`: unpacks gzip and zip, and encodes bytes that are not text as base64. It opens
 * at most 1 GiB in all, and archives in archives to a depth of 8; the import reports what it did not open.
 */
export function importFiles(files: Iterable<NamedBytes> | AsyncIterable<NamedBytes>): Promise<ImportFile[]>;

/** The whole content of a file. */
export interface NamedBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A file of a log, in chunks or as a whole. */
export type ImportSource =
  | NamedBytes
  | {
      readonly name: string;
      /** The number of bytes. A wrong number only costs time. */
      readonly size?: number;
      readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
    };

/**
 * Returns the report of `import` for files of any size. The core reads each file in chunks and discards it afterwards.
 * The report cannot be committed.
 */
export function importStream(
  files: Iterable<ImportSource> | AsyncIterable<ImportSource>,
  options?: {
    /**
     * Called after every file and during a large one with the progress so far. The requests of an unfinished file are
     * counted if its lines can be read one by one.
     */
    readonly progress?: (progress: {
      readonly name: string;
      readonly files: number;
      readonly bytes: number;
      readonly requests: number;
    }) => void;
    /** Ends the import between two chunks. */
    readonly signal?: AbortSignalLike;
    /** Facts and prices of models, which replace those of Tuckbox: as the option of `open`. */
    readonly models?: ModelTable;
  },
): Promise<{
  readonly value: ImportReport;
  /** The value as JSON text, made on first access. */
  readonly text: string;
  readonly lints: readonly Lint[];
}>;

/** The timeline of log files, in the memory of the core. */
export interface Timeline {
  /** Returns all steps, one step, one message, or the matches of a search: as the operation `timeline`. */
  ask(question: { readonly session?: number; readonly step: number; readonly brief?: boolean }): StepDetail;
  ask(question: { readonly session?: number; readonly message: string }): MessageDetail;
  ask(question: { readonly session?: number; readonly find: string }): TimelineHits;
  ask(question?: { readonly session?: number }): TimelineOverview;
  /** Frees the memory. */
  dispose(): void;
}

/**
 * Opens the timeline of log files. It answers as the operation `timeline`, and reads the files once for all questions.
 */
export function openTimeline(
  files: Iterable<NamedBytes> | AsyncIterable<NamedBytes>,
  options?: {
    /** Facts and prices of models, which replace those of Tuckbox: as the option of `open`. */
    readonly models?: ModelTable;
  },
): Promise<Timeline>;
