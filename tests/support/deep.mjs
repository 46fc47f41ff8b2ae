// The fast form of the tests runs with every change, the deep form every night: `TUCKBOX_DEEP=1`.

/** True in the deep form. */
export const deep = process.env.TUCKBOX_DEEP === "1";

/** Returns how often something is tried: a number for each form. */
export function times(fast, long) {
  return deep ? long : fast;
}

/** Returns the options of a test that exists only in the deep form; elsewhere it is skipped with the reason. */
export function onlyDeep(why, options = {}) {
  return deep ? options : { ...options, skip: `deep: ${why}` };
}

/** Why tests of sizes, parts and the contents of the tarball need the deep form: the fast form has a quick build. */
export const SHIPPED = "needs the shipped build";
