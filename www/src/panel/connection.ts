// The panel's connection to the inspected page. Its messages are untrusted: each is checked before use.
import { batch, signal } from "@preact/signals";

const PROTOCOL = 1;
/** How long the panel waits before it reconnects. */
const RECONNECT_MS = 1_000;
const MAX_NAME_LENGTH = 200;
const MAX_CALL_LENGTH = 4_000_000;
/** Limits of boxes per commit and of projects per page. */
const MAX_BOXES = 1_000;
const MAX_PROJECTS = 50;

/** The state of the connection. */
export type ConnectionState = "waiting" | "joined" | "denied";

/** A project that the page or one of its workers has exposed. */
export interface ExposedProject {
  id: string;
  name: string;
  where: "page" | "worker";
  settings: string;
  project_id: string;
  commits: boolean;
}

/** An event of the project. */
export interface ProjectEvent {
  id: string;
  count: number;
  at: number;
  kind: "preview" | "commit";
  call: string;
  now: number;
  entropy: string;
  /** The boxes that a commit changed. */
  boxes: string[];
  error: { code: string; path: string; message: string } | null;
}

export const connectionState = signal<ConnectionState>("waiting");
export const exposedProjects = signal<readonly ExposedProject[]>([]);

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
let onEvent: (happened: ProjectEvent) => void = () => undefined;
/** The channels to the workers of the panel, by project. */
const channels = new Map<string, BroadcastChannel>();

/** Connects to the tab that DevTools inspects; a panel opened as a page reads the tab from its URL. */
export function connect(listen: (happened: ProjectEvent) => void): void {
  onEvent = listen;
  const chrome = (globalThis as unknown as { chrome?: Chrome }).chrome;
  const tab = chrome?.devtools?.inspectedWindow.tabId ?? Number(new URLSearchParams(location.search).get("tab"));
  const join = () => {
    port = chrome?.runtime.connect({ name: `panel:${tab}` });
    port?.onMessage.addListener(receive);
    port?.onDisconnect.addListener(() => {
      port = undefined;
      disconnected("waiting");
      setTimeout(join, RECONNECT_MS);
    });
  };
  join();
}

function disconnected(next: ConnectionState): void {
  batch(() => {
    connectionState.value = next;
    exposedProjects.value = [];
  });
}

/** Returns the channel through which the panel's worker reaches a project's store. */
export function channelOf({ id, commits }: ExposedProject): string {
  const name = `tuckbox-page-${id}`;
  if (!channels.has(id)) {
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }: MessageEvent<{ type: unknown; ask: unknown; body: unknown }>) => {
      const { type, ask, body } = data;
      const refuse = (code: string, message: string) => channel.postMessage({ type: "answer", ask, fault: { code, path: "", message } });
      if (type !== "read" && !(type === "commit" && commits)) refuse("auth_failed", "the page does not allow the panel to commit");
      else if (!send({ to: id, type, ask, body })) refuse("store", "the panel is not connected to the page");
    };
    channels.set(id, channel);
  }
  return name;
}

/** Asks the page for its projects and past events. */
export function requestProjects(): void {
  send({ type: "who" });
}

/** Sends a message to the page. Returns false if the panel is not connected. */
function send(message: Record<string, unknown>): boolean {
  try {
    port?.postMessage({ tuckbox: PROTOCOL, from: "panel", ...message });
  } catch {
    // the port is disconnected, and its event follows
    return false;
  }
  return port !== undefined;
}

function receive(message: unknown): void {
  if (!isObject(message) || message.tuckbox !== PROTOCOL) return;
  if (message.from === "bridge") {
    if (message.state === "joined") {
      connectionState.value = "joined";
      requestProjects();
    } else disconnected(message.state === "denied" ? "denied" : "waiting");
    return;
  }
  const { id, type } = message;
  if (message.from !== "page" || typeof id !== "string") return;
  switch (type) {
    case "here":
      requestProjects();
      break;
    case "hello":
      addProject(id, message);
      break;
    case "bye":
      exposedProjects.value = exposedProjects.peek().filter((one) => one.id !== id);
      break;
    case "event": {
      const happened = parseEvent(id, message);
      if (happened !== null && exposedProjects.peek().some((one) => one.id === id)) onEvent(happened);
      break;
    }
    case "answer":
      channels.get(id)?.postMessage({ type, ask: message.ask, body: message.body, fault: message.fault });
      break;
  }
}

function addProject(id: string, { name, where, settings, commits }: Record<string, unknown>): void {
  if (typeof settings !== "string" || exposedProjects.peek().some((one) => one.id === id) || exposedProjects.peek().length >= MAX_PROJECTS)
    return;
  const project_id = projectOf(settings);
  if (project_id === null) return;
  const shown = typeof name === "string" && name !== "" ? name.slice(0, MAX_NAME_LENGTH) : project_id;
  exposedProjects.value = [
    ...exposedProjects.peek(),
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

function parseEvent(id: string, message: Record<string, unknown>): ProjectEvent | null {
  const { count, at, kind, call, now, entropy, receipt, fault } = message;
  if (!Number.isSafeInteger(count) || !Number.isSafeInteger(now) || typeof at !== "number") return null;
  if ((kind !== "preview" && kind !== "commit") || typeof call !== "string" || call.length > MAX_CALL_LENGTH) return null;
  if (typeof entropy !== "string" || !/^[0-9a-f]{64}$/.test(entropy)) return null;
  const stringOrEmpty = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    id,
    count: count as number,
    at,
    kind,
    call,
    now: now as number,
    entropy,
    boxes: boxesOf(receipt),
    error: isObject(fault)
      ? { code: stringOrEmpty(fault.code), path: stringOrEmpty(fault.path), message: stringOrEmpty(fault.message) }
      : null,
  };
}

function boxesOf(receipt: unknown): string[] {
  if (!isObject(receipt) || !Array.isArray(receipt.boxes)) return [];
  return receipt.boxes.slice(0, MAX_BOXES).flatMap((box: unknown) => (isObject(box) && typeof box.box_id === "string" ? [box.box_id] : []));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
