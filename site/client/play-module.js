// The package for examples: `open` also reports the project, so that the inspector can show it.
import { open as openProject } from "./pkg/web.js";

export * from "./pkg/web.js";

export function open(store, options) {
  dispatchEvent(new CustomEvent("tuckbox-open", { detail: { store, projectId: options?.projectId } }));
  return openProject(store, options);
}
