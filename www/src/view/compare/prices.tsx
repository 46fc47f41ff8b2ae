// The cost of a request by the user's own prices; the page knows no prices.
import { computed, signal } from "@preact/signals";
import type { PayloadDiff } from "../../engine/protocol.ts";
import { lang, t } from "../../i18n/lazy.ts";
import { loadPreference, savePreference } from "../../preferences.ts";
import { models, provider } from "../../terms.ts";
import { Name } from "../../text/plain.tsx";

/** Prices per million input tokens. */
interface Price {
  fresh: number;
  cached: number;
}

const MILLION = 1_000_000;
const table = signal<Record<string, Price>>(read());

function read(): Record<string, Price> {
  try {
    const found: unknown = JSON.parse(loadPreference("prices") ?? "{}");
    const isPrice = (given: unknown): given is Price =>
      typeof given === "object" &&
      given !== null &&
      ["fresh", "cached"].every((key) => Number.isFinite((given as Record<string, unknown>)[key]));
    return typeof found === "object" && found !== null
      ? Object.fromEntries(Object.entries(found).filter((entry): entry is [string, Price] => isPrice(entry[1])))
      : {};
  } catch {
    return {};
  }
}

const model = computed(() => `${provider.value} ${models.value[provider.value]}`.trim());
const price = computed<Price | null>(() => (Object.hasOwn(table.value, model.value) ? (table.value[model.value] ?? null) : null));

function setPrice(part: Partial<Price>): void {
  const next = { fresh: 0, cached: 0, ...price.peek(), ...part };
  if (!Object.values(next).every((value) => Number.isFinite(value) && value >= 0)) return;
  table.value = { ...table.peek(), [model.peek()]: next };
  savePreference("prices", JSON.stringify(table.peek()));
}

function money(amount: number): string {
  return new Intl.NumberFormat(lang.value === "zh" ? "zh-CN" : "en-GB", {
    minimumSignificantDigits: 2,
    maximumSignificantDigits: 4,
  }).format(amount);
}

/** The cost next to the other numbers of a comparison. */
export function Cost({ cache }: { cache: PayloadDiff }) {
  const now = price.value;
  if (now === null) return null;
  const [before, cachedTokens, after] = [cache.before_tokens, cache.cache.kept_tokens, cache.after_tokens];
  const cost = ((after - cachedTokens) * now.fresh + cachedTokens * now.cached) / MILLION;
  return (
    <div class="cost">
      <dt>{t("compare.cost")}</dt>
      <dd>
        {money((before * now.fresh) / MILLION)} <span class="muted">→</span> {money(cost)}{" "}
        <span class="muted">{t("compare.cost.saved", { n: money((cachedTokens * (now.fresh - now.cached)) / MILLION) })}</span>
      </dd>
    </div>
  );
}

/** The form for the prices of the selected model. */
export function Prices() {
  const now = price.value;
  return (
    <details class="prices">
      <summary>{t("compare.prices")}</summary>
      <p class="row">
        <code>
          <Name text={model.value} />
        </code>
        {(["fresh", "cached"] as const).map((part) => (
          <label class="choice">
            <span>{t(`compare.price.${part}`)}</span>
            <input
              type="number"
              min="0"
              step="any"
              value={now?.[part] ?? ""}
              onInput={(event) => setPrice({ [part]: event.currentTarget.valueAsNumber })}
            />
          </label>
        ))}
        <span class="muted">{t("compare.price.note")}</span>
      </p>
    </details>
  );
}
