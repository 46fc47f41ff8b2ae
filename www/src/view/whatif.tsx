// What if there were less room: a budget that moves, and everything that falls out on the way.
import { computed, signal } from "@preact/signals";
import { ask } from "../engine/client.ts";
import type { Fitted, Json, JsonObject, Prompt, PromptSource, Provider } from "../engine/protocol.ts";
import { PROVIDERS } from "../engine/protocol.ts";
import { lang, number, t, word } from "../i18n/index.ts";
import { compositions, dialect, packingCalls, target, textOfCall, underDialect } from "../state.ts";
import { parse, set, write } from "../text/json.ts";
import { Name, Plain } from "../text/plain.tsx";
import { useAsked } from "./asked.ts";
import { FaultNote } from "./fault.tsx";
import { Virtual } from "./virtual.tsx";
import { roleWord } from "./words.tsx";

/** What is fitted: a call that packs, or an input of the composer. */
const chosen = signal<string | null>(null);
const provider = signal<Provider>("openai_chat");
/** The limit in thousandths of the whole. */
const share = signal(600);
const pinned = signal<ReadonlySet<number>>(new Set());
const open = signal<number | null>(null);

// changes to the composer's input, while somebody plays with it
const process = signal<string | null>(null);
const off = signal<ReadonlySet<string>>(new Set());
const sharing = signal<boolean | null>(null);

const PROCESSES = [
  "react",
  "sequential",
  "dynamic",
  "hierarchical",
  "mapreduce_planner",
  "mapreduce_worker",
  "mapreduce_reducer",
] as const;

const choices = computed(() => [...compositions.value, ...packingCalls.value]);
const current = computed(() => {
  const at = target.value;
  const wanted = chosen.value ?? compositions.value[0]?.id ?? (at?.kind === "call" ? at.id : null);
  return choices.value.find((call) => call.id === wanted) ?? choices.value[0] ?? null;
});

/** The composer's input as it stands under the switches. */
const composed = computed<JsonObject | null>(() => {
  const call = current.value;
  if (call?.call.op !== "compose") return null;
  const given = parse(textOfCall(call));
  if (!given.ok) return null;
  let value: Json | undefined = set(given.value, ["op"], undefined);
  if (process.value !== null) value = set(value, ["process"], process.value);
  if (sharing.value !== null) value = set(value, ["enable_share_context"], sharing.value);
  for (const layer of off.value) value = set(value, ["contexts", layer], undefined);
  return value as JsonObject;
});

const source = computed<PromptSource | null>(() => {
  const call = current.value;
  if (call === null) return null;
  if (composed.value !== null) return { compose: write(composed.value) };
  const text = underDialect(textOfCall(call), dialect.value);
  return text === null ? null : { subject: { call: text }, shown: 0 };
});

export function WhatIf() {
  const whole = useAsked(() => {
    const from = source.value;
    const to = provider.value;
    return from === null ? null : () => ask("prompt", from, to);
  });
  const prompt = whole.answer.value;
  const limit = Math.round(((prompt?.account.tokens ?? 0) * share.value) / 1000);
  const fitting = useAsked(() => {
    const from = source.value;
    const total = whole.answer.value?.account.tokens;
    const options = {
      provider: provider.value,
      limit: Math.round(((total ?? 0) * share.value) / 1000),
      pinned: [...pinned.value],
    };
    return from === null || total === undefined ? null : () => ask("budget", from, options);
  });
  const fitted = fitting.answer.value;
  const fault = whole.fault.value ?? fitting.fault.value;
  return (
    <section class="whatif" aria-label={t("whatif.label")}>
      <Controls prompt={prompt} limit={limit} fitted={fitted} />
      {fault !== null && <FaultNote title={t("whatif.failed")} fault={fault} note={fitted === null ? undefined : t("fault.last")} />}
      {prompt !== null && <Picture prompt={prompt} fitted={fitted} limit={limit} />}
      {prompt !== null && <Outcome prompt={prompt} fitted={fitted} />}
    </section>
  );
}

