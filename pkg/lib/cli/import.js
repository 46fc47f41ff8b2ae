// `tuckbox import`: logs of other tools as a project, a table or one request.
/** @import { FileHandle } from "node:fs/promises" */
/** @import { ImportSource } from "../../types/import.js" */
/** @import { ImportReport } from "../../types/results.js" */
/** @import { Args } from "./calls.js" */
/** @import { Session } from "./session.js" */
/** @import { Command } from "./usage.js" */
import { codeOf } from "../error.js";
import { importFiles } from "../import/open.js";
import { importStream } from "../import/stream.js";
import { harOf, records } from "../proxy/exports.js";
import { members } from "../raw.js";
import { number, text } from "./calls.js";
import { logs } from "./logs.js";
import { line, shownJson, table } from "./paint.js";
import { UsageError } from "./usage.js";
import { lintsView, priceText } from "./views.js";

const SHAPES = ["report", "neutral", "snapshot", "har", "jsonl"];

/** @type {Command} */
export const IMPORT = {
  summary: "Import logs of other tools: the requests that their models received",
  usage: "PATH..",
  about:
    "PATH is a file or a folder: request bodies, batches, traces, sessions of coding agents, messages of\nframeworks; also gzip, zip and SQLite. The content of a file determines its format. Each request lists\nwhat is not in its log.",
  options: {
    list: { help: "print only the table of sessions and requests; for logs of any size" },
    request: { value: "N|last", help: "the request, with `--shape neutral`; by default the last of the conversation" },
    every: { help: "all requests, with `--shape neutral`" },
    shape: {
      value: "NAME",
      help: "`report`, `neutral` (one request as JSON), `snapshot` (a project as JSON), or a recording as `har` or `jsonl`",
    },
  },
  writes: true,
  examples: [
    "tuckbox import ~/.claude/projects/my-project",
    "tuckbox import trace.json --shape snapshot > project.json",
    "tuckbox import .tuckbox/recordings --shape har > capture.har",
    "tuckbox import session.jsonl --store project.json --project mine --commit",
  ],
  async run(session, paths, { list, request, every, shape = "report", json }) {
    if (paths.length === 0) throw new UsageError("PATH is missing: pass a file or a folder");
    if (!SHAPES.includes(shape))
      throw new UsageError(`\`--shape\` must be one of ${SHAPES.map((name) => `\`${name}\``).join(", ")}, found \`${shape}\``);
    if (shape === "har" || shape === "jsonl") return { raw: await recording(session, paths, shape) };
    if (list) {
      if (shape !== "report") throw new UsageError("`--list` is always a report: omit `--shape`");
      await session.opened();
      /** @param {{ name: string, bytes: number, requests: number }} read */
      const progress = ({ name, bytes, requests }) =>
        session.progress(`${Math.floor(bytes / 1e6)} MB, ${requests} requests: ${line(name)}`);
      const { value, text: whole } = await importStream(sources(session, paths), { progress });
      session.progress("");
      return json ? { raw: shownJson(whole) } : { value, view: () => reportView(value, session) };
    }
    const args = (await importArgs(session, paths)).set("shape", text(shape));
    if (request !== undefined) args.set("request", request === "last" ? text(request) : text(number(request, "--request")));
    if (every) args.set("every", "true");
    const preview = await session.preview("import", args).catch((error) => {
      if (codeOf(error) === "limit") session.note("`--list` reads logs of any size, and `--shape neutral` one request");
      throw error;
    });
    if (shape !== "report") return { raw: session.isTerminal ? shownJson(preview.valueText) : preview.valueText };
    const view = () => [...reportView(preview.value, session), ...lintsView(preview.lints, session.paint)];
    return { preview, view, after: () => register(session, args) };
  },
};

/**
 * Reads logs as the arguments of an import.
 *
 * @param {Session} session
 * @param {readonly string[]} paths
 * @returns {Promise<Args>}
 */
export async function importArgs(session, paths) {
  return new Map([["files", text(await importFiles(wholes(session, paths)))]]);
}

/**
 * Returns the recordings of the proxy below some paths in another form.
 *
 * @param {Session} session
 * @param {readonly string[]} paths
 * @param {"har" | "jsonl"} shape
 */
