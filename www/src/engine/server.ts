// A project on a server. Reads and commits go there; answers are cached so that the page can list and export them.
import { jsonText, memoryStore, open, TuckboxError } from "tuckbox/web";
import type { MemoryStore, OpenOptions, Store, Workspace } from "tuckbox/web";
import { httpStore } from "tuckbox/stores/http";
import type { NamedCall, Origin } from "./protocol.ts";
import { callsOf } from "./snapshot.ts";
import { items, member } from "../text/pretty.ts";

const PATIENCE_MS = 20_000;
/** The maximum number of agents, profiles and boxes to list. */
const MANY = 500;

export interface Connected {
  seen: MemoryStore;
  workspace: Workspace;
  /** The calls that the server provides with the project. */
  calls: NamedCall[];
}

/** Connects, and reads the first box to check the connection. */
export async function connect({ url, project_id, token, box_id, listing }: Extract<Origin, { kind: "server" }>): Promise<Connected> {
  if (project_id.trim() === "") throw new TuckboxError("bad_request", "name the project: a server holds many", { path: "project_id" });
  const headers: { [name: string]: string } = token === "" ? {} : { authorization: `Bearer ${token}` };
  const seen = memoryStore();
  seen.project(project_id);
  const store = remembered(httpStore(new URL(url, location.href).href, { headers }), seen, project_id);
  const workspace = await open(store, { project_id, timeout_ms: PATIENCE_MS });
  const first = box_id === "" ? "-" : box_id;
  const found = await workspace.preview("get_boxes", { box_ids: [first] });
  try {
    if (box_id !== "" && found.value.boxes.length === 0) {
      throw new TuckboxError("not_found", `the project has no box \`${box_id}\``, { path: "box_id" });
    }
  } finally {
    found.dispose();
  }
  const listed = listing === undefined ? { box_ids: [] } : await listedAt(new URL(listing, location.href), headers);
  await look(store, workspace, project_id, listed);
  return { seen, workspace, calls: callsOf(listed.calls) };
}

/** Opens a store of the page in which the inspector is embedded. */
export async function hosted(remote: Store, settings: OpenOptions): Promise<Connected> {
  const { project_id } = settings;
  const seen = memoryStore();
  seen.project(project_id);
  const store = remembered(remote, seen, project_id);
  const workspace = await open(store, settings);
  await look(store, workspace, project_id, { box_ids: [] });
  return { seen, workspace, calls: [] };
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
async function look(store: Store, workspace: Workspace, project_id: string, { box_ids, agent_ids = [], profile_names = [] }: Listing): Promise<void> {
  const ids = async (op: "list_agents" | "list_profiles", key: string): Promise<string[]> => {
    try {
      const listed = await workspace.preview(op, { limit: MANY });
      const { rows } = listed.value;
      listed.dispose();
      return rows.map((row) => String(row[key]));
    } catch {
      // a store without these lists can still be read box by box
      return [];
    }
  };
  const agents = [...new Set([...agent_ids, ...(await ids("list_agents", "agent_id"))])].slice(0, MANY);
  const profiles = [...new Set([...profile_names, ...(await ids("list_profiles", "name"))])].slice(0, MANY);
  const boxes = box_ids.slice(0, MANY);
  if (agents.length + profiles.length + boxes.length === 0) return;
  await store.read({ project_id, agents, profiles, boxes }, { signal: AbortSignal.timeout(PATIENCE_MS) });
}

async function listedAt(address: URL, headers: { [name: string]: string }): Promise<Listing> {
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  return (await response.json()) as Listing;
}

/** Returns a store that copies what it reads and commits into a cache. */
export function remembered(remote: Store, seen: MemoryStore, project_id: string): Store {
  const tables = seen.project(project_id);
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
      await seen.commit(writes, { text: more.text }).catch(() => undefined);
      return receipt;
    },
  };
}
