// Opens a dropped folder: all files below it, as logs of other tools.

import { isOpen } from "../../dialogs.ts";
import { errorData } from "../../engine/client.ts";
import { number, t } from "../../i18n/lazy.ts";
import { openError } from "../../project.ts";
import { openWithDialog } from "./opening.tsx";

/** A folder with more files is rejected. */
const MAX_FILES = 10_000;

/** Opens all files below the dropped entries. */
export async function openEntries(entries: FileSystemEntry[]): Promise<void> {
  const files: { blob: Blob; name: string }[] = [];
  try {
    for await (const { entry, file } of filesBelow(entries)) {
      files.push({ blob: file, name: entry.fullPath.replace(/^\//, "") });
      if (files.length > MAX_FILES) throw new Error(t("open.folder.many", { n: number(MAX_FILES) }));
    }
  } catch (thrown) {
    openError.value = errorData(thrown);
    isOpen.value = true;
    return;
  }
  if (files.length > 0) void openWithDialog({ kind: "files", files });
}

async function* filesBelow(entries: readonly FileSystemEntry[]): AsyncGenerator<{ entry: FileSystemEntry; file: File }> {
  for (const entry of [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isFile) {
      yield { entry, file: await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)) };
      continue;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    const inside: FileSystemEntry[] = [];
    // a reader returns up to 100 entries per call, and none at the end
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) break;
      inside.push(...some);
    }
    yield* filesBelow(inside);
  }
}
