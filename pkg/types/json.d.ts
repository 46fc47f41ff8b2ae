/** Any JSON value. An integer beyond 2^53 is a `bigint`, so no integer is rounded. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/**
 * A JSON value as an argument: plain data, or {@link JsonText} if digits and key order must not
 * change. Members that are `undefined` are omitted. A `Date`, `Map`, `NaN`, class instance or cycle is
 * an error with the path of the value.
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

/** A JSON object as an argument. */
export type JsonObjectInput = { readonly [key: string]: JsonInput | undefined } | JsonText;

/** Further members of an object. */
export type JsonMembers = { readonly [key: string]: JsonInput | undefined };

/** JSON text that goes to the core verbatim. */
export declare class JsonText {
  #text;
  /** @throws {@link TuckboxError} `invalid_content` if the text is not JSON. */
  constructor(text: string);
  /** The text. */
  toString(): string;
}

/**
 * Returns JSON text that goes to the core verbatim.
 *
 * @example
 * await project.cards.put({
 *   cards: [{ type: "fact", author_id: "me", content: jsonText('{"__type__":"JsonContent","data":{"n":1.0}}') }],
 * });
 */
export declare function jsonText(text: string): JsonText;

/**
 * Parses JSON like `JSON.parse`, but an integer beyond 2^53 becomes a `bigint`. Decimals become
 * JavaScript numbers; keep the text if all digits matter.
 */
export declare function parseJson(text: string): Json;
