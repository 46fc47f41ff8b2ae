// Replaced cards, with a word diff of their texts.
import type { CardRow } from "tuckbox/web";
import { ask } from "../../engine/client.ts";
import type { ComparedRun, Seen } from "../../engine/protocol.ts";
import { number, t } from "../../i18n/lazy.ts";
import { diff } from "../../text/diff.ts";
import { Name, Plain } from "../../text/plain.tsx";
import { useAsked } from "../common/question.ts";
import { FaultNote } from "../common/error.tsx";

/** The maximum number of pairs shown. */
const PAIRS = 20;

interface Props {
  before: { seen: Seen; run: ComparedRun };
  after: { seen: Seen; run: ComparedRun };
}

/** Pairs of cards from two runs of which one replaced the other. */
export function Changed({ before, after }: Props) {
  const { answer, fault } = useAsked(() => async () => {
    const [left, right] = [await texts(before.seen, before.run.left ?? 0, before.run.cards), await texts(after.seen, after.run.right ?? 0, after.run.cards)];
    const count = Math.min(left.length, right.length);
    return Array.from({ length: count }, (_, at) => ({ before: left[at] as Said, after: right[at] as Said }));
  });
  if (fault.value !== null) return <FaultNote title={t("compare.failed")} fault={fault.value} />;
  return (
    <ol class="changed-pairs">
      {answer.value?.map(({ before: one, after: other }) => (
        <li>
          <p class="muted"><code><Name text={one.card_id} /></code> <span class="figure">{number(one.position)}</span> → <code><Name text={other.card_id} /></code> <span class="figure">{number(other.position)}</span></p>
          <pre class="content">
            {diff(one.text, other.text).map(({ change, text }) => change === "kept" ? <Plain text={text} /> : change === "removed" ? <del><Plain text={text} /></del> : <ins><Plain text={text} /></ins>)}
          </pre>
        </li>
      ))}
    </ol>
  );
}

interface Said {
  card_id: string;
  position: number;
  text: string;
}

/** Returns the texts of some cards of a context. */
async function texts(seen: Seen, from: number, cards: number): Promise<Said[]> {
  const { rows } = await ask("look", { ...seen, from, to: from + Math.min(cards, PAIRS) });
  const call = "call" in seen.subject ? seen.subject.call : null;
  return Promise.all(rows.map(async ({ card_id, position }) => {
    const { content } = JSON.parse(await ask("card", card_id, call)) as CardRow;
    return { card_id, position, text: content.__type__ === "TextContent" ? content.text : JSON.stringify(content, null, 2) };
  }));
}
