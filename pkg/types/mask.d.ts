/**
 * Masks secrets: keys, tokens, passwords, cookies, signatures and private keys. One list serves recordings, links and
 * every other copy of a request. A masked secret becomes `PLACEHOLDER`; all other bytes stay. A secret without a known
 * name, path or shape stays, too.
 */

/** The text in the place of a secret: `[removed]`. */
export const PLACEHOLDER: string;

/** Returns text without secrets, found by their shape: known prefixes, web tokens, private keys, URLs, `password = ..`. */
export function maskText(text: string): string;

/**
 * Returns JSON text without secrets: members by name or path, and strings by shape, also in JSON inside of strings. Text
 * that is not JSON is masked as `maskText` does.
 */
export function maskJson(text: string): string;

/** Returns a URL without its user, its password, and its secret parameters. */
export function maskUrl(url: string): string;

/** Returns headers, in order, with `PLACEHOLDER` as the value of secret ones. */
export function maskHeaders(
  headers: Iterable<readonly [name: string, value: string]> | { readonly [name: string]: string },
): [name: string, value: string][];
