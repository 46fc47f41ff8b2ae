// The fast tests run with every change, the deep tests every night: `TUCKBOX_DEEP=1`.

/** True in deep tests. */
export const deep = process.env.TUCKBOX_DEEP === "1";

/** Returns `long` in deep tests, otherwise `fast`. */
export function times(fast, long) {
  return deep ? long : fast;
}

/** Returns the options of a test that runs only in deep tests. Fast tests skip it with the reason `why`. */
export function onlyDeep(why, options = {}) {
  return deep ? options : { ...options, skip: `deep: ${why}` };
}

/** The reason for tests of sizes, parts and the tarball. The fast tests use a quick build. */
export const SHIPPED = "needs the shipped build";
