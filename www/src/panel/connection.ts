// The panel's connection to the inspected page. Its messages are untrusted: each is checked before use.
import { batch, signal } from "@preact/signals";

const PROTOCOL = 1;
/** How long the panel waits before it reconnects. */
const AGAIN_MS = 1_000;
const LONGEST_NAME = 200;
const LONGEST_CALL = 4_000_000;
/** Limits of boxes per commit and of projects per page. */
const MOST_BOXES = 1_000;
const MOST_PROJECTS = 50;

/** The state of the connection. */
export type State = "waiting" | "joined" | "denied";

/** A project that the page or one of its workers has exposed. */
export interface Exposed {
  id: string;
  name: string;
  where: "page" | "worker";
  settings: string;
  project_id: string;
  commits: boolean;
}

/** An event of the project. */
export interface Happened {
  id: string;
  count: number;
  at: number;
  kind: "preview" | "commit";
  call: string;
  now: number;
  entropy: string;
  /** The boxes that a commit changed. */
  boxes: string[];
  fault: { code: string; path: string; message: string } | null;
}

export const state = signal<State>("waiting");
export const exposed = signal<readonly Exposed[]>([]);

interface Port {
  postMessage(message: unknown): void;
  disconnect(): void;
  onMessage: { addListener(listener: (message: unknown) => void): void };
  onDisconnect: { addListener(listener: () => void): void };
}
interface Chrome {
  runtime: { connect(options: { name: string }): Port };
  devtools?: { inspectedWindow: { tabId: number } };
}

let port: Port | undefined;
let onHappened: (happened: Happened) => void = () => undefined;
/** The channels to the workers of the panel, by project. */
const channels = new Map<string, BroadcastChannel>();

/** Connects to the tab that DevTools inspects; a panel opened as a page reads the tab from its URL. */
export function connect(listen: (happened: Happened) => void): void {
  onHappened = listen;
  const chrome = (globalThis as unknown as { chrome?: Chrome }).chrome;
  const tab = chrome?.devtools?.inspectedWindow.tabId ?? Number(new URLSearchParams(location.search).get("tab"));
  const join = () => {
    port = chrome?.runtime.connect({ name: `panel:${tab}` });
    port?.onMessage.addListener(take);
    port?.onDisconnect.addListener(() => {
      leave("waiting");
      setTimeout(join, AGAIN_MS);
    });
  };
  join();
}

function leave(next: State): void {
  batch(() => {
    state.value = next;
    exposed.value = [];
  });
}

/** Returns the channel through which the panel's worker reaches a project's store. */
export function channelOf({ id, commits }: Exposed): string {
  const name = `tuckbox-page-${id}`;
  if (!channels.has(id)) {
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }: MessageEvent<{ type: unknown; ask: unknown; body: unknown }>) => {
      const { type, ask, body } = data;
      if (type === "read" || (type === "commit" && commits)) say({ to: id, type, ask, body });
      else channel.postMessage({ type: "answer", ask, fault: { code: "auth_failed", path: "", message: "the page lets the panel look, not commit" } });
    };
    channels.set(id, channel);
  }
  return name;
}

/** Asks the page for its projects and past events. */
export function who(): void {
  say({ type: "who" });
}

function say(message: Record<string, unknown>): void {
  port?.postMessage({ tuckbox: PROTOCOL, from: "panel", ...message });
}

function take(message: unknown): void {
  if (!isObject(message) || message.tuckbox !== PROTOCOL) return;
  if (message.from === "bridge") {
    if (message.state === "joined") {
      state.value = "joined";
      who();
    } else leave(message.state === "denied" ? "denied" : "waiting");
    return;
  }
  const { id, type } = message;
  if (message.from !== "page" || typeof id !== "string") return;
  switch (type) {
    case "here":
      who();
      break;
    case "hello":
      greet(id, message);
      break;
    case "bye":
      exposed.value = exposed.peek().filter((one) => one.id !== id);
      break;
    case "event": {
      const happened = happenedOf(id, message);
      if (happened !== null && exposed.peek().some((one) => one.id === id)) onHappened(happened);
      break;
    }
    case "answer":
      channels.get(id)?.postMessage({ type, ask: message.ask, body: message.body, fault: message.fault });
      break;
  }
}

function greet(id: string, { name, where, settings, commits }: Record<string, unknown>): void {
  if (typeof settings !== "string" || exposed.peek().some((one) => one.id === id) || exposed.peek().length >= MOST_PROJECTS) return;
  const project_id = projectOf(settings);
  if (project_id === null) return;
  const shown = typeof name === "string" && name !== "" ? name.slice(0, LONGEST_NAME) : project_id;
  exposed.value = [
    ...exposed.peek(),
    { id, name: shown, where: where === "worker" ? "worker" : "page", settings, project_id, commits: commits === true },
  ];
}

function projectOf(settings: string): string | null {
  try {
    const read: unknown = JSON.parse(settings);
    return isObject(read) && typeof read.project_id === "string" ? read.project_id : null;
  } catch {
    return null;
  }
}

function happenedOf(id: string, message: Record<string, unknown>): Happened | null {
  const { count, at, kind, call, now, entropy, receipt, fault } = message;
  if (!Number.isSafeInteger(count) || !Number.isSafeInteger(now) || typeof at !== "number") return null;
  if ((kind !== "preview" && kind !== "commit") || typeof call !== "string" || call.length > LONGEST_CALL) return null;
  if (typeof entropy !== "string" || !/^[0-9a-f]{64}$/.test(entropy)) return null;
  const said = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    id,
    count: count as number,
    at,
    kind,
    call,
    now: now as number,
    entropy,
    boxes: boxesOf(receipt),
    fault: isObject(fault) ? { code: said(fault.code), path: said(fault.path), message: said(fault.message) } : null,
  };
}

function boxesOf(receipt: unknown): string[] {
  if (!isObject(receipt) || !Array.isArray(receipt.boxes)) return [];
  return receipt.boxes.slice(0, MOST_BOXES).flatMap((box: unknown) => (isObject(box) && typeof box.box_id === "string" ? [box.box_id] : []));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
