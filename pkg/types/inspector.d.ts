/**
 * `<tuckbox-inspector>`: the inspector as an element of a page. Importing this module defines it; one element a page.
 *
 * ```js
 * import "tuckbox/inspector";
 *
 * const inspector = document.querySelector("tuckbox-inspector");
 * inspector.project = { store, project_id: "demo" };
 * ```
 *
 * It is a block of 640 px height that takes whatever size it is given. Its colours are custom properties
 * (`--accent`, `--surface`, `--text`, ..), its `data-theme` is `light`, `dark` or absent. It has no styles outside its
 * shadow root and needs no inline ones; a policy has to allow `wasm-unsafe-eval`, as for the package itself.
 */

import type { TuckboxError } from "./error.js";
import type { Store } from "./store.js";
import type { OpenOptions } from "./workspace.js";

export declare class TuckboxInspector extends HTMLElement {
  /** The text of a snapshot, or of a log of another tool. Changes to it stay in the element. */
  set snapshot(text: string);
  /** A project of a store of the page's own; commits go there. */
  set project(project: OpenOptions & { store: Store });
}

/** What was opened, and what was refused: the fault has the members of an error of the package. */
export interface TuckboxInspectorEvents {
  "tuckbox-opened": CustomEvent<null>;
  "tuckbox-refused": CustomEvent<Pick<TuckboxError, "code" | "message" | "path" | "details">>;
}

declare global {
  interface HTMLElementTagNameMap {
    "tuckbox-inspector": TuckboxInspector;
  }
}