function Controls({ prompt, limit, fitted }: { prompt: Prompt | null; limit: number; fitted: Fitted | null }) {
  const call = current.value;
  const input = call?.call.op === "compose" ? call.call : null;
  const layers = Object.keys((input?.contexts as JsonObject | undefined) ?? {});
  return (
    <div class="controls">
      <div class="row">
        <label class="choice">
          <span>{t("whatif.of")}</span>
          <select
            value={call?.id ?? ""}
            onChange={(event) => {
              chosen.value = event.currentTarget.value;
              pinned.value = new Set();
              off.value = new Set();
              process.value = null;
              sharing.value = null;
              open.value = null;
            }}
          >
            {choices.value.map((one) => <option value={one.id}>{one.title[lang.value] ?? one.id}</option>)}
          </select>
        </label>
        <label class="choice">
          <span>{t("payload.provider")}</span>
          <select value={provider.value} onChange={(event) => (provider.value = event.currentTarget.value as Provider)}>
            {PROVIDERS.map((name) => <option value={name}>{name}</option>)}
          </select>
        </label>
        {input !== null && (
          <label class="choice">
            <span>{t("whatif.process")}</span>
            <select value={process.value ?? String(input.process)} onChange={(event) => (process.value = event.currentTarget.value)}>
              {PROCESSES.map((name) => <option value={name}>{name}</option>)}
            </select>
          </label>
        )}
        {input !== null && (
          <label class="choice check">
            <input
              type="checkbox"
              checked={sharing.value ?? input.enable_share_context === true}
              onChange={(event) => (sharing.value = event.currentTarget.checked)}
            />
            <span>enable_share_context</span>
          </label>
        )}
      </div>
      {layers.length > 0 && (
        <fieldset class="row layers">
          <legend class="sr">{t("whatif.layers")}</legend>
          {layers.map((layer) => (
            <label class="choice check">
              <input
                type="checkbox"
                checked={!off.value.has(layer)}
                onChange={(event) => {
                  const next = new Set(off.value);
                  if (event.currentTarget.checked) next.delete(layer);
                  else next.add(layer);
                  off.value = next;
                }}
              />
              <span class="mono"><Name text={layer} /></span>
            </label>
          ))}
        </fieldset>
      )}
      <label class="slider">
        <span>{t("whatif.budget")}</span>
        <input
          type="range"
          min="0"
          max="1000"
          step="5"
          value={share.value}
          aria-valuetext={`${number(limit)} ${t("bar.tokens")}`}
          onInput={(event) => (share.value = Number(event.currentTarget.value))}
        />
        <output>
          <b>{number(limit)}</b> <span class="muted">/ {number(prompt?.account.tokens ?? 0)} {t("bar.tokens")}</span>
        </output>
      </label>
      {fitted !== null && (
        <p class="muted" role="status">
          {t("whatif.result", {
            kept: number(fitted.kept.length),
            dropped: number(fitted.dropped.length),
            tokens: number(fitted.account.tokens),
            protected: number(fitted.protected_tokens),
          })}
        </p>
      )}
    </div>
  );
}

/** The whole prompt as a bar, in order: what falls out is hollow, the limit is a mark. */
function Picture({ prompt, fitted, limit }: { prompt: Prompt; fitted: Fitted | null; limit: number }) {
  const total = Math.max(1, prompt.account.tokens);
  const costs = new Map(prompt.account.messages.map((one) => [one.position, one.tokens]));
  const dropped = new Set(fitted?.dropped.map((one) => one.position));
  const segments: { role: string; tokens: number; dropped: boolean; first: number }[] = [];
  prompt.messages.forEach((message, position) => {
    const role = roleWord(message.role);
    const isDropped = dropped.has(position);
    const last = segments.at(-1);
    const tokens = costs.get(position) ?? 0;
    if (last !== undefined && last.role === role && last.dropped === isDropped) last.tokens += tokens;
    else segments.push({ role, tokens, dropped: isDropped, first: position });
  });
  const framing = total - segments.reduce((sum, one) => sum + one.tokens, 0);
  // a bar of more parts than it has pixels says no more than one of a few hundred
  const shown = segments.length > 400 ? merged(segments, 400) : segments;
  return (
    <div class="stack" aria-hidden="true">
      <div class="parts">
        {shown.map((one) => <i class="fit" data-role={one.role} data-dropped={one.dropped} style={{ flexGrow: one.tokens / total }} />)}
        <i class="fit framing" style={{ flexGrow: framing / total }} />
        <i class="tick end" style={{ left: `${Math.min(100, (limit / total) * 100)}%` }} />
      </div>
    </div>
  );
}

