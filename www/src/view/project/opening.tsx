// Opens a project with the dialog, and shows the progress.
import { isOpen } from "../../dialogs.ts";
import { stopOpening } from "../../engine/client.ts";
import type { Origin } from "../../engine/protocol.ts";
import { number, t } from "../../i18n/index.ts";
import { openFrom, opening } from "../../project.ts";

/** Opens a project; the dialog shows progress and errors. */
export async function openWithDialog(origin: Origin): Promise<void> {
  isOpen.value = true;
  if (await openFrom(origin)) isOpen.value = false;
}

/** The progress of opening, with a button that stops it. */
export function ProgressNote() {
  const progress = opening.value?.progress ?? null;
  const size = `${number(Math.round((progress?.total ?? 0) / 1024))} KiB`;
  return (
    <div class="progress" role="status">
      <span>{progress === null ? t("app.loading") : t(`open.stage.${progress.stage}`, { size })}</span>
      <progress
        {...(progress !== null && progress.total > 0 && progress.stage !== "check" && (progress.stage !== "import" || progress.done > 0)
          ? { value: progress.done, max: progress.total }
          : {})}
        aria-label={t("app.loading")}
      />
      <button type="button" class="quiet" onClick={stopOpening}>
        {t("open.stop")}
      </button>
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
