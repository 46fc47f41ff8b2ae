// `tuckbox lock`: writes what models see to a lockfile, and compares it.
/** @import { Operations } from "../../types/operations.js" */
/** @import { LockAssertion } from "../../types/arguments.js" */
/** @import { LockContext } from "../../types/lock.js" */
/** @import { LockedContext } from "../../types/results.js" */
/** @import { Built } from "../lock/build.js" */
/** @import { Task } from "../lock/isolated.js" */
/** @import { Session } from "./session.js" */
/** @import { Command, Result, Values } from "./usage.js" */
import { existsSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { codeOf, messageOf, TuckboxError } from "../error.js";
import { buildEntries, contextOf, lockEntry, requestOf } from "../lock/build.js";
import { CONFIG_NAMES, configPath, isCode, loadConfig } from "../lock/config.js";
import { changeLock, readLock, slashed } from "../lock/file.js";
import { Isolated } from "../lock/isolated.js";
import { recordedContext } from "../lock/recorded.js";
import { hasCache, keepTexts, readTexts } from "../lock/texts.js";
import { line, shown } from "./paint.js";
import { UsageError } from "./usage.js";

const FORMATS = ["text", "markdown", "junit", "annotations", "sarif", "json"];

/** @type {Command} */
export const LOCK = {
  summary: "Write what models see to a lockfile, and check it",
  usage: "update|check [NAME..] | show NAME | diff A B | add NAME PATH[#REQUEST]",
  about:
    "The contexts are `lock.entries` of the config: tuckbox.config.js, .ts or .json. NAME is the name of a context; `*` is\nany text. A and B are entries of the lockfile, or two lockfiles. `add` locks a request of a log that `tuckbox import`\nreads.\n\nExit codes: 0 the same, 1 changed, 2 not decided.",
  options: {
    config: { value: "FILE", help: "the config; tuckbox.config.{js,ts,json} by default" },
    lock: { value: "FILE", help: "the lockfile; `tuckbox.lock` next to the config by default" },
    redact: { help: "write no text of the contexts" },
    reporter: { value: "NAME[=FILE]", multiple: true, help: `${FORMATS.join(", ")}; can be repeated` },
    "force-in-ci": { help: "allow `update` and `add` when `CI` is set" },
  },
  examples: ["tuckbox lock update", "tuckbox lock check --reporter markdown=summary.md", "tuckbox lock add support/first session.jsonl#3"],
  async run(session, [action, ...names], values) {
    if (!Object.hasOwn(ACTIONS, action ?? ""))
      throw new UsageError(`expected one of ${Object.keys(ACTIONS).join(", ")}, found \`${line(action ?? "")}\``);
    try {
      return await started(session, { action, names, values });
    } catch (error) {
      // a broken config or lockfile is never "the same"
      throw error instanceof UsageError ? error : new UsageError(messageOf(error));
    }
  },
};

/**
 * Runs an action: in a process of its own if the config is a program and the command can start one.
 *
 * @param {Session} session
 * @param {Task} task
 * @returns {Promise<Result>}
 */
function started(session, { action, names, values }) {
  const isIsolated = session.isCommand && isCode(configPath(folderOf(session, action, names), values.config));
  return isIsolated ? new Isolated(session).run({ action, names, values }) : runAction(session, action, names, values);
}

/** @param {Session} session @param {string} action @param {readonly any[]} names */
const folderOf = (session, action, names) => (action === "shown" ? dirname(names[0]) : session.cwd);

/**
 * Runs an action in this process. An error has the path of the value.
 *
 * @param {Session} session
 * @param {string} action
 * @param {readonly any[]} names
 * @param {Values} values
 */
export async function runAction(session, action, names, values) {
  /** @type {Work | undefined} */
  let work;
  try {
    work = await Work.open(session, values, folderOf(session, action, names));
    return await { ...ACTIONS, ...INNER }[action](work, [...names]);
  } catch (error) {
    const path = error instanceof TuckboxError && error.path !== "" ? `${error.path}: ` : "";
    throw path === "" ? error : new UsageError(`${path}${messageOf(error)}`);
  } finally {
    work?.second?.end();
  }
}

/** The error of a lockfile that cannot be read. */
class BrokenLock extends UsageError {}

/** The config and the lockfile of a command. */
class Work {
  /** @param {Session} session @param {Values} values @param {Awaited<ReturnType<typeof loadConfig>>} found */
  constructor(session, values, found) {
    this.session = session;
    this.values = values;
    this.found = found;
    const { redact, ...config } = found?.lock ?? {};
    this.config = { ...config, redact: values.redact ?? redact ?? false };
    this.folder = found?.folder ?? session.cwd;
    /** @type {string[]} */
    this.goneTests = [];
    /**
     * The contexts that were built, by name.
     *
     * @type {Map<string, LockContext>}
     */
    this.contexts = new Map();
    /**
     * The process of the second build, if it is needed.
     *
     * @type {Isolated | undefined}
     */
    this.second = undefined;
    this.path = values.lock === undefined ? resolve(this.folder, this.config.file ?? "tuckbox.lock") : resolve(session.cwd, values.lock);
  }

  /** @param {Session} session @param {Values} values @param {string} folder The folder of the config. */
  static async open(session, values, folder) {
    return new Work(session, values, await loadConfig(folder, values.config));
  }

  project = () => this.session.project();

  /**
   * Calls an operation on a lockfile.
   *
   * @param {string} op
   * @param {object} args
   * @param {string} [file] The path of the lockfile, for errors.
   * @returns {Promise<any>}
   */
  async call(op, args, file = this.shownPath) {
    try {
      return (await (await this.project()).preview(/** @type {any} */ ({ ...args, op }))).value;
    } catch (error) {
      throw error instanceof TuckboxError && error.path === "lock" ? new BrokenLock(`\`${line(file)}\`, ${error.message}`) : error;
    }
  }

  /** Returns the text of the lockfile. */
  text() {
    const text = readLock(this.path);
    if (text === undefined) throw new UsageError(`\`${this.path}\` does not exist; run \`npx tuckbox lock update\``);
    return text;
  }

  /** Returns the path of the lockfile as reports show it, on every system. */
  get shownPath() {
    return slashed(relative(this.session.cwd, this.path));
  }

  /** Refuses to write in CI. */
  refuseInCi() {
    const ci = this.session.environment.CI ?? "";
    if (ci !== "" && ci !== "0" && ci !== "false" && !this.values["force-in-ci"])
      throw new UsageError(
        "`CI` is set, so the lockfile is not written; run `npx tuckbox lock update` and commit the result, or pass `--force-in-ci`",
      );
  }

  /**
   * Builds the contexts of the config, and the recorded ones of the lockfile.
   *
   * @param {readonly string[]} patterns
   * @param {string | undefined} lock
   * @param {boolean} texts Whether the entries have their texts.
   * @param {boolean} [isRepeated] Whether contexts that differ are built again.
   * @returns {Promise<Built>}
   */
  async build(patterns, lock, texts, isRepeated = false) {
    const configured = Object.keys(this.config.entries ?? {});
    // only entries of tests and logs have `from`
    const locked = lock?.includes("\n  from ") ? (await this.call("lock_read", { lock })).entries : [];
    const isRecorded = (/** @type {any} */ { name, from }) => from !== undefined && !from.startsWith("test:") && !configured.includes(name);
    const recorded = locked.filter(isRecorded);
    // the entries of a deleted test file are obsolete
    const files = locked.map((/** @type {any} */ { from = "" }) => /^test:(.+)$/s.exec(from)?.[1]);
    this.goneTests = [...new Set(files.filter((/** @type {any} */ file) => file !== undefined && !isBelow(this.folder, file)))];
    if (this.found === undefined && recorded.length === 0) throw this.withoutConfig();
    const wanted = matcher(patterns, [...configured, ...recorded.map((/** @type {any} */ { name }) => name)]);
    /** @param {string} name @param {() => Promise<LockContext>} made @returns {[string, () => Promise<LockContext>]} */
    const kept = (name, made) => [
      name,
      async () => {
        const context = await made();
        this.contexts.set(name, context);
        return context;
      },
    ];
    const contexts = configured.filter(wanted).map((name) => kept(name, () => contextOf(this.config, name, this.project)));
    for (const { name, from } of recorded) if (wanted(name)) contexts.push(kept(name, () => this.recorded(from)));
    const known = new Set(blocksOf(lock));
    return buildEntries(this.config, contexts, this.project, texts, ({ name, block }) => {
      // the process of the second build starts while the other contexts are built
      if (isRepeated && !known.has(block.trimEnd()) && this.buildsAgain(name)) this.second ??= new Isolated(this.session);
    });
  }

  /**
   * Returns true for a context that can be built again, in a new process.
   *
   * @param {string} name
   */
  buildsAgain(name) {
    // standard input can be read only once
    return isCode(this.found?.path) && this.values.store !== "-" && Object.hasOwn(this.config.entries ?? {}, name);
  }

  /**
   * Returns entries, of which those with these names have their texts.
   *
   * @param {readonly LockedContext[]} entries
   * @param {readonly string[]} names
   */
  withTexts(entries, names) {
    return Promise.all(
      entries.map((entry) => {
        const context = names.includes(entry.name) ? this.contexts.get(entry.name) : undefined;
        return context === undefined ? entry : lockEntry(entry.name, context, this.config, this.project);
      }),
    );
  }

  /** Returns the error for a folder without contexts. */
  withoutConfig() {
    return new UsageError(`no config; expected one of ${CONFIG_NAMES.join(", ")} in \`${this.folder}\``);
  }

  /**
   * Returns the arguments that find entries without a context. With names, only these are compared.
   *
   * @param {readonly string[]} names
   * @param {"prune" | "complete"} key
   */
  whole(names, key) {
    return names.length === 0 ? { [key]: true, tests: this.goneTests } : { [key]: false };
  }

  /** @param {string} from @returns {Promise<LockContext>} */
  async recorded(from) {
    const { context, project } = await recordedContext(this.folder, from);
    return { ...context, from, project };
  }

  /**
   * Builds contexts that differ from the lockfile once more, to find slots that are not stable. A new process also reads
   * the clock and random numbers again where modules do so when they are loaded.
   *
   * @param {readonly string[]} names
   * @returns {Promise<readonly LockedContext[]>}
   */
  async again(names) {
    const wanted = names.filter((name) => this.buildsAgain(name));
    if (wanted.length === 0) return [];
    const { value } = await (this.second ?? new Isolated(this.session)).run({ action: "entries", names: wanted, values: this.values });
    return /** @type {any} */ (value);
  }
}

/**
 * Returns true if a folder or a folder above it has a file. Rust names test files from the root of the workspace.
 *
 * @param {string} folder
 * @param {string} file
 * @returns {boolean}
 */
const isBelow = (folder, file) => existsSync(resolve(folder, file)) || (dirname(folder) !== folder && isBelow(dirname(folder), file));

/**
 * Returns a function that returns true for the requested names.
 *
 * @param {readonly string[]} patterns
 * @param {readonly string[]} known
 */
function matcher(patterns, known) {
  const tests = patterns.map((pattern) => new RegExp(`^${pattern.split("*").map(escaped).join(".*")}$`, "s"));
  for (const [at, test] of tests.entries()) {
    if (!known.some((name) => test.test(name))) throw new UsageError(`no context has the name \`${line(patterns[at])}\``);
  }
  return (/** @type {string} */ name) => tests.length === 0 || tests.some((test) => test.test(name));
}

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** @param {string} block */
const firstLine = (block) => block.slice(0, block.search(/\r?\n/));

/**
 * Returns the blocks of a lockfile, and its first line.
 *
 * @param {string | undefined} lock
 */
const blocksOf = (lock = "") => lock.split(/\r?\n\r?\n/);

/**
 * Returns the entries whose block is not in a lockfile, and a lockfile with their blocks.
 *
 * @param {string | undefined} lock
 * @param {readonly LockedContext[]} entries
 */
function different(lock, entries) {
  if (lock === undefined) return { entries: [], lock: "" };
  const [head, ...blocks] = blocksOf(lock);
  const known = new Set(blocks);
  const others = entries.filter(({ block }) => !known.has(block.trimEnd()));
  const starts = new Set(others.map(({ block }) => firstLine(block)));
  return { entries: others, lock: [head, ...blocks.filter((block) => starts.has(firstLine(block))), "# end\n"].join("\n\n") };
}

/**
 * Returns true for an assertion about text.
 *
 * @param {LockAssertion} assertion
 */
const readsTexts = (assertion) =>
  [assertion?.contains ?? [], assertion?.excludes ?? []].flat().some((/** @type {any} */ match) => match?.text !== undefined);

/** @type {{ [action: string]: (work: Work, names: any[]) => Promise<Result> }} */
const ACTIONS = {
  async update(work, names) {
    work.refuseInCi();
    const built = await work.build(names, readLock(work.path), !work.config.redact && hasCache(work.folder), true);
    if (built.errors.length > 0)
      throw new UsageError(built.errors.map(({ name, message }) => `\`${line(name)}\`: ${line(message)}`).join("; "));
    /** @param {string | undefined} lock @param {readonly LockedContext[]} [again] */
    const updated = async (lock, again = []) =>
      work.call("lock_update", {
        ...(lock === undefined ? {} : { lock }),
        entries: built.entries,
        again,
        ...work.whole(names, "prune"),
      });
    const { added, changed } = await updated(readLock(work.path));
    const again = await work.again([...added, ...changed]);
    const value = await changeLock(work.path, async (lock) => {
      const found = await updated(lock, again);
      return { text: found.lock, value: found };
    });
    if (!work.config.redact) keepTexts(work.folder, built.entries, value.lock);
    return { value, view: () => updateView(value, work) };
  },

  async check(work, names) {
    const lock = readLock(work.path);
    const { assertions = [] } = work.config;
    const built = await work.build(names, lock, assertions.some(readsTexts), true);
    const args = {
      ...(lock === undefined ? {} : { lock }),
      ...built,
      assertions,
      ...work.whole(names, "complete"),
      file: work.shownPath,
    };
    // most entries of a large lockfile are the same: only the others can have changed
    const { entries: others, lock: base } = different(lock, built.entries);
    const first = others.length === 0 ? { entries: [] } : await work.call("lock_check", { lock: base, entries: others, complete: false });
    const changed = first.entries.map((/** @type {{ name: string }} */ { name }) => name);
    const more =
      changed.length === 0
        ? {}
        : await Promise.all([work.withTexts(built.entries, changed), work.again(changed)]).then(([entries, again]) => ({
            entries,
            again,
            texts: readTexts(work.folder, base),
          }));
    const { value, texts } = await report(work, { ...args, ...more });
    const isAccepted = value.status === "changed" && [value.added, value.removed, value.entries].some(({ length }) => length > 0);
    return write(work, { value, texts }, isAccepted ? "`npx tuckbox lock update` accepts the changes of the contexts\n" : "");
  },

  async show(work, [name]) {
    if (name === undefined) throw new UsageError("NAME is missing");
    const { block } = await entryOf(work, name);
    return { raw: shown(block).trimEnd() };
  },

  async diff(work, [before, after]) {
    if (before === undefined || after === undefined) throw new UsageError("A and B are missing: two entries, or two lockfiles");
    const [a, b] = [before, after].map((name) => resolve(work.session.cwd, name));
    if (existsSync(a) && existsSync(b)) {
      const { entries } = await work.call("lock_read", { lock: readLock(b) }, after);
      const contexts = entries.map((/** @type {any} */ { name, block }) => ({ name, block }));
      return write(work, await report(work, { lock: readLock(a), entries: contexts, file: before }));
    }
    const [was, is] = [await entryOf(work, before), await entryOf(work, after)];
    return write(work, await report(work, { before: was.block, after: is.block }, "lock_diff"));
  },

  async add(work, [name, path]) {
    if (name === undefined || path === undefined) throw new UsageError("NAME and PATH are missing");
    work.refuseInCi();
    const [file, request] = path.includes("#") ? [path.slice(0, path.lastIndexOf("#")), path.slice(path.lastIndexOf("#"))] : [path, ""];
    const from = `${slashed(relative(work.folder, resolve(work.session.cwd, file)))}${request}`;
    const entry = await lockEntry(name, await work.recorded(from), work.config, work.project);
    const value = await changeLock(work.path, async (lock) => {
      const updated = await work.call("lock_update", { ...(lock === undefined ? {} : { lock }), entries: [entry] });
      return { text: updated.lock, value: updated };
    });
    return { value, view: () => updateView(value, work) };
  },
};

/**
 * Actions of other parts of the command.
 *
 * @type {{ [action: string]: (work: Work, names: any[]) => Promise<Result> }}
 */
const INNER = {
  /** Builds contexts. Errors were reported by the first build. */
  async entries(work, names) {
    const contexts = names.map((name) => /** @type {const} */ ([name, () => contextOf(work.config, name, work.project)]));
    return { value: (await buildEntries(work.config, contexts, work.project)).entries };
  },

  async shown(work) {
    const text = work.text();
    const shown = { name: work.shownPath, text };
    if (work.found === undefined) return { value: shown };
    const built = await work.build([], text, true).catch((error) => {
      if (error instanceof BrokenLock) return undefined;
      throw error;
    });
    const texts = readTexts(work.folder, different(text, built?.entries ?? []).lock);
    return { value: { ...shown, ...built, assertions: work.config.assertions ?? [], texts } };
  },
};

/**
 * Returns a lockfile with the contexts of the config next to it, for the inspector. The page reports a lockfile that is
 * broken; without a config it shows the entries alone.
 *
 * @param {Session} session
 * @param {string} path
 * @param {Values} values The options of the command.
 */
export async function lockWithContexts(session, path, values) {
  const { value } = await started(session, { action: "shown", names: [path], values: { ...values, lock: path } });
  return /** @type {object} */ (value);
}

/**
 * Returns the current requests of a lockfile's entries, by name.
 *
 * @param {Session} session
 * @param {string} path
 * @returns {Promise<Map<string, object>>}
 */
export async function lockedRequests(session, path) {
  const work = await Work.open(session, { lock: path }, dirname(path));
  const { entries } = await work.call("lock_read", { lock: work.text() });
  const requests = new Map();
  for (const { name, from } of entries) {
    if (work.config.entries !== undefined && Object.hasOwn(work.config.entries, name)) {
      const context = await contextOf(work.config, name, work.project);
      requests.set(name, await requestOf(context, work.config, work.project));
    } else if (from !== undefined && !from.startsWith("test:")) {
      const { context, project } = await recordedContext(work.folder, from);
      requests.set(name, await requestOf({ ...context, project }, work.config, work.project));
    }
  }
  if (requests.size === 0 && work.found === undefined) throw work.withoutConfig();
  return requests;
}

/** @param {Work} work @param {string} name */
async function entryOf(work, name) {
  const { entries } = await work.call("lock_read", { lock: work.text() });
  const found = entries.find((/** @type {any} */ entry) => entry.name === name);
  if (found === undefined) throw new UsageError(`no entry has the name \`${line(name)}\``);
  return found;
}

/**
 * A verdict, and its reports in the formats that the command asks for.
 *
 * @typedef {{ value: Omit<Operations["lock_check"]["value"], "reports">, texts: { format: string, text: string, file: string | undefined }[] }} Report
 */

/**
 * Compares contexts, and makes the reports that the command asks for.
 *
 * @param {Work} work
 * @param {object} args
 * @param {string} [op]
 * @returns {Promise<Report>}
 */
async function report(work, args, op = "lock_check") {
  const wanted = (work.values.reporter ?? ["text"]).map((/** @type {string} */ given) => {
    const [format, ...file] = given.split("=");
    if (!FORMATS.includes(format)) throw new UsageError(`unknown reporter \`${line(format)}\`; expected one of ${FORMATS.join(", ")}`);
    return { format, file: file.length === 0 ? undefined : file.join("=") };
  });
  const formats = [...new Set(wanted.map((/** @type {{ format: string }} */ { format }) => format))].filter((format) => format !== "json");
  const { file } = /** @type {{ file?: string }} */ (args);
  const verdict = /** @type {Operations["lock_check"]["value"]} */ (await work.call(op, { ...args, formats }, file));
  const { reports, ...value } = verdict;
  const texts = wanted.map((/** @type {{ format: string, file: string | undefined }} */ { format, file }) => ({
    format,
    text: reports.find((each) => each.format === format)?.text ?? `${JSON.stringify(value, null, 2)}\n`,
    file,
  }));
  return { value, texts };
}

/**
 * Prints the reports of a verdict, and writes those with a file.
 *
 * @param {Work} work
 * @param {Report} report
 * @param {string} [hint] A line after a printed text.
 * @returns {Result}
 */
function write(work, { value, texts }, hint = "") {
  let printed = "";
  for (const { format, text, file } of texts) {
    if (file !== undefined) writeReport(resolve(work.session.cwd, file), text);
    else printed += format === "text" && hint !== "" ? `${text}\n${hint}` : text;
  }
  const { exit_code: code } = value;
  return work.values.json ? { value, code } : { raw: shown(printed).trimEnd(), code };
}

/** @param {string} path @param {string} text */
function writeReport(path, text) {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(`the report cannot be written: ${codeOf(error) ?? messageOf(error)} at \`${path}\``);
  }
}

/** @param {any} value @param {Work} work */
function updateView({ added, changed, removed, unstable, unmatched }, { session: { paint }, shownPath }) {
  const lines = [];
  for (const [names, verb, color] of [
    [added, "added", paint.green],
    [changed, "changed", paint.yellow],
    [removed, "removed", paint.red],
  ]) {
    for (const name of names) lines.push(`${color(verb)} ${line(name)}`);
  }
  for (const { name, slot, suggestion } of unstable)
    lines.push(`${paint.yellow("unstable")} ${line(name)} ${line(slot)} differs between two builds; declare \`${line(suggestion)}\``);
  for (const { name, slot } of unmatched)
    lines.push(`${paint.yellow("volatile")} ${line(name)}: no slot matches the declared \`${line(slot)}\``);
  lines.push(paint.dim(`${line(shownPath)}: ${added.length} added, ${changed.length} changed, ${removed.length} removed`));
  return lines;
}
