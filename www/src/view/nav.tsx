import { lang, number, t } from "../i18n/index.ts";
import { project, show, target } from "../state.ts";
import { Name } from "../text/plain.tsx";

export function Nav() {
  const info = project.value;
  const at = target.value;
  if (info === null) return null;
  return (
    <nav class="nav" aria-label={t("nav.label")}>
      <h2>{t("nav.handovers")}</h2>
      <ul>
        {info.calls.map((call) => (
          <li>
            <button
              type="button"
              class="entry"
              aria-current={at?.kind === "call" && at.call.id === call.id ? "true" : undefined}
              onClick={() => show({ kind: "call", call })}
            >
              <span class="entry-title">{call.title[lang.value]}</span>
              <span class="entry-note">{call.note[lang.value]}</span>
            </button>
          </li>
        ))}
      </ul>
      <h2>{t("nav.boxes")}</h2>
      <ul>
        {info.boxes.map((box) => (
          <li>
            <button
              type="button"
              class="entry one"
              aria-current={at?.kind === "box" && at.box_id === box.box_id ? "true" : undefined}
              onClick={() => show({ kind: "box", box_id: box.box_id })}
            >
              <span class="entry-title mono"><Name text={box.box_id} /></span>
              <span class="figure">{number(box.cards)}</span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
