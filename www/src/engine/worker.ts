// The package, off the main thread: opens a project in a store and answers the page's questions.
import { jsonText, memoryStore, open, TuckboxError } from "tuckbox/web";
import type { MemoryStore, Preview, Workspace } from "tuckbox/web";
import demoCalls from "../demo/calls.json";
import demoSnapshot from "../demo/snapshot.json?raw";
import type { Answer, Ask, Fault, Json, JsonObject, Methods, NamedCall, ProjectInfo, View } from "./protocol.ts";

interface Opened {
  store: MemoryStore;
  workspace: Workspace;
}

let opened: Opened | undefined;

// A preview must give the same ids each time it is looked at, or a list could not be read in
// pages; so the time and the randomness of a call stay the same until it is committed.
let env = freshEnv();

function freshEnv(): { now: number; entropy: Uint8Array } {
  return { now: Date.now(), entropy: crypto.getRandomValues(new Uint8Array(32)) };
}

function current(): Opened {
  if (opened === undefined) throw new TuckboxError("bad_request", "no project is open");
  return opened;
}

async function preview<T>(call: JsonObject, read: (preview: Preview<unknown>) => T): Promise<T> {
  const done = await current().workspace.preview(jsonText(JSON.stringify(call)), env);
  try {
    return read(done);
  } finally {
    done.dispose();
  }
}

async function openSnapshot(text: string, calls: NamedCall[]): Promise<ProjectInfo> {
  const store = memoryStore(jsonText(text).toString());
  const info = contents(text, calls);
  const workspace = await open(store, { project_id: info.project_id });
  opened?.workspace.dispose();
  opened = { store, workspace };
  env = freshEnv();
  return info;
}

interface Tables {
  project_id: string;
  boxes?: { box_id: string; card_ids?: string[]; parent_ids?: string[] }[];
  profiles?: { name: string; profile_box_id?: string | null }[];
  agents?: { agent_id: string; display_name?: string | null }[];
}

/** What there is to choose from in a snapshot. */
function contents(text: string, calls: NamedCall[]): ProjectInfo {
  const { projects } = JSON.parse(text) as { projects?: Tables[] };
  const tables = projects?.[0];
  if (tables === undefined) throw new TuckboxError("bad_request", "the snapshot holds no project", { path: "projects" });
  return {
    project_id: tables.project_id,
    boxes: (tables.boxes ?? []).map(({ box_id, card_ids, parent_ids }) => ({
      box_id,
      cards: card_ids?.length ?? 0,
      parent_ids: parent_ids ?? [],
    })),
    profiles: (tables.profiles ?? []).map(({ name, profile_box_id }) => ({ name, profile_box_id: profile_box_id ?? null })),
    agents: (tables.agents ?? []).map(({ agent_id, display_name }) => ({ agent_id, display_name: display_name ?? null })),
    calls,
  };
}

type Handlers = { [M in keyof Methods]: (...params: Parameters<Methods[M]>) => Promise<ReturnType<Methods[M]>> };

const methods: Handlers = {
  open_demo: () => openSnapshot(demoSnapshot, demoCalls as NamedCall[]),
  look: ({ subject, ...more }) =>
    preview({ op: "inspect", ...subject, ...more } as JsonObject, (done) => JSON.parse(done.valueText) as View),
  writes: (call) => preview(call, (done) => done.writesText),
  async card(card_id, call) {
    if (call !== null) {
      const made = await preview(call, (done) => rowText([...(done.writes.cards ?? [])], card_id));
      if (made !== null) return made;
    }
    const found = await preview({ op: "get_cards", card_ids: [card_id] }, (done) => done.value as { cards: Json[] });
    const text = rowText(found.cards, card_id);
    if (text === null) throw new TuckboxError("not_found", `no card \`${card_id}\` can be read`);
    return text;
  },
};

function rowText(cards: unknown[], card_id: string): string | null {
  const found = cards.find((card) => (card as { card_id: string }).card_id === card_id);
  return found === undefined ? null : JSON.stringify(found);
}

function faultOf(thrown: unknown): Fault {
  if (thrown instanceof TuckboxError) {
    const { code, message, path, details } = thrown;
    return { code, message, path, details: details as Json };
  }
  return { code: "page", message: thrown instanceof Error ? thrown.message : String(thrown), path: "", details: null };
}

// one at a time: an answer always belongs to the project that was open when it was asked for
let queue: Promise<void> = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<Ask>) => {
  queue = queue.then(async () => {
    let answer: Answer;
    try {
      const method = methods[data.method] as (...params: unknown[]) => Promise<unknown>;
      answer = { id: data.id, result: await method(...data.params) };
    } catch (thrown) {
      answer = { id: data.id, fault: faultOf(thrown) };
    }
    self.postMessage(answer);
  });
};
