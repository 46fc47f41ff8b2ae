// Sessions from logs of other tools: a timeline of requests, what was added and removed, where the prefix changed,
// recorded and estimated tokens, and what is not in the log.
import { computed, signal } from "@preact/signals";
import type { ImportedRequest, ImportOrigin, ImportReport } from "tuckbox/web";
import { compareSides } from "../comparison.ts";
import { ask } from "../engine/client.ts";
import type { Part } from "../engine/protocol.ts";
import { cards, codeLabel, count, number, t } from "../i18n/lazy.ts";
import { isSessionOpen, openSession } from "../import/session.ts";
import { importReport } from "../project.ts";
import { goTo, project, show, view } from "../state.ts";
import { terms, windowSize } from "../terms.ts";
import { Name, Plain, visibleText } from "../text/plain.tsx";
import { kindLabel } from "./common/labels.tsx";
import { useQuestion } from "./common/question.ts";

type Session = ImportReport["sessions"][number];

/** The number of requests drawn with their kinds; the table lists all. */
const MAX_DRAWN = 60;
const MAX_LISTED = 400;

const chosen = signal<string | null>(null);
const current = computed<Session | null>(() => {
  const sessions = importReport.value?.sessions ?? [];
  return sessions.find(({ id }) => id === chosen.value) ?? sessions.at(-1) ?? null;
});

