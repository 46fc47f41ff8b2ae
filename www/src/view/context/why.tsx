// Why a card is in the context: its ledger entry, its origin, its content.
import { signal, untracked, useSignal, useSignalEffect } from "@preact/signals";
import type { CardRow } from "tuckbox/web";
import { ask, errorData } from "../../engine/client.ts";
import type { Cause, ErrorData, Found, Row } from "../../engine/protocol.ts";
import { number, t } from "../../i18n/lazy.ts";
import { boxName, costAt, lintsByPosition, previewCall, rowAt, selected, show } from "../../state.ts";
import { Long } from "../../text/long.tsx";
import { Name, Plain } from "../../text/plain.tsx";
import { indentJson } from "../../text/pretty.ts";
import { CopyButton } from "../common/copy.tsx";
import { ErrorNote } from "../common/error.tsx";
import { kindLabel, originLabel, outcomeLabel, roleLabel, Template } from "../common/labels.tsx";

/** How many characters of the content to show until the user asks for all. */
const PREVIEW_LENGTH = 20_000;
/** The number of places shown at first. */
const FIRST_PLACES = 100;

/** The selected card as JSON text; a card made by a call changes with the call. */
const raw = signal<{ card_id: string; call: string | null; text: string } | null>(null);
const error = signal<ErrorData | null>(null);
/** Whether the JSON is expanded. */
const isRawOpen = signal(false);
/** The boxes that contain the selected card. */
const otherBoxes = signal<{ card_id: string; found: readonly Found[] } | null>(null);

export function Why() {
  const position = selected.value;
  const row = position === null ? undefined : rowAt(position);
  useSignalEffect(() => {
    const at = selected.value;
    const wanted = at === null ? undefined : rowAt(at);
    const call = previewCall.value;
    error.value = null;
    if (wanted === undefined || wanted.kind === "missing") return;
    const had = raw.peek();
    if (had?.card_id === wanted.card_id && (had.call === call || wanted.presence !== "new")) return;
    const card_id = wanted.card_id;
    const isShown = () => untracked(() => rowAt(selected.value ?? -1)?.card_id === card_id);
    ask("getCard", card_id, call).then(
      (text) => {
        if (isShown()) raw.value = { card_id, call, text };
      },
      (thrown: unknown) => {
        if (isShown()) error.value = errorData(thrown);
      },
    );
    // a card that the call makes is not stored yet
    if (wanted.presence !== "new") {
      ask("findCard", card_id).then(
        (found) => {
          if (isShown()) otherBoxes.value = { card_id, found };
        },
        () => undefined,
      );
    }
  });
  return (
    <aside class="why" aria-label={t("why.label")}>
      {row === undefined ? <p class="empty">{t("why.none")}</p> : <Card row={row} />}
    </aside>
  );
}

function Card({ row }: { row: Row }) {
  const text = raw.value?.card_id === row.card_id ? raw.value.text : null;
  const lints = lintsByPosition.value.get(row.position) ?? [];
  const cost = costAt(row.position);
  return (
    <article>
      <header class="why-head">
        <p class="muted">{t("why.position", { position: number(row.position) })}</p>
        <h2>
          <i class="swatch" data-kind={row.kind} /> {kindLabel(row.kind)}
        </h2>
        <div class="actions">
          <CopyButton text={row.card_id} label={t("copy.id")} />
          {text !== null && <CopyButton text={text} label={t("copy.json")} />}
        </div>
      </header>
      <section>
        <h3>{t("why.reason")}</h3>
        <Reason cause={row.cause} />
        {(row.presence === "deleted" || row.presence === "expired" || row.presence === "absent" || row.presence === "unreadable") && (
          <p class="gone">
            {t(`why.gone.${row.presence}`)}
            {row.fault !== undefined && (
              <>
                {" "}
                <Plain text={row.fault} />
              </>
            )}
          </p>
        )}
        {cost !== undefined && cost.became !== "message" && row.kind !== "missing" && (
          <p class={cost.became === "nothing" ? "gone" : "muted"}>
            {t("why.outcome")}: {outcomeLabel(cost)}
          </p>
        )}
        {(row.swallowed?.length ?? 0) > 0 && (
          <>
            <h4>{t("why.swallowed")}</h4>
            <Places
              key={row.card_id}
              of={(row.swallowed ?? []).flatMap((cause) =>
                cause.kind === "inherited" ? [{ box_id: cause.box_id, position: String(cause.position), path: cause.path }] : [],
              )}
            />
          </>
        )}
      </section>
      {lints.length > 0 && (
        <section>
          <h3>{t("why.lints")}</h3>
          <ul class="notes">
            {lints.map((lint) => (
              <li>
                <p class="note-head">
                  <code class="code">{lint.code}</code>
                </p>
                <p>
                  <Plain text={lint.message} />
                </p>
              </li>
            ))}
          </ul>
        </section>
      )}
      {error.value !== null && <ErrorNote title={t("error.title")} error={error.value} />}
      {otherBoxes.value?.card_id === row.card_id && <OtherBoxes row={row} found={otherBoxes.value.found} />}
      {text !== null && (
        <section>
          <h3>{t("why.content")}</h3>
          <Content text={text} />
        </section>
      )}
      <section>
        <h3>{t("why.facts")}</h3>
        <dl class="facts">
          <dt>{t("why.id")}</dt>
          <dd>
            <code>
              <Name text={row.card_id} />
            </code>
          </dd>
          <dt>{t("why.type")}</dt>
          <dd>
            <code>
              <Name text={row.type ?? "–"} />
            </code>
          </dd>
          <dt>{t("why.role")}</dt>
          <dd>
            <code>
              <Name text={roleLabel(row.role)} />
            </code>
          </dd>
          <dt>{t("why.author")}</dt>
          <dd>
            <code>
              <Name text={row.author_id ?? "–"} />
            </code>
          </dd>
          <dt>{t("why.content_type")}</dt>
          <dd>
            <code>{row.content_type ?? "–"}</code>
          </dd>
          {cost !== undefined && (
            <>
              <dt>{t("why.tokens")}</dt>
              <dd>{number(cost.tokens)}</dd>
            </>
          )}
          <dt>{t("why.presence")}</dt>
          <dd>{t(`presence.${row.presence}`)}</dd>
        </dl>
      </section>
      {text !== null && (
        <details open={isRawOpen.value} onToggle={(event) => (isRawOpen.value = event.currentTarget.open)}>
          <summary>{t("why.raw")}</summary>
          {isRawOpen.value && <Long key={row.card_id} class="raw" whole={indentJson(text)} first={PREVIEW_LENGTH} />}
        </details>
      )}
    </article>
  );
}

