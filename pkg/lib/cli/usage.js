/** @import { Preview } from "../../types/workspace.js" */
/** @import { Session } from "./session.js" */

/**
 * An option of a command. Without a `value` it is a switch.
 *
 * @typedef {{ value?: string, short?: string, multiple?: boolean, help: string }} Option
 */

/** @typedef {{ [name: string]: any }} Values The values of options. */

/**
 * The result of a command: a preview, a value, or text that is printed as it is.
 *
 * @typedef {object} Result
 * @property {Preview<any>} [preview]
 * @property {unknown} [value]
 * @property {string} [raw]
 * @property {(value?: any) => readonly string[] | Promise<readonly string[]>} [view] Returns the lines to print.
 * @property {() => Promise<void>} [after] Runs after a commit.
 * @property {number} [code] The exit code.
 */

/**
 * A command of `tuckbox`.
 *
 * @typedef {object} Command
 * @property {string} summary
 * @property {string} usage
 * @property {string} [about]
 * @property {{ [name: string]: Option }} [options]
 * @property {boolean} [writes]
 * @property {boolean} [takesCommand] True if arguments after `--` are a command of the user: the value `command`.
 * @property {readonly string[]} examples
 * @property {(session: Session, positionals: any[], values: Values) => Promise<Result>} run
 */

/** An error in the arguments of a command. */
export class UsageError extends Error {}
