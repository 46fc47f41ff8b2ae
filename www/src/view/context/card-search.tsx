// Searches the cards of the context. The core returns the matching positions.
import { useRef } from "preact/hooks";
import { number, t } from "../../i18n/index.ts";
import { byId } from "../../mount.ts";
import { matches, search, select, selected } from "../../state.ts";
import { isOnlyMatches } from "./card-list.tsx";

export function Search() {
  const input = useRef<HTMLInputElement>(null);
  const found = matches.value;
  const step = (direction: 1 | -1) => {
    const all = matches.peek() ?? new Uint32Array();
    const here = selected.peek() ?? -1;
    const next =
      direction === 1 ? (all.find((position) => position > here) ?? all[0]) : (all.findLast((position) => position < here) ?? all.at(-1));
    if (next !== undefined) select(next);
  };
  return (
    <div class="search" role="search">
      {found !== null && (
        <label class="choice check" title={t("search.only")}>
          <input
            type="checkbox"
            checked={isOnlyMatches.value}
            onChange={(event) => (isOnlyMatches.value = event.currentTarget.checked)}
            aria-label={t("search.only")}
          />
        </label>
      )}
      {found !== null && (
        <span class="num" role="status">
          {t("search.found", { n: number(found.length) })}
        </span>
      )}
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
