// `tuckbox ui`: the inspector on a store, or on logs of other tools.
/** @import { Store } from "../../types/store.js" */
/** @import { Session } from "./session.js" */
/** @import { Command, Values } from "./usage.js" */
import { spawn } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fetchHandler } from "../../http.js";
import { messageOf } from "../error.js";
import { number } from "./calls.js";
import { line } from "./paint.js";
import { subjectOf } from "./subject.js";
import { serveUi } from "./ui-server.js";
import { UsageError } from "./usage.js";

/** The default port: `TUCK` on a phone keypad. */
const PORT = 8825;
/** A high limit, because only the user of this machine sends requests. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * What the page shows.
 *
 * @typedef {object} Served
 * @property {Store} [store]
 * @property {string} [project_id]
 * @property {() => Promise<object>} listing
 * @property {import("./ui-server.js").UserFile[]} files
 */

/** @type {Command} */
export const UI = {
  summary: "Open the inspector on a store, or on logs of other tools",
  usage: "[FILE.. | postgres://.. | https://..]",
  about:
    "FILE is a project file (JSON or SQLite), or logs that `tuckbox import` reads. Without it, the inspector shows its demo.\nThe server accepts connections from this machine only, and the printed URL works once. Ctrl-C stops it.",
  options: {
    port: { value: "N", help: "listen on exactly this port; 8825 or the next free one by default" },
    "no-open": { help: "print the URL without opening a browser" },
  },
  examples: [
    "tuckbox ui",
    "tuckbox ui project.json",
    "tuckbox ui project.db",
    "tuckbox ui ~/.claude/projects/my-project",
    "tuckbox ui postgres://localhost/agents --project demo",
  ],
  async run(session, targets, values) {
    const served = await subject(session, targets, values);
    const { open } = await import("../../index.js");
    const api = fetchHandler({
      open,
      base: "/api",
      maxBodyBytes: MAX_BYTES,
      store: served.store ?? NOTHING,
      // the server checks every request before
      authorize: () => true,
    });
    const port = values.port === undefined ? PORT : number(values.port, "--port");
    const start =
      served.project_id === undefined
        ? null
        : { kind: "server", url: "/api", project_id: served.project_id, box_id: "", token: "", listing: "/listing" };
    const server = await serveUi({
      port,
      isExact: values.port !== undefined,
      start,
      api,
      listing: served.listing,
      files: served.files,
      cwd: session.cwd,
    });
    // a program that reads the URL can stop the server at once
    const end = ended();
    session.print([`the inspector is at ${server.url}`, session.paint.dim("Ctrl-C stops it")]);
    if (!values["no-open"] && session.isTerminal) openBrowser(server.url);
    await end;
    await server.close();
    return { value: null, view: () => [] };
  },
};

const NOTHING = { read: refuse, commit: refuse };

/** @returns {Promise<never>} */
async function refuse() {
  throw new Error("the page has no store");
}

/**
 * Returns what the page shows: a project of a store, files, or the demo.
 *
 * @param {Session} session
 * @param {readonly string[]} targets
 * @param {Values} values
 * @returns {Promise<Served>}
 */
async function subject(session, targets, values) {
  const nothing = { listing: async () => ({ box_ids: [] }), files: [] };
  const kind = await subjectOf(session, targets, values);
  if (kind === "nothing") return nothing;
  if (kind === "store") {
    const { store, listed } = await session.opened();
    const project_id = await session.projectId();
    return { ...nothing, store, project_id, listing: async () => (await listed?.(project_id)) ?? { box_ids: [] } };
  }
  const files = /** @type {{ path: string, name: string }[]} */ ([]);
  for (const target of targets) await collect(resolve(session.cwd, target), target, files);
  if (files.length === 0) throw new UsageError(`no files in \`${line(targets.join(", "))}\``);
  return { ...nothing, files };
}

/**
 * Collects every file below a path, ordered by name.
 *
 * @param {string} path
 * @param {string} name
 * @param {{ path: string, name: string }[]} files
 */
async function collect(path, name, files) {
  let kind;
  try {
    kind = await stat(path);
  } catch (error) {
    throw new UsageError(`\`${line(name)}\` cannot be read: ${messageOf(error)}`);
  }
  if (kind.isFile()) files.push({ path, name });
  if (!kind.isDirectory()) return;
  for (const entry of (await readdir(path)).sort()) {
    if (entry !== "node_modules" && entry !== ".git") await collect(join(path, entry), join(name, entry), files);
  }
}

function ended() {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, resolve);
  });
}

/**
 * Opens the browser, if there is one.
 *
 * @param {string} url
 */
function openBrowser(url) {
  /** @type {{ [platform: string]: string[] }} */
  const programs = { darwin: ["open"], win32: ["cmd", "/C", "start", ""] };
  const [program, ...args] = programs[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
