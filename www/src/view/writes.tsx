// What a commit would send. The batch is fetched when somebody looks.
import { signal, useSignalEffect } from "@preact/signals";
import { ask, faultOf } from "../engine/client.ts";
import type { Fault } from "../engine/protocol.ts";
import { cards, t } from "../i18n/index.ts";
import { picturedCall, view } from "../state.ts";
import { Name, Plain } from "../text/plain.tsx";
import { pretty } from "../text/pretty.ts";
import { Copy } from "./copy.tsx";
import { FaultNote } from "./fault.tsx";

interface Batch {
  operation_id: string;
  expects?: { table: string; key: string[]; version: string | number | null }[];
  cards?: { card_id: string; metadata: { type?: string } }[];
  boxes?: ({ change: "create"; box: { box_id: string; card_ids: string[] } } | { change: string; box_id: string })[];
}

const text = signal<string | null>(null);
const failed = signal<Fault | null>(null);

export function Writes() {
  useSignalEffect(() => {
    const now = picturedCall.value;
    if (now === null) return;
    ask("writes", now).then(
      (found) => {
        if (now !== picturedCall.peek()) return;
        text.value = found;
        failed.value = null;
      },
      (thrown: unknown) => {
        failed.value = faultOf(thrown);
      },
    );
  });
  if (picturedCall.value === null) return <p class="empty">{t("writes.none")}</p>;
  if (failed.value !== null) return <FaultNote title={t("fault.title")} fault={failed.value} />;
  if (text.value === null) return null;
  const batch = JSON.parse(text.value) as Batch;
  return (
    <div class="writes">
      <p class="muted">{t("writes.intro")}</p>
      <dl class="facts">
        <dt>{t("writes.operation")}</dt>
        <dd><code><Name text={batch.operation_id} /></code></dd>
        {view.value?.content_hash !== undefined && (
          <>
            <dt>{t("writes.hash")}</dt>
            <dd><code><Name text={view.value.content_hash} /></code></dd>
          </>
        )}
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
            <code><Name text={card.card_id} /></code> <Name text={card.metadata.type ?? ""} />
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
        <Copy text={text.value} label={t("copy.json")} />
        <pre class="raw"><Plain text={pretty(text.value)} /></pre>
      </details>
    </div>
  );
}
