// Looking for a text among the cards. The core says which positions hold it.
import { useRef } from "preact/hooks";
import { number, t } from "../i18n/index.ts";
import { byId } from "../place.ts";
import { search, select, selected, view } from "../state.ts";
import { isOnlyMatches } from "./list.tsx";

export function Search() {
  const input = useRef<HTMLInputElement>(null);
  const matches = search.value === "" ? undefined : view.value?.matches;
  const step = (direction: 1 | -1) => {
    const found = view.peek()?.matches ?? [];
    const here = selected.peek() ?? -1;
    const next = direction === 1
      ? (found.find((position) => position > here) ?? found[0])
      : (found.findLast((position) => position < here) ?? found.at(-1));
    if (next !== undefined) select(next);
  };
  return (
    <div class="search" role="search">
      {matches !== undefined && (
        <label class="choice check" title={t("search.only")}>
          <input type="checkbox" checked={isOnlyMatches.value} onChange={(event) => (isOnlyMatches.value = event.currentTarget.checked)} aria-label={t("search.only")} />
        </label>
      )}
      {matches !== undefined && <span class="figure" role="status">{t("search.found", { n: number(matches.length) })}</span>}
      <input
        ref={input}
        id="search"
        type="search"
        placeholder={`${t("search.label")}  /`}
        aria-label={t("search.label")}
        spellcheck={false}
        value={search.value}
        onInput={(event) => (search.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape") {
            search.value = "";
            byId("card")?.focus();
          } else return;
          event.preventDefault();
        }}
      />
    </div>
  );
}
