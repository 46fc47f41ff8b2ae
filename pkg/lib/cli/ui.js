// `tuckbox ui`: the inspector on a store, or on logs of other tools.
/** @import { Store } from "../../types/store.js" */
/** @import { Session } from "./session.js" */
/** @import { Command, Values } from "./usage.js" */
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { fetchHandler } from "../../http.js";
import { follow } from "../local/follow.js";
import { number } from "./calls.js";
import { lockWithContexts } from "./lock.js";
import { line } from "./paint.js";
import { isLockfile, subjectOf } from "./subject.js";
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
 * @property {import("./ui-server.js").Live} [live]
 * @property {object} [lock] A lockfile with the current contexts.
 */

/** @type {Command} */
export const UI = {
  summary: "Open the inspector on a store, on logs of other tools, or on a lockfile",
  usage: "[FILE.. | postgres://.. | https://..]",
  about:
    "FILE is a project file (JSON or SQLite), logs that `tuckbox import` reads, or a lockfile of `tuckbox lock`. Without it, the inspector shows its demo.\nThe server accepts connections from this machine only, and the printed URL works once. Ctrl-C stops it.",
  options: {
    port: { value: "N", help: "listen on exactly this port; 8825 or the next free one by default" },
    "no-open": { help: "print the URL without opening a browser" },
  },
  examples: [
    "tuckbox ui",
    "tuckbox ui project.json",
    "tuckbox ui project.db",
    "tuckbox ui tuckbox.lock",
    "tuckbox ui ~/.claude/projects/my-project",
    "tuckbox ui postgres://localhost/agents --project demo",
  ],
  async run(session, targets, values) {
    const end = new AbortController();
    const server = await servePage(session, await subject(session, targets, values, end.signal), values);
    // a program that reads the URL can stop the server at once
    const isEnded = ended();
    session.print([`the inspector is at ${server.url}`, session.paint.dim("Ctrl-C stops it")]);
    if (!values["no-open"] && session.isTerminal) openBrowser(server.url);
    await isEnded;
    end.abort();
    await server.close();
    return { value: null, view: () => [] };
  },
};

/**
 * Serves the inspector.
 *
 * @param {Session} session
 * @param {Served} served
 * @param {Values} values
 */
export async function servePage(session, served, values) {
  const { open } = await import("../../index.js");
  const api = fetchHandler({
    open,
    base: "/api",
    maxBodyBytes: MAX_BYTES,
    store: served.store ?? NOTHING,
    // the server checks every request before
    authorize: () => true,
  });
  const start =
    served.lock !== undefined
      ? { kind: "lock", lock: served.lock }
      : served.project_id === undefined
        ? null
        : { kind: "server", url: "/api", project_id: served.project_id, box_id: "", token: "", listing: "/listing" };
  return serveUi({
    port: values.port === undefined ? PORT : number(values.port, "--port"),
    isExact: values.port !== undefined,
    start,
    api,
    listing: served.listing,
    files: served.files,
    live: served.live,
    cwd: session.cwd,
  });
}

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
 * @param {AbortSignal} signal Ends the reports of changes.
 * @returns {Promise<Served>}
 */
async function subject(session, targets, values, signal) {
  const nothing = { listing: async () => ({ box_ids: [] }), files: [] };
  const [only, ...more] = targets;
  if (only !== undefined && more.length === 0 && isLockfile(resolve(session.cwd, only))) {
    return { ...nothing, lock: await lockWithContexts(session, resolve(session.cwd, only), values) };
  }
  const kind = await subjectOf(session, targets, values);
  if (kind === "nothing") return nothing;
  if (kind === "store") {
    const { store, listed } = await session.opened();
    const project_id = await session.projectId();
    return { ...nothing, store, project_id, listing: async () => (await listed?.(project_id)) ?? { box_ids: [] } };
  }
  const live = await followed(session, targets, signal);
  if (live.files.length === 0) throw new UsageError(`no files in \`${line(targets.join(", "))}\``);
  return { ...nothing, files: live.files, live };
}

/**
 * Returns the files below some paths, with reports of changes.
 *
 * @param {Pick<Session, "cwd">} session
 * @param {readonly string[]} paths
 * @param {AbortSignal} signal
 * @returns {Promise<import("./ui-server.js").Live & { notify: () => void }>} `notify` sends the status to the pages.
 */
export async function followed(session, paths, signal) {
  const files = /** @type {import("./ui-server.js").UserFile[]} */ ([]);
  const listeners = /** @type {Set<(files: readonly import("./ui-server.js").UserFile[]) => void>} */ (new Set());
  const changed = (/** @type {import("../local/follow.js").Followed[]} */ found) => {
    const reported = found.map((one) => {
      const known = files.find(({ path }) => path === one.path);
      if (known === undefined) files.push(one);
      return Object.assign(known ?? one, { size: one.size, changed: one.changed });
    });
    for (const report of listeners) report(reported);
  };
  await follow(session, paths, changed, signal);
  return {
    files,
    listen: (report) => {
      listeners.add(report);
      return () => listeners.delete(report);
    },
    notify: () => {
      for (const report of listeners) report([]);
    },
  };
}

/** Waits for a signal to stop. */
export function ended() {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, resolve);
  });
}

/**
 * Opens the browser, if there is one.
 *
 * @param {string} url
 */
export function openBrowser(url) {
  /** @type {{ [platform: string]: string[] }} */
  const programs = { darwin: ["open"], win32: ["cmd", "/C", "start", ""] };
  const [program, ...args] = programs[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
