// Sender and receiver: what both see, what only the receiver sees and why, and what is not passed on.
import type { ComponentChildren } from "preact";
import { ask } from "../../engine/client.ts";
import type { Handover } from "../../engine/protocol.ts";
import { cards, count, number, t } from "../../i18n/lazy.ts";
import { goTo, previewCall, rowPages, shown } from "../../state.ts";
import { Name, Plain } from "../../text/plain.tsx";
import { ErrorNote } from "../common/error.tsx";
import { Badge } from "../common/labels.tsx";
import { useQuestion } from "../common/question.ts";

const MAX_LISTED = 200;

export function Sides() {
  const { answer, error } = useQuestion(() => {
    const call = previewCall.value;
    const task = shown.value;
    return call === null ? null : () => ask("previewHandover", call, task);
  });
  if (error.value !== null) return <ErrorNote title={t("sides.failed")} error={error.value} />;
  const found = answer.value;
  if (found === null) return null;
  return (
    <div class="sides">
      <div class="sides-pair">
        <Column title={t("sides.sender")} who={found.sender}>
          <Group name="shared" title={t("sides.shared")} items={found.shared.sender} />
          <Group name="kept" title={t("sides.withheld")} items={found.not_passed_on} />
        </Column>
        <Column title={t("sides.receiver")} who={found.receiver}>
          <Group name="shared" title={t("sides.shared")} items={found.shared.receiver} isReceiver />
          <Group name="added" title={t("sides.added")} items={found.added} isReceiver />
        </Column>
      </div>
      <Authority handover={found} />
      {found.lints.length > 0 && (
        <section>
          <h3>{t("sides.warnings")}</h3>
          <ul class="notes">
            {found.lints.map(({ code, path, message }) => (
              <li>
                <p class="note-head">
                  <code class="code">{code}</code>{" "}
                  <code class="path">
                    <Name text={path} />
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
  );
}

function Column({ title, who, children }: { title: string; who: Handover["sender"]; children: ComponentChildren }) {
  return (
    <section class="sides-column">
      <h3>
        {title}{" "}
        {who !== null && (
          <b>
            <Name text={who.name} />
          </b>
        )}
      </h3>
      {who === null ? (
        <p class="muted">{t("sides.unknown")}</p>
      ) : (
        <>
          <p class="muted">
            {cards(who.cards)} · {count("messages", who.messages)}
          </p>
          {children}
        </>
      )}
    </section>
  );
}

function Group({
  name,
  title,
  items,
  isReceiver = false,
}: {
  name: string;
  title: string;
  items: Handover["added"];
  isReceiver?: boolean;
}) {
  return (
    <details class="sides-group" data-group={name} open={items.length <= 30}>
      <summary>
        {title} <span class="num">{number(items.length)}</span>
      </summary>
      <ul class="plain">
        {items.slice(0, MAX_LISTED).map(({ card_id, position, cause }) => {
          const at = isReceiver ? place(card_id) : null;
          return (
            <li>
              <span class="num">{number(position)}</span>{" "}
              {at === null ? (
                <code>
                  <Name text={card_id} />
                </code>
              ) : (
                <button type="button" class="link mono" onClick={() => goTo(at)}>
                  <Name text={card_id} />
                </button>
              )}{" "}
              {cause !== undefined && <Badge cause={cause} />}
            </li>
          );
        })}
      </ul>
      {items.length > MAX_LISTED && <p class="muted">{t("problems.more", { n: number(items.length - MAX_LISTED) })}</p>}
    </details>
  );
}

/** Returns the position of a card among the loaded rows. */
function place(card_id: string): number | null {
  for (const page of rowPages.value.values()) for (const row of page) if (row.card_id === card_id) return row.position;
  return null;
}

/** Which boxes are passed on, and by which authority. */
function Authority({ handover: { audit } }: { handover: Handover }) {
  if (audit === null || audit.sources.length === 0) return null;
  return (
    <section>
      <h3>{t("sides.authority")}</h3>
      <table class="buckets">
        <tbody>
          {audit.sources.map(({ box_id, version, cards: count, authority, path }) => (
            <tr>
              <td>
                <code>
                  <Name text={box_id} />
                </code>
              </td>
              <td>
                {cards(count)} <span class="muted">{t("writes.version", { version })}</span>
              </td>
              <td>{t(`authority.${authority.kind}`)}</td>
              <td>
                <code class="path">
                  <Name text={path} />
                </code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
