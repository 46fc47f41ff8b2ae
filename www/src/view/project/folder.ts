// A folder that was dropped: all files below it, as the logs of other tools.
import { faultOf } from "../../engine/client.ts";
import { isOpen } from "../../dialogs.ts";
import { number, t } from "../../i18n/lazy.ts";
import { openFault } from "../../project.ts";
import { from } from "./open.tsx";

/** More files than this are no folder of logs. */
const MOST_FILES = 10_000;

/** Opens everything below what was dropped. */
export async function fromEntries(entries: FileSystemEntry[]): Promise<void> {
  const files: { blob: Blob; name: string }[] = [];
  try {
    for await (const { entry, file } of filesBelow(entries)) {
      files.push({ blob: file, name: entry.fullPath.replace(/^\//, "") });
      if (files.length > MOST_FILES) throw new Error(t("open.folder.many", { n: number(MOST_FILES) }));
    }
  } catch (thrown) {
    openFault.value = faultOf(thrown);
    isOpen.value = true;
    return;
  }
  if (files.length > 0) void from({ kind: "files", files });
}

async function* filesBelow(entries: readonly FileSystemEntry[]): AsyncGenerator<{ entry: FileSystemEntry; file: File }> {
  for (const entry of [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isFile) {
      yield { entry, file: await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)) };
      continue;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    const inside: FileSystemEntry[] = [];
    // a reader gives out a hundred at a time, and nothing at the end
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) break;
      inside.push(...some);
    }
    yield* filesBelow(inside);
  }
}
