// "What if": a budget that the user moves, and the messages that it drops.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { isUndoable, undo } from "../../calls.ts";
import { ask } from "../../engine/client.ts";
import { type FitResult, type JsonObject, PROVIDERS, type Prompt, type Provider } from "../../engine/protocol.ts";
import { fitAt } from "../../fit/lookahead.ts";
import {
  chooseTarget,
  hiddenLayers,
  limitOf,
  openMessage,
  pinned,
  processKind,
  STEP,
  setLimit,
  setShare,
  share,
  togglePin,
  typedLimit,
} from "../../fit/state.ts";
import { codeLabel, count, number, t } from "../../i18n/lazy.ts";
import { project } from "../../state.ts";
import { provider, setProvider, terms } from "../../terms.ts";
import { Name, Plain } from "../../text/plain.tsx";
import { commandOf } from "../common/command.ts";
import { CopyButton } from "../common/copy.tsx";
import { Price } from "../common/cost.tsx";
import { ErrorNote } from "../common/error.tsx";
import { roleLabel } from "../common/labels.tsx";
import { useQuestion } from "../common/question.ts";
import { SearchSelect } from "../common/search-select.tsx";
import { Segments } from "../common/segments.tsx";
import { Virtual } from "../common/virtual.tsx";
import { Payload } from "../context/payload.tsx";
import { costsOf, FitBar } from "./bar.tsx";
import { Compact } from "./compact.tsx";
import { contentText, dropReason, MessageDetail } from "./message.tsx";
import { choices, current, fittable, source, targetId } from "./target.ts";

const tab = signal<"messages" | "payload">("messages");

const PROCESSES = ["react", "sequential", "dynamic", "hierarchical", "mapreduce_planner", "mapreduce_worker", "mapreduce_reducer"] as const;

export function WhatIf() {
  const whole = useQuestion(() => {
    const from = source.value;
    const wanted = terms.value;
    // a commit may have changed what is fitted
    void project.value;
    return from === null ? null : () => ask("prompt", from, wanted);
  });
  const prompt = whole.answer.value;
  const limit = limitOf(prompt?.account.tokens);
  const fitting = useQuestion(() => {
    const [from, given, pins, wanted] = [source.value, whole.answer.value, pinned.value, terms.value];
    const limit = limitOf(given?.account.tokens);
    return from === null || given === null ? null : () => fitAt(limit, from, given, pins, wanted);
  });
  const fitted = fitting.answer.value;
  const error = whole.error.value ?? fitting.error.value;
  // a move of the slider sends its request before these are rendered again
  const picture = useMemo(() => prompt !== null && <FitBar prompt={prompt} fitted={fitted} />, [prompt, fitted]);
  const outcome = useMemo(() => prompt !== null && <Outcome prompt={prompt} fitted={fitted} />, [prompt, fitted]);
  if (targetId.value === null) return <p class="empty">{t("whatif.nothing")}</p>;
  return (
    <section class="whatif" aria-label={t("whatif.label")}>
      <div class="whatif-main">
        <Controls prompt={prompt} limit={limit} fitted={fitted} />
        {fitted !== null && <CopyButtons limit={limit} />}
        {prompt !== null && fitted !== null && fittable.value !== null && <Compact of={fittable.value} prompt={prompt} fitted={fitted} />}
        {error !== null && <ErrorNote title={t("whatif.failed")} error={error} note={fitted === null ? undefined : t("error.last")} />}
        {picture}
        <Segments
          label={t("whatif.face")}
          options={[
            { value: "messages", text: t("tab.messages") },
            { value: "payload", text: t("tab.payload") },
          ]}
          value={tab.value}
          onChange={(next) => (tab.value = next as "messages" | "payload")}
        />
        {tab.value === "payload" && (
          <div class="panel">
            <Payload source={source} />
          </div>
        )}
        {tab.value === "messages" && outcome}
      </div>
      <aside class="why" aria-label={t("why.label")}>
        {prompt === null || openMessage.value === null ? (
          <p class="empty">{t("whatif.none")}</p>
        ) : (
          <MessageDetail
            key={openMessage.value}
            prompt={prompt}
            fitted={fitted}
            position={Math.min(openMessage.value, prompt.messages.length - 1)}
          />
        )}
      </aside>
    </section>
  );
}

/** The selection of what is fitted; it does not depend on the limit. */
function Chooser() {
  return <SearchSelect label={t("whatif.of")} options={choices.value} chosen={targetId.value ?? ""} onChange={chooseTarget} />;
}

