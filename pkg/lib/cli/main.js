// `tuckbox COMMAND ..`: previews by default, writes with `--commit`.
/** @import { Receipt } from "../../types/results.js" */
/** @import { Preview } from "../../types/workspace.js" */
/** @import { Command, Option, Result, Values } from "./usage.js" */
import { parseArgs } from "node:util";
import { messageOf, TuckboxError } from "../error.js";
import { INTERNAL } from "../http/responses.js";
import { knownText, toText } from "../json.js";
import { version } from "../version.js";
import { COMMANDS } from "./commands.js";
import { line, palette, shownJson, wantsColors } from "./paint.js";
import { Session } from "./session.js";
import { UsageError } from "./usage.js";
import { writesText } from "./views.js";

/** @type {{ [name: string]: Option }} */
const COMMON = {
  store: { value: "STORE", short: "s", help: "a file, `-` for standard input, `postgres://..`, `https://..`, or a folder (read only)" },
  project: { value: "ID", short: "p", help: "the project; by default the only one of a file" },
  dialect: { value: "NAME", help: "`current`, `v1r3`, `v1r4` or `v1r4_hotfix`" },
  recipes: { value: "FILE", help: "a list of your own recipes" },
  schema: { value: "NAME", help: "the schema of the tables in a database" },
  header: { value: "'NAME: VALUE'", multiple: true, help: "a header for a server; can be repeated" },
  timeout: { value: "MS", help: "timeout of one answer of the store; 30000 by default" },
  json: { help: "print one JSON object, also for errors" },
  "no-color": { help: "print without colors" },
  help: { short: "h", help: "print this help" },
};

const COMMIT = { commit: { help: "write to the store; without it, nothing is written" } };

/** The exit codes. */
const CODES = { done: 0, refused: 1, usage: 2, conflict: 3, store: 4, internal: 70 };

/**
 * Runs a command, and returns its exit code.
 *
 * @param {string[]} args
 * @param {NodeJS.Process} process
 */
export async function main(args, process) {
  const [name, ...rest] = args;
  const { paint } = errorPaint(process);
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    const asked = rest[0] !== undefined && Object.hasOwn(COMMANDS, rest[0]);
    process.stdout.write(asked ? helpOf(rest[0], await COMMANDS[rest[0]]()) : await help());
    return name === undefined ? CODES.usage : CODES.done;
  }
  if (name === "--version" || name === "-v" || name === "version") {
    process.stdout.write(`${version}\n`);
    return CODES.done;
  }
  if (!Object.hasOwn(COMMANDS, name)) {
    process.stderr.write(`${paint.red("error")} unknown command \`${line(name)}\`; expected one of ${Object.keys(COMMANDS).join(", ")}\n`);
    return CODES.usage;
  }
  return run(name, await COMMANDS[name](), rest, process);
}

/** @param {string} name @param {Command} command @param {string[]} args @param {NodeJS.Process} process */
async function run(name, command, args, process) {
  /** @type {Session | undefined} */
  let session;
  // arguments after `--` can belong to another program
  let isJson = args.slice(0, args.indexOf("--") < 0 ? args.length : args.indexOf("--")).includes("--json");
  try {
    const { values, positionals } = parsed(name, command, args);
    if (values.help) {
      process.stdout.write((name === "call" && (await usageOf(positionals[0]))) || helpOf(name, command));
      return CODES.done;
    }
    isJson = values.json === true;
    session = new Session(process, values);
    if (values.commit && command.writes && !(await session.opened()).isWritable)
      throw new UsageError("`--commit` needs a store that can write: a file, a database or a server");
    const result = await command.run(session, positionals, values);
    await print(session, result, values);
    return result.code ?? CODES.done;
  } catch (error) {
    return failed(error, isJson, process);
  } finally {
    await session?.close();
  }
}

