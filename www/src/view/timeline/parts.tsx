// Messages of a step and their parts, as rows that open in the right pane.
import type { MessageRow, TimelinePart } from "tuckbox/web";
import { count, t } from "../../i18n/lazy.ts";
import { Name, Plain } from "../../text/plain.tsx";
import { message } from "../../timeline/state.ts";

/** The number of characters of a part in a list. */
const MAX_SHOWN = 420;

/** The tool and the target of a part: "Edit src/retry.ts". */
export function PartName({ part }: { part: TimelinePart }) {
  const words = [part.tool, part.target].filter((word) => word !== null).join(" ");
  return (
    <>
      <i class="swatch" data-part={part.kind} />
      <span class="tl-kind">{t(`timeline.kind.${part.kind}`)}</span>
      {words !== "" && <Name text={words} of="name tl-target" />}
      {part.failed && <span class="tl-bad">✗</span>}
    </>
  );
}

/** The beginning of the content of a part. */
function Excerpt({ part }: { part: TimelinePart }) {
  if (part.sealed) return <p class="muted">{t("timeline.detail.sealed")}</p>;
  if (part.text === "") return null;
  const isCut = part.cut || part.text.length > MAX_SHOWN;
  return (
    <pre>
      <Plain text={part.text.slice(0, MAX_SHOWN)} />
      {isCut ? " …" : ""}
    </pre>
  );
}

/** A message with its parts. `change` is what happened to it. */
export function MessageCard({ row, change }: { row: MessageRow; change?: string }) {
  return (
    <li class="tl-card" data-change={change} aria-current={message.value === row.id ? "true" : undefined}>
      {row.parts.map((part, at) => (
        <div class="tl-part">
          <button type="button" class="tl-part-head" onClick={() => (message.value = row.id)}>
            {change !== undefined && at === 0 && (
              <span class="tl-change">
                {SIGNS[change]} {t(`timeline.change.${change as "added"}`)}
              </span>
            )}
            <PartName part={part} />
            <span class="tl-space" />
            <span class="num">{count("tokens", part.tokens)}</span>
          </button>
          <Excerpt part={part} />
        </div>
      ))}
    </li>
  );
}

export const SIGNS: Readonly<Record<string, string>> = { added: "+", removed: "−", kept: "=", changed: "~" };
