import type { DeclaredOperations } from "./arguments.js";
import type { HostOperations } from "./custom.js";

/** Arguments of every call that writes. */
export interface Operation {
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** The arguments and the value of every operation. */
export interface Operations extends DeclaredOperations, HostOperations {}

/** The name of an operation. */
export type OperationName = keyof Operations;

/** Converts `ask_for_review` to `askForReview`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;
