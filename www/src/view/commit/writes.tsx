// The writes of a commit, requested when they are shown.
import type { ReadonlySignal } from "@preact/signals";
import type { Writes as Batch } from "tuckbox/web";
import { ask } from "../../engine/client.ts";
import { cards, t } from "../../i18n/lazy.ts";
import { lastPreview, previewCall, project } from "../../state.ts";
import { Name, Plain } from "../../text/plain.tsx";
import { indentJson } from "../../text/pretty.ts";
import { CopyButton } from "../common/copy.tsx";
import { ErrorNote } from "../common/error.tsx";
import { useQuestion } from "../common/question.ts";

/** The writes of the previewed call. */
export function Writes() {
  if (previewCall.value === null) return <p class="empty">{t("writes.none")}</p>;
  return <WritesOf call={previewCall} />;
}

/** The writes of a call; batch and hash come from one preview. */
export function WritesOf({ call }: { call: ReadonlySignal<string | null> }) {
  const { answer, error } = useQuestion(() => {
    const now = call.value;
    // after a commit the same call would write other rows
    void lastPreview.value;
    void project.value;
    return now === null ? null : () => ask("previewWrites", now);
  });
  if (error.value !== null) return <ErrorNote title={t("error.title")} error={error.value} />;
  if (answer.value === null) return null;
  const { text, content_hash } = answer.value;
  const batch = JSON.parse(text) as Batch;
  return (
    <div class="writes">
      <p class="muted">{t("writes.intro")}</p>
      <dl class="facts">
        <dt>{t("writes.operation")}</dt>
        <dd>
          <code>
            <Name text={batch.operation_id} />
          </code>
        </dd>
        <dt>{t("writes.hash")}</dt>
        <dd>
          <code>
            <Name text={content_hash} />
          </code>
        </dd>
      </dl>
      <h3>{t("writes.boxes")}</h3>
      <ul class="plain">
        {(batch.boxes ?? []).map((change) => (
          <li>
            <code>
              {"box" in change ? (
                <Name text={t("writes.create", { box: change.box.box_id, cards: cards(change.box.card_ids.length) })} />
              ) : (
                <Name text={`${change.change} ${change.box_id}`} />
              )}
            </code>
          </li>
        ))}
      </ul>
      <h3>{t("writes.cards")}</h3>
      <ul class="plain">
        {(batch.cards ?? []).map((card) => (
          <li>
            <code>
              <Name text={card.card_id} />
            </code>{" "}
            <Name text={String(card.metadata.type ?? "")} />
          </li>
        ))}
      </ul>
      {batch.expects !== undefined && (
        <>
          <h3>{t("writes.expects")}</h3>
          <ul class="plain">
            {batch.expects.map(({ table, key, version }) => (
              <li>
                <code>
                  <Name text={key.join(" ")} />
                </code>{" "}
                <span class="muted">
                  {table} {version !== null && t("writes.version", { version })}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <details>
        <summary>{t("writes.raw")}</summary>
        <CopyButton text={text} label={t("copy.json")} />
        <pre class="raw">
          <Plain text={indentJson(text)} />
        </pre>
      </details>
    </div>
  );
}
