import type { JsonObject } from "./json.js";
import type { OperationName } from "./operations.js";

/** One operation of the schema. */
export interface OperationSchema {
  readonly description: string;
  /** The method of a project that runs it: `pack`, `cards.put`. */
  readonly method: string;
  /** The part of the module that has it. */
  readonly part: string;
  /** The kinds of rows that it reads. */
  readonly reads: readonly string[];
  readonly writes: boolean;
  /** The codes that a call can end with. */
  readonly errors: readonly string[];
  /** The JSON Schema of its arguments. References are to `$defs`. */
  readonly arguments: JsonObject;
  /** The JSON Schema of its answer. */
  readonly result: JsonObject;
  /** Arguments of a call that the tests of the package make. */
  readonly example?: JsonObject;
}

/** The JSON Schema (2020-12) of every operation. */
declare const schema: {
  readonly $schema: string;
  readonly title: string;
  readonly operations: { readonly [Name in OperationName]: OperationSchema };
  readonly $defs: { readonly [name: string]: JsonObject };
};
export default schema;