/** @param {string} name @param {Command} command @param {string[]} args @returns {{ values: Values, positionals: string[] }} */
function parsed(name, command, args) {
  const known = optionsOf(command);
  const options = Object.fromEntries(
    Object.entries(known).map(([option, { value, short, multiple = false }]) => [
      option,
      {
        type: /** @type {"boolean" | "string"} */ (value === undefined ? "boolean" : "string"),
        multiple,
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  const end = command.takesCommand ? args.indexOf("--") : -1;
  const own = end < 0 ? args : args.slice(0, end);
  try {
    const { values, positionals } = parseArgs({ args: own, options, allowPositionals: true, strict: true });
    return { values: end < 0 ? values : { ...values, command: args.slice(end + 1) }, positionals };
  } catch (error) {
    const [message] = messageOf(error).split(". ");
    throw new UsageError(
      `${message.charAt(0).toLowerCase()}${message.slice(1).replaceAll("'", "`")}; \`tuckbox ${name} --help\` lists the options`,
    );
  }
}

/** @param {Session} session @param {Result} result @param {Values} values */
async function print(session, result, values) {
  const { preview } = result;
  if (result.raw !== undefined) {
    session.print(result.raw);
    return;
  }
  if (preview === undefined) {
    const { value, view } = result;
    session.print(values.json ? shownJson(JSON.stringify({ value })) : ((await view?.(value)) ?? []));
    return;
  }
  // the lines show the preview, so they are made before the commit
  const lines = (values.json ? undefined : await result.view?.()) ?? [];
  const receipt = values.commit ? await preview.commit() : null;
  if (values.commit) await result.after?.();
  if (values.json) session.print(shownJson(exact(preview, receipt)));
  else session.print([...lines, ...outcome(session, preview, receipt)]);
}

/**
 * Returns the whole preview as JSON, with exact numbers.
 *
 * @param {Preview<any>} preview
 * @param {Receipt | null} receipt
 */
function exact(preview, receipt) {
  const { boxes, dropped, audit, transitions } = preview.ledger;
  const accounts = boxes.map((account) => ({ box_id: account.box_id, swallowed: account.swallowed, entries: account.entries() }));
  const value = knownText(preview.valueText);
  const writes = knownText(preview.writesText);
  const ledger = { boxes: accounts, dropped, audit, transitions };
  return toText({ value, writes, ledger, lints: preview.lints, content_hash: preview.contentHash, receipt }, INTERNAL);
}

/** @param {Session} session @param {Preview<any>} preview @param {Receipt | null} receipt */
function outcome({ paint }, { writes }, receipt) {
  const what = writesText(writes);
  if (what === "nothing") return [];
  if (receipt === null) return [paint.dim(`preview: ${what} not written; add \`--commit\` to write`)];
  return [paint.green(`committed ${what}${receipt.repeated ? ", again" : ""}`)];
}

/** @param {unknown} error @param {boolean} isJson @param {NodeJS.Process} process */
function failed(error, isJson, process) {
  const { paint } = errorPaint(process);
  if (error instanceof UsageError) {
    if (isJson)
      process.stdout.write(`${shownJson(JSON.stringify({ error: { code: "usage", path: "", message: error.message, details: {} } }))}\n`);
    else process.stderr.write(`${paint.red("error")} ${line(error.message)}\n`);
    return CODES.usage;
  }
  const known = error instanceof TuckboxError;
  const { code, path, message, details } = known ? error : { code: INTERNAL, path: "", message: messageOf(error), details: {} };
  if (isJson) process.stdout.write(`${shownJson(toText({ error: { code, path, message, details } }, INTERNAL))}\n`);
  else process.stderr.write(`${paint.red(`error ${code}`)}${path === "" ? "" : ` at ${paint.bold(line(path))}`}: ${line(message)}\n`);
  if (!known && !isJson) process.stderr.write(`${line(error instanceof Error ? error.stack : "")}\n`);
  switch (/** @type {string} */ (code)) {
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

/** @param {NodeJS.Process} process */
function errorPaint({ stderr, env }) {
  return { paint: palette(wantsColors(stderr, env)) };
}

/** @param {Command} command @returns {{ [name: string]: Option }} */
function optionsOf({ options = {}, writes }) {
  return { ...options, ...(writes ? COMMIT : {}), ...COMMON };
}

async function help() {
  const commands = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, command]) => `  ${name.padEnd(12)}${(await command()).summary}\n`),
  );
  return `tuckbox ${version}: shows what a model will see, and why

Usage: tuckbox COMMAND [OPTIONS]

${commands.join("")}
\`tuckbox COMMAND --help\` prints the options of a command, with examples. Nothing is written without \`--commit\`.
Environment variables: TUCKBOX_STORE (the store), TUCKBOX_PROJECT (the project), TUCKBOX_TOKEN (the token of a server).

Exit codes: 0 done, 1 rejected, 2 wrong arguments, 3 conflict, 4 store failure.
`;
}

/** @param {string | undefined} operation */
async function usageOf(operation) {
  // loaded late, because the schema of all operations is large
  return operation === undefined ? undefined : (await import("./operation.js")).operationHelp(operation);
}

/** @param {string} name @param {Command} command */
function helpOf(name, { summary, usage, about, options = {}, writes, examples }) {
  /** @param {{ [name: string]: Option }} known */
  const listed = (known) =>
    Object.entries(known)
      .map(([option, { value, short, help: text }]) => {
        const left = `${short === undefined ? "    " : `-${short}, `}--${option}${value === undefined ? "" : ` ${value}`}`;
        return `  ${left.padEnd(28)} ${text}\n`;
      })
      .join("");
  return `${summary}

Usage: tuckbox ${name} ${usage} [OPTIONS]
${about === undefined ? "" : `\n${about}\n`}
${listed({ ...options, ...(writes ? COMMIT : {}) })}${listed(COMMON)}
${examples.length === 1 ? "Example" : "Examples"}:
${examples.map((example) => `  ${example}\n`).join("")}`;
}
