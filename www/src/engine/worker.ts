// The package, off the main thread: opens a project in a store and answers the page's questions.
import { jsonText, memoryStore, open, TuckboxError } from "tuckbox/web";
import type { MemoryStore, Preview, Workspace } from "tuckbox/web";
import type { Answer, Ask, Fault, Json, JsonObject, Methods, NamedCall, Progress, ProjectInfo, Receipt, View } from "./protocol.ts";
import { contents, pack, textOf, withCalls } from "./snapshot.ts";

interface Opened {
  store: MemoryStore;
  workspace: Workspace;
  calls: NamedCall[];
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

async function preview<T>(call: JsonObject, read: (preview: Preview<unknown>) => T | Promise<T>): Promise<T> {
  const done = await current().workspace.preview(jsonText(JSON.stringify(call)), env);
  try {
    return await read(done);
  } finally {
    done.dispose();
  }
}

function info(): ProjectInfo {
  const { store, calls } = current();
  return { ...contents(store.export()), calls };
}

type Report = (progress: Progress) => void;
type Handlers = {
  [M in keyof Methods]: (report: Report, ...params: Parameters<Methods[M]>) => Promise<ReturnType<Methods[M]>>;
};

const methods: Handlers = {
  async open(report, origin) {
    const text = await textOf(origin, report);
    report({ stage: "check", done: 0, total: text.length });
    const found = contents(text);
    const store = memoryStore(text);
    report({ stage: "open", done: 0, total: 0 });
    const workspace = await open(store, { project_id: found.project_id });
    opened = { store, workspace, calls: found.calls };
    return found;
  },
  look: (_, { subject, ...more }) =>
    preview({ op: "inspect", ...subject, ...more } as JsonObject, (done) => JSON.parse(done.valueText) as View),
  writes: (_, call) => preview(call, (done) => done.writesText),
  async commit(_, call) {
    const receipt = await preview(call, (done) => done.commit());
    env = freshEnv();
    return { receipt: receipt as Receipt, info: info() };
  },
  async card(_, card_id, call) {
    if (call !== null) {
      const made = await preview(call, (done) => rowText([...(done.writes.cards ?? [])], card_id));
      if (made !== null) return made;
    }
    const found = await preview({ op: "get_cards", card_ids: [card_id] }, (done) => done.value as { cards: Json[] });
    const text = rowText(found.cards, card_id);
    if (text === null) throw new TuckboxError("not_found", `no card \`${card_id}\` can be read`);
    return text;
  },
  async export() {
    const { store, calls } = current();
    return withCalls(store.export(), calls);
  },
  async link() {
    const { store, calls } = current();
    return pack(withCalls(store.export(), calls));
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

self.onmessage = async ({ data: { id, method, params } }: MessageEvent<Ask>) => {
  const say = (answer: Answer) => self.postMessage(answer);
  try {
    const work = methods[method] as (report: Report, ...params: unknown[]) => Promise<unknown>;
    say({ id, result: await work((progress) => say({ id, progress }), ...params) });
  } catch (thrown) {
    say({ id, fault: faultOf(thrown) });
  }
};
