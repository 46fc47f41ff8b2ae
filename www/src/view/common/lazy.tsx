import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { lateTexts, t } from "../../i18n/index.ts";
import { begin, pending } from "../../pending.ts";

let lateStyles: () => Promise<unknown> = async () => undefined;

/** Names what brings the styles that the first view does without. */
export function styleWith(bring: () => Promise<unknown>): void {
  lateStyles = bring;
}

/** Brings what every view beyond the first needs: its texts and its styles. */
export async function equip(): Promise<void> {
  await Promise.all([lateTexts(), lateStyles()]);
}

/** The same once nothing more urgent is to be done. */
export function equipSoon(): void {
  const soon = (globalThis as { requestIdleCallback?: (work: () => void) => unknown }).requestIdleCallback ?? setTimeout;
  const end = begin();
  soon(() => void equip().catch(() => undefined).then(end));
}

/** A view that comes when it is first shown, and is there from then on; `Meanwhile` holds its place. */
export function later<P extends object = object>(load: () => Promise<ComponentType<P>>, Meanwhile?: ComponentType<P>): ComponentType<P> {
  const found = signal<ComponentType<P> | null>(null);
  const failed = signal(false);
  let coming: Promise<void> | undefined;
  const fetchIt = (): void => {
    failed.value = false;
    coming = pending(Promise.all([load(), equip()]).then(
      ([view]) => void (found.value = view),
      () => {
        coming = undefined;
        failed.value = true;
      },
    ));
  };
  return function Later(props: P) {
    const View = found.value;
    if (View !== null) return <View {...props} />;
    if (failed.value) return <button type="button" class="quiet" onClick={fetchIt}>{t("later.again")}</button>;
    if (coming === undefined) fetchIt();
    return Meanwhile === undefined ? null : <Meanwhile {...props} />;
  };
}
