// The writes of a commit, requested when they are shown.
import type { ReadonlySignal } from "@preact/signals";
import { ask } from "../../engine/client.ts";
import { cards, t } from "../../i18n/lazy.ts";
import type { Writes as Batch } from "tuckbox/web";
import { picturedCall, project, view } from "../../state.ts";
import { Name, Plain } from "../../text/plain.tsx";
import { pretty } from "../../text/pretty.ts";
import { useAsked } from "../common/question.ts";
import { Copy } from "../common/copy.tsx";
import { FaultNote } from "../common/error.tsx";

/** The writes of the previewed call. */
export function Writes() {
  if (picturedCall.value === null) return <p class="empty">{t("writes.none")}</p>;
  return <WritesOf call={picturedCall} />;
}

/** The writes of a call; batch and hash come from one preview. */
export function WritesOf({ call }: { call: ReadonlySignal<string | null> }) {
  const { answer, fault } = useAsked(() => {
    const now = call.value;
    // after a commit the same call would write other rows
    void view.value;
    void project.value;
    return now === null ? null : () => ask("writes", now);
  });
  if (fault.value !== null) return <FaultNote title={t("fault.title")} fault={fault.value} />;
  if (answer.value === null) return null;
  const { text, content_hash } = answer.value;
  const batch = JSON.parse(text) as Batch;
  return (
    <div class="writes">
      <p class="muted">{t("writes.intro")}</p>
      <dl class="facts">
        <dt>{t("writes.operation")}</dt>
        <dd><code><Name text={batch.operation_id} /></code></dd>
        <dt>{t("writes.hash")}</dt>
        <dd><code><Name text={content_hash} /></code></dd>
      </dl>
      <h3>{t("writes.boxes")}</h3>
      <ul class="plain">
        {(batch.boxes ?? []).map((change) => (
          <li>
            <code>
              {"box" in change
                ? <Name text={t("writes.create", { box: change.box.box_id, cards: cards(change.box.card_ids.length) })} />
                : <Name text={`${change.change} ${change.box_id}`} />}
            </code>
          </li>
        ))}
      </ul>
      <h3>{t("writes.cards")}</h3>
      <ul class="plain">
        {(batch.cards ?? []).map((card) => (
          <li>
            <code><Name text={card.card_id} /></code> <Name text={String(card.metadata.type ?? "")} />
          </li>
        ))}
      </ul>
      {batch.expects !== undefined && (
        <>
          <h3>{t("writes.expects")}</h3>
          <ul class="plain">
            {batch.expects.map(({ table, key, version }) => (
              <li>
                <code><Name text={key.join(" ")} /></code>{" "}
                <span class="muted">{table} {version !== null && t("writes.version", { version })}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <details>
        <summary>{t("writes.raw")}</summary>
        <Copy text={text} label={t("copy.json")} />
        <pre class="raw"><Plain text={pretty(text)} /></pre>
      </details>
    </div>
  );
}
