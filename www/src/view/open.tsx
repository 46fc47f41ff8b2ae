// Ways in: a file, a drop, a paste, an address. Nothing leaves the page on any of them.
import { effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { stopOpening, pageFault } from "../engine/client.ts";
import type { Origin } from "../engine/protocol.ts";
import { number, t } from "../i18n/index.ts";
import { openFault, openFrom, opening, project } from "../state.ts";
import { FaultNote } from "./fault.tsx";

export const isOpen = signal(false);

async function from(origin: Origin): Promise<void> {
  isOpen.value = true;
  if (await openFrom(origin)) isOpen.value = false;
}

export function OpenDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => effect(() => {
    // before the first project the page itself says what went wrong
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

function Ways() {
  return (
    <div class="dialog-body stack-gap">
      <h2 id="open-title">{t("open.title")}</h2>
      <p class="muted">{t("open.intro")}</p>
      {opening.value !== null && <ProgressNote />}
      {openFault.value !== null && <FaultNote title={t("fault.open")} fault={openFault.value} />}
      <p class="row">
        <label class="quiet file">
          {t("open.file")}
          <input
            type="file"
            accept=".json,application/json"
            onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              if (file !== undefined) void from({ kind: "file", blob: file, name: file.name });
              event.currentTarget.value = "";
            }}
          />
        </label>
        <span class="muted">{t("open.drop")}</span>
      </p>
      <form
        class="stacked"
        onSubmit={(event) => {
          event.preventDefault();
          const text = new FormData(event.currentTarget).get("text");
          void from({ kind: "text", text: String(text ?? "") });
        }}
      >
        <label for="open-text">{t("open.paste")}</label>
        <textarea id="open-text" name="text" rows={4} spellcheck={false} />
        <button type="submit" class="quiet">{t("open.paste.go")}</button>
      </form>
      <form
        class="stacked"
        onSubmit={(event) => {
          event.preventDefault();
          const address = new FormData(event.currentTarget).get("address");
          void from({ kind: "address", address: String(address ?? "") });
        }}
      >
        <label for="open-address">{t("open.address")}</label>
        <span class="row">
          <input id="open-address" name="address" type="text" inputMode="url" spellcheck={false} placeholder="https://" />
          <button type="submit" class="quiet">{t("open.address.go")}</button>
        </span>
      </form>
      <p class="row end">
        <button type="button" class="quiet" onClick={() => void from({ kind: "demo" })}>{t("open.demo")}</button>
        <button type="button" class="quiet" onClick={() => (isOpen.value = false)}>{t("open.close")}</button>
      </p>
    </div>
  );
}

/** How far the opening is, and a way to stop it. */
export function ProgressNote() {
  const progress = opening.value?.progress ?? null;
  const size = `${number(Math.round((progress?.total ?? 0) / 1024))} KiB`;
  return (
    <div class="progress" role="status">
      <span>{progress === null ? t("app.loading") : t(`open.stage.${progress.stage}`, { size })}</span>
      <progress
        {...(progress !== null && progress.total > 0 && progress.stage !== "check" ? { value: progress.done, max: progress.total } : {})}
        aria-label={t("app.loading")}
      />
      <button type="button" class="quiet" onClick={stopOpening}>{t("open.stop")}</button>
    </div>
  );
}

const dropping = signal(false);

/** The whole page takes a file that is dropped on it, and text that is pasted outside a field. */
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
      const files = event.dataTransfer?.files;
      if (files === undefined || files.length === 0) return;
      event.preventDefault();
      const [file] = files;
      if (files.length > 1 || file === undefined) {
        isOpen.value = true;
        openFault.value = pageFault(t("open.several", { n: files.length }));
      } else void from({ kind: "file", blob: file, name: file.name });
    };
    const paste = (event: ClipboardEvent) => {
      if (event.target instanceof Element && event.target.closest("input, textarea, [contenteditable]") !== null) return;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (text.trimStart().startsWith("{")) void from({ kind: "text", text });
    };
    const listeners: [string, (event: never) => void][] = [
      ["dragover", over],
      ["dragleave", leave],
      ["drop", drop],
      ["paste", paste],
    ];
    for (const [name, listener] of listeners) document.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of listeners) document.removeEventListener(name, listener as EventListener);
    };
  }, []);
  return dropping.value ? <div class="dropping" aria-hidden="true">{t("open.dropping")}</div> : null;
}
