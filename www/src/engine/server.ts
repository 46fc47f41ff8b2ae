// A project on a server. Reads and commits go there; answers are cached so that the page can list and export them.

import { httpStore } from "tuckbox/stores/http";
import type { MemoryStore, OpenOptions, Store, Workspace } from "tuckbox/web";
import { jsonText, memoryStore, open, TuckboxError } from "tuckbox/web";
import { items, member } from "../text/pretty.ts";
import type { NamedCall, Origin } from "./protocol.ts";
import { callsOf } from "./snapshot.ts";

const TIMEOUT_MS = 20_000;
/** The maximum number of agents, profiles and boxes to list. */
const MAX_LISTED = 500;

export interface Connection {
  cache: MemoryStore;
  workspace: Workspace;
  /** The calls that the server provides with the project. */
  calls: NamedCall[];
}

/** Connects, and reads the first box to check the connection. */
export async function connect({ url, project_id, token, box_id, listing }: Extract<Origin, { kind: "server" }>): Promise<Connection> {
  if (project_id.trim() === "")
    throw new TuckboxError("bad_request", "`project_id` is required: a server has several projects", { path: "project_id" });
  const headers: { [name: string]: string } = token === "" ? {} : { authorization: `Bearer ${token}` };
  const cache = memoryStore();
  cache.project(project_id);
  const store = cachingStore(httpStore(new URL(url, location.href).href, { headers }), cache, project_id);
  const workspace = await open(store, { projectId: project_id, timeoutMs: TIMEOUT_MS });
  const first = box_id === "" ? "-" : box_id;
  const found = await workspace.preview("get_boxes", { box_ids: [first] });
  try {
    if (box_id !== "" && found.value.boxes.length === 0) {
      throw new TuckboxError("not_found", `the project has no box \`${box_id}\``, { path: "box_id" });
    }
  } finally {
    found.dispose();
  }
  const listed = listing === undefined ? { box_ids: [] } : await fetchListing(new URL(listing, location.href), headers);
  await prefetch(store, workspace, project_id, listed);
  return { cache, workspace, calls: callsOf(listed.calls) };
}

/** Opens a store of the page in which the inspector is embedded. */
export async function openHostStore(remote: Store, settings: OpenOptions): Promise<Connection> {
  const { projectId } = settings;
  const cache = memoryStore();
  cache.project(projectId);
  const store = cachingStore(remote, cache, projectId);
  const workspace = await open(store, settings);
  await prefetch(store, workspace, projectId, { box_ids: [] });
  return { cache, workspace, calls: [] };
}

/** What a server provides for listing. */
interface Listing {
  box_ids: string[];
  agent_ids?: string[];
  profile_names?: string[];
  calls?: unknown;
}

/**
 * Reads agents, profiles and the named boxes, so that they can be listed. What the store does not return is not listed.
 */
async function prefetch(
  store: Store,
  workspace: Workspace,
  project_id: string,
  { box_ids, agent_ids = [], profile_names = [] }: Listing,
): Promise<void> {
  const ids = async (op: "list_agents" | "list_profiles", key: string): Promise<string[]> => {
    try {
      const listed = await workspace.preview(op, { limit: MAX_LISTED });
      const { rows } = listed.value;
      listed.dispose();
      return rows.map((row) => String(row[key]));
    } catch {
      // a store without these lists can still be read box by box
      return [];
    }
  };
  const agents = [...new Set([...agent_ids, ...(await ids("list_agents", "agent_id"))])].slice(0, MAX_LISTED);
  const profiles = [...new Set([...profile_names, ...(await ids("list_profiles", "name"))])].slice(0, MAX_LISTED);
  const boxes = box_ids.slice(0, MAX_LISTED);
  if (agents.length + profiles.length + boxes.length === 0) return;
  await store.read({ project_id, agents, profiles, boxes }, { signal: AbortSignal.timeout(TIMEOUT_MS) });
}

async function fetchListing(address: URL, headers: { [name: string]: string }): Promise<Listing> {
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  return (await response.json()) as Listing;
}

/** Returns a store that copies what it reads and commits into a cache. */
export function cachingStore(remote: Store, cache: MemoryStore, project_id: string): Store {
  const tables = cache.project(project_id);
  const decoder = new TextDecoder();
  const add: [string, (row: string) => void][] = [
    ["boxes", (row) => tables.addBox(jsonText(row))],
    ["cards", (row) => tables.addCard(jsonText(row))],
    ["profiles", (row) => tables.addProfile(jsonText(row))],
    ["profiles_by_box", (row) => tables.addProfile(jsonText(row))],
    ["agents", (row) => tables.addAgent(jsonText(row))],
    ["files", (row) => tables.addFile(jsonText(row))],
  ];
  return {
    async read(reads, more) {
      const answer = await remote.read(reads, more);
      const text = answer instanceof Uint8Array ? decoder.decode(answer) : String(answer);
      try {
        for (const [kind, put] of add) for (const row of items(member(text, kind))) put(row);
      } catch {
        // not rows: the core reports what is wrong with the answer
      }
      return answer;
    },
    async commit(writes, more) {
      const receipt = await remote.commit(writes, more);
      // if the commit does not fit the cache, the next read updates it
      await cache.commit(writes, { text: more.text }).catch(() => undefined);
      return receipt;
    },
  };
}
