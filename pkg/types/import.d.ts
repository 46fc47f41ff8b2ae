import type { ImportReport, Lint, Results } from "./results.js";
import type { AbortSignalLike } from "./store.js";

/** A file of a log: its text, or its bytes where it is no text. */
export type ImportFile = { readonly name: string; readonly text: string } | { readonly name: string; readonly base64: string };

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
    value: Results["import"];
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
