// Reads and writes snapshots.

import type { ImportReport, NamedBytes } from "tuckbox/web";
import { parseJson, TuckboxError } from "tuckbox/web";
import demoCalls from "../demo/calls.json?raw";
import demoSnapshot from "../demo/snapshot.json?raw";
import { write } from "../text/json.ts";
import { badRequest } from "./bad-request.ts";
import { loadProject } from "./browser-db.ts";
import type { FileOrigin, NamedCall, ProgressListener, ProjectInfo, SavedView } from "./protocol.ts";

/** The format that this page writes; later formats are rejected. */
const FORMAT = 1;
/** The maximum size of an unpacked link. */
const MAX_LINK_BYTES = 64 * 1024 * 1024;

/** Returns the text of a snapshot from any origin, and the files of a saved log. */
export async function snapshotText(
  origin: Exclude<FileOrigin, { kind: "files" | "addresses" }>,
  report: ProgressListener,
): Promise<{ text: string; files?: readonly NamedBytes[] }> {
  switch (origin.kind) {
    case "demo":
      return { text: `{"format":${FORMAT},"calls":${demoCalls},${demoSnapshot.trim().slice(1)}` };
    case "text":
      return { text: origin.text };
    case "file":
      return { text: await (await import("./fetch.ts")).readBlob(origin.blob, report) };
    case "link":
      return { text: await unpackLink(origin.fragment) };
    case "url":
      return { text: await (await import("./fetch.ts")).fetchText(origin.url, report) };
    case "saved": {
      const saved = await loadProject(origin.id);
      if (saved === undefined) throw new TuckboxError("not_found", "the browser no longer has this project");
      return saved;
    }
  }
}

/** The contents of a snapshot, and the view that was saved with it. */
export interface SnapshotContents {
  info: ProjectInfo;
  savedView: SavedView;
  /** The import report that this browser saved with it. */
  importReport?: ImportReport;
}

type Rows = Record<string, unknown>[];

