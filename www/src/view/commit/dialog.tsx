// The dialog that confirms a commit. It shows everything that the commit will write, and links to the result afterward.
import { computed, effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { faultOf } from "../../engine/client.ts";
import type { Fault, Receipt } from "../../engine/protocol.ts";
import { t } from "../../i18n/lazy.ts";
import { commitCall } from "../../project.ts";
import { home } from "../../state.ts";
import { FaultNote } from "../common/error.tsx";
import { MadeBoxes } from "./boxes.tsx";
import { type Act, act, mayCommit } from "./propose.ts";
import { WritesOf } from "./writes.tsx";

const failed = signal<Fault | null>(null);
const isBusy = signal(false);
const done = signal<Receipt | null>(null);
const actCall = computed(() => act.value?.call ?? null);

export function ActDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => effect(() => {
    failed.value = null;
    done.value = null;
    if (act.value === null) dialog.current?.close();
    else if (dialog.current?.open === false) dialog.current.showModal();
  }), []);
  // the dialog may be open again for another proposal
  const closed = () => {
    if (dialog.current?.open !== true) act.value = null;
  };
  const current = act.value;
  return (
    <dialog ref={dialog} class="dialog wide" aria-labelledby="act-title" onClose={closed}>
      {current !== null && (done.value === null ? <Ask act={current} /> : <Made receipt={done.value} />)}
    </dialog>
  );
}

function Ask({ act: { title, call, onDone, instead } }: { act: Act }) {
  const at = home.value;
  const place = at?.kind === "server" ? at.host : at?.kind === "page" ? at.name : null;
  const go = async () => {
    failed.value = null;
    isBusy.value = true;
    try {
      const receipt = await commitCall(call);
      if (onDone === undefined) done.value = receipt;
      else {
        act.value = null;
        onDone(receipt);
      }
    } catch (thrown) {
      failed.value = faultOf(thrown);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <h2 id="act-title">{title}</h2>
      <p class="muted">{place === null ? t("commit.note") : t("commit.note.server", { host: place })}</p>
      {failed.value !== null && (
        <FaultNote title={t("commit.failed")} fault={failed.value} note={failed.value.code === "conflict" ? t("commit.conflict") : undefined} />
      )}
      <div class="dialog-body"><WritesOf call={actCall} /></div>
      <p class="row end">
        <button type="button" class="quiet" onClick={() => (act.value = null)}>{t("commit.cancel")}</button>
        {instead !== undefined && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              act.value = null;
              instead.run();
            }}
          >
            {instead.label}
          </button>
        )}
        {mayCommit() && <button type="button" class="primary" disabled={isBusy.value} onClick={() => void go()}>{t("commit.go")}</button>}
      </p>
    </>
  );
}

/** The result of a commit, with links to its boxes. */
function Made({ receipt }: { receipt: Receipt }) {
  return (
    <>
      <h2 id="act-title">{receipt.repeated ? t("commit.repeated") : t("commit.done", { id: receipt.operation_id.slice(0, 13) })}</h2>
      <MadeBoxes receipt={receipt} onGo={() => (act.value = null)} />
      <p class="row end"><button type="button" class="quiet" onClick={() => (act.value = null)}>{t("open.close")}</button></p>
    </>
  );
}
