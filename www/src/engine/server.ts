// A project on a server: reads and commits go there, and what came back is remembered, so that the
// page can list it and write it into a file.
import { jsonText, memoryStore, open, TuckboxError } from "tuckbox/web";
import type { MemoryStore, Store, Workspace } from "tuckbox/web";
import { httpStore } from "tuckbox/stores/http";
import type { Origin } from "./protocol.ts";
import { items, member } from "../text/pretty.ts";

const PATIENCE_MS = 20_000;

export interface Connected {
  seen: MemoryStore;
  workspace: Workspace;
}

/** Connects, and asks for the first box to see that somebody is there. */
export async function connect({ url, project_id, token, box_id }: Extract<Origin, { kind: "server" }>): Promise<Connected> {
  if (project_id.trim() === "") throw new TuckboxError("bad_request", "name the project: a server holds many", { path: "project_id" });
  const headers: { [name: string]: string } = token === "" ? {} : { authorization: `Bearer ${token}` };
  const seen = memoryStore();
  seen.project(project_id);
  const store = remembered(httpStore(url, { headers }), seen, project_id);
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
  return { seen, workspace };
}

/** A store that puts what it reads and commits into another one as well. */
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
        // not rows: the core says what is wrong with the answer, and where
      }
      return answer;
    },
    async commit(writes, more) {
      const receipt = await remote.commit(writes, more);
      // what was committed is known now; where it does not fit what was seen, the next read tells
      await seen.commit(writes, { text: more.text }).catch(() => undefined);
      return receipt;
    },
  };
}
