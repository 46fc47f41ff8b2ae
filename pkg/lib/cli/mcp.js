// `tuckbox mcp`: an MCP server over logs or a project.
/** @import { Session } from "./session.js" */
/** @import { Command, Values } from "./usage.js" */
import { resolve } from "node:path";
import { codeOf } from "../error.js";
import { secret } from "../local/server.js";
import { serveHttp } from "../mcp/http.js";
import { Questions } from "../mcp/sessions.js";
import { lockSource, logSource, projectSource } from "../mcp/source.js";
import { serveStdio } from "../mcp/stdio.js";
import { number } from "./calls.js";
import { isLockfile, subjectOf } from "./subject.js";
import { UsageError } from "./usage.js";

/** The default port with `--http`: the one after that of `tuckbox ui`. */
const PORT = 8826;

/** @type {Command} */
export const MCP = {
  summary: "Serve sessions and handovers to assistants over MCP",
  usage: "[PATH..] [--http [--port N]]",
  about:
    "PATH is a project file, a lockfile, or logs that `tuckbox import` reads. The server uses standard input and output, or with\n`--http` the path /mcp of this machine. It writes only with `--commit`, and only previews that were shown. Secrets\nin logs are masked.",
  options: {
    http: { help: "serve over HTTP on 127.0.0.1 instead of standard input and output" },
    port: { value: "N", help: "listen on exactly this port; 8826 or the next free one by default" },
    token: { value: "TEXT", help: "the token of clients over HTTP; a random one by default" },
    "show-secrets": { help: "do not mask secrets" },
    commit: { help: "allow to write previews to the store; without it, nothing is written" },
  },
  examples: ["tuckbox mcp ~/.claude/projects", "tuckbox mcp project.json --commit", "tuckbox mcp ~/.codex/sessions --http --port 8826"],
  async run(session, paths, values) {
    const { http, port, token, commit } = values;
    if (!http && (port !== undefined || token !== undefined)) throw new UsageError("`--port` and `--token` need `--http`");
    if (values.json) throw new UsageError("`--json` does not apply to a server");
    const [lock] = paths.length === 1 && isLockfile(resolve(session.cwd, paths[0])) ? paths : [];
    const kind = lock === undefined ? await subjectOf(session, paths, values) : "lockfile";
    if (kind === "nothing") throw new UsageError("PATH is missing: pass a project file, a lockfile, or a file or folder of logs");
    if (commit && (kind !== "store" || !(await session.opened()).isWritable))
      throw new UsageError("`--commit` needs a store that can write: a file, a database or a server");
    const source = sourceOf(session, kind, paths);
    const options = { commits: commit === true, showsSecrets: values["show-secrets"] === true };
    // loaded late, because the schema of all operations is large
    const { mcpServer } = await import("../mcp/server.js");
    const protocol = mcpServer(new Questions(session, source), options);
    if (http) await overHttp(session, protocol, values);
    else await serveStdio(protocol, { input: process.stdin, output: process.stdout });
    return { value: null, view: () => [] };
  },
};

/** @param {Session} session @param {"store" | "logs" | "lockfile"} kind @param {readonly string[]} paths */
function sourceOf(session, kind, paths) {
  if (kind === "store") return projectSource(session);
  return kind === "logs" ? logSource(session, paths) : lockSource(session, resolve(session.cwd, paths[0]));
}

/** @param {Session} session @param {import("../mcp/protocol.js").Protocol} protocol @param {Values} values */
async function overHttp(session, protocol, { port, token = secret() }) {
  const options = { port: port === undefined ? PORT : number(port, "--port"), isExact: port !== undefined, token };
  const server = await serveHttp(protocol, options).catch((error) => {
    if (codeOf(error) === "EADDRINUSE") throw new UsageError(`port ${options.port} is in use: pass another one with \`--port\``);
    throw error;
  });
  const end = new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, resolve);
  });
  session.print([`the MCP server is at ${server.url}`, `Authorization: Bearer ${token}`, session.paint.dim("Ctrl-C stops it")]);
  await end;
  await server.close();
}
