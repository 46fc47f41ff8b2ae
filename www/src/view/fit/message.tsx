// One message of "What if" in detail.
import type { FitResult, Message, Prompt } from "../../engine/protocol.ts";
import { pinned, togglePin } from "../../fit/state.ts";
import { number, t } from "../../i18n/lazy.ts";
import { Long } from "../../text/long.tsx";
import { Name } from "../../text/plain.tsx";
import { indentJson } from "../../text/pretty.ts";
import { CopyButton } from "../common/copy.tsx";
import { roleLabel, Template } from "../common/labels.tsx";

/** How many characters of a message to show until the user asks for all. */
const PREVIEW_LENGTH = 20_000;

/** One message of the prompt: its origin, whether it stays, its content. */
export function MessageDetail({ prompt, fitted, position }: { prompt: Prompt; fitted: FitResult | null; position: number }) {
  const message = prompt.messages[position];
  if (message === undefined) return null;
  const origin = prompt.origins[position];
  const entry = prompt.entries.find((one) => one.position === position);
  const cost = prompt.account.messages.find((one) => one.position === position);
  const drop = dropReason(fitted, position);
  const isPinned = pinned.value.has(position);
  const raw = JSON.stringify(message);
  return (
    <article>
      <header class="why-head">
        <p class="muted">{t("payload.message", { position: number(position) })}</p>
        <h2>
          <i class="swatch role-swatch" data-role={roleLabel(message.role)} /> <Name text={roleLabel(message.role)} />
        </h2>
        <div class="actions">
          <button type="button" class="quiet" aria-pressed={isPinned} onClick={() => togglePin(position)}>
            {isPinned ? t("whatif.pinned") : t("whatif.pin.short")}
          </button>
          <CopyButton text={raw} label={t("copy.json")} />
        </div>
      </header>
      <section>
        <h3>{t("whatif.origin")}</h3>
        {origin?.layer !== undefined && (
          <p>
            <Template
              text="whatif.layer"
              with={{
                layer: (
                  <code>
                    <Name text={origin.layer} />
                  </code>
                ),
              }}
            />
          </p>
        )}
        {origin?.card_id !== undefined && (
          <p>
            <Template
              text="whatif.card"
              with={{
                card: (
                  <code>
                    <Name text={origin.card_id} />
                  </code>
                ),
              }}
            />
          </p>
        )}
        {entry !== undefined && (
          <p class="origin">
            <code class="path">
              <Name text={entry.from} />
            </code>
          </p>
        )}
        {entry?.is_query === true && <p>{t("whatif.query")}</p>}
        {entry?.trimmed === true && <p class="muted">{t("whatif.trimmed")}</p>}
      </section>
      <section>
        <h3>{t("whatif.outcome")}</h3>
        <p class={drop === null ? undefined : "gone"}>{drop ?? t("whatif.stays")}</p>
        {cost !== undefined && (
          <p class="muted">
            {number(cost.tokens)} {t("bar.tokens")} · {cost.exact ? t("payload.exact") : `≈ ${t("bar.estimated")}`}
          </p>
        )}
      </section>
      <section>
        <h3>{t("why.content")}</h3>
        <Long key={raw.slice(0, 200)} class="content" whole={contentText(message.content)} first={PREVIEW_LENGTH} />
      </section>
      <details>
        <summary>{t("why.raw")}</summary>
        <Long key={raw.slice(0, 200)} class="raw" whole={indentJson(raw)} first={PREVIEW_LENGTH} />
      </details>
    </article>
  );
}

/** Returns why a message is dropped; `null` if it stays. */
export function dropReason(fitted: FitResult | null, position: number): string | null {
  const first = fitted?.dropped_with[position] ?? -1;
  if (first < 0) return null;
  return first === position ? t("whatif.over") : t("whatif.withcall", { first: number(first) });
}

/** Returns the content of a message as text. */
export function contentText(content: Message["content"]): string {
  if (typeof content === "string") return content;
  return content === undefined || content === null ? "" : JSON.stringify(content);
}
