// Runs an action of `tuckbox lock` in a process of its own. A config is a program: it can loop forever, end its process,
// keep it alive, or leave a promise that rejects. None of this is "the same".
/** @import { ChildProcess } from "node:child_process" */
/** @import { Session } from "../cli/session.js" */
/** @import { Result, Values } from "../cli/usage.js" */
/** @import { Limited } from "./limit.js" */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { TooLong } from "./limit.js";

const PROGRAM = fileURLToPath(new URL("./process.js", import.meta.url));
/** The process itself reports most late code; this is the time that it has for it. */
const GRACE_MS = 500;
const SIGNALS = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/** @typedef {{ action: string, names: readonly any[], values: Values }} Task */
/** @typedef {{ value: unknown, lines: readonly string[], raw?: string, code?: number }} Answer */
/** @typedef {{ running?: Limited | null, answer?: Answer, error?: string }} Message */

/** A process for one action. It loads the package before it gets the action. */
export class Isolated {
  #child;

  /** @param {Session} session */
  constructor(session) {
    this.#child = fork(PROGRAM, [], { cwd: session.cwd, env: { ...process.env, ...session.environment } });
    // without a listener, a process that does not start ends this one; `run` reports it
    this.#child.once("error", () => {});
  }

  /**
   * Runs an action, and returns its result.
   *
   * @param {Task} task
   * @returns {Promise<Result>}
   */
  async run(task) {
    const { lines, ...result } = await answerOf(this.#child, task);
    return { ...result, view: () => lines };
  }

  /** Ends a process that is not needed. */
  end() {
    this.#child.kill("SIGKILL");
  }
}

/** @param {ChildProcess} child @param {Task} task @returns {Promise<Answer>} */
function answerOf(child, task) {
  /** @type {Limited | null} */
  let running = null;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @param {NodeJS.Signals} signal */
  const stop = (signal) => {
    child.kill("SIGKILL");
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  /** @type {Promise<Answer>} */
  const answered = new Promise((resolve, reject) => {
    child.on("message", (/** @type {Message} */ message) => {
      if (message.answer !== undefined) resolve(message.answer);
      else if (message.error !== undefined) reject(new Error(message.error));
      else {
        clearTimeout(timer);
        const code = message.running ?? null;
        running = code;
        if (code !== null) timer = setTimeout(() => reject(new TooLong(code)), code.ms + GRACE_MS);
      }
    });
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      reject(new Error(`${running?.what ?? "the config"} ended the process with ${signal ?? `exit code ${code}`}`)),
    );
    // the process can have ended before
    child.send(task, (error) => error && reject(error));
  });
  return answered.finally(() => {
    clearTimeout(timer);
    for (const signal of SIGNALS) process.off(signal, stop);
    child.kill("SIGKILL");
  });
}
