import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { loadLazyTexts, t } from "../../i18n/index.ts";
import { begin, pending } from "../../pending.ts";

let loadStyles: () => Promise<unknown> = async () => undefined;

/** Sets the function that loads the styles of the other views. */
export function setStyleLoader(bring: () => Promise<unknown>): void {
  loadStyles = bring;
}

/** Loads the texts and styles that all other views need. */
export async function loadExtras(): Promise<void> {
  await Promise.all([loadLazyTexts(), loadStyles()]);
}

/** Loads them when the browser is idle. */
export function loadExtrasWhenIdle(): void {
  const soon = (globalThis as { requestIdleCallback?: (work: () => void) => unknown }).requestIdleCallback ?? setTimeout;
  const end = begin();
  soon(
    () =>
      void loadExtras()
        .catch(() => undefined)
        .then(end),
  );
}

/** Returns a component that is loaded when it is first rendered; `Placeholder` is shown meanwhile. */
export function lazy<P extends object = object>(load: () => Promise<ComponentType<P>>, Placeholder?: ComponentType<P>): ComponentType<P> {
  const found = signal<ComponentType<P> | null>(null);
  const failed = signal(false);
  let coming: Promise<void> | undefined;
  const fetchIt = (): void => {
    failed.value = false;
    coming = pending(
      Promise.all([load(), loadExtras()]).then(
        ([view]) => void (found.value = view),
        () => {
          coming = undefined;
          failed.value = true;
        },
      ),
    );
  };
  return function Later(props: P) {
    const View = found.value;
    if (View !== null) return <View {...props} />;
    if (failed.value)
      return (
        <button type="button" class="quiet" onClick={fetchIt}>
          {t("lazy.retry")}
        </button>
      );
    if (coming === undefined) fetchIt();
    return Placeholder === undefined ? null : <Placeholder {...props} />;
  };
}
