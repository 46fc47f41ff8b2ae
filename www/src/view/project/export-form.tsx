// Exports the project as a file or as a link that contains it. Nothing is uploaded.
import { signal } from "@preact/signals";
import { ask, faultOf } from "../../engine/client.ts";
import type { Fault } from "../../engine/protocol.ts";
import { number, t } from "../../i18n/lazy.ts";
import { viewParams } from "../../url.ts";
import { looking } from "../../project.ts";
import { project } from "../../state.ts";
import { FaultNote } from "../common/error.tsx";

/** Many programs cut longer links. */
const LONGEST = 64_000;

const said = signal("");
const failed = signal<Fault | null>(null);

export function Exports() {
  return (
    <>
      <button type="button" class="quiet" onClick={() => void attempt(save)}>{t("export.file")}</button>
      <button type="button" class="quiet" onClick={() => void attempt(copyLink)}>{t("export.link")}</button>
      <p class="muted" role="status">{said.value}</p>
      {failed.value !== null && <FaultNote title={t("fault.title")} fault={failed.value} />}
    </>
  );
}

async function attempt(work: () => Promise<string>): Promise<void> {
  failed.value = null;
  try {
    said.value = await work();
  } catch (thrown) {
    failed.value = faultOf(thrown);
  }
}

async function save(): Promise<string> {
  const text = await ask("export", looking());
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `${(project.peek()?.project_id ?? "project").replace(/[^\w.-]+/g, "_")}.tuckbox.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return link.download;
}

async function copyLink(): Promise<string> {
  const fragment = await ask("link", looking());
  const size = number(fragment.length);
  if (fragment.length > LONGEST) return t("export.link.long", { size });
  const { origin, pathname } = location;
  await navigator.clipboard.writeText(`${origin}${pathname}#s=${fragment}&${viewParams()}`);
  return `${t("export.copied")}. ${t("export.link.note", { size })}`;
}
