// Adds a captured request to the lockfile.
import { useSignal } from "@preact/signals";
import type { StepDetail, TimelineStep } from "tuckbox/web";
import { errorData } from "../../engine/client.ts";
import type { ErrorData } from "../../engine/protocol.ts";
import { t } from "../../i18n/lazy.ts";
import { addRequest } from "../../lock/state.ts";
import { pending } from "../../pending.ts";
import { ErrorNote } from "../common/error.tsx";

export function AddToLockfile({ detail, one }: { detail: StepDetail; one: TimelineStep }) {
  const error = useSignal<ErrorData | null>(null);
  const { body, origin } = detail;
  if (body === null) return null;
  const request = {
    body,
    ...(one.provider === null ? {} : { provider: one.provider }),
    ...(one.model === null ? {} : { model: one.model }),
  };
  const add = async () => {
    error.value = null;
    await addRequest(`request/${one.step}`, request, `${origin.file}#${one.request}`).catch((thrown: unknown) => {
      error.value = errorData(thrown);
    });
  };
  return (
    <>
      <button type="button" class="quiet" onClick={() => void pending(add())}>
        {t("lock.add")}
      </button>
      {error.value !== null && <ErrorNote title={t("lock.failed")} error={error.value} />}
    </>
  );
}
