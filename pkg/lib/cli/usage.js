/** A command that was written wrongly: nothing was tried. */
export class UsageError extends Error {}
