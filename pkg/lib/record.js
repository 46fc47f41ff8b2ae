// The JSON bodies of requests that are recorded.

/**
 * Returns the JSON body of a request as text; nothing if it cannot be read without consuming it.
 *
 * @param {any} input
 * @param {any} init
 */
export async function bodyOf(input, init) {
  if (typeof init?.body === "string") return objectText(init.body);
  if (init?.body instanceof Uint8Array) return objectText(new TextDecoder().decode(init.body));
  if (init?.body === undefined && typeof Request !== "undefined" && input instanceof Request) return objectText(await input.clone().text());
  return undefined;
}

/**
 * Returns text if it is a JSON object or list.
 *
 * @param {string} text
 */
export function objectText(text) {
  return parsed(text) === undefined ? undefined : text;
}

/** @param {string} text */
function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