export function Sessions() {
  const report = importReport.value;
  if (report === null)
    return (
      <section class="scroll-view">
        <p class="muted">{t("sessions.none")}</p>
      </section>
    );
  const session = current.value;
  const unread = report.files.filter(({ format }) => format === null);
  const requests = report.sessions.reduce((sum, one) => sum + one.requests.length, 0);
  return (
    <section class="scroll-view sessions">
      <header class="row">
        <h2>{t("sessions.title")}</h2>
        <span class="muted">
          {t("sessions.found", {
            files: count("files", report.files.length),
            sessions: count("sessions", report.sessions.length),
            requests: count("requests", requests),
          })}
        </span>
      </header>
      {session !== null && (
        <>
          <label class="choice">
            <span>{t("sessions.session")}</span>
            <select value={session.id} onChange={(event) => (chosen.value = event.currentTarget.value)}>
              {report.sessions.slice(-MAX_LISTED).map((one) => (
                <option value={one.id}>
                  {visibleText(`${one.source} · ${one.id}${one.agent === undefined ? "" : ` · ${one.agent}`} (${one.requests.length})`)}
                </option>
              ))}
            </select>
          </label>
          {!isSessionOpen(session) && (
            <p class="row">
              <span class="muted">{t("sessions.closed")}</span>
              <button type="button" class="quiet" onClick={() => void openSession(session)}>
                {t("sessions.open")}
              </button>
            </p>
          )}
          <Timeline session={session} />
          <Requests session={session} />
          <Origins session={session} />
        </>
      )}
      <div class="runs-details">
        <Calibration report={report} />
        {(unread.length > 0 || report.notes.length > 0) && (
          <section>
            <h3>{t("sessions.left")}</h3>
            <ul class="notes">
              {unread.slice(0, 50).map(({ name }) => (
                <li>
                  <code class="path">
                    <Name text={name} />
                  </code>{" "}
                  <span class="muted">{t("sessions.unread")}</span>
                </li>
              ))}
              {report.notes.slice(0, 100).map(({ code, origin, message }) => (
                <li>
                  <p class="note-head">
                    <code class="code">{code}</code>{" "}
                    <code class="path">
                      <Name text={originLabel(origin)} />
                    </code>
                  </p>
                  <p>
                    <Plain text={message} />
                  </p>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </section>
  );
}

function originLabel({ file, line, pointer }: ImportOrigin): string {
  return `${file ?? "–"}${line === undefined ? "" : `:${line}`}${pointer === undefined ? "" : ` ${pointer}`}`;
}

/** The requests as columns: tokens by kind, with a mark for the recorded number. */
function Timeline({ session }: { session: Session }) {
  const drawn = session.requests.slice(-MAX_DRAWN);
  const { answer } = useQuestion(() => {
    const boxes = (current.value?.requests ?? []).slice(-MAX_DRAWN).map(({ box_id }) => box_id);
    const [wanted, size] = [terms.value, windowSize.value];
    const sizes = new Map(project.peek()?.boxes.map((box) => [box.box_id, box.cards]));
    return async () => {
      const found = new Map<string, { tokens: number; parts: readonly Part[] }>();
      for (const box_id of boxes) {
        // a request that cannot be counted is drawn with its estimate
        const cards = sizes.get(box_id) ?? 0;
        const view = await ask("inspectRequest", { subject: { box_id }, shown: 0, cards }, wanted, size).catch(() => null);
        if (view !== null) found.set(box_id, { tokens: view.tokens, parts: view.parts });
      }
      return found;
    };
  });
  const counted = answer.value;
  const most = Math.max(1, ...drawn.map((one) => Math.max(one.estimated, one.recorded.input ?? 0, counted?.get(one.box_id)?.tokens ?? 0)));
  return (
    <div class="timeline" role="group" aria-label={t("sessions.timeline")}>
      {drawn.map((one) => {
        const parts = counted?.get(one.box_id)?.parts;
        return (
          <button type="button" class="turn-column" title={columnLabel(one)} onClick={() => show({ kind: "box", box_id: one.box_id })}>
            <span class="turn-stack">
              {one.recorded.input !== null && <i class="recorded" style={{ bottom: `${(one.recorded.input / most) * 100}%` }} />}
              {parts === undefined ? (
                <span class="turn-part" style={{ height: `${(one.estimated / most) * 100}%` }} />
              ) : (
                byKind(parts).map(([kind, tokens]) => (
                  <span
                    class="turn-part"
                    data-kind={kind}
                    title={`${kind === undefined ? t("sessions.other") : kindLabel(kind)} ${number(tokens)}`}
                    style={{ height: `${(tokens / most) * 100}%` }}
                  />
                ))
              )}
            </span>
            <span class="turn-mark" aria-hidden="true">
              {one.compacted ? "▼" : one.went > 0 ? "✕" : ""}
            </span>
            <span class="num">{one.request}</span>
            <span class="sr">{columnLabel(one)}</span>
          </button>
        );
      })}
    </div>
  );
}

function byKind(parts: readonly Part[]): [Part["kind"], number][] {
  const sums = new Map<Part["kind"], number>();
  for (const { kind, tokens } of parts) sums.set(kind, (sums.get(kind) ?? 0) + tokens);
  return [...sums].reverse();
}

function columnLabel(one: ImportedRequest): string {
  const { came, went, compacted, estimated, recorded } = one;
  return [
    t("sessions.request", { n: one.request }),
    `≈ ${number(estimated)} ${t("bar.tokens")}`,
    recorded.input === null ? "" : t("sessions.recorded", { n: number(recorded.input) }),
    t("sessions.changed", { came: number(came), went: number(went) }),
    compacted
      ? t("sessions.compacted", { messages: count("messages", one.went) })
      : went > 0
        ? t("sessions.prefix.changed", { n: number(one.shared) })
        : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

function Requests({ session }: { session: Session }) {
  return (
    <div class="lanes" tabIndex={0} role="region" aria-label={t("sessions.requests")}>
      <table class="layer-table">
        <thead>
          <tr>
            {(
              ["request.col", "kind", "model", "messages", "change", "cache", "recorded.col", "estimated", "unknown", "origin"] as const
            ).map((name) => (
              <th scope="col">{t(`sessions.${name}`)}</th>
            ))}
            <th scope="col">
              <span class="sr">{t("view.compare")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {session.requests.slice(-MAX_LISTED).map((one, index, all) => {
            const before = all[index - 1];
            return (
              <tr>
                <th scope="row">
                  <button type="button" class="link" onClick={() => show({ kind: "box", box_id: one.box_id })}>
                    {one.request}
                  </button>
                </th>
                <td>{codeLabel("sent", one.kind)}</td>
                <td>
                  <Name text={one.model ?? "–"} />
                </td>
                <td>
                  {number(one.messages)} <span class="muted">{count("tools", one.tools)}</span>
                </td>
                <td>
                  +{number(one.came)} −{number(one.went)}
                </td>
                <td>
                  {before === undefined ? (
                    ""
                  ) : one.went === 0 ? (
                    t("sessions.prefix.same")
                  ) : (
                    <span class="gone">
                      {one.compacted
                        ? t("sessions.compacted", { messages: count("messages", one.went) })
                        : t("sessions.prefix.changed", { n: number(one.shared) })}
                    </span>
                  )}
                </td>
                <td class="tokens">
                  {one.recorded.input === null ? "–" : number(one.recorded.input)}
                  {one.recorded.cached !== null && <span class="muted"> ({t("sessions.cached", { n: number(one.recorded.cached) })})</span>}
                </td>
                <td class="tokens">≈ {number(one.estimated)}</td>
                <td>
                  {one.residual !== null && <b>{t("sessions.residual", { n: number(one.residual) })} </b>}
                  <span class="muted">{[...new Set(one.unknown.map(({ what }) => codeLabel("unknown", what)))].join(", ")}</span>
                </td>
                <td>
                  <code class="path">
                    <Name text={originLabel(one.origin)} />
                  </code>
                </td>
                <td>
                  {before !== undefined && (
                    <button type="button" class="quiet" onClick={() => compareRequests(before.box_id, one.box_id)}>
                      {t("sessions.compare")}
                    </button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** The number of cards listed with their places. */
const MAX_PLACED = 200;
const originsOf = signal<string | null>(null);

/** The place of each card of a request in the log. */
function Origins({ session }: { session: Session }) {
  const one = session.requests.find(({ box_id }) => box_id === originsOf.value) ?? session.requests.at(-1);
  const { answer } = useQuestion(() => {
    const requests = current.value?.requests ?? [];
    const box_id = (requests.find((found) => found.box_id === originsOf.value) ?? requests.at(-1))?.box_id;
    if (box_id === undefined) return null;
    return async () => {
      const { rows, boxes } = await ask("inspect", { subject: { box_id }, shown: 0, from: 0, to: MAX_PLACED });
      const origins = await ask(
        "cardOrigins",
        rows.map(({ card_id }) => card_id),
      );
      return { box_id, rows, cards: boxes[0]?.cards ?? 0, origins: new Map(origins.map(({ card_id, origin }) => [card_id, origin])) };
    };
  });
  const found = answer.value;
  if (one === undefined || found === null) return null;
  const go = (position: number) => {
    show({ kind: "box", box_id: found.box_id });
    goTo(position, 0);
  };
  return (
    <details class="origins">
      <summary>{t("sessions.origins", { request: one.request, cards: cards(found.cards) })}</summary>
      <label class="choice">
        <span>{t("sessions.request.col")}</span>
        <select value={one.box_id} onChange={(event) => (originsOf.value = event.currentTarget.value)}>
          {session.requests.slice(-MAX_LISTED).map((each) => (
            <option value={each.box_id}>{each.request}</option>
          ))}
        </select>
      </label>
      <div class="lanes" tabIndex={0} role="region" aria-label={t("sessions.origins.label")}>
        <table class="layer-table">
          <thead>
            <tr>
              <th scope="col">{t("sessions.origin")}</th>
              <th scope="col">{t("sessions.card")}</th>
              <th scope="col">{t("sessions.text")}</th>
            </tr>
          </thead>
          <tbody>
            {found.rows.map(({ position, card_id, kind, excerpt }) => {
              const origin = found.origins.get(card_id);
              return (
                <tr>
                  <td>
                    <code class="path">
                      <Name text={origin === undefined ? "–" : originLabel(origin)} />
                    </code>
                  </td>
                  <td>
                    <button type="button" class="link" onClick={() => go(position)}>
                      {number(position)}
                    </button>{" "}
                    {kindLabel(kind)}
                  </td>
                  <td class="origin-text">
                    <Plain text={excerpt} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {found.cards > MAX_PLACED && <p class="muted">{t("problems.more", { n: number(found.cards - MAX_PLACED) })}</p>}
    </details>
  );
}

function compareRequests(before: string, after: string): void {
  compareSides(`box:${before}`, `box:${after}`);
  view.value = "compare";
}

function Calibration({ report }: { report: ImportReport }) {
  const known = report.calibration.filter(({ factor_percent: factor }) => factor !== null);
  if (known.length === 0) return null;
  return (
    <section>
      <h3>{t("sessions.calibration")}</h3>
      <ul class="plain">
        {known.map(({ model, recorded, estimated, factor_percent: factor, requests }) => (
          <li>
            <b>
              <Name text={model} />
            </b>{" "}
            {t("sessions.factor", {
              recorded: number(recorded),
              estimated: number(estimated),
              requests: count("requests", requests),
              factor: String(factor),
            })}
          </li>
        ))}
      </ul>
    </section>
  );
}
