// `tuckbox COMMAND ..`: previews by default, writes with `--commit`.
import { parseArgs } from "node:util";
import { TuckboxError, messageOf } from "../error.js";
import { knownText, toText } from "../json.js";
import { version } from "../version.js";
import { COMMANDS } from "./commands.js";
import { line, palette, shownJson, wantsColours } from "./paint.js";
import { Session } from "./session.js";
import { UsageError } from "./usage.js";
import { writesText } from "./views.js";

const COMMON = {
  store: { value: "STORE", short: "s", help: "a file, `-` for standard input, `postgres://..`, `https://..`, or a folder to read" },
  project: { value: "ID", short: "p", help: "the project; the only one of a file by default" },
  dialect: { value: "NAME", help: "`v1r3`, `v1r4` or `v1r4_hotfix`" },
  recipes: { value: "FILE", help: "a list of recipes of your own" },
  schema: { value: "NAME", help: "the schema of a database's tables" },
  header: { value: "'NAME: VALUE'", multiple: true, help: "a header for a server; again for more" },
  timeout: { value: "MS", help: "how long one answer of the store may take; 30000 by default" },
  json: { help: "print one JSON object, whatever happens" },
  "no-color": { help: "no colours, also on a terminal" },
  help: { short: "h", help: "this help" },
};

const COMMIT = { commit: { help: "write it; without this nothing is written" } };

/** What the command ends with. */
const CODES = { done: 0, refused: 1, usage: 2, conflict: 3, store: 4, internal: 70 };

/** Runs a command; gives the code it ends with. */
export async function main(args, process) {
  const [name, ...rest] = args;
  const { paint } = errorPaint(process);
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    const asked = rest[0] !== undefined && Object.hasOwn(COMMANDS, rest[0]);
    process.stdout.write(asked ? helpOf(rest[0]) : help());
    return name === undefined ? CODES.usage : CODES.done;
  }
  if (name === "--version" || name === "-v" || name === "version") {
    process.stdout.write(`${version}\n`);
    return CODES.done;
  }
  if (!Object.hasOwn(COMMANDS, name)) {
    process.stderr.write(`${paint.red("error")} there is no command \`${line(name)}\`; there are ${Object.keys(COMMANDS).join(", ")}\n`);
    return CODES.usage;
  }
  return run(name, rest, process);
}

async function run(name, args, process) {
  let session;
  let isJson = args.includes("--json");
  try {
    const { values, positionals } = parsed(name, args);
    if (values.help) {
      process.stdout.write(helpOf(name));
      return CODES.done;
    }
    isJson = values.json === true;
    session = new Session(process, values);
    if (values.commit && !(await session.opened()).isWritable) throw new UsageError("`--commit` needs a store that can be written: a file, a database or a server");
    const result = await COMMANDS[name].run(session, positionals, values);
    await print(session, result, values);
    return result.code ?? CODES.done;
  } catch (error) {
    return failed(error, isJson, process);
  } finally {
    await session?.close();
  }
}

function parsed(name, args) {
  const known = optionsOf(name);
  const options = Object.fromEntries(Object.entries(known).map(([option, { value, short, multiple = false }]) => [
    option, { type: value === undefined ? "boolean" : "string", multiple, ...(short === undefined ? {} : { short }) },
  ]));
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const [message] = messageOf(error).split(". ");
    throw new UsageError(`${message.charAt(0).toLowerCase()}${message.slice(1).replaceAll("'", "`")}; \`tuckbox ${name} --help\` says what there is`);
  }
}

async function print(session, result, values) {
  const { preview } = result;
  if (result.raw !== undefined) {
    session.print(result.raw);
    return;
  }
  if (preview === undefined) {
    const { value, view } = result;
    session.print(values.json ? shownJson(JSON.stringify({ value })) : await view(value));
    return;
  }
  // the picture shows what was asked for: it is made before anything changes
  const picture = values.json ? undefined : await result.view();
  const receipt = values.commit ? await preview.commit() : null;
  if (values.commit) await result.after?.();
  if (values.json) session.print(shownJson(exact(preview, receipt)));
  else session.print([...picture, ...outcome(session, preview, receipt)]);
}

