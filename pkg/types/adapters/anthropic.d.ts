import type { AdaptOptions } from "./fetch.js";

/**
 * Returns a client of `@anthropic-ai/sdk` that records its requests in the project. In the mode `assemble` it also
 * replaces their prompt. The given client stays as it is.
 *
 * @example
 * const client = wrapAnthropic(new Anthropic(), { project, mode: "assemble", limit: 100_000 });
 */
export declare function wrapAnthropic<Client extends object>(client: Client, options: AdaptOptions): Client;
