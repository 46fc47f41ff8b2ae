// The fast tests run with every change, the deep tests every night: `TUCKBOX_DEEP=1`.

/** True in deep tests. */
export const deep = process.env.TUCKBOX_DEEP === "1";

/** Returns the number of attempts: a number for each form. */
export function times(fast, long) {
  return deep ? long : fast;
}

/** Returns the options of a test that runs only in deep tests. Otherwise it is skipped with the reason. */
export function onlyDeep(why, options = {}) {
  return deep ? options : { ...options, skip: `deep: ${why}` };
}

/** The reason for tests of sizes, parts and the tarball: the fast tests use a quick build. */
export const SHIPPED = "needs the shipped build";
