import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { t } from "../i18n/index.ts";

/** A view that comes when it is first shown, and is there from then on. */
export function later(load: () => Promise<ComponentType>): ComponentType {
  const found = signal<ComponentType | null>(null);
  const failed = signal(false);
  let coming: Promise<void> | undefined;
  const fetchIt = (): void => {
    failed.value = false;
    coming = load().then(
      (view) => void (found.value = view),
      () => {
        coming = undefined;
        failed.value = true;
      },
    );
  };
  return function Later() {
    const View = found.value;
    if (View !== null) return <View />;
    if (failed.value) return <button type="button" class="quiet" onClick={fetchIt}>{t("later.again")}</button>;
    if (coming === undefined) fetchIt();
    return null;
  };
}
