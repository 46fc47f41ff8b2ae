// The whole prompt as a bar, in order: layers above, roles below. When the limit moves, only the dropped ranges are
// rendered again.
import { useMemo } from "preact/hooks";
import type { FitResult, Prompt } from "../../engine/protocol.ts";
import { limitOf, openMessage } from "../../fit/state.ts";
import { lang, number, t } from "../../i18n/lazy.ts";
import { Name, visibleText } from "../../text/plain.tsx";
import { roleLabel } from "../common/labels.tsx";

/** Returns the tokens of every message, by position. */
export function costsOf(prompt: Prompt): Float64Array {
  const costs = new Float64Array(prompt.messages.length);
  for (const { position, tokens } of prompt.account.messages) costs[position] = tokens;
  return costs;
}

/** Neighboring messages that are drawn as one part. */
interface BarPart {
  key: string;
  tokens: number;
  first: number;
}

export function FitBar({ prompt, fitted }: { prompt: Prompt; fitted: FitResult | null }) {
  const total = Math.max(1, prompt.account.tokens);
  const costs = useMemo(() => costsOf(prompt), [prompt]);
  const still = useMemo(() => staticParts(prompt, costs, total), [prompt, lang.value]);
  return (
    <div class="picture">
      <div class="stack fit-stack">
        {still.layers}
        {still.roles}
        <div class="fit-over" aria-hidden="true">
          {droppedRanges(costs, fitted).map(({ start, tokens }) => (
            <i class="fit-out" style={{ left: share(start, total), width: share(tokens, total) }} />
          ))}
          <i class="tick end" style={{ left: share(Math.min(total, limitOf(total)), total) }} />
        </div>
      </div>
      {still.legend}
    </div>
  );
}

const share = (tokens: number, total: number) => `${((tokens / total) * 100).toFixed(3)}%`;

/** Renders the parts that do not depend on the limit. */
function staticParts(prompt: Prompt, costs: Float64Array, total: number) {
  const layers: BarPart[] = [];
  const roles: BarPart[] = [];
  prompt.messages.forEach((message, position) => {
    const one = { tokens: costs[position] ?? 0, first: position };
    addPart(layers, { ...one, key: prompt.origins[position]?.layer ?? t("whatif.cards") });
    addPart(roles, { ...one, key: roleLabel(message.role) });
  });
  const framing = total - costs.reduce((sum, tokens) => sum + tokens, 0);
  return {
    layers: (
      <div class="sources" aria-hidden="true">
        {layers.map((one) => (
          <div class="source" style={{ flexGrow: one.tokens / total }} title={visibleText(one.key)}>
            <span>
              <Name text={one.key} />
            </span>
          </div>
        ))}
        <div class="source free" style={{ flexGrow: framing / total }} />
      </div>
    ),
    roles: (
      <div class="parts" data-many="true">
        {mergeParts(roles).map(({ key, tokens, first }) => {
          const label = t("whatif.part", { role: key, tokens: number(tokens), first: number(first) });
          return (
            <button
              type="button"
              tabIndex={-1}
              class="part fit"
              data-role={key}
              style={{ flexGrow: tokens / total }}
              title={label}
              aria-label={label}
              onClick={() => (openMessage.value = first)}
            />
          );
        })}
        <i class="fit framing" style={{ flexGrow: framing / total }} title={t("payload.framing")} />
      </div>
    ),
    legend: (
      <ul class="legend">
        {[...new Set(roles.map((one) => one.key))].map((role) => (
          <li>
            <i class="swatch role-swatch" data-role={role} /> <Name text={role} />
          </li>
        ))}
        <li>
          <i class="swatch role-swatch" data-dropped="true" /> {t("whatif.out")}
        </li>
        <li>
          <i class="swatch framing" /> {t("payload.framing")}
        </li>
      </ul>
    ),
  };
}

/** Appends a part, or extends the last one if both have the same key. */
function addPart(stretches: BarPart[], next: BarPart): void {
  const last = stretches.at(-1);
  if (last?.key === next.key) last.tokens += next.tokens;
  else stretches.push(next);
}

/** Merges parts if there are more than the bar has room for. */
function mergeParts(stretches: BarPart[]): BarPart[] {
  const size = Math.ceil(stretches.length / 400);
  if (size <= 1) return stretches;
  const found: BarPart[] = [];
  for (let at = 0; at < stretches.length; at += size) {
    const group = stretches.slice(at, at + size);
    const [first] = group;
    if (first !== undefined) found.push({ ...first, tokens: group.reduce((sum, one) => sum + one.tokens, 0) });
  }
  return found;
}

/** Returns the dropped ranges; ranges less than a pixel apart are one. */
function droppedRanges(costs: Float64Array, fitted: FitResult | null): { start: number; tokens: number }[] {
  if (fitted === null) return [];
  const pixel = costs.reduce((sum, tokens) => sum + tokens, 0) / 1_000;
  const found: { start: number; tokens: number }[] = [];
  let start = 0;
  costs.forEach((tokens, position) => {
    if ((fitted.dropped_with[position] ?? -1) >= 0) {
      const last = found.at(-1);
      if (last !== undefined && start - last.start - last.tokens < pixel) last.tokens = start + tokens - last.start;
      else found.push({ start, tokens });
    }
    start += tokens;
  });
  return found;
}
