import { useSignal } from "@preact/signals";
import { t } from "../i18n/index.ts";

/** A button that copies a text and says so. */
export function Copy({ text, label }: { text: string; label: string }) {
  const done = useSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    done.value = true;
    setTimeout(() => (done.value = false), 1500);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      <span role="status">{done.value ? t("copy.done") : label}</span>
    </button>
  );
}
