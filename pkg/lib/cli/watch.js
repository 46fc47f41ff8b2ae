// `tuckbox watch` and `tuckbox proxy`: logs as they grow, and requests as they are sent.
/** @import { Session } from "./session.js" */
/** @import { Command, Values } from "./usage.js" */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { resolve } from "node:path";
import { codeOf, messageOf } from "../error.js";
import { secret } from "../local/server.js";
import { serveProxy } from "../proxy/server.js";
import { threadRecorder } from "../proxy/thread.js";
import { number } from "./calls.js";
import { line } from "./paint.js";
import { ended, followed, openBrowser, servePage } from "./ui.js";
import { UsageError } from "./usage.js";

/** The default port of `tuckbox proxy`. */
const PORT = 8827;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_DISK = 1024 * 1024 * 1024;
const KEEP = 10_000;
/** The folder of recordings, unless `--record` names one. */
const FOLDER = ".tuckbox/recordings";

/** The services, the variables that clients read their URLs from, and the path that a client expects in the URL. */
const SERVICES = [
  { name: "anthropic", upstream: "https://api.anthropic.com", path: "", variables: ["ANTHROPIC_BASE_URL"] },
  { name: "openai", upstream: "https://api.openai.com", path: "/v1", variables: ["OPENAI_BASE_URL", "OPENAI_API_BASE"] },
  { name: "gemini", upstream: "https://generativelanguage.googleapis.com", path: "", variables: ["GOOGLE_GEMINI_BASE_URL"] },
  { name: "openrouter", upstream: "https://openrouter.ai", path: "/api/v1", variables: ["OPENROUTER_BASE_URL"] },
];

/** Variables that keep a client from behaving differently with another base URL. A value of the user stays. */
const KEEPERS = {
  // Claude Code sends all tool definitions to hosts that it does not know, unless this is set
  ENABLE_TOOL_SEARCH: "true",
};
/** The note of the page about these variables. */
const KEEPER_NOTE = "set for Claude Code, which otherwise sends other tools to an unknown host";

/** @type {{ [name: string]: import("./usage.js").Option }} */
const RECORDING = {
  record: { value: "FOLDER", help: `folder of recordings; ${FOLDER} by default` },
  keep: { value: "N", help: "maximum number of recorded exchanges; 10000 by default" },
  "max-body": { value: "BYTES", help: "maximum size of a recorded body, also after decompression; 33554432 by default" },
  "max-disk": { value: "BYTES", help: "maximum size of a recording; 1073741824 by default" },
};

/** @type {Command} */
export const WATCH = {
  summary: "Follow logs as they grow, or record the requests of a command",
  usage: "PATH.. | -- COMMAND [ARGUMENTS]",
  about:
    "With PATH, the inspector follows the files: logs that `tuckbox import` reads. With a command, a proxy on this machine\nrecords what the command sends to its model, and passes all bytes through unchanged. No header is recorded, so no\nkey. The command ends the recording.",
  options: {
    port: { value: "N", help: "port of the inspector; 8825 or the next free one by default" },
    "no-open": { help: "print the URL without opening a browser" },
    upstream: { value: "URL", help: "send all requests of the command to this server" },
    otlp: { help: "also record spans: sets the OTLP endpoint of the command" },
    ...RECORDING,
  },
  takesCommand: true,
  examples: ["tuckbox watch ~/.claude/projects", "tuckbox watch -- claude", "tuckbox watch --record requests -- node agent.js"],
  async run(session, paths, values) {
    const { command } = values;
    if (command === undefined) {
      if (paths.length === 0) throw new UsageError("PATH is missing: pass a file or a folder, or `-- COMMAND`");
      return watchFiles(session, paths, values);
    }
    if (paths.length > 0) throw new UsageError("pass PATH or `-- COMMAND`, not both");
    if (command.length === 0) throw new UsageError("the command after `--` is missing");
    return watchCommand(session, command, values);
  },
};

