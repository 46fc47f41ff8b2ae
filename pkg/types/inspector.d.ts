/**
 * Defines `<tuckbox-inspector>`, the inspector as a custom element. A page can have one.
 *
 * ```js
 * import "tuckbox/inspector";
 *
 * const inspector = document.querySelector("tuckbox-inspector");
 * inspector.project = { store, projectId: "demo" };
 * ```
 *
 * The element is a block with a height of 640 px by default. Its colors are custom properties (`--accent`,
 * `--surface`, `--text`, ..). `data-theme` is `light`, `dark` or absent. All styles are in its shadow root, and none
 * is inline. A content security policy must allow `wasm-unsafe-eval`, as for the package.
 */

import type { TuckboxError } from "./error.js";
import type { Store } from "./store.js";
import type { OpenOptions } from "./workspace.js";

export declare class TuckboxInspector extends HTMLElement {
  /** The text of a snapshot, or of a log of another tool. Changes to it stay in the element. */
  set snapshot(text: string);
  /** A project in a store of the page. Commits go to this store. */
  set project(project: OpenOptions & { store: Store });
}

/** The events of the element. An error has the members of `TuckboxError`. */
export interface TuckboxInspectorEvents {
  "tuckbox-opened": CustomEvent<null>;
  "tuckbox-refused": CustomEvent<Pick<TuckboxError, "code" | "message" | "path" | "details">>;
}

declare global {
  interface HTMLElementTagNameMap {
    "tuckbox-inspector": TuckboxInspector;
  }
}
