// The host's own table of models for an import that has no project.
/** @import { ModelTable } from "../../types/workspace.js" */
import { readyWith } from "../core.js";
import { toText } from "../json.js";

/**
 * Returns the JSON text of a table. The core checks it with the part of prompts.
 *
 * @param {ModelTable | undefined} models
 */
export async function modelTable(models) {
  if (models === undefined) return undefined;
  await readyWith("prompt");
  return toText(models, "bad_request");
}
