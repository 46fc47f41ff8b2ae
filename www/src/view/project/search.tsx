// Searches the whole project: every matching card with the surrounding text, by box.
import { signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ask } from "../../engine/client.ts";
import type { Hits } from "../../engine/protocol.ts";
import { cards, number, t } from "../../i18n/lazy.ts";
import { boxName, goTo, project, projectSearch, search, show } from "../../state.ts";
import { Name, Plain } from "../../text/plain.tsx";
import { ErrorNote } from "../common/error.tsx";
import { kindLabel } from "../common/labels.tsx";
import { useQuestion } from "../common/question.ts";
import { isOnlyMatches } from "../context/card-list.tsx";

type Hit = Hits["hits"][number];

/** The maximum number of cards and boxes listed. */
const MAX_LISTED = 200;
/** Whether boxes without matches are hidden. */
const isOnlyMatchingBoxes = signal(true);

export function ProjectSearch() {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const { answer, error, busy } = useQuestion(() => {
    const text = projectSearch.value.trim();
    // the project may have changed
    void project.value;
    return text === "" ? async () => null : () => ask("searchCards", text, MAX_LISTED).then((hits) => ({ text, hits }));
  });
  return (
    <section class="find" aria-label={t("view.search")} aria-busy={busy.value}>
      <div class="find-head" role="search">
        <input
          ref={input}
          type="search"
          aria-label={t("find.label")}
          placeholder={t("find.hint")}
          spellcheck={false}
          value={projectSearch.value}
          onInput={(event) => (projectSearch.value = event.currentTarget.value)}
        />
        <label class="choice check">
          <input
            type="checkbox"
            checked={isOnlyMatchingBoxes.value}
            onChange={(event) => (isOnlyMatchingBoxes.value = event.currentTarget.checked)}
          />
          <span>{t("find.boxes")}</span>
        </label>
        <ResultCount hits={answer.value?.hits} />
      </div>
      {error.value !== null && <ErrorNote title={t("error.title")} error={error.value} />}
      {answer.value != null && <Boxes text={answer.value.text} hits={answer.value.hits.hits} />}
    </section>
  );
}

function ResultCount({ hits }: { hits: Hits | undefined }) {
  if (hits === undefined) return <span role="status" />;
  const found = hits.total === 0 ? t("find.none") : t("find.found", { found: number(hits.total), searched: cards(hits.searched) });
  return (
    <span class="muted" role="status">
      {found}
      {hits.total > hits.hits.length && <>, {t("find.first", { n: number(hits.hits.length) })}</>}
    </span>
  );
}

/** The boxes in project order, each with its matching cards. */
function Boxes({ text, hits }: { text: string; hits: readonly Hit[] }) {
  const byBox = new Map<string, Hit[]>((isOnlyMatchingBoxes.value ? [] : (project.value?.boxes ?? [])).map(({ box_id }) => [box_id, []]));
  for (const hit of hits) byBox.set(hit.box_id, [...(byBox.get(hit.box_id) ?? []), hit]);
  const limit = useSignal(MAX_LISTED);
  return (
    <div class="find-boxes">
      {Array.from(byBox)
        .slice(0, limit.value)
        .map(([box_id, found]) => (
          <section key={box_id} class="find-box" data-found={found.length > 0}>
            <h2>
              <button type="button" class="quiet" onClick={() => show({ kind: "box", box_id })}>
                <Name text={boxName(box_id)} />
              </button>
              <span class="num">{cards(found.length)}</span>
              {found.length > 0 && (
                <button type="button" class="quiet" onClick={() => showMatches(box_id, text)}>
                  {t("find.only")}
                </button>
              )}
            </h2>
            <ul>
              {found.map((hit) => (
                <HitRow key={hit.position} hit={hit} />
              ))}
            </ul>
          </section>
        ))}
      {byBox.size > limit.value && (
        <button type="button" class="quiet" onClick={() => (limit.value += MAX_LISTED * 10)}>
          {t("messages.more", { n: number(byBox.size - limit.value) })}
        </button>
      )}
    </div>
  );
}

function HitRow({ hit: { box_id, position, kind, type, card_id, boxes, snippet } }: { hit: Hit }) {
  const lead = () => {
    show({ kind: "box", box_id });
    goTo(position, 0);
  };
  return (
    <li>
      <button type="button" class="hit" onClick={lead}>
        <span class="num">{number(position)}</span>
        <i class="swatch" data-kind={kind} />
        <code class="type">
          <Name text={type ?? kindLabel(kind)} />
        </code>
        <span class="snippet">
          {snippet.found === "" ? (
            <Name text={card_id} />
          ) : (
            <>
              <Plain text={snippet.before} />
              <mark>
                <Plain text={snippet.found} />
              </mark>
              <Plain text={snippet.after} />
            </>
          )}
        </span>
        {boxes > 1 && <span class="muted">{t("find.also", { n: number(boxes) })}</span>}
      </button>
    </li>
  );
}

/** Opens a box with only its matching cards. */
function showMatches(box_id: string, text: string): void {
  show({ kind: "box", box_id });
  search.value = text;
  isOnlyMatches.value = true;
}
