// The dialog that opens a project; also handles dropped files and pasted text.
import { effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { stopOpening } from "../../engine/client.ts";
import type { Origin } from "../../engine/protocol.ts";
import { isOpen } from "../../dialogs.ts";
import { number, t } from "../../i18n/index.ts";
import { openFrom, opening } from "../../project.ts";
import { project } from "../../state.ts";
import { pending } from "../../pending.ts";
import { mountPoint } from "../../mount.ts";
import { lazy } from "../common/lazy.tsx";

const Ways = lazy(async () => (await import("./open-form.tsx")).OpenForm);

/** Opens a project; the dialog shows progress and errors. */
export async function openWithDialog(origin: Origin): Promise<void> {
  isOpen.value = true;
  if (await openFrom(origin)) isOpen.value = false;
}

export function OpenDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => effect(() => {
    // before the first project, the page itself shows errors
    if (isOpen.value && project.value !== null) {
      if (dialog.current?.open === false) dialog.current.showModal();
    } else dialog.current?.close();
  }), []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="open-title" onClose={() => (isOpen.value = false)}>
      {isOpen.value && <Ways />}
    </dialog>
  );
}

/** The progress of opening, with a button that stops it. */
export function ProgressNote() {
  const progress = opening.value?.progress ?? null;
  const size = `${number(Math.round((progress?.total ?? 0) / 1024))} KiB`;
  return (
    <div class="progress" role="status">
      <span>{progress === null ? t("app.loading") : t(`open.stage.${progress.stage}`, { size })}</span>
      <progress
        {...(progress !== null && progress.total > 0 && progress.stage !== "check" && (progress.stage !== "import" || progress.done > 0) ? { value: progress.done, max: progress.total } : {})}
        aria-label={t("app.loading")}
      />
      <button type="button" class="quiet" onClick={stopOpening}>{t("open.stop")}</button>
    </div>
  );
}

/** Opens one file as any format, several as logs of other tools. */
export function openFiles(files: readonly File[]): void {
  const [file, ...more] = files;
  if (file === undefined) return;
  // a file of a selected folder has a relative path
  const all = files.map((blob) => ({ blob, name: blob.webkitRelativePath || blob.name }));
  void openWithDialog(more.length > 0 ? { kind: "files", files: all } : { kind: "file", blob: file, name: file.name });
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
      else openFiles([...files]);
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
  return dropping.value ? <div class="dropping" aria-hidden="true">{t("open.dropping")}</div> : null;
}