/** The other boxes of a card; the box it was inherited from is named above. */
function OtherBoxes({ row, found }: { row: Row; found: readonly Found[] }) {
  const cause = row.cause;
  const known = cause?.kind === "inherited" ? cause.box_id : null;
  const others = found.filter(({ box_id }) => box_id !== known);
  return (
    <section>
      <h3>{t("why.elsewhere")}</h3>
      {others.length === 0 ? (
        <p class="muted">{t("why.elsewhere.none")}</p>
      ) : (
        <Places key={row.card_id} of={others.map(({ box_id, positions }) => ({ box_id, position: positions.join(", ") }))} />
      )}
    </section>
  );
}

/** Places in boxes; a card can be in thousands, so only the first are rendered. */
function Places({ of }: { of: readonly { box_id: string; position: string; path?: string }[] }) {
  const limit = useSignal(FIRST_PLACES);
  return (
    <>
      <ul class="plain">
        {of.slice(0, limit.value).map(({ box_id, position, path }) => (
          <li>
            <Template text="why.swallowed.item" with={{ box: <BoxLink box_id={box_id} />, position }} />
            {path !== undefined && (
              <>
                {" "}
                <code class="path">
                  <Name text={path} />
                </code>
              </>
            )}
          </li>
        ))}
      </ul>
      {of.length > limit.value && (
        <button type="button" class="quiet" onClick={() => (limit.value += FIRST_PLACES * 10)}>
          {t("messages.more", { n: number(of.length - limit.value) })}
        </button>
      )}
    </>
  );
}

function Reason({ cause }: { cause: Cause | undefined }) {
  if (cause === undefined) return <p>{t("why.stored")}</p>;
  switch (cause.kind) {
    case "argument":
      return (
        <>
          <p>
            <Template
              text="why.argument"
              with={{
                key: (
                  <code>
                    <Name text={cause.arg_key} />
                  </code>
                ),
              }}
            />
          </p>
          <Path label={t("why.argument.rule")} path={cause.path} />
        </>
      );
    case "inherited":
      return (
        <>
          <p>
            <Template text="why.inherited" with={{ box: <BoxLink box_id={cause.box_id} />, position: <b>{number(cause.position)}</b> }} />
          </p>
          <Path label={t("why.inherited.path")} path={cause.path} />
        </>
      );
    case "parent":
      return (
        <>
          <p>{t("why.parent")}</p>
          <Path label={t("why.parent.path")} path={cause.path} />
        </>
      );
    case "imported":
      return (
        <>
          <p>
            <Template
              text="why.imported"
              with={{
                place: (
                  <code>
                    <Name text={originLabel(cause)} />
                  </code>
                ),
              }}
            />
          </p>
          {cause.pointer !== undefined && <Path label={t("why.imported.pointer")} path={cause.pointer} />}
        </>
      );
  }
}

function Path({ label, path }: { label: string; path: string }) {
  return (
    <p class="origin">
      <span class="muted">{label}</span>
      <code class="path">
        <Name text={path} />
      </code>
    </p>
  );
}

function BoxLink({ box_id }: { box_id: string }) {
  return (
    <button type="button" class="link" onClick={() => show({ kind: "box", box_id })}>
      <Name text={boxName(box_id)} />
    </button>
  );
}

/** A card's content: text verbatim, everything else as JSON. */
function Content({ text }: { text: string }) {
  const { content } = JSON.parse(text) as CardRow;
  const whole = content.__type__ === "TextContent" ? content.text : indentJson(contentText(text));
  if (whole === "") return <p class="muted">{t("content.empty")}</p>;
  return <Long key={whole.length > PREVIEW_LENGTH ? text.slice(0, 200) : ""} class="content" whole={whole} first={PREVIEW_LENGTH} />;
}

/** Returns the `content` member of a card as JSON text. */
function contentText(text: string): string {
  const { content } = JSON.parse(text) as CardRow;
  return JSON.stringify(content);
}
