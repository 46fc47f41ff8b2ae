import type { ComponentChildren } from "preact";
import { cards, lang, number, t } from "../i18n/index.ts";
import { boxView, fault, shown, tab, target, view, type Tab } from "../state.ts";
import { Name } from "../text/plain.tsx";
import { WindowBar } from "./bar.tsx";
import { Commit } from "./commit.tsx";
import { FaultNote } from "./fault.tsx";
import { CardList } from "./list.tsx";
import { Dropped, Lints } from "./notes.tsx";
import { Writes } from "./writes.tsx";

export function Center() {
  const at = target.value;
  const box = boxView.value;
  const several = (view.value?.boxes.length ?? 0) > 1;
  return (
    <section class="center">
      <div class="top">
        <div class="heading">
          <div>
            <h2>{at?.kind === "call" ? at.call.title[lang.value] : at === null ? "" : <Name text={at.box_id} />}</h2>
            {at?.kind === "call" && <p class="muted">{at.call.note[lang.value]}</p>}
          </div>
          {at?.kind === "call" && <p class="row"><Commit /></p>}
        </div>
        {several && (
          <div class="boxes" role="group">
            {view.value?.boxes.map((one, index) => (
              <button
                type="button"
                class="quiet"
                aria-pressed={shown.value === index}
                onClick={() => (shown.value = index)}
              >
                {index + 1} · {cards(one.cards)}
              </button>
            ))}
          </div>
        )}
        {fault.value !== null && (
          <FaultNote
            title={t("fault.title")}
            fault={fault.value}
            note={view.value === null ? undefined : t("fault.last")}
          />
        )}
        {box !== null && <WindowBar box={box} />}
        <Tabs />
      </div>
      {box !== null && <Body tab={tab.value} />}
    </section>
  );
}

function Body({ tab: open }: { tab: Tab }) {
  switch (open) {
    case "cards":
      return <CardList />;
    case "lints":
      return <Panel of="lints"><Lints /></Panel>;
    case "dropped":
      return <Panel of="dropped"><Dropped /></Panel>;
    case "writes":
      return <Panel of="writes"><Writes /></Panel>;
  }
}

function Panel({ of, children }: { of: Tab; children: ComponentChildren }) {
  return <div class="panel" role="tabpanel" id={`panel-${of}`} aria-labelledby={`tab-${of}`} tabIndex={0}>{children}</div>;
}

function Tabs() {
  const found = view.value;
  const isCall = target.value?.kind === "call";
  const counts: [Tab, number | null][] = [
    ["cards", boxView.value?.cards ?? 0],
    ["lints", found?.lints.length ?? 0],
  ];
  if (isCall) counts.push(["dropped", found?.dropped.length ?? 0], ["writes", null]);
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const at = counts.findIndex(([name]) => name === tab.value);
    const next = counts[(at + step + counts.length) % counts.length]?.[0];
    if (next === undefined) return;
    tab.value = next;
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={t("tab.label")} onKeyDown={move}>
      {counts.map(([name, count]) => (
        <button
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={tab.value === name}
          aria-controls={`panel-${name}`}
          tabIndex={tab.value === name ? 0 : -1}
          data-warn={name === "lints" && (count ?? 0) > 0}
          onClick={() => (tab.value = name)}
        >
          {t(`tab.${name}`)}
          {count !== null && <span class="figure">{number(count)}</span>}
        </button>
      ))}
    </div>
  );
}
