// The place of the request's bar. What it is made of comes after the first cards, as the request does.
import { useMemo } from "preact/hooks";
import { t } from "../../i18n/index.ts";
import { busy, request, requestBusy, requestFault } from "../../state.ts";
import { FaultNote } from "../common/error.tsx";
import { later } from "../common/lazy.tsx";

const Counted = later(async () => (await import("./request-bar.tsx")).Counted, Counting);

function Counting() {
  return <p class="sum muted" aria-busy="true">{t("bar.counting")}</p>;
}

/** Busy until the bar is that of what the page was asked to show. */
export function WindowBar() {
  const found = request.value;
  // that something is asked changes none of the parts
  const counted = useMemo(() => found !== null && <Counted view={found} />, [found]);
  if (requestFault.value !== null) return <FaultNote title={t("bar.failed")} fault={requestFault.value} />;
  return (
    <section class="picture" aria-label={t("bar.label")} aria-busy={found === null || busy.value || requestBusy.value} data-level={found?.window?.level ?? "calm"}>
      {counted || <Counting />}
    </section>
  );
}
