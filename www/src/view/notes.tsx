// Lints and what was left out: in the core's words, each with a way to its place.
import { t, word } from "../i18n/index.ts";
import { goTo, view } from "../state.ts";
import { Name, Plain } from "../text/plain.tsx";

export function Lints() {
  const lints = view.value?.lints ?? [];
  if (lints.length === 0) return <p class="empty">{t("lints.empty")}</p>;
  return (
    <ul class="notes">
      {lints.map((lint) => {
        const place = lint.place;
        return (
          <li>
            <p class="note-head">
              <code class="code">{lint.code}</code>
              <code class="path"><Name text={lint.path} /></code>
              {place !== undefined && (
                <button type="button" class="quiet" onClick={() => goTo(place.position, place.shown)}>
                  {t("lints.go")} <span class="figure">{place.position}</span>
                </button>
              )}
            </p>
            <p><Plain text={lint.message} /></p>
          </li>
        );
      })}
    </ul>
  );
}

export function Dropped() {
  const dropped = view.value?.dropped ?? [];
  if (dropped.length === 0) return <p class="empty">{t("dropped.empty")}</p>;
  return (
    <ul class="notes">
      {dropped.map(({ path, reason }) => (
        <li>
          <p class="note-head">
            <code class="code">{reason}</code>
            <code class="path"><Name text={path} /></code>
          </p>
          <p>{word("dropped", reason)}</p>
        </li>
      ))}
    </ul>
  );
}
