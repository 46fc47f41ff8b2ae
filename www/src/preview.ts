// Requests previews. One request runs at a time, only the newest waits, and the list requests only visible rows.
import { batch, computed, effect, signal } from "@preact/signals";
import { parsedCall, sentCall } from "./calls.ts";
import { ask, faultOf, pageFault, STOPPED } from "./engine/client.ts";
import type { Seen, Sized, Subject, Terms, View } from "./engine/protocol.ts";
import { begin } from "./pending.ts";
import { busy, fault, home, matches, PAGE, pages, pictured, project, request, requestBusy, requestFault, room, search, selected, shown, tab, target, type Target, view } from "./state.ts";
import { terms, windowSize } from "./terms.ts";

/** Returns a function that runs one `work` at a time; of the calls made meanwhile only the newest runs. */
function newest<T>(work: (next: T, isNewest: () => boolean) => Promise<void>): (next: T) => void {
  let waiting: T | null = null;
  let isWorking = false;
  const run = async () => {
    isWorking = true;
    for (let now = waiting; now !== null; now = waiting) {
      waiting = null;
      await work(now, () => waiting === null);
    }
    isWorking = false;
  };
  return (next) => {
    waiting = next;
    if (!isWorking) void run();
  };
}

const subject = computed<Subject | null>(() => {
  const at = target.value;
  if (at?.kind === "box") return { box_id: at.box_id };
  if (at?.kind === "agent") return { turn: { agent_id: at.agent_id } };
  return sentCall.value === null ? null : { call: sentCall.value };
});

/** Increases when the store changed. */
const revision = signal(0);

/** Requests the preview again after the store changed. */
export function lookAgain(): void {
  revision.value += 1;
}

/** Increases when a project is closed; answers of older epochs are ignored. */
let epoch = 0;

/** Ignores the answers to all pending requests. */
export function passOver(): void {
  epoch += 1;
}

const look = newest(async (seen: Seen, isNewest) => {
  const mine = epoch;
  busy.value = true;
  try {
    const found = await ask("look", { ...seen, from: 0, to: PAGE });
    // a newer request may wait; this answer is still worth showing
    if (mine === epoch) accept(seen.subject, found);
  } catch (thrown) {
    const found = faultOf(thrown);
    if (mine !== epoch || !isNewest() || found.code === STOPPED) return;
    batch(() => {
      fault.value = found;
      // the preview of another target is not kept
      if (picturedTarget !== target.value) forget();
    });
  } finally {
    if (isNewest()) busy.value = false;
  }
});

effect(() => {
  const about = subject.value;
  void revision.value;
  const wrong = parsedCall.value;
  if (wrong !== null && !wrong.ok) fault.value = pageFault(wrong.message, "bad_request");
  if (about !== null) look({ subject: about, shown: shown.value });
});

let picturedTarget: Target | null = null;

/** Removes the preview from the page. */
export function forget(): void {
  batch(() => {
    view.value = null;
    pictured.value = null;
    request.value = null;
    requestFault.value = null;
    pages.value = new Map();
  });
}

function accept(about: Subject, found: View): void {
  batch(() => {
    view.value = found;
    pictured.value = about;
    picturedTarget = target.value;
    pages.value = new Map([[0, found.rows]]);
    fault.value = null;
    const count = found.boxes[shown.value]?.cards ?? 0;
    if (selected.value === null || selected.value >= count) selected.value = count > 0 ? 0 : null;
  });
  void fetchRows();
  // a remote project is known as far as it was read
  if (home.peek()?.kind !== "browser") {
    ask("info").then((info) => {
      if (JSON.stringify(info) !== JSON.stringify(project.peek())) project.value = info;
    }, () => undefined);
  }
}

// --- visible rows

let sight: readonly number[] = [];
let isFetching = false;

/** Sets the visible positions. Rows that scroll out of view before they are requested are never requested. */
export function inSight(positions: readonly number[]): void {
  sight = positions;
  void fetchRows();
}

async function fetchRows(): Promise<void> {
  if (isFetching) return;
  isFetching = true;
  for (;;) {
    const [about, at, of] = [pictured.peek(), shown.peek(), view.peek()];
    const missing = sight.find((position) => !pages.peek().has(Math.floor(position / PAGE)));
    if (about === null || missing === undefined) break;
    const page = Math.floor(missing / PAGE);
    try {
      const { rows } = await ask("look", { subject: about, shown: at, from: page * PAGE, to: (page + 1) * PAGE });
      if (of === view.peek()) pages.value = new Map(pages.peek()).set(page, rows);
    } catch (thrown) {
      if (of === view.peek()) {
        const found = faultOf(thrown);
        if (found.code !== STOPPED) fault.value = found;
        break;
      }
    }
  }
  isFetching = false;
}

// --- search

const searchCards = newest(async (next: Seen & { find: string }, isNewest) => {
  try {
    const found = await ask("matches", next);
    // an answer to a slightly older search is still worth showing
    if (search.peek() !== "") matches.value = found;
  } catch (thrown) {
    const found = faultOf(thrown);
    if (isNewest() && found.code !== STOPPED) fault.value = found;
  }
});

effect(() => {
  const [about, find] = [pictured.value, search.value];
  // the cards may have changed although the inputs did not
  void view.value;
  if (about === null || find === "") matches.value = null;
  else searchCards({ subject: about, shown: shown.value, find });
});

// --- what waits for the first rows

let tellFirstRows: () => void;

/** Resolves when the first rows are on the screen. Everything that needs more of the package waits for it. */
export const firstRows = new Promise<void>((resolve) => (tellFirstRows = resolve));

/** True from then on; what is next to the cards is loaded after them. */
export const areRowsThere = signal(false);
void firstRows.then(() => (areRowsThere.value = true));

/** Reports that rows were rendered; what waits for them continues after the next frame. */
export function rowsDrawn(): void {
  if (areRowsThere.peek()) return;
  // a hidden page draws no frames
  if (document.visibilityState === "hidden") {
    tellFirstRows();
    return;
  }
  const end = begin();
  requestAnimationFrame(() => setTimeout(() => {
    tellFirstRows();
    end();
  }));
}

{
  const stop = effect(() => {
    const isList = room.value === "context" && tab.value === "cards" && (view.value?.boxes[shown.value]?.cards ?? 0) > 0;
    if ((view.value === null && fault.value === null) || isList) return;
    queueMicrotask(() => stop());
    rowsDrawn();
  });
}

const count = newest(async ([seen, wanted, size]: [Sized, Terms, number], isNewest) => {
  requestBusy.value = true;
  try {
    await firstRows;
    const found = await ask("request", seen, wanted, size);
    if (!isNewest()) return;
    batch(() => {
      request.value = found;
      requestFault.value = null;
      requestBusy.value = false;
    });
  } catch (thrown) {
    const found = faultOf(thrown);
    if (!isNewest() || found.code === STOPPED) return;
    batch(() => {
      request.value = null;
      requestFault.value = found;
      requestBusy.value = false;
    });
  }
});

effect(() => {
  const about = pictured.value;
  // the cards may have changed although the inputs did not
  const cards = view.value?.boxes[shown.value]?.cards ?? 0;
  if (about !== null) count([{ subject: about, shown: shown.value, cards }, terms.value, windowSize.value]);
});
