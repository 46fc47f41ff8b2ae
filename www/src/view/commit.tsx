// A commit is asked for twice: the second time with everything it will write in sight.
import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { faultOf } from "../engine/client.ts";
import type { Fault } from "../engine/protocol.ts";
import { t } from "../i18n/index.ts";
import { busy, commit, committed, fault, home } from "../state.ts";
import { FaultNote } from "./fault.tsx";
import { Writes } from "./writes.tsx";

const failed = signal<Fault | null>(null);
const asking = signal(false);

export function Commit() {
  const dialog = useRef<HTMLDialogElement>(null);
  const go = async () => {
    failed.value = null;
    try {
      await commit();
      dialog.current?.close();
    } catch (thrown) {
      failed.value = faultOf(thrown);
    }
  };
  const receipt = committed.value;
  const at = home.value;
  // a page may let itself be looked at, and no more
  if (at?.kind === "page" && !at.commits) return null;
  const place = at?.kind === "server" ? at.host : at?.kind === "page" ? at.name : null;
  return (
    <>
      {receipt !== null && (
        <span class="committed" role="status">
          {receipt.repeated ? t("commit.repeated") : t("commit.done", { id: receipt.operation_id.slice(0, 13) })}
        </span>
      )}
      <button
        type="button"
        class="primary"
        disabled={fault.value !== null || busy.value}
        onClick={() => {
          failed.value = null;
          asking.value = true;
          dialog.current?.showModal();
        }}
      >
        {t("commit.button")}
      </button>
      <dialog ref={dialog} class="dialog wide" aria-labelledby="commit-title" onClose={() => (asking.value = false)}>
        {asking.value && (
          <>
            <h2 id="commit-title">{t("commit.title")}</h2>
            <p class="muted">{place === null ? t("commit.note") : t("commit.note.server", { host: place })}</p>
            {failed.value !== null && <FaultNote title={t("fault.title")} fault={failed.value} />}
            <div class="dialog-body"><Writes /></div>
            <p class="row end">
              <button type="button" class="quiet" onClick={() => dialog.current?.close()}>{t("commit.cancel")}</button>
              <button type="button" class="primary" onClick={() => void go()}>{t("commit.go")}</button>
            </p>
          </>
        )}
      </dialog>
    </>
  );
}
