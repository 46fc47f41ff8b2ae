// The audit of refused calls.
import { TuckboxError } from "./error.js";

/**
 * Stores an audit entry about a call if its error is a refusal by a policy. If the entry cannot be stored, the reason
 * becomes the `cause` of the error.
 *
 * @param {{ call: (op: any, args: any, options?: { now?: number }) => Promise<unknown> }} project
 * @param {() => unknown} call
 * @param {unknown} error
 * @param {{ now?: number }} [options]
 */
export async function auditRefusal(project, call, error, options) {
  if (!(error instanceof TuckboxError) || error.details.policy === undefined) return;
  try {
    await project.call("audit_refusal", { call: call() }, options);
  } catch (cause) {
    error.cause ??= cause;
  }
}
