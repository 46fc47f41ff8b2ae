// The container of the request's bar. The bar itself is loaded after the first cards.
import { useMemo } from "preact/hooks";
import { t } from "../../i18n/index.ts";
import { busy, request, requestBusy, requestError } from "../../state.ts";
import { ErrorNote } from "../common/error.tsx";
import { lazy } from "../common/lazy.tsx";

const RequestBar = lazy(async () => (await import("./request-bar.tsx")).RequestBar, Counting);

function Counting() {
  return (
    <p class="sum muted" aria-busy="true">
      {t("bar.counting")}
    </p>
  );
}

/** The bar; `aria-busy` until it shows the current request. */
export function WindowBar() {
  const found = request.value;
  // a pending request changes none of the parts
  const counted = useMemo(() => found !== null && <RequestBar view={found} />, [found]);
  if (requestError.value !== null) return <ErrorNote title={t("bar.failed")} error={requestError.value} />;
  return (
    <section
      class="picture"
      aria-label={t("bar.label")}
      aria-busy={found === null || busy.value || requestBusy.value}
      data-level={found?.window?.level ?? "calm"}
    >
      {counted || <Counting />}
    </section>
  );
}
