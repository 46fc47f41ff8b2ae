// The keyboard: j and k walk the list from wherever the focus is, unless somebody is writing.
import { useEffect } from "preact/hooks";
import { boxView, select, selected, tab } from "../state.ts";

export function useKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      const inList = event.target instanceof Element && event.target.id === "cards";
      const step = stepOf(event.key, inList);
      if (step === null || tab.peek() !== "cards") return;
      event.preventDefault();
      select(step(selected.peek() ?? -1, (boxView.peek()?.cards ?? 0) - 1));
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

type Step = (at: number, last: number) => number;

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

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("textarea, select, [contenteditable], input:not([type=radio])");
}