/** Everything that is known about a call, every number as it stands. */
function exact(preview, receipt) {
  const { boxes, dropped, audit, transitions } = preview.ledger;
  const accounts = boxes.map((account) => ({ box_id: account.box_id, swallowed: account.swallowed, entries: account.entries() }));
  const value = knownText(preview.valueText);
  const writes = knownText(preview.writesText);
  const ledger = { boxes: accounts, dropped, audit, transitions };
  return toText({ value, writes, ledger, lints: preview.lints, content_hash: preview.contentHash, receipt }, "internal");
}

function outcome({ paint }, { writes }, receipt) {
  const what = writesText(writes);
  if (what === "nothing") return [];
  if (receipt === null) return [paint.dim(`preview: ${what} not written; \`--commit\` writes`)];
  return [paint.green(`committed ${what}${receipt.repeated ? ", again" : ""}`)];
}

function failed(error, isJson, process) {
  const { paint } = errorPaint(process);
  if (error instanceof UsageError) {
    if (isJson) process.stdout.write(`${shownJson(JSON.stringify({ error: { code: "usage", path: "", message: error.message, details: {} } }))}\n`);
    else process.stderr.write(`${paint.red("error")} ${line(error.message)}\n`);
    return CODES.usage;
  }
  const known = error instanceof TuckboxError;
  const { code, path, message, details } = known ? error : { code: "internal", path: "", message: messageOf(error), details: {} };
  if (isJson) process.stdout.write(`${shownJson(toText({ error: { code, path, message, details } }, "internal"))}\n`);
  else process.stderr.write(`${paint.red(`error ${code}`)}${path === "" ? "" : ` at ${paint.bold(line(path))}`}: ${line(message)}\n`);
  if (!known && !isJson) process.stderr.write(`${line(error?.stack ?? "")}\n`);
  switch (code) {
    case "conflict":
      return CODES.conflict;
    case "store":
    case "aborted":
      return CODES.store;
    case "internal":
    case "trap":
    case "load":
      return CODES.internal;
    default:
      return CODES.refused;
  }
}

function errorPaint({ stderr, env }) {
  return { paint: palette(wantsColours(stderr, env)) };
}

function optionsOf(name) {
  const { options = {}, writes } = COMMANDS[name];
  return { ...options, ...(writes ? COMMIT : {}), ...COMMON };
}

function help() {
  const commands = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}\n`);
  return `tuckbox ${version}: what exactly will the model see, and why?

Usage: tuckbox COMMAND [OPTIONS]

${commands.join("")}
\`tuckbox COMMAND --help\` explains one, with examples. Nothing is written without \`--commit\`.
The store can also be named in TUCKBOX_STORE, the project in TUCKBOX_PROJECT, the token of a server in TUCKBOX_TOKEN.

Ends with 0 when done, 1 when refused, 2 when the command is wrong, 3 on a conflict, 4 when the store fails.
`;
}

function helpOf(name) {
  const { summary, usage, about, options = {}, writes, examples } = COMMANDS[name];
  const listed = (known) => Object.entries(known).map(([option, { value, short, help: text }]) => {
    const left = `${short === undefined ? "    " : `-${short}, `}--${option}${value === undefined ? "" : ` ${value}`}`;
    return `  ${left.padEnd(28)} ${text}\n`;
  }).join("");
  return `${summary}

Usage: tuckbox ${name} ${usage} [OPTIONS]
${about === undefined ? "" : `\n${about}\n`}
${listed({ ...options, ...(writes ? COMMIT : {}) })}${listed(COMMON)}
${examples.length === 1 ? "Example" : "Examples"}:
${examples.map((example) => `  ${example}\n`).join("")}`;
}
