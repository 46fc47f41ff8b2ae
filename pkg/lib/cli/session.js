// What one run of a command works with: its files, its store, its project, and where it prints.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { JsonText } from "../json.js";
import { members } from "../raw.js";
import { messageOf } from "../error.js";
import { number } from "./calls.js";
import { palette, wantsColours } from "./paint.js";
import { openStore } from "./stores.js";
import { UsageError } from "./usage.js";

export class Session {
  #process;
  #values;
  #opened;
  #stdin;
  #project;

  constructor(process, values) {
    this.#process = process;
    this.#values = values;
    this.paint = palette(wantsColours(process.stdout, process.env, values["no-color"]));
    this.isTerminal = process.stdout.isTTY === true;
    this.cwd = process.cwd();
    this.width = process.stdout.isTTY ? Math.max(process.stdout.columns ?? 100, 60) : 160;
  }

  print(lines) {
    const text = Array.isArray(lines) ? lines.map((line) => `${line}\n`).join("") : `${lines}\n`;
    this.#process.stdout.write(text);
  }

  /** Says something that is not the result. */
  note(text) {
    this.#process.stderr.write(`${text}\n`);
  }

  /** Says how far something is, where somebody watches: the next word about it takes the place of this one. */
  progress(text) {
    const { stderr } = this.#process;
    if (stderr.isTTY === true) stderr.write(`\r\u001b[K${text}`);
  }

  /** The members of a JSON object in a file, each as exact text; `-` is standard input. */
  async object(file, what) {
    const text = String(await this.json(file, what));
    if (!text.trimStart().startsWith("{")) throw new UsageError(`${what} in \`${file}\` is not an object`);
    return new Map(members(text));
  }

  /** A JSON file as exact text. */
  async json(file, what) {
    const text = file === "-" ? await this.#input() : this.#file(file, what);
    try {
      return new JsonText(text.replace(/^\ufeff/, ""));
    } catch (error) {
      throw new UsageError(`${what} in \`${file}\`: ${error.message}`);
    }
  }

  #file(file, what) {
    try {
      return readFileSync(resolve(this.#process.cwd(), file), "utf8");
    } catch (error) {
      throw new UsageError(`${what} cannot be read: ${messageOf(error)}`);
    }
  }

  /** Standard input, which only one thing can come from. */
  #input() {
    if (this.#stdin !== undefined) throw new UsageError("only one thing can come from standard input");
    this.#stdin = readAll(this.#process.stdin);
    return this.#stdin;
  }

  async opened() {
    const { store: given, schema, header } = this.#values;
    const { env, cwd } = this.#process;
    this.#opened ??= openStore(given ?? env.TUCKBOX_STORE, { schema, headers: header, env, cwd: cwd(), stdin: () => this.#input() });
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
    // calls that read nothing do not care
    if (projects?.length === 0 && !(await this.opened()).isWritable) return "none";
    const known = projects?.length > 1 ? `; there are ${projects.map((id) => `\`${id}\``).join(", ")}` : "";
    throw new UsageError(`name the project: \`--project ID\`${known}`);
  }

  async #open() {
    const { store } = await this.opened();
    const { dialect, timeout, recipes } = this.#values;
    // whoever calls is the owner, and a long session lists many cards
    const options = { project_id: await this.projectId(), limits: { max_ids: 10_000_000, max_requests: 10_000_000, max_values: 10_000_000, max_messages: 10_000_000, max_read_bytes: 2 ** 31, max_answer_bytes: 2 ** 31 } };
    if (dialect !== undefined) options.dialect = dialect;
    if (timeout !== undefined) options.timeout_ms = number(timeout, "--timeout");
    if (recipes !== undefined) options.recipes = await this.json(recipes, "the recipes");
    // help and mistakes need no module
    const { open } = await import("../../index.js");
    return open(store, options);
  }

  /** The time and the randomness of this run: two calls with it make the same ids. */
  env = { now: Date.now(), entropy: globalThis.crypto.getRandomValues(new Uint8Array(32)) };

  /** Works out what a call would do. `args` are members as exact text. */
  async preview(op, args) {
    const text = [...new Map(args).set("op", JSON.stringify(op))].map(([key, value]) => `${JSON.stringify(key)}:${value}`);
    return (await this.project()).preview(new JsonText(`{${text.join(",")}}`), this.env);
  }

  async close() {
    if (this.#opened !== undefined) await (await this.#opened.catch(() => undefined))?.close();
  }
}

async function readAll(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))).toString("utf8");
}