/** @type {Command} */
export const PROXY = {
  summary: "Record requests to a model server, and pass them through unchanged",
  usage: "[--upstream URL]",
  about:
    "Point the base URL of a client to the printed URL. The proxy accepts connections from this machine only, and passes\nall bytes through unchanged. No header is recorded, so no key. It also takes spans of OpenTelemetry (OTLP over HTTP),\nwithout `--upstream` only these. The inspector shows all of it live. Ctrl-C stops it.",
  options: {
    upstream: { value: "URL", help: "the server that requests are sent to" },
    port: { value: "N", help: "listen on exactly this port; 8827 or the next free one by default" },
    "no-open": { help: "print the URL of the inspector without opening a browser" },
    ...RECORDING,
  },
  examples: [
    "tuckbox proxy --upstream https://api.anthropic.com",
    "tuckbox proxy --port 9000 --upstream http://localhost:11434 --record requests",
    "tuckbox proxy --port 4318",
  ],
  async run(session, _, { port: given, ...values }) {
    const port = given === undefined ? PORT : number(given, "--port");
    const routes = new Map(values.upstream === undefined ? [] : [["", urlOf(values.upstream)]]);
    const { recording, page, live, end } = await recorded(session, values, { otlp: true });
    const proxy = await serveProxy({
      port,
      isExact: given !== undefined,
      routes,
      otlp: "",
      ...recording.limits,
      record: reporting(recording, live),
    }).catch(async (error) => {
      await end();
      if (codeOf(error) === "EADDRINUSE") throw new UsageError(`port ${port} is in use: pass another one with \`--port\``);
      throw error;
    });
    const isEnded = ended();
    session.print([
      `the proxy is at ${proxy.origin}`,
      `it takes OTLP at ${proxy.origin}/v1/traces`,
      `it records to ${recording.paths[0]}`,
      `the inspector is at ${page.url}`,
      session.paint.dim("Ctrl-C stops it"),
    ]);
    if (!values["no-open"] && session.isTerminal) openBrowser(page.url);
    await isEnded;
    await proxy.close();
    await end();
    return { value: recording.account(), view: () => accountView(recording) };
  },
};

/** @param {Session} session @param {Values} values @param {boolean} otlp */
async function recordingOf(session, { record = FOLDER, keep, "max-body": maxBody, "max-disk": maxDisk }, otlp) {
  const limits = {
    keep: keep === undefined ? KEEP : number(keep, "--keep"),
    maxBytes: maxBody === undefined ? MAX_BYTES : number(maxBody, "--max-body"),
    maxDisk: maxDisk === undefined ? MAX_DISK : number(maxDisk, "--max-disk"),
  };
  try {
    return { ...(await threadRecorder({ folder: resolve(session.cwd, record), otlp, ...limits })), limits };
  } catch (error) {
    throw new UsageError(`\`${line(record)}\` cannot be written: ${messageOf(error)}`);
  }
}

/**
 * Starts a recorder, and the inspector on what it records.
 *
 * @param {Session} session
 * @param {Values} values
 * @param {{ otlp: boolean, note?: object }} options `note` is a part of the status for the pages.
 */
async function recorded(session, values, { otlp, note }) {
  const recording = await recordingOf(session, values, otlp);
  const stop = new AbortController();
  const live = await followed(session, recording.paths, stop.signal);
  const status = () => ({ ...recording.account(), ...note });
  const page = await servePage(session, { listing: async () => ({ box_ids: [] }), files: live.files, live: { ...live, status } }, values);
  const end = async () => {
    stop.abort();
    await recording.close();
    await page.close();
  };
  return { recording, page, live, end };
}

/**
 * Returns a function that records an exchange, and reports to the pages what was skipped.
 *
 * @param {Awaited<ReturnType<typeof recordingOf>>} recording
 * @param {{ notify: () => void }} live
 * @returns {(exchange: import("../proxy/server.js").Exchange) => Promise<void>}
 */
function reporting(recording, live) {
  return async (exchange) => {
    const { skipped } = recording.account();
    await recording.record(exchange);
    // the file does not change, so the pages get no other report
    if (recording.account().skipped !== skipped) live.notify();
  };
}

