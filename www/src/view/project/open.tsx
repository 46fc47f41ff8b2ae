// The dialog that opens a project; also handles dropped files and pasted text.
import { effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isOpen } from "../../dialogs.ts";
import { t } from "../../i18n/index.ts";
import { mountPoint } from "../../mount.ts";
import { pending } from "../../pending.ts";
import { project } from "../../state.ts";
import { lazy } from "../common/lazy.tsx";
import { openFiles, openWithDialog } from "./opening.tsx";

const Ways = lazy(async () => (await import("./open-form.tsx")).OpenForm);

export function OpenDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(
    () =>
      effect(() => {
        // before the first project, the page itself shows errors
        if (isOpen.value && project.value !== null) {
          if (dialog.current?.open === false) dialog.current.showModal();
        } else dialog.current?.close();
      }),
    [],
  );
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="open-title"
      onClose={(event) => {
        // the event of an earlier closing can come after the dialog is open again
        if (!event.currentTarget.open) isOpen.value = false;
      }}
    >
      {isOpen.value && <Ways />}
    </dialog>
  );
}

const dropping = signal(false);

/** Opens files dropped anywhere on the page, and text pasted outside of fields. */
export function DropTarget() {
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files") !== true) return;
      event.preventDefault();
      dropping.value = true;
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) dropping.value = false;
    };
    const drop = (event: DragEvent) => {
      dropping.value = false;
      const { items, files } = event.dataTransfer ?? {};
      if (items === undefined || files === undefined || files.length === 0) return;
      event.preventDefault();
      // entries are only accessible during the event; their contents are read later
      const entries = Array.from(items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
      if (entries.some((entry) => entry.isDirectory)) void pending(import("./folder.ts").then(({ openEntries }) => openEntries(entries)));
      else void pending(openFiles([...files]));
    };
    const paste = (event: ClipboardEvent) => {
      if (event.target instanceof Element && event.target.closest("input, textarea, [contenteditable]") !== null) return;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (/^\s*[[{]/.test(text)) void openWithDialog({ kind: "text", text });
    };
    const { root } = mountPoint();
    const listeners: [string, (event: never) => void][] = [
      ["dragover", over],
      ["dragleave", leave],
      ["drop", drop],
      ["paste", paste],
    ];
    for (const [name, listener] of listeners) root.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of listeners) root.removeEventListener(name, listener as EventListener);
    };
  }, []);
  return dropping.value ? (
    <div class="dropping" aria-hidden="true">
      {t("open.dropping")}
    </div>
  ) : null;
}
