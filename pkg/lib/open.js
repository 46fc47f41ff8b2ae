import { Resident, enter, load } from "./core.js";
import { TuckboxError } from "./error.js";
import { checkStore, openOptions } from "./options.js";
import { Workspace, addMethods } from "./workspace.js";

/** The operations that have a method: the same for every project. */
let methods;

/** Opens a project in a store; `source` says where the module is. */
export async function openWith(source, store, options) {
  checkStore(store);
  if (typeof options !== "object" || options === null) {
    throw new TuckboxError("bad_request", "options with a `project_id` are missing", { path: "project_id" });
  }
  const { settings, defaults } = openOptions(options);
  await load(source);
  methods ??= addMethods(JSON.parse(enter((core) => core.operations())));
  const make = () => new Resident("workspace", enter((core) => new core.Workspace(settings)));
  return new Workspace(store, defaults, make(), make, settings);
}
