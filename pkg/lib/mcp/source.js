// What an MCP server answers from: logs of other tools, a project, or a lockfile. All are files that the core reads as
// sessions.
/** @import { ImportFile } from "../../types/arguments.js" */
/** @import { Workspace } from "../../types/workspace.js" */
/** @import { Session } from "../cli/session.js" */
import { dirname } from "node:path";
import { given, text } from "../cli/calls.js";
import { lockedRequests } from "../cli/lock.js";
import { logs } from "../cli/logs.js";
import { importFiles } from "../import/open.js";
import { importStream } from "../import/stream.js";
import { memoryStore } from "../memory.js";

/**
 * A source of sessions. Another kind of source implements the same.
 *
 * @typedef {object} Source
 * @property {() => Promise<string>} report Returns the report of all sessions, as JSON text.
 * @property {(names: readonly string[]) => Promise<ImportFile[]>} files Returns files of the report.
 * @property {() => Promise<string>} revision Returns another text after a change.
 * @property {(files: () => Promise<string>) => Promise<Workspace>} project Returns a project for previews. `files` returns
 *   the files of the session, as JSON text.
 * @property {() => Promise<string[]>} boxes Returns the boxes to list.
 */

/** @typedef {{ stamp: string, files: string[], sessions: string[] }} Folder The report of a folder, by file and session. */

/**
 * Returns the sessions of logs below some paths. A folder is read again when one of its files changed.
 *
 * @param {Session} session
 * @param {readonly string[]} paths
 * @returns {Source}
 */
export function logSource(session, paths) {
  const quiet = { cwd: session.cwd, note() {} };
  /** @type {Map<string, Folder>} */
  const folders = new Map();
  /** @type {Promise<string> | undefined} */
  let reading;

  /** @returns {Promise<Map<string, string>>} */
  const stamps = async () => {
    const found = /** @type {Map<string, string>} */ (new Map());
    for await (const { name, file } of logs(quiet, paths)) {
      const { size, mtimeMs } = await file.stat();
      const folder = dirname(name);
      found.set(folder, `${found.get(folder) ?? ""}${name} ${size} ${mtimeMs}\n`);
    }
    return found;
  };

  const read = async () => {
    const current = await stamps();
    for (const folder of folders.keys()) if (!current.has(folder)) folders.delete(folder);
    for (const [folder, stamp] of current) {
      if (folders.get(folder)?.stamp === stamp) continue;
      const { value } = await importStream(streamed(quiet, paths, (name) => dirname(name) === folder));
      folders.set(folder, { stamp, files: value.files.map(text), sessions: value.sessions.map(text) });
    }
    const all = [...folders.values()];
    return `{"files":[${all.flatMap(({ files }) => files).join()}],"sessions":[${all.flatMap(({ sessions }) => sessions).join()}]}`;
  };

  /** @type {Source["files"]} */
  const files = async (names) => {
    const wanted = /** @type {{ name: string, bytes: Uint8Array }[]} */ ([]);
    for await (const { name, file } of logs(quiet, paths))
      if (names.some((one) => isWithin(name, one))) wanted.push({ name, bytes: new Uint8Array(await file.readFile()) });
    const opened = await importFiles(wanted);
    return opened.filter(({ name }) => names.includes(name));
  };

  return {
    report: () => {
      // calls at the same time share one walk
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    files,
    revision: async () => [...(await stamps()).values()].join(""),
    project: async (sessionFiles) => importedProject(session, await sessionFiles()),
    boxes: async () => [],
  };
}

/**
 * Returns a project with imported files.
 *
 * @param {Session} session
 * @param {string} files The files as JSON text.
 */
async function importedProject(session, files) {
  const imported = await session.preview("import", new Map([["files", files]]).set("shape", text("snapshot")));
  const snapshot = imported.valueText;
  imported.dispose();
  const [{ project_id: projectId }] = JSON.parse(snapshot).projects;
  const { open } = await import("../../index.js");
  return open(memoryStore(snapshot), { projectId });
}

/**
 * Returns the report of files.
 *
 * @param {Session} session
 * @param {readonly object[]} files
 */
async function reportOf(session, files) {
  const preview = await session.preview("import", new Map([["files", text(files)]]));
  try {
    return preview.valueText;
  } finally {
    preview.dispose();
  }
}

/**
 * Returns the contexts of a lockfile as sessions of one request: what the models would see now.
 *
 * @param {Session} session
 * @param {string} path
 * @returns {Source}
 */
export function lockSource(session, path) {
  const all = async () => [...(await lockedRequests(session, path))].map(([name, request]) => ({ name, text: text(request) }));
  return {
    report: async () => reportOf(session, await all()),
    files: async (names) => (await all()).filter(({ name }) => names.includes(name)),
    revision: async () => text(await all()),
    project: async (sessionFiles) => importedProject(session, await sessionFiles()),
    boxes: async () => [],
  };
}

/**
 * Returns true if the file `name` has the file `inner` of a report: itself, or as an entry of an archive.
 *
 * @param {string} name
 * @param {string} inner
 */
function isWithin(name, inner) {
  const plain = name.replace(/\.gz$/i, "");
  return inner === name || inner === plain || inner.startsWith(`${name}/`) || inner.startsWith(`${plain}/`);
}

/** @param {Pick<Session, "cwd" | "note">} session @param {readonly string[]} paths @param {(name: string) => boolean} takes */
async function* streamed(session, paths, takes) {
  for await (const { name, size, file } of logs(session, paths))
    if (takes(name)) yield { name, size, chunks: file.createReadStream({ autoClose: false, start: 0 }) };
}

/** The maximum number of agents, and of recorded views of an agent, that are read. */
const MAX_AGENTS = 200;
const MAX_VIEWS = 50;

/**
 * Returns the turns of the agents of a project as sessions: the recorded views, and what the model would see now.
 *
 * @param {Session} session
 * @returns {Source}
 */
export function projectSource(session) {
  /** @param {string} op @param {import("../cli/calls.js").Args} args */
  const asked = async (op, args) => {
    const project = await session.project();
    project.refresh();
    const preview = await session.preview(op, args);
    try {
      return preview.value;
    } finally {
      preview.dispose();
    }
  };
  /** @param {string} agent_id */
  const turns = async (agent_id) => {
    const lines = [];
    const { rows } = await asked(
      "list_turn_views",
      given([
        ["agent_id", agent_id],
        ["limit", MAX_VIEWS],
      ]),
    );
    for (const { view_id } of rows) lines.push(await asked("turn_view", given([["recorded", view_id]])));
    lines.push(await asked("turn_view", given([["agent_id", agent_id]])));
    const requests = lines.map(({ request, profile }) => ({ model: profile?.llm_config?.model ?? "unknown", ...request }));
    return { name: `${agent_id}.jsonl`, text: requests.map(text).join("\n") };
  };
  const all = async () => {
    const { rows } = await asked("list_agents", given([["limit", MAX_AGENTS]]));
    const files = [];
    for (const { agent_id } of rows) {
      // an agent without boxes has no turn
      const file = await turns(agent_id).catch(() => undefined);
      if (file !== undefined) files.push(file);
    }
    return files;
  };
  return {
    report: async () => reportOf(session, await all()),
    files: async (names) => (await all()).filter(({ name }) => names.includes(name)),
    revision: async () => text(await all()),
    project: async () => {
      const project = await session.project();
      project.refresh();
      return project;
    },
    boxes: async () => {
      const { listed } = await session.opened();
      const listing = /** @type {any} */ ((await listed?.(await session.projectId())) ?? {});
      return listing.box_ids ?? [];
    },
  };
}
