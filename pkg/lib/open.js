import operations from "../generated/operations.js";
import { Resident, enter, enterWithParts, load } from "./core.js";
import { TuckboxError } from "./error.js";
import { checkStore, openOptions } from "./options.js";
import { Workspace, addMethods } from "./workspace.js";

addMethods(operations);

/** Opens a project in a store; `source` gives for the name of a part where its module is. */
export async function openWith(source, store, options) {
  checkStore(store);
  if (typeof options !== "object" || options === null) {
    throw new TuckboxError("bad_request", "options with a `project_id` are missing", { path: "project_id" });
  }
  const { settings, defaults } = openOptions(options);
  await load(source);
  const make = (core) => new Resident("workspace", new core.Workspace(settings));
  const first = await enterWithParts(make);
  return new Workspace(store, defaults, first, () => enter(make), settings);
}
