// Labels for terms of the ledger.
import type { ComponentChildren } from "preact";
import type { CardCost, CardKind, Cause, PartSource } from "../../engine/protocol.ts";
import { codeLabel, type Key, t, templateParts, tLazy } from "../../i18n/index.ts";
import { Name } from "../../text/plain.tsx";

export function kindLabel(kind: CardKind): string {
  return t(`kind.${kind}`);
}

export function sourceLabel(source: PartSource): string {
  return "box_id" in source ? tLazy(`source.${source.kind}`, { box: source.box_id }) : tLazy(`source.${source.kind}`);
}

/** Returns what becomes of a card in the request. */
export function outcomeLabel(cost: CardCost): string {
  return cost.became === "nothing"
    ? tLazy("outcome.nothing", { reason: codeLabel("outcome.reason", cost.reason) })
    : tLazy(`outcome.${cost.became}`);
}

export function roleLabel(role: unknown): string {
  if (role === null) return t("role.none");
  return typeof role === "string" ? role : JSON.stringify(role);
}

/** A text with nodes in its placeholders. */
export function Template({ text, with: filling }: { text: Key; with: Record<string, ComponentChildren> }) {
  return <>{templateParts(text).map((piece) => (piece.name === null ? piece.text : filling[piece.name]))}</>;
}

/** Returns file and line of an imported card. */
export function originLabel({ file, line }: { file: string; line?: number }): string {
  return line === undefined ? file : `${file}:${line}`;
}

export function Badge({ cause }: { cause: Cause | undefined }) {
  if (cause === undefined) return <span class="badge stored">{t("badge.stored")}</span>;
  switch (cause.kind) {
    case "argument":
      return (
        <span class="badge argument">
          <Template
            text="badge.argument"
            with={{
              key: (
                <b>
                  <Name text={cause.arg_key} />
                </b>
              ),
            }}
          />
        </span>
      );
    case "inherited":
      return (
        <span class="badge inherited">
          <Template
            text="badge.inherited"
            with={{
              box: (
                <b>
                  <Name text={cause.box_id} />
                </b>
              ),
              position: <i>{cause.position}</i>,
            }}
          />
        </span>
      );
    case "parent":
      return <span class="badge parent">{t("badge.parent")}</span>;
    case "imported":
      return <span class="badge stored">{t("badge.imported", { place: originLabel(cause) })}</span>;
  }
}
