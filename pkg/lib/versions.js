// The versions of frameworks. An older one never calls an adapter, and no adapter can detect that by itself.

/**
 * Warns at wrap time if the program has a version of a framework without the hook of the adapter. Where packages have no
 * files, nothing is known and nothing is reported.
 *
 * @param {string} library
 * @param {[major: number, minor: number]} oldest
 */
export function checkVersion(library, [major, minor]) {
  const version = installedVersion(library);
  const [, found, part] = /^(\d+)\.(\d+)/.exec(version ?? "") ?? [];
  if (found === undefined || Number(found) > major || (Number(found) === major && Number(part) >= minor)) return;
  const message = `\`${library}\` ${version} is not supported: it never calls this adapter; expected ${major}.${minor} or newer`;
  /** @type {any} */ (globalThis).process.emitWarning(message, { code: "TUCKBOX_FRAMEWORK_VERSION" });
}

/**
 * Returns the version of a package of the program, if it runs in Node and the package has a manifest on disk.
 *
 * @param {string} library
 */
function installedVersion(library) {
  const { process: host, EdgeRuntime, Deno, Bun } = /** @type {any} */ (globalThis);
  if (EdgeRuntime !== undefined || Deno !== undefined || Bun !== undefined) return undefined;
  try {
    // compilers for edge runtimes reject `process.getBuiltinModule`, even where it is never called
    const builtin = Reflect.get(Object(host), "getBuiltinModule");
    const { createRequire } = builtin("node:module");
    const { readFileSync } = builtin("node:fs");
    // the folders in which the program finds packages
    for (const folder of createRequire(`${host.cwd()}/program.js`).resolve.paths(library) ?? []) {
      try {
        return /** @type {string | undefined} */ (JSON.parse(readFileSync(`${folder}/${library}/package.json`, "utf8")).version);
      } catch {
        // the next folder
      }
    }
  } catch {
    // a runtime without these modules
  }
  return undefined;
}
