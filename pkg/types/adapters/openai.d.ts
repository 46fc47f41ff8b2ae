import type { AdaptOptions } from "./fetch.js";

/**
 * Returns a client of `openai` that records its requests in the project. In the mode `assemble` it also replaces the
 * prompt of Chat Completions. The given client stays as it is.
 *
 * @example
 * const client = wrapOpenAI(new OpenAI(), { project, mode: "assemble", limit: 100_000 });
 */
export declare function wrapOpenAI<Client extends object>(client: Client, options: AdaptOptions): Client;
