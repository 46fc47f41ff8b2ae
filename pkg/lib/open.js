import operations from "../generated/operations.js";
import { Resident, enter, enterWithParts, load } from "./core.js";
import { TuckboxError } from "./error.js";
import { isWellFormed } from "./json.js";
import { checkStore, openOptions } from "./options.js";
import { Workspace, addMethods } from "./workspace.js";

addMethods(operations);

/** Opens a project in a store; `source` gives for the name of a part where its module is. */
export async function openWith(source, store, options) {
  checkStore(store);
  if (typeof options !== "object" || options === null) {
    throw new TuckboxError("bad_request", "options with a `project_id` are missing", { path: "project_id" });
  }
  // the module compiles beside this thread, which reads the options meanwhile
  const loading = load(source);
  loading.catch(() => {});
  const { settings, defaults } = openOptions(options);
  const { project_id, ...more } = JSON.parse(settings);
  const isPlain = typeof project_id === "string" && isWellFormed(project_id) && Object.keys(more).length === 0;
  const make = ({ Workspace }) => new Resident("workspace", isPlain ? Workspace.of_project(project_id) : new Workspace(settings));
  await loading;
  const first = await enterWithParts(make);
  return new Workspace(store, defaults, first, () => enter(make), settings);
}
