// `tuckbox handoff`: the operations on handoff packages.
/** @import { Args } from "./calls.js" */
/** @import { Session } from "./session.js" */
/** @import { Command, Values } from "./usage.js" */
import { given, needed, number, objectText } from "./calls.js";
import { line } from "./paint.js";
import { UsageError } from "./usage.js";
import { findingsView, jsonView, loadView } from "./views.js";

/** @type {Command} */
export const HANDOFF = {
  summary: "Read, check, build, store, audit, plan or load a handoff package, or make cards of it",
  usage: "read|check|build|store|audit|plan|load|cards FILE.json",
  about:
    "FILE.json is a package, or an object with a `package` (and a `report`, and `files`), as `build` returns.\nFor `build`, it contains the records of an iteration. `--store FOLDER` reads the files of a folder.",
  options: {
    budget: { value: "TOKENS", help: "token budget; 40000 by default" },
    depth: { value: "DEPTH", help: "`report_summary`, `typical_cases` or `all_cases`" },
    report: { value: "FILE", help: "the problems report, for `check` and `plan`" },
    path: { value: "PATH", help: "path of the package, for `store`" },
    author: { value: "AGENT", help: "author of the cards; `cli` by default" },
    loaded: { help: "make cards of the loaded content instead of references" },
  },
  writes: true,
  examples: [
    "tuckbox handoff check handoff.json --report layer1_problems_report.json",
    "tuckbox handoff load handoff.json --budget 8000 --store ./run",
  ],
  async run(session, [action, file], values) {
    const found = Object.hasOwn(HANDOFFS, action ?? "") ? HANDOFFS[action] : undefined;
    if (found === undefined)
      throw new UsageError(
        `expected \`handoff\` and one of ${Object.keys(HANDOFFS)
          .map((name) => `\`${name}\``)
          .join(", ")}`,
      );
    const args = await found.args(await session.object(needed(file, "FILE.json"), "the package"), values, session);
    const preview = await session.preview(found.op, args);
    // the command fails for a rejected package
    const code = action === "check" && !preview.value.accepted ? 1 : action === "audit" && !preview.value.complete ? 1 : 0;
    return { preview, code, view: () => found.view?.(preview.value, session) ?? jsonView(preview.valueText) };
  },
};

/**
 * Returns the package in a file: the file, or its member `package`.
 *
 * @param {Args} members
 */
function packageIn(members) {
  return members.get("package") ?? objectText(members);
}

/** @param {Args} members @param {Values} values @param {Session} session @returns {Promise<Args>} */
async function reading(members, { budget, depth, report }, session) {
  const args = new Map([
    ["package", packageIn(members)],
    ...given([
      ["budget", budget && number(budget, "--budget")],
      ["depth", depth],
    ]),
  ]);
  const own = report === undefined ? members.has("package") && members.get("report") : String(await session.json(report, "the report"));
  if (own) args.set("report", own);
  return args;
}

/** @param {Args} map @param {string[]} names @returns {Args} */
const without = (map, ...names) => new Map([...map].filter(([name]) => !names.includes(name)));

/**
 * @type {{ [action: string]: {
 *   op: string,
 *   args: (members: Args, values: Values, session: Session) => Args | Promise<Args>,
 *   view?: (value: any, session: Session) => string[],
 * } }}
 */
const HANDOFFS = {
  read: { op: "read_handoff", args: (members) => new Map([["data", packageIn(members)]]) },
  check: {
    op: "check_handoff",
    args: async (...all) => without(await reading(...all), "budget", "depth"),
    view: ({ accepted, size, findings }, session) => [
      accepted ? session.paint.green("accepted") : session.paint.red("rejected"),
      `${size.exact ? "" : "~"}${size.tokens} tokens, ${size.fit} ${size.low} to ${size.high}`,
      ...findingsView(findings, session),
    ],
  },
  build: { op: "build_handoff", args: (members) => members },
  store: {
    op: "store_handoff",
    args: (members, { path }) =>
      new Map([["package", packageIn(members)], ["files", members.get("files") ?? "[]"], ...given([["package_path", path]])]),
    view: ({ stored, already_stored, findings }, session) => [
      ...stored.map((/** @type {string} */ file) => `${session.paint.green("store")} ${line(file)}`),
      ...already_stored.map((/** @type {string} */ file) => `${session.paint.dim("exists")} ${line(file)}`),
      ...findingsView(findings, session),
    ],
  },
  audit: {
    op: "audit_handoff",
    args: (members) => new Map([["package", packageIn(members)]]),
    view: ({ complete, findings }, session) => [
      complete ? session.paint.green("complete") : session.paint.red("not complete"),
      ...findingsView(findings, session),
    ],
  },
  plan: { op: "plan_handoff", args: reading, view: loadView },
  load: { op: "load_handoff", args: async (...all) => without(await reading(...all), "report"), view: loadView },
  cards: {
    op: "make_handoff_cards",
    args: async (members, values, session) =>
      new Map([
        ...without(await reading(members, values, session), "report"),
        ...given([
          ["author_id", values.author ?? "cli"],
          ["content", values.loaded ? "loaded" : undefined],
        ]),
      ]),
  },
};
