// Exports the project as a file or as a link that contains it. Nothing is uploaded.
import { signal } from "@preact/signals";
import { ask, errorData } from "../../engine/client.ts";
import type { ErrorData } from "../../engine/protocol.ts";
import { number, t } from "../../i18n/lazy.ts";
import { currentView } from "../../project.ts";
import { project } from "../../state.ts";
import { linkParams } from "../../url.ts";
import { ErrorNote } from "../common/error.tsx";

/** Many programs cut longer links. */
const MAX_LINK_LENGTH = 64_000;

const message = signal("");
const error = signal<ErrorData | null>(null);

export function ExportForm() {
  return (
    <>
      <button type="button" class="quiet" onClick={() => void attempt(save)}>
        {t("export.file")}
      </button>
      <button type="button" class="quiet" onClick={() => void attempt(copyLink)}>
        {t("export.link")}
      </button>
      <p class="muted" role="status">
        {message.value}
      </p>
      {error.value !== null && <ErrorNote title={t("error.title")} error={error.value} />}
    </>
  );
}

async function attempt(work: () => Promise<string>): Promise<void> {
  error.value = null;
  try {
    message.value = await work();
  } catch (thrown) {
    error.value = errorData(thrown);
  }
}

async function save(): Promise<string> {
  const text = await ask("exportProject", currentView());
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${(project.peek()?.project_id ?? "project").replace(/[^\w.-]+/g, "_")}.tuckbox.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return link.download;
}

async function copyLink(): Promise<string> {
  const fragment = await ask("exportLink", currentView());
  const size = number(fragment.length);
  if (fragment.length > MAX_LINK_LENGTH) return t("export.link.long", { size });
  const { origin, pathname } = location;
  await navigator.clipboard.writeText(`${origin}${pathname}#s=${fragment}&${linkParams()}`);
  return `${t("export.copied")}. ${t("export.link.note", { size })}`;
}
