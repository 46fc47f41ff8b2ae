// Replaced cards, with a word diff of their texts.
import type { CardRow } from "tuckbox/web";
import { ask } from "../../engine/client.ts";
import type { ComparedRun, ContextRef } from "../../engine/protocol.ts";
import { number, t } from "../../i18n/lazy.ts";
import { diff } from "../../text/diff.ts";
import { Name, Plain } from "../../text/plain.tsx";
import { ErrorNote } from "../common/error.tsx";
import { useQuestion } from "../common/question.ts";

/** The maximum number of pairs shown. */
const MAX_PAIRS = 20;

interface Props {
  before: { context: ContextRef; run: ComparedRun };
  after: { context: ContextRef; run: ComparedRun };
}

/** Pairs of cards from two runs of which one replaced the other. */
export function TextDiffs({ before, after }: Props) {
  const { answer, error } = useQuestion(() => async () => {
    const [left, right] = [
      await texts(before.context, before.run.left ?? 0, before.run.cards),
      await texts(after.context, after.run.right ?? 0, after.run.cards),
    ];
    const count = Math.min(left.length, right.length);
    return Array.from({ length: count }, (_, at) => ({ before: left[at] as CardText, after: right[at] as CardText }));
  });
  if (error.value !== null) return <ErrorNote title={t("compare.failed")} error={error.value} />;
  return (
    <ol class="changed-pairs">
      {answer.value?.map(({ before: one, after: other }) => (
        <li>
          <p class="muted">
            <code>
              <Name text={one.card_id} />
            </code>{" "}
            <span class="num">{number(one.position)}</span> →{" "}
            <code>
              <Name text={other.card_id} />
            </code>{" "}
            <span class="num">{number(other.position)}</span>
          </p>
          <pre class="content">
            {diff(one.text, other.text).map(({ change, text }) =>
              change === "unchanged" ? (
                <Plain text={text} />
              ) : change === "removed" ? (
                <del>
                  <Plain text={text} />
                </del>
              ) : (
                <ins>
                  <Plain text={text} />
                </ins>
              ),
            )}
          </pre>
        </li>
      ))}
    </ol>
  );
}

interface CardText {
  card_id: string;
  position: number;
  text: string;
}

/** Returns the texts of some cards of a context. */
async function texts(context: ContextRef, from: number, cards: number): Promise<CardText[]> {
  const { rows } = await ask("inspect", { ...context, from, to: from + Math.min(cards, MAX_PAIRS) });
  const call = "call" in context.subject ? context.subject.call : null;
  return Promise.all(
    rows.map(async ({ card_id, position }) => {
      const { content } = JSON.parse(await ask("getCard", card_id, call)) as CardRow;
      return { card_id, position, text: content.__type__ === "TextContent" ? content.text : JSON.stringify(content, null, 2) };
    }),
  );
}
