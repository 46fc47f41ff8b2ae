/** @import { Store } from "../types/store.js" */
/** @import { OpenOptions, Workspace as Declared } from "../types/workspace.js" */
/** @import { Source } from "./core.js" */
import { enter, enterWithParts, load, Resident } from "./core.js";
import { TuckboxError } from "./error.js";
import { isWellFormed } from "./json.js";
import { checkStore, openOptions, optionError, own } from "./options.js";
import { Workspace } from "./workspace.js";

/**
 * Opens a project in a store. `source` returns the module of a part.
 *
 * @param {Source} source
 * @param {Store} store
 * @param {OpenOptions} options
 * @returns {Promise<Declared>}
 */
export async function openWith(source, store, options) {
  checkStore(store);
  if (typeof options !== "object" || options === null) {
    throw new TuckboxError("bad_request", "options with a `projectId` are missing", { path: "projectId" });
  }
  // the module compiles in another thread while this one reads the options
  const loading = load(source);
  loading.catch(() => {});
  const { settings, defaults } = openOptions(options);
  const { project_id, ...more } = own(JSON.parse(settings));
  const isPlain = typeof project_id === "string" && isWellFormed(project_id) && Object.keys(more).length === 0;
  /** @param {typeof import("../generated/core.js")} core */
  const make = ({ Workspace }) => new Resident("workspace", isPlain ? Workspace.of_project(project_id) : new Workspace(settings));
  await loading;
  try {
    const first = await enterWithParts(make);
    return /** @type {any} */ (new Workspace(store, defaults, first, () => enter(make), settings));
  } catch (error) {
    throw optionError(error);
  }
}
