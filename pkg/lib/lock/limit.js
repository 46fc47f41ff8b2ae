// Time limits for the code of users: a config, and the functions of its contexts.
import { runInThisContext } from "node:vm";
import { codeOf } from "../error.js";

/** How long the function of a context, or a config, can take. */
export const TIMEOUT_MS = 10_000;

/** The global name of the function that a script with a time limit calls. */
const CALLED = "__tuckbox_lock_call";

/**
 * Code that runs: what it is, how long it can take, and what can be done about it.
 *
 * @typedef {{ what: string, ms: number, hint: string }} Limited
 */

/** @typedef {(code: Limited | undefined) => void} Observer */

/**
 * Observes the code that runs. A process that another one supervises reports it, and is ended if the code takes too long.
 *
 * @type {Observer | undefined}
 */
let observe;

/** @param {Observer} observer */
export function observeLimits(observer) {
  observe = observer;
}

/** The error of code that took too long. */
export class TooLong extends Error {
  /** @param {Limited} code */
  constructor({ what, ms, hint }) {
    super(`${what} took more than ${ms} ms${hint}`);
  }
}

/**
 * Calls a function, and rejects when it takes too long. It also ends a loop without `await` at the start of the function.
 * Only another process can end other loops.
 *
 * @template Value
 * @param {() => Value | Promise<Value>} call
 * @param {Limited} code
 * @returns {Promise<Value>}
 */
export async function within(call, code) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new TooLong(code)), code.ms);
  });
  observe?.(code);
  try {
    // a script with a limit starts a thread, which takes as long as the entry of a context
    return await Promise.race([observe === undefined ? begun(call, code.ms) : call(), late]);
  } catch (error) {
    throw codeOf(error) === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? new TooLong(code) : error;
  } finally {
    clearTimeout(timer);
    observe?.(undefined);
  }
}

/**
 * Calls a function in a script: its time limit also ends a loop that never returns.
 *
 * @template Value
 * @param {() => Value} call
 * @param {number} timeout
 * @returns {Value}
 */
function begun(call, timeout) {
  Object.defineProperty(globalThis, CALLED, { value: call, configurable: true });
  try {
    return runInThisContext(`globalThis.${CALLED}()`, { timeout });
  } finally {
    Reflect.deleteProperty(globalThis, CALLED);
  }
}
