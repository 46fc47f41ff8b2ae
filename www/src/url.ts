// Keeps the view in the URL fragment, so that Back works and a link shows the same view. Changes of the view add a
// history entry; changes within a view replace it.
import { batch, computed, effect, signal } from "@preact/signals";
import { left, right, type SideChoice } from "./comparison.ts";
import { DIALECTS, type Dialect, PROVIDERS } from "./engine/protocol.ts";
import {
  dialect,
  isImported,
  project,
  projectSearch,
  STEP_TABS,
  selected,
  show,
  shown,
  step,
  stepTab,
  storedIn,
  TABS,
  type Target,
  tab,
  target,
  VIEWS,
  view,
} from "./state.ts";
import { provider, setProvider, setWindow, windowSize } from "./terms.ts";

/** The URL parameters that this page does not know. */
export const unknownParams = signal<string[]>([]);

type Params = ReadonlyMap<string, string>;

/** Returns the parameters of a URL fragment. */
export function paramsOf(hash: string): Params {
  const params = new Map<string, string>();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at <= 0) continue;
    try {
      params.set(decodeURIComponent(part.slice(0, at)), decodeURIComponent(part.slice(at + 1)));
    } catch {
      // damaged parameters are skipped
    }
  }
  return params;
}

function hashOf(params: Iterable<[string, string | null]>): string {
  const parts = Array.from(params).filter(([, value]) => value !== null && value !== "");
  return parts.length === 0
    ? ""
    : `#${parts.map(([name, value]) => `${name}=${encodeURIComponent(value ?? "").replaceAll("%3A", ":")}`).join("&")}`;
}

function targetParam(at: Target | null): [string, string] | null {
  if (at === null) return null;
  switch (at.kind) {
    case "call":
      return ["call", at.id];
    case "box":
      return ["box", at.box_id];
    case "agent":
      return ["agent", at.agent_id];
  }
}

const sideParam = (side: SideChoice | null) => (side === null ? null : `${side.what}@${side.dialect}`);

/** The parameters that make a view; a change adds a history entry. */
const viewParams = computed<[string, string | null][]>(() => {
  const at = targetParam(target.value);
  const isCompare = view.value === "compare";
  return [
    ["view", view.value],
    ...(at === null ? [] : [at]),
    ["tab", view.value === "context" ? tab.value : null],
    ["shown", shown.value === 0 ? null : String(shown.value)],
    ["left", isCompare ? sideParam(left.value) : null],
    ["right", isCompare ? sideParam(right.value) : null],
  ];
});

/** The parameters within a view; a change replaces the history entry. */
const detailParams = computed<[string, string | null][]>(() => [
  ["card", selected.value === null || view.value !== "context" ? null : String(selected.value)],
  ["step", view.value === "timeline" && step.value !== null ? String(step.value) : null],
  ["show", view.value === "timeline" ? stepTab.value : null],
  ["find", view.value === "search" ? projectSearch.value : null],
  ["window", String(windowSize.value)],
  ["dialect", dialect.value],
  ["provider", provider.value],
  ["p", storedIn.value?.kind === "browser" ? storedIn.value.id : null],
]);

/** Returns the parameters of the current view, to append to a link that contains the project. */
export function linkParams(): string {
  return hashOf([...viewParams.peek(), ...detailParams.peek().filter(([name]) => name !== "p")]).slice(1);
}

let lastView = "";
let isApplying = false;

/** Keeps URL and view in sync from now on. */
export function syncUrl(): void {
  effect(() => {
    const [now, detail] = [viewParams.value, detailParams.value];
    if (project.value === null || isApplying) return;
    const text = JSON.stringify(now);
    const hash = hashOf([...now, ...detail]);
    const isNew = lastView !== "" && lastView !== text;
    lastView = text;
    // the URL of a freshly loaded page is already right
    if (hash === location.hash) return;
    const url = `${location.pathname}${location.search}${hash}`;
    if (isNew) history.pushState(null, "", url);
    else history.replaceState(null, "", url);
  });
  addEventListener("popstate", () => {
    applyParams(paramsOf(location.hash));
    lastView = JSON.stringify(viewParams.peek());
  });
}

/** Shows what URL parameters name, as far as it exists. */
export function applyParams(params: Params): void {
  const unknown: string[] = [];
  const known = <T extends string>(name: string, values: readonly T[]): T | null => {
    const given = params.get(name);
    if (given === undefined) return null;
    const found = values.find((value) => value === given) ?? null;
    if (found === null) unknown.push(`${name}=${given}`);
    return found;
  };
  const count = (name: string): number | null => {
    const given = params.get(name);
    if (given === undefined) return null;
    const found = Number(given);
    if (Number.isSafeInteger(found) && found >= 0) return found;
    unknown.push(`${name}=${given}`);
    return null;
  };
  isApplying = true;
  try {
    batch(() => {
      const at = targetOf(params, unknown);
      if (at !== null) show(at);
      const side = (name: string): SideChoice | null => {
        const given = params.get(name);
        if (given === undefined) return null;
        const [, what = given, of] = /^(.*)@([^@]*)$/.exec(given) ?? [];
        return { what, dialect: DIALECTS.find((one) => one === of) ?? dialect.peek() };
      };
      [left.value, right.value] = [side("left") ?? left.peek(), side("right") ?? right.peek()];
      view.value = known("view", VIEWS) ?? (at === null ? view.peek() : "context");
      tab.value = known("tab", TABS) ?? tab.peek();
      stepTab.value = known("show", STEP_TABS) ?? stepTab.peek();
      step.value = count("step") ?? step.peek();
      projectSearch.value = params.get("find") ?? projectSearch.peek();
      shown.value = count("shown") ?? 0;
      selected.value = count("card") ?? selected.peek();
      dialect.value = known<Dialect>("dialect", DIALECTS) ?? dialect.peek();
      const [to, size] = [known("provider", PROVIDERS), count("window")];
      if (to !== null) setProvider(to);
      if (size !== null && size > 0) setWindow(size);
      unknownParams.value = unknown;
    });
  } finally {
    isApplying = false;
  }
}

function targetOf(params: Params, unknown: string[]): Target | null {
  const info = project.peek();
  const [call, box_id, agent_id] = [params.get("call"), params.get("box"), params.get("agent")];
  if (call !== undefined) {
    if (info?.calls.some((one) => one.id === call) === true) return { kind: "call", id: call };
    unknown.push(`call=${call}`);
  }
  // a remote project may contain more than was read, and logs may not be imported yet
  const isOpen = storedIn.peek()?.kind !== "browser" || !isImported.peek();
  if (box_id !== undefined) {
    if (isOpen || info?.boxes.some((one) => one.box_id === box_id) === true) return { kind: "box", box_id };
    unknown.push(`box=${box_id}`);
  }
  if (agent_id !== undefined) {
    if (isOpen || info?.agents.some((one) => one.agent_id === agent_id) === true) return { kind: "agent", agent_id };
    unknown.push(`agent=${agent_id}`);
  }
  return null;
}
