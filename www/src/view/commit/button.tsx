// The commit button of the call that is shown.
import { late, t } from "../../i18n/index.ts";
import { busy, committed, fault, picturedCall } from "../../state.ts";
import { MadeBoxes } from "./boxes.tsx";
import { mayCommit, propose } from "./propose.ts";

export function Commit() {
  const receipt = committed.value;
  if (!mayCommit()) return null;
  return (
    <>
      {receipt !== null && (
        <span class="committed" role="status">
          {receipt.repeated ? late("commit.repeated") : late("commit.done", { id: receipt.operation_id.slice(0, 13) })}
          <MadeBoxes receipt={receipt} />
        </span>
      )}
      <button
        type="button"
        class="primary"
        disabled={fault.value !== null || busy.value || picturedCall.value === null}
        onClick={() => {
          const call = picturedCall.peek();
          if (call !== null) propose({ title: late("commit.title"), call, onDone: (next) => (committed.value = next) });
        }}
      >
        {t("commit.button")}
      </button>
    </>
  );
}
