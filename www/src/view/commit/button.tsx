// The commit button of the call that is shown.
import { t, tLazy } from "../../i18n/index.ts";
import { busy, lastReceipt, previewCall, previewError } from "../../state.ts";
import { CommittedBoxes } from "./boxes.tsx";
import { mayCommit, propose } from "./propose.ts";

export function CommitButton() {
  const receipt = lastReceipt.value;
  if (!mayCommit()) return null;
  return (
    <>
      {receipt !== null && (
        <span class="committed" role="status">
          {receipt.repeated ? tLazy("commit.repeated") : tLazy("commit.done", { id: receipt.operation_id.slice(0, 13) })}
          <CommittedBoxes receipt={receipt} />
        </span>
      )}
      <button
        type="button"
        class="primary"
        disabled={previewError.value !== null || busy.value || previewCall.value === null}
        onClick={() => {
          const call = previewCall.peek();
          if (call !== null) propose({ title: tLazy("commit.title"), call, onDone: (next) => (lastReceipt.value = next) });
        }}
      >
        {t("commit.button")}
      </button>
    </>
  );
}