async function recording(session, paths, shape) {
  const found = /** @type {string[]} */ ([]);
  for await (const { bytes } of wholes(session, paths)) found.push(...records(new TextDecoder().decode(bytes)));
  if (found.length === 0) throw new UsageError("no recorded exchanges: pass a recording of `tuckbox watch -- COMMAND` or `tuckbox proxy`");
  return shape === "har" ? harOf(found) : found.join("\n");
}

/** The number of bytes that are read at a time. */
const PIECE = 1 << 18;

/**
 * Returns the files below some paths, each in pieces.
 *
 * @param {Session} session
 * @param {readonly string[]} paths
 * @returns {AsyncGenerator<ImportSource>}
 */
async function* sources(session, paths) {
  for await (const { name, size, file } of logs(session, paths)) yield { name, size, chunks: pieces(file) };
}

/** @param {FileHandle} file */
async function* pieces(file) {
  const piece = new Uint8Array(PIECE);
  for (;;) {
    const { bytesRead } = await file.read(piece, 0, PIECE);
    if (bytesRead === 0) return;
    yield piece.subarray(0, bytesRead);
  }
}

/**
 * Returns the files below some paths, each as a whole.
 *
 * @param {Session} session
 * @param {readonly string[]} paths
 */
async function* wholes(session, paths) {
  for await (const { name, file } of logs(session, paths)) yield { name, bytes: new Uint8Array(await file.readFile()) };
}

/**
 * Registers the profiles of an import, which are not a part of its writes, if the store can do that.
 *
 * @param {Session} session
 * @param {Args} args
 */
async function register(session, args) {
  const { store } = await session.opened();
  if (!("addProfiles" in store) || typeof store.addProfiles !== "function") return;
  const preview = await session.preview("import", new Map(args).set("shape", text("snapshot")));
  const [project] = JSON.parse(new Map(members(preview.valueText)).get("projects") ?? "[]");
  await store.addProfiles(await session.projectId(), project.profiles);
}

/**
 * Returns the table of sessions and requests.
 *
 * @param {ImportReport} report
 * @param {Session} session
 */
function reportView({ files, sessions, notes, calibration }, { paint, width }) {
  const unread = files.filter(({ format }) => format === null).length;
  const lines = /** @type {string[]} */ ([]);
  for (const { id, source, agent, parent, requests } of sessions) {
    const whose = [agent === undefined ? "" : ` · ${line(agent)}`, parent === undefined ? "" : ` · from ${line(parent)}`].join("");
    lines.push(`${paint.bold(line(source))} ${line(id)}${paint.dim(whose)}`);
    const rows = requests.map((request) => {
      const { recorded, cost, estimated, calibrated, residual, unknown, model, messages, tools, came, went, kind, retries } = request;
      const lost = unknown.map(({ what }) => what).filter((what) => what !== "params");
      const changed = `${came > 0 ? `+${came}` : ""}${went > 0 ? ` -${went}` : ""}`;
      const notesOf = [
        lost.length === 0 ? "" : `not in the log: ${lost.join(", ")}`,
        residual === null ? "" : `${residual} tokens unaccounted for`,
        retries > 0 ? `sent ${retries + 1} times` : "",
      ];
      return [
        `  ${request.request}`,
        kind,
        line(model ?? ""),
        `${messages} messages`,
        `${tools} tools`,
        changed,
        recorded.input === null ? `~${calibrated ?? estimated}` : String(recorded.input),
        recorded.output === null ? "" : String(recorded.output),
        priceText(cost),
        line(request.box_id),
        notesOf.filter((note) => note !== "").join("; "),
      ];
    });
    lines.push(
      ...table(
        rows,
        [
          { right: true },
          { paint: paint.cyan },
          {},
          { right: true },
          { right: true },
          {},
          { right: true },
          { right: true },
          { right: true },
          { paint: paint.dim },
          { paint: paint.yellow },
        ],
        width,
      ),
    );
  }
  for (const { model, requests, recorded, estimated, factor_percent: factor, off_percent: off, off_percent_scaled: left } of calibration) {
    if (factor !== null)
      lines.push(
        paint.dim(
          `${line(model)}: ${recorded} tokens recorded, ${estimated} estimated over ${requests} complete requests; factor ${factor} %, error ${off} %${left === null ? "" : `, ${left} % after calibration`}`,
        ),
      );
  }
  const count = sessions.reduce((sum, { requests }) => sum + requests.length, 0);
  lines.push(
    paint.dim(`${files.length} files, ${unread} not recognized, ${sessions.length} sessions, ${count} requests, ${notes.length} notes`),
  );
  return lines;
}
