// `tuckbox ui`: the inspector on a store, or on the logs of other tools.
import { spawn } from "node:child_process";
import { readFile, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fetchHandler } from "../../http.js";
import { messageOf } from "../error.js";
import { number } from "./calls.js";
import { line } from "./paint.js";
import { serveUi } from "./ui-server.js";
import { UsageError } from "./usage.js";

/** `TUCK` on a telephone. */
const PORT = 8825;
const IS_ADDRESS = /^[a-z][a-z0-9+.-]+:\/\//i;
/** Large bodies are ordinary here, and nobody else can send any. */
const MOST_BYTES = 256 * 1024 * 1024;

export const UI = {
  summary: "Open the inspector on a store, or on the logs of other tools",
  usage: "[FILE.. | postgres://.. | https://..]",
  about: "FILE is a project (what `tuckbox` writes), or any logs that `tuckbox import` reads; without it the\ninspector shows its demo. It is served to this machine only. Ctrl-C ends it.",
  options: {
    port: { value: "N", help: "listen on exactly this port; 8825 or the next free one by default" },
    "no-open": { help: "only print the address, open no browser" },
  },
  examples: ["tuckbox ui", "tuckbox ui project.json", "tuckbox ui ~/.claude/projects/my-project", "tuckbox ui postgres://localhost/agents --project demo"],
  async run(session, targets, values) {
    const served = await subject(session, targets, values);
    const token = Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(24))).toString("base64url");
    const { open } = await import("../../index.js");
    const api = fetchHandler({
      open,
      base: "/api",
      max_body_bytes: MOST_BYTES,
      store: served.store ?? NOTHING,
      authorize: ({ request }) => request.headers.get("authorization") === `Bearer ${token}`,
    });
    const port = values.port === undefined ? PORT : number(values.port, "--port");
    const start = served.project_id === undefined ? served.start : { kind: "server", url: "/api", project_id: served.project_id, box_id: "", token, listing: "/listing" };
    const server = await serveUi({ port, isExact: values.port !== undefined, start, api, token, listing: served.listing, files: served.files, cwd: session.cwd });
    // whoever reads the address may end it at once
    const end = ended();
    session.print([`the inspector is at ${server.address}`, session.paint.dim("Ctrl-C ends it")]);
    if (!values["no-open"] && session.isTerminal) openBrowser(server.address);
    await end;
    await server.close();
    return { value: null, view: () => [] };
  },
};

const NOTHING = { read: refuse, commit: refuse };

async function refuse() {
  throw new Error("there is no store behind this page");
}

/** What the page shows: a project of a store, files, or the demo. */
async function subject(session, targets, values) {
  const nothing = { listing: async () => ({ box_ids: [] }), files: [] };
  if (targets.length === 0 && values.store === undefined && process.env.TUCKBOX_STORE === undefined) return { ...nothing, start: null };
  const [only, ...more] = targets;
  const isStore = only === undefined || (more.length === 0 && (IS_ADDRESS.test(only) || (await isProject(resolve(session.cwd, only)))));
  if (isStore) {
    if (only !== undefined) values.store = only;
    const { store, listed } = await session.opened();
    const project_id = await session.projectId();
    return { ...nothing, store, project_id, listing: async () => (await listed?.(project_id)) ?? { box_ids: [] } };
  }
  if (targets.some((target) => IS_ADDRESS.test(target))) throw new UsageError("pass one address, or files");
  const files = [];
  for (const target of targets) await collect(resolve(session.cwd, target), target, files);
  if (files.length === 0) throw new UsageError(`there is no file in \`${line(targets.join(", "))}\``);
  return { ...nothing, files: files.map(({ path }) => path), start: { kind: "addresses", files: files.map(({ name }, at) => ({ name, address: `/files/${at}` })) } };
}

/** Whether a file holds projects, as a store writes them. */
async function isProject(path) {
  try {
    if (!(await stat(path)).isFile()) return false;
    return Array.isArray(JSON.parse(await readFile(path, "utf8")).projects);
  } catch {
    // whatever it is, it is read as a log or refused as a file
    return false;
  }
}

/** Every file below a path, in the order of their names. */
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

/** Opens the browser, where there is one. */
function openBrowser(address) {
  const [program, args] = { darwin: ["open", []], win32: ["cmd", ["/C", "start", ""]] }[process.platform] ?? ["xdg-open", []];
  const child = spawn(program, [...args, address], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
