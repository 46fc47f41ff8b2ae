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

/** The start of a lockfile. */
const LOCKFILE = "# tuckbox.lock ";

/** Opens one file as any format, several as logs of other tools, or as lockfiles if all are. */
export async function openFiles(files: readonly File[]): Promise<void> {
  const [file, ...more] = files;
  if (file === undefined) return;
  const starts = files.length > 2 ? [] : await Promise.all(files.map((one) => one.slice(0, LOCKFILE.length).text()));
  if (starts.length > 0 && starts.every((start) => start === LOCKFILE)) {
    const { openLockfiles } = await import("../../lock/state.ts");
    isOpen.value = false;
    await openLockfiles(files);
    return;
  }
  // a file of a selected folder has a relative path
  const all = files.map((blob) => ({ blob, name: blob.webkitRelativePath || blob.name }));
  await openWithDialog(more.length > 0 ? { kind: "files", files: all } : { kind: "file", blob: file, name: file.name });
}
