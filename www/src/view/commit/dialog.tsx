// The dialog that confirms a commit. It shows everything that the commit will write, and links to the result afterward.
import { computed, effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { errorData } from "../../engine/client.ts";
import type { ErrorData, Receipt } from "../../engine/protocol.ts";
import { t } from "../../i18n/lazy.ts";
import { commitCall } from "../../project.ts";
import { storedIn } from "../../state.ts";
import { ErrorNote } from "../common/error.tsx";
import { CommittedBoxes } from "./boxes.tsx";
import { mayCommit, type Proposal, proposal } from "./propose.ts";
import { WritesOf } from "./writes.tsx";

const error = signal<ErrorData | null>(null);
const isBusy = signal(false);
const done = signal<Receipt | null>(null);
const proposedCall = computed(() => proposal.value?.call ?? null);

export function CommitDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(
    () =>
      effect(() => {
        error.value = null;
        done.value = null;
        if (proposal.value === null) dialog.current?.close();
        else if (dialog.current?.open === false) dialog.current.showModal();
      }),
    [],
  );
  // the dialog may be open again for another proposal
  const closed = () => {
    if (dialog.current?.open !== true) proposal.value = null;
  };
  const current = proposal.value;
  return (
    <dialog ref={dialog} class="dialog wide" aria-labelledby="act-title" onClose={closed}>
      {current !== null && (done.value === null ? <Confirm proposal={current} /> : <Committed receipt={done.value} />)}
    </dialog>
  );
}

function Confirm({ proposal: { title, call, onDone, alternative } }: { proposal: Proposal }) {
  const at = storedIn.value;
  const place = at?.kind === "server" ? at.host : at?.kind === "page" ? at.name : null;
  const go = async () => {
    error.value = null;
    isBusy.value = true;
    try {
      const receipt = await commitCall(call);
      if (onDone === undefined) done.value = receipt;
      else {
        proposal.value = null;
        onDone(receipt);
      }
    } catch (thrown) {
      error.value = errorData(thrown);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <h2 id="act-title">{title}</h2>
      <p class="muted">{place === null ? t("commit.note") : t("commit.note.server", { host: place })}</p>
      {error.value !== null && (
        <ErrorNote
          title={t("commit.failed")}
          error={error.value}
          note={error.value.code === "conflict" ? t("commit.conflict") : undefined}
        />
      )}
      <div class="dialog-body">
        <WritesOf call={proposedCall} />
      </div>
      <p class="row end">
        <button type="button" class="quiet" onClick={() => (proposal.value = null)}>
          {t("commit.cancel")}
        </button>
        {alternative !== undefined && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              proposal.value = null;
              alternative.run();
            }}
          >
            {alternative.label}
          </button>
        )}
        {mayCommit() && (
          <button type="button" class="primary" disabled={isBusy.value} onClick={() => void go()}>
            {t("commit.go")}
          </button>
        )}
      </p>
    </>
  );
}

/** The result of a commit, with links to its boxes. */
function Committed({ receipt }: { receipt: Receipt }) {
  return (
    <>
      <h2 id="act-title">{receipt.repeated ? t("commit.repeated") : t("commit.done", { id: receipt.operation_id.slice(0, 13) })}</h2>
      <CommittedBoxes receipt={receipt} onGo={() => (proposal.value = null)} />
      <p class="row end">
        <button type="button" class="quiet" onClick={() => (proposal.value = null)}>
          {t("open.close")}
        </button>
      </p>
    </>
  );
}
