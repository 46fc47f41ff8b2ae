// The settings of orchestration that engines and workers use themselves. A test compares the defaults with those of the
// core.
/** @import { RunSettings } from "../../types/arguments.js" */

export const DEFAULTS = { lease_seconds: 15, processing_timeout_seconds: 300, dispatched_timeout_seconds: 30, active_timeout_seconds: 300 };

/**
 * Returns the settings with the defaults of those that are not given.
 *
 * @param {RunSettings} given
 */
export function withDefaults(given) {
  return { ...DEFAULTS, ...given };
}
