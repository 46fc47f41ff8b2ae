// A project that a page has exposed. Its store is reached through the panel, and everything read from it is cached.

import type { Code, OpenOptions, Store } from "tuckbox/web";
import { memoryStore, open, parseJson, TuckboxError } from "tuckbox/web";
import { type ErrorData, type JsonObject, type NamedCall, type Origin, PACKING, type PageEvent } from "./protocol.ts";
import { type Connection, cachingStore } from "./server.ts";

const TIMEOUT_MS = 10_000;
/** The error codes of a store that are passed on. */
const PASSED_CODES: readonly string[] = ["conflict", "auth_failed"] satisfies Code[];

/** The project's settings in its page. */
let settings: OpenOptions = { projectId: "" };

/** Opens the project on the page's store with the page's settings. */
export async function attachToPage(origin: Extract<Origin, { kind: "page" }>): Promise<Connection> {
  const { project_id, ...more } = JSON.parse(origin.settings) as Omit<OpenOptions, "projectId"> & { project_id: string };
  settings = { ...more, projectId: project_id };
  const cache = memoryStore();
  cache.project(project_id);
  const store = cachingStore(channelStore(origin.channel), cache, project_id);
  return { cache, workspace: await open(store, { ...settings, timeoutMs: TIMEOUT_MS }), calls: [] };
}

/** Returns the call of an event if it packs a context. A preview and its commit are one call. */
export function callOf({ call, kind, entropy, at, error }: PageEvent, known: readonly NamedCall[]): { op: string; call: NamedCall | null } {
  const given = parseJson(call) as JsonObject | null;
  const op = typeof given?.op === "string" ? given.op : "";
  const own = (settings.recipes ?? []).some((recipe) => (recipe as { name?: unknown }).name === op);
  if (given === null || (!PACKING.includes(op) && !own) || error !== null) return { op, call: null };
  const id = `live-${entropy.slice(0, 32)}`;
  // use the page's dialect, regardless of the dialect selected here
  const dialect = given.dialect ?? settings.dialect ?? "current";
  const time = new Date(at).toLocaleTimeString();
  const isCommitted = kind === "commit" || known.some((one) => one.id === id && one.note.en.startsWith("commit"));
  const note = { en: `${isCommitted ? "committed" : "preview"} · ${time}`, zh: `${isCommitted ? "已提交" : "预览"} · ${time}` };
  return { op, call: { id, title: { en: op, zh: op }, note, call: { ...given, dialect } } };
}

/**
 * A store that is reached through a channel of this origin. Each request has a number, and its answer has the same
 * number.
 */
function channelStore(name: string): Store {
  const channel = new BroadcastChannel(name);
  const waiting = new Map<number, { resolve: (body: string) => void; reject: (error: TuckboxError) => void }>();
  let last = 0;
  channel.onmessage = ({ data }: MessageEvent<{ type: string; ask: number; body?: unknown; fault?: ErrorData }>) => {
    const asked = data.type === "answer" ? waiting.get(data.ask) : undefined;
    if (asked === undefined) return;
    waiting.delete(data.ask);
    const { body, fault } = data;
    if (typeof body === "string") asked.resolve(body);
    else asked.reject(toError(fault));
  };
  const ask = (type: "read" | "commit", body: string) =>
    new Promise<string>((resolve, reject) => {
      const number = ++last;
      waiting.set(number, { resolve, reject });
      channel.postMessage({ type, ask: number, body });
    });
  return {
    read: (reads) => ask("read", JSON.stringify(reads)),
    commit: async (_, { text }) => JSON.parse(await ask("commit", text)),
  };
}

function toError(data: ErrorData | undefined): TuckboxError {
  const code = PASSED_CODES.includes(data?.code ?? "") ? (data?.code as Code) : "store";
  return new TuckboxError(code, String(data?.message ?? "the page did not answer"), { path: String(data?.path ?? "") });
}
