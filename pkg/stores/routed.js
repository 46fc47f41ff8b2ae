// Many databases as one store: each project is in one of them.
/** @import { Reads, Store, Writes } from "../types/store.js" */
import { TuckboxError } from "../lib/error.js";

/** @type {typeof import("../types/stores/routed.js").routedStore} */
export function routedStore(route) {
  if (typeof route !== "function")
    throw new TuckboxError("bad_request", "`route` must be a function from a project id to its store", { path: "route" });
  /** @param {string} projectId @returns {Promise<Store>} */
  const storeOf = async (projectId) => {
    const store = await route(projectId);
    if (typeof store?.read === "function" && typeof store.commit === "function") return store;
    throw new TuckboxError("store", `\`route\` returned no store for the project \`${projectId}\``, { path: "route" });
  };
  return {
    async read(/** @type {Reads} */ reads, more) {
      return (await storeOf(reads.project_id)).read(reads, more);
    },
    async commit(/** @type {Writes} */ writes, more) {
      return (await storeOf(writes.project_id)).commit(writes, more);
    },
  };
}

/** @type {typeof import("../types/stores/routed.js").routeByHash} */
export function routeByHash(stores) {
  const names = Object.keys(stores);
  if (names.length === 0) throw new TuckboxError("bad_request", "`stores` must have at least one store", { path: "stores" });
  // the store with the highest weight has the project, so a new store takes projects from all others and moves no other
  // project
  return (projectId) => {
    const [chosen] = names
      .map((name) => ({ name, weight: weight(`${name}\u0000${projectId}`) }))
      .sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
    return stores[chosen.name];
  };
}

/**
 * Returns a hash of 32 bits: FNV-1a with the final mix of MurmurHash3.
 *
 * @param {string} text
 */
function weight(text) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
