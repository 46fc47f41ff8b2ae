// Problems: lints, omissions, conversion changes and unsent cards, most severe first. Each has a link to its place and,
// where possible, a fix.
import { signal } from "@preact/signals";
import type { Boxes } from "tuckbox/web";
import { change, parsedCall } from "../../calls.ts";
import { ask } from "../../engine/client.ts";
import type { Problem } from "../../engine/protocol.ts";
import { openFitWithin } from "../../fit/state.ts";
import { codeLabel, number, t } from "../../i18n/lazy.ts";
import { costAt, goTo, lastReceipt, request, shown, target } from "../../state.ts";
import { maxOutput, windowSize } from "../../terms.ts";
import { write } from "../../text/json.ts";
import { set, steps } from "../../text/paths.ts";
import { Name, Plain } from "../../text/plain.tsx";
import { propose } from "../commit/propose.ts";

const SEVERITIES = ["error", "warning", "info"] as const;
const hidden = signal<ReadonlySet<Problem["severity"]>>(new Set());
const MAX_LISTED = 300;

export function Problems() {
  const all = request.value?.problems;
  if (all === undefined) return <p class="muted">{t("bar.counting")}</p>;
  if (all.length === 0) return <p class="empty">{t("problems.empty")}</p>;
  const some = all.filter(({ severity }) => !hidden.value.has(severity));
  return (
    <div class="problems">
      <div class="row" role="group" aria-label={t("problems.filter")}>
        {SEVERITIES.map((severity) => {
          const count = all.filter((problem) => problem.severity === severity).length;
          return (
            <button
              type="button"
              class="quiet severity"
              data-severity={severity}
              aria-pressed={!hidden.value.has(severity)}
              disabled={count === 0}
              onClick={() => {
                const next = new Set(hidden.value);
                if (!next.delete(severity)) next.add(severity);
                hidden.value = next;
              }}
            >
              {t(`severity.${severity}`)} <span class="num">{number(count)}</span>
            </button>
          );
        })}
      </div>
      <ul class="notes">
        {some.slice(0, MAX_LISTED).map((problem) => (
          <ProblemRow problem={problem} />
        ))}
      </ul>
      {some.length > MAX_LISTED && <p class="muted">{t("problems.more", { n: number(some.length - MAX_LISTED) })}</p>}
    </div>
  );
}

function ProblemRow({ problem }: { problem: Problem }) {
  const { severity, source, code, message, path, place, fix } = problem;
  const label = codeLabel("problem", code);
  return (
    <li data-severity={severity}>
      <p class="note-head">
        <span class="severity" data-severity={severity}>
          {t(`severity.${severity}.one`)}
        </span>
        <code class="code">{code}</code>
        <span class="muted">{t(`problems.source.${source}`)}</span>
        {path !== undefined && path !== "" && (
          <code class="path">
            <Name text={path} />
          </code>
        )}
        {place !== undefined && (
          <button type="button" class="quiet" onClick={() => goTo(place.position, place.shown)}>
            {t("problems.goto")} <span class="num">{place.position}</span>
          </button>
        )}
        {fix !== undefined && <FixButton fix={fix} />}
        {place !== undefined && <CardButtons place={place} />}
      </p>
      {label !== code && <p>{label}</p>}
      <p class={label === code ? undefined : "muted"}>
        <Plain text={message} />
      </p>
    </li>
  );
}

/** A button that fixes a problem with an undoable edit of the call. */
function FixButton({ fix }: { fix: NonNullable<Problem["fix"]> }) {
  if (fix.kind === "fit") return <FitButton label={t("problems.fit")} />;
  if (target.value?.kind !== "call") return null;
  const remove = () => {
    const parsed = parsedCall.peek();
    if (parsed?.ok === true) change(write(set(parsed.value, steps(fix.path), undefined) ?? {}));
  };
  return (
    <button type="button" class="quiet" onClick={remove}>
      {t("problems.remove")}
    </button>
  );
}

/** A button that opens "What if" with the window as limit, and optionally a pinned message. */
function FitButton({ label, pin }: { label: string; pin?: number }) {
  const at = target.value;
  if (at === null) return null;
  const what = at.kind === "call" ? `call:${at.id}` : at.kind === "agent" ? `agent:${at.agent_id}` : `box:${at.box_id}`;
  return (
    <button type="button" class="quiet" onClick={() => openFitWithin(what, Math.max(0, windowSize.peek() - (maxOutput.peek() ?? 0)), pin)}>
      {label}
    </button>
  );
}

/** Buttons for a card: pin it, or remove it from its box. */
function CardButtons({ place }: { place: NonNullable<Problem["place"]> }) {
  const cost = place.shown === shown.value ? costAt(place.position) : undefined;
  const at = target.value;
  const drop = async (box_id: string) => {
    const { value } = await ask("preview", write({ op: "get_boxes", box_ids: [box_id] }));
    const [box] = (value as unknown as Boxes).boxes;
    if (box === undefined) return;
    const call = write({ op: "replace_box", box_id, card_ids: box.card_ids.filter((_, position) => position !== place.position) });
    propose({
      title: t("problems.drop.title", { position: number(place.position), box: box_id }),
      call,
      onDone: (receipt) => (lastReceipt.value = receipt),
    });
  };
  return (
    <>
      {cost?.became === "message" && <FitButton label={t("problems.pin")} pin={cost.position} />}
      {at?.kind === "box" && (
        <button type="button" class="quiet" onClick={() => void drop(at.box_id)}>
          {t("problems.drop")}
        </button>
      )}
    </>
  );
}
