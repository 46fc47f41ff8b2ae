import type { ComponentChildren } from "preact";
import { building } from "../../build/start.ts";
import { namedCall } from "../../calls.ts";
import { cards, lang, number, t, tLazy } from "../../i18n/index.ts";
import { byId } from "../../mount.ts";
import { hasRows } from "../../preview.ts";
import { boxName, boxView, lastPreview, previewError, request, show, shown, type Tab, type Target, tab, target } from "../../state.ts";
import { Name, Plain } from "../../text/plain.tsx";
import { ErrorNote } from "../common/error.tsx";
import { lazy } from "../common/lazy.tsx";
import type { TermName } from "../shell/glossary.tsx";
import { CardList } from "./card-list.tsx";
import { Search } from "./card-search.tsx";
import { WindowBar } from "./window-bar.tsx";

const Commit = lazy(async () => (await import("../commit/button.tsx")).CommitButton);
const Sides = lazy(async () => (await import("../handover/sides.tsx")).Sides);
const Messages = lazy(async () => (await import("./messages.tsx")).Messages);
const ShownPayload = lazy(async () => (await import("./payload.tsx")).ContextPayload);
const Problems = lazy(async () => (await import("./problems.tsx")).Problems);
const Writes = lazy(async () => (await import("../commit/writes.tsx")).Writes);

export function Center() {
  const at = target.value;
  if (at === null) return <NothingSelected />;
  return <Shown at={at} />;
}

/** Shown when nothing is selected, as after connecting to a server. */
function NothingSelected() {
  return (
    <section class="center nothing">
      <h2>{t("center.empty")}</h2>
      <p class="muted">{t("center.empty.how")}</p>
      <BoxById />
    </section>
  );
}

/** A form that opens a box by id. */
export function BoxById() {
  return (
    <form
      class="row byid"
      onSubmit={(event) => {
        event.preventDefault();
        const box_id = String(new FormData(event.currentTarget).get("box_id") ?? "").trim();
        if (box_id !== "") show({ kind: "box", box_id });
      }}
    >
      <input name="box_id" type="text" spellcheck={false} placeholder={t("boxes.byid")} aria-label={t("boxes.byid")} />
      <button type="submit" class="quiet">
        {t("boxes.byid.go")}
      </button>
    </form>
  );
}

function Shown({ at }: { at: Target }) {
  const call = namedCall.value;
  const box = boxView.value;
  const isBuilding = building.value && call !== null;
  const several = (lastPreview.value?.boxes.length ?? 0) > 1;
  return (
    <section class="center">
      <div class="top">
        <div class="heading">
          <div>
            <h2>
              <Name text={call?.title[lang.value] ?? nameOf(at)} />
              {isBuilding && previewError.value !== null && lastPreview.value !== null && <span class="stale">{t("error.stale")}</span>}
            </h2>
            {call !== null && (
              <p class="muted">
                <Plain text={call.note?.[lang.value] ?? ""} />
              </p>
            )}
            {at.kind === "box" && boxName(at.box_id) !== at.box_id && (
              <p class="muted mono">
                <Name text={at.box_id} />
              </p>
            )}
          </div>
          {call !== null && (
            <div class="row">
              {!building.value && (
                <button type="button" class="quiet" onClick={() => (building.value = true)}>
                  {t("build.edit")}
                </button>
              )}
              {hasRows.value && <Commit />}
            </div>
          )}
        </div>
        {several && (
          <div class="boxes" role="group">
            {lastPreview.value?.boxes.map((one, index) => (
              <button type="button" class="quiet" aria-pressed={shown.value === index} onClick={() => (shown.value = index)}>
                {index + 1} · {cards(one.cards)}
              </button>
            ))}
          </div>
        )}
        {previewError.value !== null && !isBuilding && (
          <ErrorNote title={t("error.title")} error={previewError.value} note={lastPreview.value === null ? undefined : t("error.last")} />
        )}
        {box !== null && <WindowBar />}
        <div class="tab-row">
          <Tabs />
          <Search />
        </div>
      </div>
      {box !== null && <Body tab={tab.value} />}
    </section>
  );
}

function nameOf(at: Target): string {
  if (at.kind === "box") return boxName(at.box_id);
  return at.kind === "agent" ? at.agent_id : "";
}

function Body({ tab: open }: { tab: Tab }) {
  switch (open) {
    case "cards":
      return <CardList />;
    case "messages":
      return (
        <Panel of="messages">
          <Messages />
        </Panel>
      );
    case "payload":
      return (
        <Panel of="payload">
          <ShownPayload />
        </Panel>
      );
    case "sides":
      return (
        <Panel of="sides">
          <Sides />
        </Panel>
      );
    case "problems":
      return (
        <Panel of="problems">
          <Problems />
        </Panel>
      );
    case "writes":
      return (
        <Panel of="writes">
          <Writes />
        </Panel>
      );
  }
}

function Panel({ of, children }: { of: Tab; children: ComponentChildren }) {
  return (
    <div class="panel" role="tabpanel" id={`panel-${of}`} aria-labelledby={`tab-${of}`} tabIndex={0}>
      {children}
    </div>
  );
}

/** The glossary terms of tabs. */
const TAB_TERMS: Partial<Record<Tab, TermName>> = { cards: "card", sides: "handover", payload: "payload", writes: "commit" };

function Tabs() {
  const isCall = target.value?.kind === "call";
  const counts: [Tab, number | null][] = [
    ["cards", boxView.value?.cards ?? 0],
    ...(isCall ? [["sides", null] satisfies [Tab, null]] : []),
    ["messages", null],
    ["payload", null],
    ["problems", request.value?.problems.length ?? 0],
  ];
  if (isCall) counts.push(["writes", null]);
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const at = counts.findIndex(([name]) => name === tab.value);
    const next = counts[(at + step + counts.length) % counts.length]?.[0];
    if (next === undefined) return;
    tab.value = next;
    byId(`tab-${next}`)?.focus();
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
          title={TAB_TERMS[name] === undefined ? undefined : tLazy(`term.${TAB_TERMS[name]}.is`)}
          data-warn={name === "problems" && (count ?? 0) > 0}
          onClick={() => (tab.value = name)}
        >
          {t(`tab.${name}`)}
          {count !== null && <span class="num">{number(count)}</span>}
        </button>
      ))}
    </div>
  );
}
