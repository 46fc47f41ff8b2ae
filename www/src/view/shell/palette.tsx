// The command palette: Ctrl+K or Cmd+K.

import { computed, effect, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { OPS } from "../../build/operations.ts";
import { building, createCall } from "../../build/start.ts";
import { compositions, packingCalls } from "../../calls.ts";
import { isHelpOpen, isOpen, isPaletteOpen } from "../../dialogs.ts";
import { ask } from "../../engine/client.ts";
import { DIALECTS } from "../../engine/protocol.ts";
import { openFit } from "../../fit/state.ts";
import { type Key, lang, setLang, t } from "../../i18n/lazy.ts";
import { byId } from "../../mount.ts";
import { visibleViews } from "../../project.ts";
import { goTo, project, setDialect, show, view } from "../../state.ts";
import { Name } from "../../text/plain.tsx";
import { THEMES, theme } from "../../theme.ts";
import { didLabel, goToStep, overview } from "../../timeline/state.ts";
import { useQuestion } from "../common/question.ts";
import { Glossary } from "./glossary.tsx";

interface Command {
  text: string;
  note?: string;
  group: Key;
  run: () => void;
}

const stepCommands = computed<Command[]>(() =>
  (overview.value?.steps ?? []).map((one) => ({
    text: `${t("timeline.step", { n: one.step })} · ${didLabel(one)}`,
    group: "view.timeline",
    run: () => goToStep(one.step),
  })),
);

const commands = computed<Command[]>(() => {
  const info = project.value;
  if (info === null) return [];
  return [
    ...packingCalls.value.map(
      (call): Command => ({
        text: call.title[lang.value] ?? call.id,
        group: "nav.handovers",
        run: () => show({ kind: "call", id: call.id }),
      }),
    ),
    ...compositions.value.map(
      (call): Command => ({
        text: call.title[lang.value] ?? call.id,
        group: "nav.compositions",
        run: () => openFit(call.id),
      }),
    ),
    ...stepCommands.value,
    ...visibleViews.value.map((name): Command => ({ text: t(`view.${name}`), group: "palette.view", run: () => (view.value = name) })),
    { text: t("build.edit"), group: "palette.do", run: () => (building.value = true) },
    { text: t("open.title"), group: "palette.do", run: () => (isOpen.value = true) },
    { text: t("keys.title"), group: "palette.do", run: () => (isHelpOpen.value = true) },
    ...OPS.map((op): Command => ({ text: `${t("build.new")}: ${op}`, group: "palette.do", run: () => void createCall(op) })),
    ...DIALECTS.map((name): Command => ({ text: name, group: "dialect.label", run: () => setDialect(name) })),
    ...THEMES.map((name): Command => ({ text: t(`theme.${name}`), group: "theme.label", run: () => (theme.value = name) })),
    { text: lang.value === "en" ? "中文" : "English", group: "lang.label", run: () => void setLang(lang.peek() === "en" ? "zh" : "en") },
    ...info.agents.map(
      (agent): Command => ({
        text: `${agent.display_name ?? ""} ${agent.agent_id}`.trim(),
        group: "nav.agents",
        run: () => show({ kind: "agent", agent_id: agent.agent_id }),
      }),
    ),
    ...info.boxes.map(
      (box): Command => ({
        text: box.box_id,
        group: "nav.boxes",
        run: () => show({ kind: "box", box_id: box.box_id }),
      }),
    ),
  ];
});

const typed = signal("");
const active = signal(0);
const MAX_LISTED = 60;

const found = computed(() => {
  const words = typed.value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const fits = (command: Command) => {
    const text = `${t(command.group)} ${command.text}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const all = commands.value.filter(fits);
  const [first] = words;
  const isStep = (command: Command) => command.text.startsWith(`${t("timeline.step", { n: first ?? "" })} `);
  return [...all.filter(isStep), ...all.filter((command) => !isStep(command))].slice(0, MAX_LISTED);
});

/** Opens and closes a dialog element with a signal. */
function useDialog(shown: typeof isPaletteOpen) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(
    () =>
      effect(() => {
        if (!shown.value) dialog.current?.close();
        else if (dialog.current?.open === false) dialog.current.showModal();
      }),
    [],
  );
  return dialog;
}

export function Palette() {
  const dialog = useDialog(isPaletteOpen);
  return (
    <dialog ref={dialog} class="dialog palette" aria-label={t("palette.label")} onClose={() => (isPaletteOpen.value = false)}>
      {isPaletteOpen.value && <Commands />}
    </dialog>
  );
}

/** Returns the cards that contain the typed text, from two characters on. */
function useHits(): Command[] {
  const { answer } = useQuestion(() => {
    const text = typed.value.trim();
    return text.length < 2 ? null : () => ask("searchCards", text, 50).then((found) => ({ text, found }));
  });
  const { text, found } = answer.value ?? {};
  if (found === undefined || text !== typed.value.trim()) return [];
  return found.hits.map(
    ({ card_id, box_id, position, snippet }): Command => ({
      text: `${snippet.before}${snippet.found}${snippet.after}`.trim() || card_id,
      note: `${box_id} · ${position}`,
      group: "palette.cards",
      run: () => {
        show({ kind: "box", box_id });
        goTo(position, 0);
      },
    }),
  );
}

function Commands() {
  const input = useRef<HTMLInputElement>(null);
  const hits = useHits();
  const all = [...found.value, ...hits];
  useLayoutEffect(() => {
    typed.value = "";
    active.value = 0;
    input.current?.focus();
  }, []);
  const run = (command: Command | undefined) => {
    isPaletteOpen.value = false;
    command?.run();
  };
  const move = (event: KeyboardEvent) => {
    const last = Math.max(0, all.length - 1);
    if (event.key === "ArrowDown") active.value = Math.min(last, active.value + 1);
    else if (event.key === "ArrowUp") active.value = Math.max(0, active.value - 1);
    else if (event.key === "Enter") run(all[active.value]);
    else return;
    event.preventDefault();
    byId(`command-${active.value}`)?.scrollIntoView({ block: "nearest" });
  };
  return (
    <>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={all.length > 0 ? `command-${active.value}` : undefined}
        aria-label={t("palette.label")}
        placeholder={t("palette.hint")}
        spellcheck={false}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          active.value = 0;
        }}
        onKeyDown={move}
      />
      <ul id="commands" role="listbox" aria-label={t("palette.label")}>
        {all.map((command, index) => (
          <li
            id={`command-${index}`}
            role="option"
            aria-selected={index === active.value}
            onClick={() => run(command)}
            onPointerMove={() => (active.value = index)}
          >
            <Name text={command.text} />{" "}
            <span class="muted">
              {command.note !== undefined && (
                <>
                  <Name text={command.note} /> ·{" "}
                </>
              )}
              {t(command.group)}
            </span>
          </li>
        ))}
      </ul>
      {all.length === 0 && <p class="muted">{t("palette.none")}</p>}
    </>
  );
}

const KEYS: [string, Key][] = [
  ["j  k", "keys.walk"],
  ["/", "keys.search"],
  ["Enter  ⇧Enter", "keys.matches"],
  ["Ctrl+K  ⌘K", "keys.palette"],
  ["1 … 9", "keys.views"],
  ["e", "keys.edit"],
  ["p", "keys.pin"],
  ["?", "keys.help"],
];

export function Help() {
  const dialog = useDialog(isHelpOpen);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="keys-title" onClose={() => (isHelpOpen.value = false)}>
      {isHelpOpen.value && (
        <>
          <h2 id="keys-title">{t("keys.title")}</h2>
          <dl class="facts">
            {KEYS.map(([keys, what]) => (
              <>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{t(what)}</dd>
              </>
            ))}
          </dl>
          <details>
            <summary>{t("glossary.label")}</summary>
            <div class="dialog-body" tabIndex={0}>
              <Glossary />
            </div>
          </details>
          <p class="row end">
            <button type="button" class="quiet" onClick={() => (isHelpOpen.value = false)}>
              {t("open.close")}
            </button>
          </p>
        </>
      )}
    </dialog>
  );
}
