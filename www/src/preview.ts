// Requests previews. One request runs at a time, only the newest waits, and the list requests only visible rows.
import { batch, computed, effect, signal } from "@preact/signals";
import { callToSend, parsedCall } from "./calls.ts";
import { ask, errorData, pageError, STOPPED } from "./engine/client.ts";
import type { ContextRef, RequestTerms, SizedContextRef, Subject, View } from "./engine/protocol.ts";
import { begin } from "./pending.ts";
import {
  busy,
  isLog,
  lastPreview,
  matches,
  PAGE,
  previewError,
  previewSubject,
  project,
  request,
  requestBusy,
  requestError,
  rowPages,
  search,
  selected,
  shown,
  storedIn,
  type Target,
  tab,
  target,
  view,
} from "./state.ts";
import { terms, windowSize } from "./terms.ts";

/** Returns a function that runs one `work` at a time; of the calls made meanwhile only the newest runs. */
function latestOnly<T>(work: (next: T, isNewest: () => boolean) => Promise<void>): (next: T) => void {
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
  return callToSend.value === null ? null : { call: callToSend.value };
});

const isTimeline = computed(() => isLog.value && view.value === "timeline");

/** Increases when the store changed. */
const revision = signal(0);

/** Requests the preview again after the store changed. */
export function refreshPreview(): void {
  revision.value += 1;
}

/** Increases when a project is closed; answers of older epochs are ignored. */
let epoch = 0;

/** Ignores the answers to all pending requests. */
export function ignorePending(): void {
  epoch += 1;
}

const requestPreview = latestOnly(async (context: ContextRef, isNewest) => {
  const mine = epoch;
  busy.value = true;
  try {
    const found = await ask("inspect", { ...context, from: 0, to: PAGE });
    // a newer request may wait; this answer is still worth showing
    if (mine === epoch) applyPreview(context.subject, found);
  } catch (thrown) {
    const found = errorData(thrown);
    if (mine !== epoch || !isNewest() || found.code === STOPPED) return;
    batch(() => {
      previewError.value = found;
      // the preview of another target is not kept
      if (previewTarget !== target.value) clearPreview();
    });
  } finally {
    if (isNewest()) busy.value = false;
  }
});

effect(() => {
  const about = subject.value;
  void revision.value;
  const parsed = parsedCall.value;
  if (parsed !== null && !parsed.ok) previewError.value = pageError(parsed.message, "bad_request");
  // the timeline of logs shows no preview
  if (about !== null && !isTimeline.value) requestPreview({ subject: about, shown: shown.value });
});

let previewTarget: Target | null = null;

/** Removes the preview from the page. */
export function clearPreview(): void {
  batch(() => {
    lastPreview.value = null;
    previewSubject.value = null;
    request.value = null;
    requestError.value = null;
    rowPages.value = new Map();
  });
}

function applyPreview(about: Subject, found: View): void {
  batch(() => {
    lastPreview.value = found;
    previewSubject.value = about;
    previewTarget = target.value;
    rowPages.value = new Map([[0, found.rows]]);
    previewError.value = null;
    const countRequest = found.boxes[shown.value]?.cards ?? 0;
    if (selected.value === null || selected.value >= countRequest) selected.value = countRequest > 0 ? 0 : null;
  });
  void fetchRows();
  // a remote project is known as far as it was read
  if (storedIn.peek()?.kind !== "browser") {
    ask("info").then(
      (info) => {
        if (JSON.stringify(info) !== JSON.stringify(project.peek())) project.value = info;
      },
      () => undefined,
    );
  }
}

// --- visible rows

let visible: readonly number[] = [];
let isFetching = false;

/** Sets the visible positions. Rows that scroll out of view before they are requested are never requested. */
export function setVisible(positions: readonly number[]): void {
  visible = positions;
  void fetchRows();
}

async function fetchRows(): Promise<void> {
  if (isFetching) return;
  isFetching = true;
  for (;;) {
    const [about, at, of] = [previewSubject.peek(), shown.peek(), lastPreview.peek()];
    const missing = visible.find((position) => !rowPages.peek().has(Math.floor(position / PAGE)));
    if (about === null || missing === undefined) break;
    const page = Math.floor(missing / PAGE);
    try {
      const { rows } = await ask("inspect", { subject: about, shown: at, from: page * PAGE, to: (page + 1) * PAGE });
      if (of === lastPreview.peek()) rowPages.value = new Map(rowPages.peek()).set(page, rows);
    } catch (thrown) {
      if (of === lastPreview.peek()) {
        const found = errorData(thrown);
        if (found.code !== STOPPED) previewError.value = found;
        break;
      }
    }
  }
  isFetching = false;
}

// --- search

const searchCards = latestOnly(async (next: ContextRef & { find: string }, isNewest) => {
  try {
    const found = await ask("findMatches", next);
    // an answer to a slightly older search is still worth showing
    if (search.peek() !== "") matches.value = found;
  } catch (thrown) {
    const found = errorData(thrown);
    if (isNewest() && found.code !== STOPPED) previewError.value = found;
  }
});

effect(() => {
  const [about, find] = [previewSubject.value, search.value];
  // the cards may have changed although the inputs did not
  void lastPreview.value;
  if (about === null || find === "") matches.value = null;
  else searchCards({ subject: about, shown: shown.value, find });
});

// --- what waits for the first rows

let resolveFirstRows: () => void;

/** Resolves when the first rows are on the screen. Everything that needs more of the package waits for it. */
export const firstRows = new Promise<void>((resolve) => (resolveFirstRows = resolve));

/** True from then on; what is next to the cards is loaded after them. */
export const hasRows = signal(false);
void firstRows.then(() => (hasRows.value = true));

/** Reports that rows were rendered; what waits for them continues after the next frame. */
export function reportRows(): void {
  if (hasRows.peek()) return;
  // a hidden page draws no frames
  if (document.visibilityState === "hidden") {
    resolveFirstRows();
    return;
  }
  const end = begin();
  requestAnimationFrame(() =>
    setTimeout(() => {
      resolveFirstRows();
      end();
    }),
  );
}

{
  const stop = effect(() => {
    const isList = view.value === "context" && tab.value === "cards" && (lastPreview.value?.boxes[shown.value]?.cards ?? 0) > 0;
    if ((lastPreview.value === null && previewError.value === null) || isList) return;
    queueMicrotask(() => stop());
    reportRows();
  });
}

const countRequest = latestOnly(async ([context, wanted, size]: [SizedContextRef, RequestTerms, number], isNewest) => {
  requestBusy.value = true;
  try {
    await firstRows;
    const found = await ask("inspectRequest", context, wanted, size);
    if (!isNewest()) return;
    batch(() => {
      request.value = found;
      requestError.value = null;
      requestBusy.value = false;
    });
  } catch (thrown) {
    const found = errorData(thrown);
    if (!isNewest() || found.code === STOPPED) return;
    batch(() => {
      request.value = null;
      requestError.value = found;
      requestBusy.value = false;
    });
  }
});

effect(() => {
  const about = previewSubject.value;
  // the cards may have changed although the inputs did not
  const cards = lastPreview.value?.boxes[shown.value]?.cards ?? 0;
  if (about !== null) countRequest([{ subject: about, shown: shown.value, cards }, terms.value, windowSize.value]);
});
