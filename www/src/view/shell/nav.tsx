import { OPS } from "../../build/operations.ts";
import { createCall } from "../../build/start.ts";
import { compositions, drafts, packingCalls } from "../../calls.ts";
import { openFit } from "../../fit/state.ts";
import { codeLabel, lang, number, t } from "../../i18n/index.ts";
import { boxName, project, show, storedIn, target, view } from "../../state.ts";
import { Name, Plain, visibleText } from "../../text/plain.tsx";
import { Menu } from "../common/menu.tsx";
import { BoxById } from "../context/center.tsx";
import { Term } from "./glossary.tsx";

/** The maximum number of agents and boxes listed; the view "Boxes" has a search. */
const MAX_LISTED = 200;

function More({ than }: { than: readonly unknown[] }) {
  if (than.length <= MAX_LISTED) return null;
  return (
    <button type="button" class="quiet" onClick={() => (view.value = "boxes")}>
      {t("messages.more", { n: number(than.length - MAX_LISTED) })}
    </button>
  );
}

export function Nav() {
  const info = project.value;
  const at = target.value;
  if (info === null) return null;
  return (
    <nav class="nav" aria-label={t("nav.label")}>
      <h2>
        <Term of="handover">{t("nav.handovers")}</Term>
      </h2>
      <ul>
        {packingCalls.value.map((call) => (
          <li>
            <button
              type="button"
              class="entry"
              aria-current={at?.kind === "call" && at.id === call.id ? "true" : undefined}
              onClick={() => show({ kind: "call", id: call.id })}
            >
              <span class="entry-title">
                <Name text={call.title[lang.value] ?? call.id} />
                {drafts.value.has(call.id) && (
                  <span class="changed" title={t("build.changed")}>
                    •
                  </span>
                )}
              </span>
              <span class="entry-note">
                <Plain text={call.note?.[lang.value] ?? ""} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <Menu class="new" label={`+ ${t("build.new")}`}>
        {OPS.map((op) => (
          <button type="button" class="quiet new-op" onClick={() => void createCall(op)}>
            <span>{t(`build.op.${op}`)}</span> <code class="muted">{op}</code>
          </button>
        ))}
      </Menu>
      {compositions.value.length > 0 && (
        <h2>
          <Term of="composition">{t("nav.compositions")}</Term>
        </h2>
      )}
      <ul>
        {compositions.value.map((call) => (
          <li>
            <button type="button" class="entry" onClick={() => openFit(call.id)}>
              <span class="entry-title">
                <Name text={call.title[lang.value] ?? call.id} />
                {drafts.value.has(call.id) && (
                  <span class="changed" title={t("build.changed")}>
                    •
                  </span>
                )}
              </span>
              <span class="entry-note">
                <Plain text={call.note?.[lang.value] ?? ""} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <h2>
        <Term of="agent">{t("nav.agents")}</Term>
      </h2>
      <ul>
        {info.agents.slice(0, MAX_LISTED).map((agent) => (
          <li>
            <button
              type="button"
              class="entry one"
              aria-current={at?.kind === "agent" && at.agent_id === agent.agent_id ? "true" : undefined}
              onClick={() => show({ kind: "agent", agent_id: agent.agent_id })}
            >
              <span class="entry-title">
                <Name text={agent.display_name ?? agent.agent_id} />
              </span>
              <span class="num">{agent.status === null ? "" : codeLabel("run", agent.status)}</span>
            </button>
          </li>
        ))}
      </ul>
      <More than={info.agents} />
      <h2>
        <Term of="box">{t("nav.boxes")}</Term>
      </h2>
      {storedIn.value?.kind !== "browser" && <BoxById />}
      <ul class="nav-boxes">
        {info.boxes.slice(0, MAX_LISTED).map((box) => (
          <li>
            <button
              type="button"
              class="entry one"
              aria-current={at?.kind === "box" && at.box_id === box.box_id ? "true" : undefined}
              onClick={() => show({ kind: "box", box_id: box.box_id })}
            >
              <span class={boxName(box.box_id) === box.box_id ? "entry-title mono" : "entry-title"} title={visibleText(box.box_id)}>
                <Name text={boxName(box.box_id)} />
              </span>
              <span class="num">{number(box.cards)}</span>
            </button>
          </li>
        ))}
      </ul>
      <More than={info.boxes} />
    </nav>
  );
}
