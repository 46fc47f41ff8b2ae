// The stores of the simulator: what is shared, and how hosts reach it.
import { fetchHandler } from "../../pkg/http.js";
import { memoryStore, open } from "../../pkg/index.js";
import { fileStore } from "../../pkg/stores/file.js";
import { httpStore } from "../../pkg/stores/http.js";
import { kvStore } from "../../pkg/stores/kv.js";
import { Host, Machine } from "./world.mjs";

const PATH = "/data/project.json";

/**
 * Returns the store of a kind. `of(host)` is the store as a host reaches it, and `truth` is what is stored. `isLocal`
 * is true for a store on the machine of the hosts.
 */
export const STORES = {
  /** A database server. */
  memory(_world, network) {
    const truth = memoryStore();
    return { truth, of: (host) => remote(network, host, truth) };
  },
  /** A database server that returns its time. */
  clock(world, network) {
    const truth = memoryStore();
    const now = () => Math.floor(world.time);
    return { truth, of: (host) => ({ ...remote(network, host, truth), now: () => network.request(host, "now", now) }) };
  },
  /** A file on the disk of the machine. */
  file() {
    return { isLocal: true, truth: undefined, of: () => fileStore(PATH) };
  },
  /** A key-value database. */
  kv(_world, network) {
    const entries = new Map();
    const name = (key) => JSON.stringify(key);
    let versions = 0;
    const get = async (keys) => keys.map((key) => entries.get(name(key)) ?? null);
    const commit = async ({ checks, sets, deletes }) => {
      if (checks.some(({ key, version }) => (entries.get(name(key))?.version ?? null) !== version)) return false;
      versions += 1;
      for (const { key, value } of sets) entries.set(name(key), { value, version: versions });
      for (const key of deletes) entries.delete(name(key));
      return true;
    };
    const limits = { keys: 100, valueBytes: 8000, changes: 60, commitBytes: 100_000 };
    const of = (host) =>
      kvStore(
        {
          get: (keys) => network.request(host, "kv get", () => get(keys)),
          commit: (change) => network.request(host, "kv commit", () => commit(change)),
        },
        limits,
      );
    return { truth: kvStore({ get, commit }, limits), of };
  },
  /** A server with the routes of this package. */
  http(world, network) {
    const truth = memoryStore();
    const handler = fetchHandler({ open, store: truth, authorize: () => true, onError: () => {} });
    // the server has a clock of its own
    const server = new Host(new Machine(world, "server"), "server");
    const answer = async (url, init) => {
      const response = await server.run(() => handler(new Request(url, init)));
      return { status: response.status, headers: [...response.headers], body: await response.arrayBuffer() };
    };
    const of = (host) =>
      httpStore("http://store.invalid", {
        fetch: async (url, { signal, ...init } = {}) => {
          const { status, headers, body } = await network.request(host, `fetch ${url}`, () => world.track(() => answer(url, init)));
          return new Response(body, { status, headers });
        },
      });
    return { truth, of };
  },
};

function remote(network, host, store) {
  return {
    read: (reads) => network.request(host, "read", () => store.read(reads)),
    commit: (writes, { text } = {}) => network.request(host, "commit", () => store.commit(writes, { text })),
  };
}
