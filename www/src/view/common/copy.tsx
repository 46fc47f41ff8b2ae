import { useSignal } from "@preact/signals";
import { t } from "../../i18n/lazy.ts";

/** A button that copies text and confirms it; `text` can be a function that fetches it. */
export function CopyButton({ text, label, title }: { text: string | (() => Promise<string>); label: string; title?: string }) {
  const done = useSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
    done.value = true;
    setTimeout(() => (done.value = false), 1500);
  };
  return (
    <>
      <button type="button" class="quiet" title={title} onClick={() => void copy()}>
        {done.value ? t("copy.done") : label}
      </button>
      <span class="sr" role="status">
        {done.value ? t("copy.done") : ""}
      </span>
    </>
  );
}
