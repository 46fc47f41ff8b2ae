// The glossary: terms are explained on hover and listed in the help.
import type { ComponentChildren } from "preact";
import { t } from "../../i18n/lazy.ts";

export const TERMS = [
  "card",
  "box",
  "handover",
  "composition",
  "agent",
  "profile",
  "turn",
  "ledger",
  "cause",
  "dialect",
  "window",
  "payload",
  "loss",
  "framing",
  "reserve",
  "layer",
  "batch",
  "outbox",
  "preview",
  "commit",
] as const;
export type TermName = (typeof TERMS)[number];

/** A term with its explanation. */
export function Term({ of, children }: { of: TermName; children: ComponentChildren }) {
  return (
    <span class="term" title={t(`term.${of}.is`)}>
      {children}
    </span>
  );
}

/** All terms. */
export function Glossary() {
  return (
    <dl class="facts glossary">
      {TERMS.map((name) => (
        <>
          <dt>{t(`term.${name}`)}</dt>
          <dd>{t(`term.${name}.is`)}</dd>
        </>
      ))}
    </dl>
  );
}