function merged<T extends { tokens: number }>(segments: T[], count: number): T[] {
  const size = Math.ceil(segments.length / count);
  const found: T[] = [];
  for (let at = 0; at < segments.length; at += size) {
    const group = segments.slice(at, at + size);
    const [first] = group;
    if (first !== undefined) found.push({ ...first, tokens: group.reduce((sum, one) => sum + one.tokens, 0) });
  }
  return found;
}

function Outcome({ prompt, fitted }: { prompt: Prompt; fitted: Fitted | null }) {
  const costs = new Map(prompt.account.messages.map((one) => [one.position, one.tokens]));
  const reasons = new Map(fitted?.dropped.map((one) => [one.position, one]));
  return (
    <>
      <div class="list fits">
        <Virtual
          id="fit"
          count={prompt.messages.length}
          label={t("whatif.list")}
          active={open.value}
          of={prompt}
          row={(position, style) => {
            const message = prompt.messages[position];
            const origin = prompt.origins[position];
            const reason = reasons.get(position);
            const isPinned = pinned.value.has(position);
            return (
              <div
                key={position}
                id={`fit-${position}`}
                class="line fit-line"
                role="option"
                aria-selected={open.value === position}
                data-dropped={reason !== undefined}
                data-role={roleWord(message?.role ?? null)}
                style={style}
                onClick={() => (open.value = position)}
              >
                <span class="position">{number(position)}</span>
                <span class="what">
                  <span class="role"><Name text={roleWord(message?.role ?? null)} /></span>
                  <span class="type"><Name text={origin?.layer ?? origin?.card_id ?? ""} /></span>
                </span>
                <span class="excerpt"><Plain text={said(message?.content).slice(0, 240)} /></span>
                <span class="from">
                  {reason === undefined
                    ? <span class="badge">{t("whatif.kept")}</span>
                    : <span class="badge gone-badge">{reasonWord(reason.reason)}</span>}
                </span>
                <span class="tokens">{number(costs.get(position) ?? 0)}</span>
                <button
                  type="button"
                  class="pin"
                  tabIndex={-1}
                  aria-pressed={isPinned}
                  aria-label={t(isPinned ? "whatif.unpin" : "whatif.pin", { position })}
                  title={t(isPinned ? "whatif.unpin" : "whatif.pin", { position })}
                  onClick={(event) => {
                    event.stopPropagation();
                    togglePin(position);
                  }}
                >
                  {isPinned ? "◆" : "◇"}
                </button>
              </div>
            );
          }}
        />
      </div>
      {prompt.left_out.length > 0 && (
        <section class="left-out">
          <h3>{t("whatif.leftout")}</h3>
          <ul class="plain">
            {prompt.left_out.map(({ layer, rule, from }) => (
              <li>
                <code><Name text={layer} /></code>{" "}
                <span>{word("leftout", rule)}</span>{" "}
                <code class="path"><Name text={from} /></code>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** Pins or unpins; from the keyboard it is `p` on the selected message. */
export function togglePin(position: number): void {
  const next = new Set(pinned.peek());
  if (next.has(position)) next.delete(position);
  else next.add(position);
  pinned.value = next;
}

/** Walks the messages from the keyboard. */
export function walkMessages(step: number): void {
  open.value = Math.max(0, (open.peek() ?? -1) + step);
}

export function pinOpen(): void {
  if (open.peek() !== null) togglePin(open.peek() ?? 0);
}

function reasonWord(reason: { kind: string; first?: number }): string {
  if (reason.kind === "with_its_call") return t("whatif.withcall", { first: number(reason.first ?? 0) });
  return t("whatif.over");
}

function said(content: Json | undefined): string {
  if (typeof content === "string") return content;
  return content === undefined || content === null ? "" : JSON.stringify(content);
}

