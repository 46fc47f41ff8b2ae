// Counts the work that has not ended: questions to the worker, files to load, writes to keep, effects to run. The root
// of the app shows the result as `data-settled`. Programs that drive the page wait for it before they read the layout.
import { options } from "preact";

let count = 0;
/** Increases with every piece of work. */
let started = 0;
let shown: HTMLElement | undefined;

/** Counts a piece of work until the caller calls the returned function. */
export function begin(): () => void {
  count += 1;
  started += 1;
  show(false);
  let isOpen = true;
  return () => {
    if (!isOpen) return;
    isOpen = false;
    count -= 1;
    settle();
  };
}

/** Counts a piece of work until its promise is settled; returns the promise. */
export function pending<T>(work: Promise<T>): Promise<T> {
  const end = begin();
  work.then(end, end);
  return work;
}

/** Calls `work` after `ms`, and counts it until then; returns a function that cancels it. */
export function soon(work: () => void, ms: number): () => void {
  const end = begin();
  const timer = setTimeout(() => {
    try {
      work();
    } finally {
      end();
    }
  }, ms);
  return () => {
    clearTimeout(timer);
    end();
  };
}

/** Calls `work` in the next frame, and counts it until then. */
export function inFrame(work: () => void): void {
  const end = begin();
  requestAnimationFrame(() => {
    try {
      work();
    } finally {
      end();
    }
  });
}

/** Shows on an element from now on whether any work is left. */
export function showPending(root: HTMLElement): void {
  shown = root;
  show(false);
  settle();
}

/** Observers and scroll events of the next frame can start work again, so the page is settled one frame later. */
function settle(): void {
  if (count > 0) return;
  const last = started;
  const look = () => {
    if (count === 0 && last === started) show(true);
  };
  // a hidden page draws no frames
  if (document.visibilityState === "hidden") setTimeout(look);
  else requestAnimationFrame(() => setTimeout(look));
}

function show(isSettled: boolean): void {
  if (shown !== undefined && shown.dataset.settled !== String(isSettled)) shown.dataset.settled = String(isSettled);
}

/** The longest wait of effects for a frame, as in Preact itself. */
const EFFECTS_MS = 35;

// the effects of components run after the frame that draws them
options.requestAnimationFrame = (effects) => {
  const end = begin();
  const run = () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    setTimeout(() => {
      try {
        effects();
      } finally {
        end();
      }
    });
  };
  const timer = setTimeout(run, EFFECTS_MS);
  const frame = requestAnimationFrame(run);
};
