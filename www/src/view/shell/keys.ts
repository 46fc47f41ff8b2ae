// Keyboard shortcuts, active unless the user types in a field.
import { useEffect } from "preact/hooks";
import { building } from "../../build/start.ts";
import { namedCall } from "../../calls.ts";
import { isHelpOpen, isPaletteOpen } from "../../dialogs.ts";
import { pinOpenMessage, walkMessages } from "../../fit/state.ts";
import { byId, mountPoint } from "../../mount.ts";
import { inFrame } from "../../pending.ts";
import { boxView, select, selected, tab, VIEWS, view } from "../../state.ts";

export function useKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        isPaletteOpen.value = !isPaletteOpen.peek();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (mountPoint().root.querySelector("dialog[open]") !== null) return;
      if (runKey(event)) event.preventDefault();
    };
    const { root } = mountPoint();
    root.addEventListener("keydown", onKey as EventListener);
    return () => root.removeEventListener("keydown", onKey as EventListener);
  }, []);
}

/** Runs the action of a key; returns false if there is none. */
function runKey(event: KeyboardEvent): boolean {
  const at = VIEWS[Number(event.key) - 1];
  if (at !== undefined) {
    view.value = at;
    return true;
  }
  switch (event.key) {
    case "/":
      return focusOn("search");
    case "?":
      isHelpOpen.value = true;
      return true;
    case "e":
      if (namedCall.peek() === null || view.peek() !== "context") return false;
      building.value = !building.peek();
      return true;
    case "p":
      if (view.peek() !== "whatif") return false;
      pinOpenMessage();
      return true;
    default:
      return moveSelection(event);
  }
}

function focusOn(id: string): boolean {
  const found = byId(id) ?? mountPoint().root.querySelector<HTMLElement>('input[type="search"]');
  found?.focus();
  return found !== null;
}

type Step = (at: number, last: number) => number;

function moveSelection(event: KeyboardEvent): boolean {
  // the timeline has keys of its own
  if (view.peek() === "timeline") return false;
  const inList = event.target instanceof Element && event.target.classList.contains("scroller");
  const step = stepOf(event.key, inList);
  if (step === null) return false;
  if (view.peek() === "whatif") {
    walkMessages(step(0, 0) > 0 ? 1 : -1);
    return true;
  }
  if (view.peek() !== "context" || !["cards", "messages"].includes(tab.peek())) return false;
  select(step(selected.peek() ?? -1, (boxView.peek()?.cards ?? 0) - 1));
  if (tab.peek() === "messages")
    inFrame(() => mountPoint().root.querySelector('.message[data-selected="true"]')?.scrollIntoView({ block: "nearest" }));
  return true;
}

function stepOf(key: string, inList: boolean): Step | null {
  if (key === "j" || (inList && key === "ArrowDown")) return (at) => at + 1;
  if (key === "k" || (inList && key === "ArrowUp")) return (at) => at - 1;
  if (!inList) return null;
  if (key === "PageDown") return (at) => at + 15;
  if (key === "PageUp") return (at) => at - 15;
  if (key === "Home") return () => 0;
  if (key === "End") return (_, last) => last;
  return null;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // an editor in a shadow root hides the focused element
  return (
    target.shadowRoot !== null ||
    target.matches("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=range])")
  );
}
