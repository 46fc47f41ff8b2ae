import type { Store } from "./store.js";
import type { OpenOptions, Workspace } from "./workspace.js";

export * from "./public.js";

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