/** Returns the contents of one project of a snapshot. Throws for invalid snapshots, with the path. */
export function readSnapshot(text: string, project_id?: string): SnapshotContents {
  if (text.trim() === "") throw badRequest("the file is empty", "");
  let file: unknown;
  try {
    file = parseJson(text);
  } catch (cause) {
    throw badRequest(`not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, "", cause);
  }
  if (!isObject(file)) throw badRequest("a snapshot must be an object with a list `projects`", "");
  if (typeof file.format === "number" && file.format > FORMAT) {
    throw badRequest(`unsupported format ${file.format}, made by a newer version; this page reads format ${FORMAT}`, "format");
  }
  if (!Array.isArray(file.projects)) throw badRequest("a snapshot must be an object with a list `projects`", "projects");
  const all = file.projects as unknown[];
  if (all.length === 0) throw badRequest("the snapshot contains no project", "projects");
  const problems: SnapshotProblem[] = [];
  const projects = all.map((tables, at) => {
    if (isObject(tables) && typeof tables.project_id === "string") return tables as Tables;
    throw badRequest("`project_id` is missing", `projects[${at}].project_id`);
  });
  const at = Math.max(
    0,
    projects.findIndex((tables) => tables.project_id === project_id),
  );
  const tables = projects[at] as Tables;
  const rows = (name: string, key: string) => rowsOf(tables, name, key, `projects[${at}]`, problems);
  const info: ProjectInfo = {
    project_id: tables.project_id,
    projects: projects.map((one) => one.project_id),
    cards: rows("cards", "card_id").length,
    boxes: rows("boxes", "box_id")
      .filter((box) => !box.deleted_at)
      .map(({ box_id, card_ids, parent_ids }) => ({
        box_id: String(box_id),
        cards: Array.isArray(card_ids) ? card_ids.length : 0,
        parent_ids: Array.isArray(parent_ids) ? parent_ids.map(String) : [],
      })),
    profiles: rows("profiles", "name").map(({ name, profile_box_id }) => ({
      name: String(name),
      profile_box_id: stringOrNull(profile_box_id),
    })),
    agents: rows("agents", "agent_id").map(({ agent_id, display_name, profile_box_id, state }) => ({
      agent_id: String(agent_id),
      display_name: stringOrNull(display_name),
      profile_box_id: stringOrNull(profile_box_id),
      status: isObject(state) ? stringOrNull(state.status) : null,
    })),
    calls: callsOf(file.calls),
  };
  if (problems.length > 0) throw combinedError(problems);
  return {
    info,
    savedView: isObject(file.looking) ? (file.looking as SavedView) : {},
    ...(isObject(file.log) ? { importReport: file.log as unknown as ImportReport } : {}),
  };
}

type Tables = Record<string, unknown> & { project_id: string };

/** An invalid value in a file. */
interface SnapshotProblem {
  path: string;
  message: string;
}

/** Combines all problems of a file: the first is the message, all are in the details. */
function combinedError(problems: SnapshotProblem[]): TuckboxError {
  const [first, ...more] = problems as [SnapshotProblem, ...SnapshotProblem[]];
  const places = more
    .slice(0, 8)
    .map(({ path }) => `\`${path}\``)
    .join(", ");
  const others =
    more.length === 0 ? "" : `; ${more.length} more ${more.length === 1 ? "error" : "errors"} at ${places}${more.length > 8 ? ", …" : ""}`;
  return new TuckboxError("bad_request", `${first.message}${others}`, {
    path: first.path,
    details: { problems: problems.map(({ path, message }) => ({ path, message })) },
  });
}

/** Returns the rows of a table; each must be an object with its key. */
function rowsOf(tables: Tables, name: string, key: string, within: string, problems: SnapshotProblem[]): Rows {
  const rows = tables[name] ?? [];
  const path = `${within}.${name}`;
  if (!Array.isArray(rows)) {
    problems.push({ message: "expected a list of rows", path });
    return [];
  }
  return rows.filter((row: unknown, index): row is Rows[number] => {
    if (!isObject(row)) problems.push({ message: "a row must be an object", path: `${path}[${index}]` });
    else if (typeof row[key] !== "string") problems.push({ message: `\`${key}\` is missing`, path: `${path}[${index}].${key}` });
    else return true;
    return false;
  });
}

/** Returns the calls of a snapshot. */
export function callsOf(given: unknown): NamedCall[] {
  return Array.isArray(given) ? given.flatMap(callOf) : [];
}

/** Returns a call that can be shown; invalid calls are skipped. */
function callOf(given: unknown): NamedCall[] {
  if (!isObject(given) || typeof given.id !== "string" || !isObject(given.call)) return [];
  const both = (value: unknown, otherwise: string) => {
    const texts = isObject(value) ? value : {};
    const en = stringOrNull(texts.en) ?? otherwise;
    return { en, zh: stringOrNull(texts.zh) ?? en };
  };
  const draft = stringOrNull(given.draft);
  return [
    {
      id: given.id,
      title: both(given.title, given.id),
      note: both(given.note, ""),
      call: given.call as NamedCall["call"],
      ...(draft === null ? {} : { draft }),
    },
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function stringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Adds calls, saved view and the report of a log to a store's export. */
export function exportText(exported: string, calls: NamedCall[], view: SavedView, report?: ImportReport): string {
  const log = report === undefined ? "" : `"log":${JSON.stringify(report)},`;
  return `{"format":${FORMAT},"looking":${JSON.stringify(view)},"calls":${write(calls)},${log}${exported.trim().slice(1)}`;
}

/** Returns the text that a link contains. */
async function unpackLink(fragment: string): Promise<string> {
  try {
    const { unpack } = await import("./link.ts");
    return await unpack(fragment, MAX_LINK_BYTES);
  } catch (cause) {
    if (cause instanceof RangeError) throw badRequest(`the link unpacks to more than ${MAX_LINK_BYTES / 1048576} MiB`, "link", cause);
    throw badRequest("the link is damaged: the text after `#` cannot be unpacked", "link", cause);
  }
}
