import type { Store } from "./store.js";
import type { OpenOptions, Workspace } from "./workspace.js";

export * from "./arguments.js";
export * from "./bodies.js";
export * from "./cards.js";
export * from "./clients.js";
export * from "./codes.js";
export * from "./compose.js";
export * from "./conversation.js";
export * from "./custom.js";
export * from "./error.js";
export * from "./handoff.js";
export * from "./handover.js";
export * from "./import.js";
export * from "./json.js";
export * from "./ledger.js";
export * from "./lock.js";
export * from "./methods.js";
export * from "./operations.js";
export * from "./payload.js";
export * from "./results.js";
export * from "./store.js";
export * from "./workspace.js";

/** The version of this package. */
export declare const version: string;

/**
 * Opens a project in a store.
 *
 * @example
 * import { memoryStore, open } from "tuckbox";
 *
 * const store = memoryStore();
 * store.project("p1").addProfile({ name: "Writer", profile_box_id: "pb_writer" });
 * const project = await open(store, { projectId: "p1" });
 * const { card_ids } = await project.cards.put({
 *   cards: [{ type: "task.instruction", author_id: "me", content: { __type__: "TextContent", text: "go on" } }],
 * });
 */
export declare function open(store: Store, options: OpenOptions): Promise<Workspace>;