/** @param {string} text */
function urlOf(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new UsageError(`\`--upstream\` must be a URL with http or https, found \`${line(text)}\``);
  return url;
}

/** @param {{ paths: readonly string[], account: () => import("../proxy/recorder.js").Account }} recording */
function accountView({ paths, account }) {
  const { recorded: count, skipped, reason } = account();
  const lines = [`${count} exchanges recorded in ${paths[0]}`];
  if (skipped > 0) lines.push(`${skipped} exchanges were not recorded: ${line(reason)}`);
  return lines;
}

/** @param {Session} session @param {readonly string[]} paths @param {Values} values */
async function watchFiles(session, paths, values) {
  const end = new AbortController();
  const live = await followed(session, paths, end.signal);
  const server = await servePage(session, { listing: async () => ({ box_ids: [] }), files: live.files, live }, values);
  const isEnded = ended();
  session.print([`the inspector is at ${server.url}`, `it follows ${live.files.length} files`, session.paint.dim("Ctrl-C stops it")]);
  if (!values["no-open"] && session.isTerminal) openBrowser(server.url);
  await isEnded;
  end.abort();
  await server.close();
  return { value: null, view: () => [] };
}

/** @param {Session} session @param {readonly string[]} command @param {Values} values */
async function watchCommand(session, command, values) {
  // the path of the proxy has a secret: pages and other programs cannot guess it
  const key = secret();
  const { routes, environment } = routesOf(key, values.upstream === undefined ? undefined : urlOf(values.upstream));
  const keepers = Object.entries(KEEPERS).filter(([name]) => process.env[name] === undefined);
  const set = keepers.map(([name, value]) => `${name}=${value}`).join(" ");
  const note = set === "" ? {} : { note: `${set}: ${KEEPER_NOTE}` };
  const { recording, page, live, end } = await recorded(session, values, { otlp: values.otlp === true, note });
  const proxy = await serveProxy({
    port: 0,
    isExact: true,
    routes,
    otlp: values.otlp === true ? `/${key}/otlp` : undefined,
    ...recording.limits,
    record: reporting(recording, live),
  });
  const otlp = values.otlp
    ? { OTEL_EXPORTER_OTLP_ENDPOINT: `${proxy.origin}/${key}/otlp`, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" }
    : {};
  try {
    session.note(`the inspector is at ${page.url}`);
    if (!values["no-open"] && session.isTerminal) openBrowser(page.url);
    const code = await exitOf(command, { ...KEEPERS, ...process.env, ...environment(proxy.origin), ...otlp });
    return { value: null, view: () => [], code };
  } finally {
    await proxy.close();
    await end();
    for (const text of accountView(recording)) session.note(text);
  }
}

/**
 * Returns the routes of the proxy, and a function that returns the variables of the command.
 *
 * @param {string} key
 * @param {URL | undefined} only
 */
function routesOf(key, only) {
  const routes = new Map();
  for (const { name, upstream, path, variables } of SERVICES) {
    // a base URL of the user stays the server that requests are sent to
    const own = variables.map((variable) => process.env[variable]).find((value) => value !== undefined && URL.canParse(value));
    routes.set(`/${key}/${name}`, only ?? new URL(own ?? upstream + path));
  }
  /** @param {string} origin */
  const environment = (origin) =>
    Object.fromEntries(SERVICES.flatMap(({ name, variables }) => variables.map((variable) => [variable, `${origin}/${key}/${name}`])));
  return { routes, environment };
}

/**
 * Runs a command and returns its exit code.
 *
 * @param {readonly string[]} command
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>}
 */
function exitOf([program, ...args], env) {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { stdio: "inherit", env });
    // a terminal sends Ctrl-C to the command, too, which decides when it ends
    const ignore = () => {};
    process.on("SIGINT", ignore);
    const stop = () => child.kill("SIGTERM");
    process.on("SIGTERM", stop);
    child.on("error", (error) => fail(new UsageError(`\`${line(program)}\` cannot be started: ${messageOf(error)}`)));
    child.on("exit", (code, signal) => {
      process.off("SIGINT", ignore);
      process.off("SIGTERM", stop);
      done(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
