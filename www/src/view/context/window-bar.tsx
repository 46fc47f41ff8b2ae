// The container of the request's bar. The bar itself is loaded after the first cards.
import { useMemo } from "preact/hooks";
import { t } from "../../i18n/index.ts";
import { busy, request, requestBusy, requestFault } from "../../state.ts";
import { FaultNote } from "../common/error.tsx";
import { later } from "../common/lazy.tsx";

const Counted = later(async () => (await import("./request-bar.tsx")).Counted, Counting);

function Counting() {
  return <p class="sum muted" aria-busy="true">{t("bar.counting")}</p>;
}

/** The bar; `aria-busy` until it shows the current request. */
export function WindowBar() {
  const found = request.value;
  // a pending request changes none of the parts
  const counted = useMemo(() => found !== null && <Counted view={found} />, [found]);
  if (requestFault.value !== null) return <FaultNote title={t("bar.failed")} fault={requestFault.value} />;
  return (
    <section class="picture" aria-label={t("bar.label")} aria-busy={found === null || busy.value || requestBusy.value} data-level={found?.window?.level ?? "calm"}>
      {counted || <Counting />}
    </section>
  );
}
