// The price of tokens next to their number.
import { t } from "../../i18n/lazy.ts";
import { money } from "../../text/money.ts";

/** The price of the input in dollars; `null` if the table of models has none. */
export function Price({ dollars }: { dollars: number | null }) {
  return (
    <span class="muted" data-cost={dollars ?? "unknown"} title={t("bar.cost.why")}>
      {dollars === null ? t("bar.cost.unknown") : money(dollars)}
    </span>
  );
}
