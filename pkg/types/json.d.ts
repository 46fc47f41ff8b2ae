/** Any JSON value. An integer beyond 2^53 is a `bigint`: nothing is rounded in silence. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/**
 * What can be handed in wherever JSON is expected: plain data, or {@link JsonText} for parts whose
 * digits and key order must not change. Members that are `undefined` are left out. A `Date`, a
 * `Map`, `NaN`, a class instance or a cycle is refused with the path of the value.
 */
export type JsonInput =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonText
  | readonly JsonInput[]
  | { readonly [key: string]: JsonInput | undefined };

/** A JSON object that can be handed in. */
export type JsonObjectInput = { readonly [key: string]: JsonInput | undefined } | JsonText;

/** Further members of an object. */
export type JsonMembers = { readonly [key: string]: JsonInput | undefined };

/** JSON text that goes to the core as it stands, digit for digit and key for key. */
export declare class JsonText {
  #text;
  /** @throws {@link TuckboxError} `invalid_content` when the text is not JSON. */
  constructor(text: string);
  /** The text. */
  toString(): string;
}

/**
 * Marks JSON text that goes to the core as it stands.
 *
 * @example
 * await project.putCards({
 *   cards: [{ type: "fact", author_id: "me", content: jsonText('{"__type__":"JsonContent","data":{"n":1.0}}') }],
 * });
 */
export declare function jsonText(text: string): JsonText;

/**
 * As `JSON.parse`, but an integer beyond 2^53 becomes a `bigint` instead of another number.
 * Decimals are JavaScript numbers; where all their digits count, keep the text.
 */
export declare function parseJson(text: string): Json;