function Controls({ prompt, limit, fitted }: { prompt: Prompt | null; limit: number; fitted: FitResult | null }) {
  const call = current.value;
  const input = call?.call.op === "compose" ? call.call : null;
  const layers = Object.keys((input?.contexts as JsonObject | undefined) ?? {});
  return (
    <div class="controls">
      <div class="row">
        <Chooser />
        <label class="choice">
          <span>{t("payload.provider")}</span>
          <select value={provider.value} onChange={(event) => setProvider(event.currentTarget.value as Provider)}>
            {PROVIDERS.map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </label>
        {input !== null && (
          <label class="choice">
            <span>{t("whatif.process")}</span>
            <select
              value={processKind.value ?? String(input.process)}
              onChange={(event) => (processKind.value = event.currentTarget.value)}
            >
              {PROCESSES.map((name) => (
                <option value={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      {call !== null && isUndoable(call) && (
        <p class="row muted">
          <span class="changed">•</span> {t("build.changed")}
          <button type="button" class="quiet" onClick={() => undo("back", call)}>
            {t("build.undo")}
          </button>
        </p>
      )}
      {layers.length > 0 && (
        <fieldset class="row layers">
          <legend class="sr">{t("whatif.layers")}</legend>
          {layers.map((layer) => (
            <label class="choice check">
              <input
                type="checkbox"
                checked={!hiddenLayers.value.has(layer)}
                onChange={(event) => {
                  const next = new Set(hiddenLayers.value);
                  if (event.currentTarget.checked) next.delete(layer);
                  else next.add(layer);
                  hiddenLayers.value = next;
                }}
              />
              <span class="mono">
                <Name text={layer} />
              </span>
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
          step={STEP}
          value={typedLimit.value === null ? share.value : Math.round((1000 * typedLimit.value) / Math.max(1, prompt?.account.tokens ?? 1))}
          aria-valuetext={`${number(limit)} ${t("bar.tokens")}`}
          onInput={(event) => setShare(Number(event.currentTarget.value))}
        />
        <output>
          <b>{number(limit)}</b>{" "}
          <span class="muted">
            / {number(prompt?.account.tokens ?? 0)} {t("bar.tokens")}
          </span>{" "}
          {prompt !== null && <Price dollars={prompt.account.cost} />}
        </output>
      </label>
      <label class="choice">
        <span>{t("whatif.typed")}</span>
        <input type="number" min="0" step="1" value={limit} onInput={(event) => setLimit(event.currentTarget.valueAsNumber)} />
      </label>
      {fitted !== null && (
        <p class="muted" role="status" data-limit={fitted.limit}>
          {t("whatif.result", {
            kept: number(fitted.kept),
            all: count("messages", fitted.dropped_with.length),
            dropped: number(fitted.dropped),
            tokens: number(fitted.account.tokens),
            protected: number(fitted.protected_tokens),
          })}{" "}
          <Price dollars={fitted.account.cost} />
        </p>
      )}
    </div>
  );
}

/** Copies the fitted request as a call or as a command. */
function CopyButtons({ limit }: { limit: number }) {
  const call = async () => {
    const from = source.peek();
    return from === null ? "" : ask("budgetCall", from, { limit, pinned: [...pinned.peek()] }, terms.peek());
  };
  const command = async () => commandOf(await call(), project.peek()?.project_id ?? "");
  return (
    <p class="row">
      <CopyButton text={call} label={t("whatif.copy.call")} />
      <CopyButton text={command} label={t("whatif.copy.command")} title={t("whatif.copy.command.hint")} />
    </p>
  );
}

function Outcome({ prompt, fitted }: { prompt: Prompt; fitted: FitResult | null }) {
  const costs = useMemo(() => costsOf(prompt), [prompt]);
  return (
    <>
      <div class="list fits">
        <Virtual
          id="fit"
          count={prompt.messages.length}
          label={t("whatif.list")}
          active={openMessage.value}
          of={prompt}
          row={(position, style, key) => {
            const message = prompt.messages[position];
            const origin = prompt.origins[position];
            const reason = dropReason(fitted, position);
            const isPinned = pinned.value.has(position);
            return (
              <div
                key={key}
                id={`fit-${position}`}
                class="line fit-line"
                role="option"
                aria-selected={openMessage.value === position}
                data-dropped={reason !== null}
                data-role={roleLabel(message?.role ?? null)}
                style={style}
                onClick={() => (openMessage.value = position)}
              >
                <span class="position">{number(position)}</span>
                <span class="what">
                  <Name of="name role" text={roleLabel(message?.role ?? null)} />
                  <Name of="name type" text={origin?.layer ?? origin?.card_id ?? ""} />
                </span>
                <span class="excerpt">
                  <Plain text={contentText(message?.content).slice(0, 240)} />
                </span>
                <span class="from">
                  {reason === null ? <span class="badge">{t("whatif.kept")}</span> : <span class="badge gone-badge">{reason}</span>}
                </span>
                <span class="tokens">{number(costs[position] ?? 0)}</span>
                {isPinned && <span class="sr">{t("whatif.pinned")}</span>}
                {/* only for the mouse: an option cannot contain buttons; the key and the right pane pin too */}
                <span
                  class="pin"
                  aria-hidden="true"
                  data-pinned={isPinned}
                  title={t(isPinned ? "whatif.unpin" : "whatif.pin", { position })}
                  onClick={(event) => {
                    event.stopPropagation();
                    togglePin(position);
                  }}
                >
                  {isPinned ? "◆" : "◇"}
                </span>
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
                <code>
                  <Name text={layer} />
                </code>{" "}
                <span>{codeLabel("leftout", rule)}</span>{" "}
                <code class="path">
                  <Name text={from} />
                </code>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
