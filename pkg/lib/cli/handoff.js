// `tuckbox handoff`: everything that can be done with a package.
import { given, needed, number, objectText } from "./calls.js";
import { line } from "./paint.js";
import { UsageError } from "./usage.js";
import { findingsView, jsonView, loadView } from "./views.js";

export const HANDOFF = {
  summary: "Read, check, build, store, audit, plan, load a handoff package, or make cards of it",
  usage: "read|check|build|store|audit|plan|load|cards FILE.json",
  about: "FILE.json is a package, or an object with a `package` (and a `report`, and `files`), such as `build` gives.\nFor `build` it holds the records of an iteration. Where the files lie in a folder, `--store FOLDER` reads them there.",
  options: {
    budget: { value: "TOKENS", help: "how many tokens may be read; 40000 by default" },
    depth: { value: "DEPTH", help: "`report_summary`, `typical_cases` or `all_cases`" },
    report: { value: "FILE", help: "the problems report, for `check` and `plan`" },
    path: { value: "PATH", help: "where `store` puts the package itself" },
    author: { value: "AGENT", help: "who makes the cards; `cli` by default" },
    loaded: { help: "cards of what was loaded, instead of references" },
  },
  writes: true,
  examples: ["tuckbox handoff check handoff.json --report layer1_problems_report.json", "tuckbox handoff load handoff.json --budget 8000 --store ./run"],
  async run(session, [action, file], values) {
    const found = Object.hasOwn(HANDOFFS, action ?? "") ? HANDOFFS[action] : undefined;
    if (found === undefined) throw new UsageError(`\`handoff\` can ${Object.keys(HANDOFFS).map((name) => `\`${name}\``).join(", ")}`);
    const args = await found.args(await session.object(needed(file, "FILE.json"), "the package"), values, session);
    const preview = await session.preview(found.op, args);
    // a package that is refused is a refusal of this command
    const code = action === "check" && !preview.value.accepted ? 1 : action === "audit" && !preview.value.complete ? 1 : 0;
    return { preview, code, view: () => found.view?.(preview.value, session) ?? jsonView(preview.valueText) };
  },
};

/** The package in a file: the file itself, or its `package`. */
function packageIn(members) {
  return members.get("package") ?? objectText(members);
}

async function reading(members, { budget, depth, report }, session) {
  const args = new Map([["package", packageIn(members)], ...given([["budget", budget && number(budget, "--budget")], ["depth", depth]])]);
  const own = report === undefined ? members.has("package") && members.get("report") : String(await session.json(report, "the report"));
  if (own) args.set("report", own);
  return args;
}

const without = (map, ...names) => new Map([...map].filter(([name]) => !names.includes(name)));

const HANDOFFS = {
  read: { op: "read_handoff", args: (members) => new Map([["data", packageIn(members)]]) },
  check: {
    op: "check_handoff",
    args: async (...all) => without(await reading(...all), "budget", "depth"),
    view: ({ accepted, size, findings }, session) => [
      accepted ? session.paint.green("accepted") : session.paint.red("refused"),
      `${size.exact ? "" : "~"}${size.tokens} tokens, ${size.fit} ${size.low} to ${size.high}`,
      ...findingsView(findings, session),
    ],
  },
  build: { op: "build_handoff", args: (members) => members },
  store: {
    op: "store_handoff",
    args: (members, { path }) => new Map([["package", packageIn(members)], ["files", members.get("files") ?? "[]"], ...given([["package_path", path]])]),
    view: ({ stored, already_stored, findings }, session) => [...stored.map((file) => `${session.paint.green("store")} ${line(file)}`), ...already_stored.map((file) => `${session.paint.dim("there")} ${line(file)}`), ...findingsView(findings, session)],
  },
  audit: {
    op: "audit_handoff",
    args: (members) => new Map([["package", packageIn(members)]]),
    view: ({ complete, findings }, session) => [complete ? session.paint.green("complete") : session.paint.red("not complete"), ...findingsView(findings, session)],
  },
  plan: { op: "plan_handoff", args: reading, view: loadView },
  load: { op: "load_handoff", args: async (...all) => without(await reading(...all), "report"), view: loadView },
  cards: {
    op: "make_handoff_cards",
    args: async (members, values, session) => new Map([...without(await reading(members, values, session), "report"), ...given([["author_id", values.author ?? "cli"], ["content", values.loaded ? "loaded" : undefined]])]),
  },
};
