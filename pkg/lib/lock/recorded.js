// Contexts of recorded requests: logs that `tuckbox import` reads.
/** @import { Workspace } from "../../types/workspace.js" */
import { readFileSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { messageOf } from "../error.js";
import { importFiles } from "../import/open.js";

/** The type of the card that has the body of an imported request. */
const REQUEST_TYPE = "import.request";

/**
 * Returns the context of a request in a log, and the project that has its cards. `from` is `PATH`, or `PATH#NUMBER`
 * with the number of the report; without it, the last request.
 *
 * @param {string} folder
 * @param {string} from
 * @returns {Promise<{ context: object, project: Workspace }>}
 */
export async function recordedContext(folder, from) {
  const [path, number] = from.split("#");
  const { memoryStore, open } = await import("../../index.js");
  const project = await open(memoryStore(), { projectId: "recorded" });
  const files = await importFiles([{ name: basename(path), bytes: bytesOf(resolve(folder, path)) }]);
  const preview = await project.preview(/** @type {any} */ ({ op: "import", files }));
  await preview.commit();
  const requests = /** @type {any} */ (preview.value).sessions.flatMap((/** @type {any} */ { requests: all }) => all);
  const wanted =
    number === undefined || number === "last"
      ? requests.at(-1)
      : requests.find((/** @type {any} */ { request }) => String(request) === number);
  if (wanted === undefined) throw new Error(`\`${path}\` has no request \`${number ?? "last"}\`; it has ${requests.length}`);
  const { cards } = /** @type {any} */ (await project.boxes.getCards({ box_id: wanted.box_id }));
  const { content, metadata } = cards.at(-1) ?? {};
  const { provider, body } = content?.arguments ?? {};
  const context =
    metadata?.type === REQUEST_TYPE ? { request: { provider, body } } : { context: { box_id: wanted.box_id, provider: "neutral" } };
  return { context, project };
}

/** @param {string} path */
function bytesOf(path) {
  try {
    if (statSync(path).isFile()) return new Uint8Array(readFileSync(path));
  } catch (error) {
    throw new Error(`the log cannot be read: ${messageOf(error)}`);
  }
  throw new Error(`\`${path}\` is not a file`);
}
