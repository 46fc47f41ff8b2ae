// `tuckbox import`: the logs of other tools as a project, a table or one request.
import { open, readFile, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { importFiles } from "../import/open.js";
import { importStream } from "../import/stream.js";
import { messageOf } from "../error.js";
import { members } from "../raw.js";
import { number, text } from "./calls.js";
import { line, shownJson, table } from "./paint.js";
import { UsageError } from "./usage.js";
import { lintsView } from "./views.js";

/** Files that describe a case beside its log. */
const NOT_LOGS = new Set(["truth.json", "meta.json"]);

const SHAPES = ["report", "neutral", "snapshot"];

export const IMPORT = {
  summary: "Read the logs of other tools: what did their models really get?",
  usage: "PATH..",
  about: "PATH is a file or a folder: request bodies, batches, traces, sessions of coding agents, messages of\nframeworks; also gzip, zip and SQLite. Files are told by what is in them. Every request says what its\nlog cannot know.",
  options: {
    list: { help: "only the table of sessions and requests; logs of any size, one file in memory at a time" },
    request: { value: "N|last", help: "which request, with `--shape neutral`; the last of the conversation by default" },
    every: { help: "all requests, with `--shape neutral`" },
    shape: { value: "NAME", help: "`report`, `neutral` (one request as JSON) or `snapshot` (a project as JSON)" },
  },
  writes: true,
  examples: [
    "tuckbox import ~/.claude/projects/my-project",
    "tuckbox import trace.json --shape snapshot > project.json",
    "tuckbox import session.jsonl --store project.json --project mine --commit",
  ],
  async run(session, paths, { list, request, every, shape = "report", json }) {
    if (paths.length === 0) throw new UsageError("name a file or a folder");
    if (!SHAPES.includes(shape)) throw new UsageError(`\`--shape\` is \`report\`, \`neutral\` or \`snapshot\`, not \`${shape}\``);
    if (list) {
      if (shape !== "report") throw new UsageError("`--list` is a report: leave `--shape` out");
      await session.opened();
      const progress = ({ name, bytes, requests }) => session.progress(`${Math.floor(bytes / 1e6)} MB, ${requests} requests: ${line(name)}`);
      const { value, text: whole } = await importStream(sources(session.cwd, paths), { progress });
      session.progress("");
      return json ? { raw: shownJson(whole) } : { value, view: () => reportView(value, session) };
    }
    const files = [];
    for await (const { name, path } of logs(session.cwd, paths)) {
      files.push(...(await importFiles([{ name, bytes: new Uint8Array(await readFile(path)) }])));
    }
    const args = new Map([["files", text(files)], ["shape", text(shape)]]);
    if (request !== undefined) args.set("request", request === "last" ? text(request) : text(number(request, "--request")));
    if (every) args.set("every", "true");
    const preview = await session.preview("import", args).catch((error) => {
      if (error.code === "limit") session.note("`--list` reads logs of any size, `--shape neutral` one of their requests");
      throw error;
    });
    if (shape !== "report") return { raw: session.isTerminal ? shownJson(preview.valueText) : preview.valueText };
    const view = () => [...reportView(preview.value, session), ...lintsView(preview.lints, session.paint)];
    return { preview, view, after: () => register(session, args) };
  },
};

/** Every file below some paths, in the order of their names. */
async function* logs(cwd, paths) {
  for (const path of paths) yield* below(resolve(cwd, path), path);
}

async function* below(path, name) {
  let kind;
  try {
    kind = await stat(path);
  } catch (error) {
    throw new UsageError(`\`${name}\` cannot be read: ${messageOf(error)}`);
  }
  if (kind.isDirectory()) {
    for (const entry of (await readdir(path)).sort()) {
      if (entry !== "node_modules" && entry !== ".git") yield* below(join(path, entry), join(name, entry));
    }
    return;
  }
  if (!kind.isFile() || NOT_LOGS.has(path.slice(path.lastIndexOf("/") + 1))) return;
  yield { name, path, size: kind.size };
}

/** How much of a file is read at a time. */
const PIECE = 1 << 18;

/** The same files, each in pieces. */
async function* sources(cwd, paths) {
  for await (const { name, path, size } of logs(cwd, paths)) yield { name, size, chunks: pieces(path) };
}

async function* pieces(path) {
  const file = await open(path);
  try {
    const piece = new Uint8Array(PIECE);
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, PIECE);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Profiles are no part of a batch of writes: they are registered where a store can do that. */
async function register(session, args) {
  const { store } = await session.opened();
  if (typeof store.addProfiles !== "function") return;
  const preview = await session.preview("import", new Map(args).set("shape", text("snapshot")));
  const [project] = JSON.parse(new Map(members(preview.valueText)).get("projects"));
  await store.addProfiles(await session.projectId(), project.profiles);
}

/** The table of sessions and requests. */
function reportView({ files, sessions, notes, calibration }, { paint, width }) {
  const unread = files.filter(({ format }) => format === null).length;
  const lines = [];
  for (const { id, source, agent, parent, requests } of sessions) {
    const whose = [agent === undefined ? "" : ` · ${line(agent)}`, parent === undefined ? "" : ` · from ${line(parent)}`].join("");
    lines.push(`${paint.bold(line(source))} ${line(id)}${paint.dim(whose)}`);
    const rows = requests.map((request) => {
      const { recorded, estimated, calibrated, residual, unknown, model, messages, tools, came, went, kind, retries } = request;
      const lost = unknown.map(({ what }) => what).filter((what) => what !== "params");
      const changed = `${came > 0 ? `+${came}` : ""}${went > 0 ? ` -${went}` : ""}`;
      const notesOf = [lost.length === 0 ? "" : `not in the log: ${lost.join(", ")}`, residual === null ? "" : `${residual} tokens of it`, retries > 0 ? `sent ${retries + 1} times` : ""];
      return [
        `  ${request.request}`, kind, line(model ?? ""), `${messages} messages`, `${tools} tools`, changed,
        recorded.input === null ? `~${calibrated ?? estimated}` : String(recorded.input), recorded.output === null ? "" : String(recorded.output),
        line(request.box_id), notesOf.filter((note) => note !== "").join("; "),
      ];
    });
    lines.push(...table(rows, [{ right: true }, { paint: paint.cyan }, {}, { right: true }, { right: true }, {}, { right: true }, { right: true }, { paint: paint.dim }, { paint: paint.yellow }], width));
  }
  for (const { model, requests, recorded, estimated, factor_percent: factor, off_percent: off, off_percent_scaled: left } of calibration) {
    if (factor !== null) lines.push(paint.dim(`${line(model)}: ${recorded} tokens recorded, ${estimated} estimated over ${requests} whole requests; the model counts ${factor} for every 100 estimated: off by ${off} %${left === null ? "" : `, by ${left} % once calibrated`}`));
  }
  const count = sessions.reduce((sum, { requests }) => sum + requests.length, 0);
  lines.push(paint.dim(`${files.length} files, ${unread} not recognised, ${sessions.length} sessions, ${count} requests, ${notes.length} notes`));
  return lines;
}
