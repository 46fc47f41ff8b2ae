import type { DeclaredOperations } from "./arguments.js";
import type { HostOperations } from "./custom.js";
import type { RunOperations } from "./run.js";

/** What every call that writes may say. */
export interface Operation {
  /** The id under which the commit applies once; minted when absent. */
  readonly operation_id?: string;
}

/** Every operation: what it takes and what it gives. */
export interface Operations extends DeclaredOperations, HostOperations, RunOperations {}

/** The name of an operation. */
export type OperationName = keyof Operations;

/** `pack_context` as `packContext`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;
