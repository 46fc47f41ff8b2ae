// The files, the store and the project of one command, and its output.
/** @import { OpenOptions, Preview, Workspace } from "../../types/workspace.js" */
/** @import { Args } from "./calls.js" */
/** @import { Opened } from "./stores.js" */
/** @import { Values } from "./usage.js" */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf } from "../error.js";
import { JsonText } from "../json.js";
import { members } from "../raw.js";
import { number } from "./calls.js";
import { palette, wantsColors } from "./paint.js";
import { UsageError } from "./usage.js";

export class Session {
  #process;
  #values;
  /** @type {Promise<Opened> | undefined} */
  #opened;
  /** @type {Promise<string> | undefined} */
  #stdin;
  /** @type {Promise<Workspace> | undefined} */
  #project;

  /**
   * @param {NodeJS.Process} process
   * @param {Values} values
   * @param {boolean} [isCommand] True if the command has the process for itself.
   */
  constructor(process, values, isCommand = process === globalThis.process) {
    this.#process = process;
    this.#values = values;
    this.isCommand = isCommand;
    this.paint = palette(wantsColors(process.stdout, process.env, values["no-color"]));
    this.isTerminal = process.stdout.isTTY === true;
    this.cwd = process.cwd();
    this.environment = process.env;
    this.width = process.stdout.isTTY ? Math.max(process.stdout.columns ?? 100, 60) : 160;
  }

  /** @param {string | readonly string[]} lines */
  print(lines) {
    const text = typeof lines !== "string" ? lines.map((line) => `${line}\n`).join("") : `${lines}\n`;
    this.#process.stdout.write(text);
  }

  /**
   * Prints text that is not the result.
   *
   * @param {string} text
   */
  note(text) {
    this.#process.stderr.write(`${text}\n`);
  }

  /**
   * Prints the progress on a terminal; it replaces the previous one.
   *
   * @param {string} text
   */
  progress(text) {
    const { stderr } = this.#process;
    if (stderr.isTTY === true) stderr.write(`\r\u001b[K${text}`);
  }

  /**
   * Returns the members of a JSON object in a file, each as exact text. `-` is standard input.
   *
   * @param {string} file
   * @param {string} what
   * @returns {Promise<Args>}
   */
  async object(file, what) {
    const text = String(await this.json(file, what));
    if (!text.trimStart().startsWith("{")) throw new UsageError(`${what} in \`${file}\` must be an object`);
    return new Map(members(text));
  }

  /**
   * Returns a JSON file as exact text.
   *
   * @param {string} file
   * @param {string} what
   */
  async json(file, what) {
    const text = file === "-" ? await this.#input() : this.#file(file, what);
    try {
      return new JsonText(text.replace(/^\ufeff/, ""));
    } catch (error) {
      throw new UsageError(`${what} in \`${file}\`: ${messageOf(error)}`);
    }
  }

  /** @param {string} file @param {string} what */
  #file(file, what) {
    try {
      return readFileSync(resolve(this.#process.cwd(), file), "utf8");
    } catch (error) {
      throw new UsageError(`${what} cannot be read: ${messageOf(error)}`);
    }
  }

  /** Reads standard input, once. */
  #input() {
    if (this.#stdin !== undefined) throw new UsageError("standard input can be read only once");
    this.#stdin = readAll(this.#process.stdin);
    return this.#stdin;
  }

  async opened() {
    const { store: given, schema, header } = this.#values;
    const { env, cwd } = this.#process;
    // loaded late, because some commands need no store
    this.#opened ??= import("./stores.js").then(({ openStore }) =>
      openStore(given ?? env.TUCKBOX_STORE, { schema, headers: header, env, cwd: cwd(), stdin: () => this.#input() }),
    );
    return this.#opened;
  }

  async project() {
    this.#project ??= this.#open();
    return this.#project;
  }

  async projectId() {
    const { projects } = await this.opened();
    const named = this.#values.project ?? this.#process.env.TUCKBOX_PROJECT;
    if (named !== undefined) return named;
    if (projects?.length === 1) return projects[0];
    // a call without a store needs no project
    if (projects?.length === 0 && !(await this.opened()).isWritable) return "none";
    const known = projects !== undefined && projects.length > 1 ? `; expected one of ${projects.map((id) => `\`${id}\``).join(", ")}` : "";
    throw new UsageError(`the project is missing: \`--project ID\`${known}`);
  }

  async #open() {
    const { store } = await this.opened();
    const { dialect, timeout, recipes } = this.#values;
    // high limits, because the user owns the data
    /** @type {{ -readonly [name in keyof OpenOptions]: OpenOptions[name] }} */
    const options = {
      projectId: await this.projectId(),
      limits: {
        max_ids: 10_000_000,
        max_requests: 10_000_000,
        max_values: 10_000_000,
        max_messages: 10_000_000,
        max_read_bytes: 2 ** 31,
        max_answer_bytes: 2 ** 31,
      },
    };
    if (dialect !== undefined) options.dialect = dialect;
    if (timeout !== undefined) options.timeoutMs = number(timeout, "--timeout");
    if (recipes !== undefined) options.recipes = /** @type {any} */ (await this.json(recipes, "the recipes"));
    // loaded late, because help and usage errors need no module
    const { open } = await import("../../index.js");
    return open(store, options);
  }

  /** The time and the random bytes of this command: two calls with them create the same ids. */
  env = { now: Date.now(), entropy: globalThis.crypto.getRandomValues(new Uint8Array(32)) };

  /**
   * Previews a call.
   *
   * @param {string} op
   * @param {Args} args
   * @returns {Promise<Preview<any>>}
   */
  async preview(op, args) {
    const text = [...new Map(args).set("op", JSON.stringify(op))].map(([key, value]) => `${JSON.stringify(key)}:${value}`);
    return (await this.project()).preview(/** @type {any} */ (new JsonText(`{${text.join(",")}}`)), this.env);
  }

  async close() {
    if (this.#opened !== undefined) await (await this.#opened.catch(() => undefined))?.close();
  }
}

/** @param {AsyncIterable<any>} stream */
async function readAll(stream) {
  const chunks = /** @type {any[]} */ ([]);
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))).toString("utf8");
}
