// What the model sees: the receiver's messages, each with its card.
import { useSignal } from "@preact/signals";
import type { Json, JsonObject } from "tuckbox/web";
import { ask } from "../../engine/client.ts";
import type { Account, Message, Turn, TurnEntry } from "../../engine/protocol.ts";
import { count, number, t } from "../../i18n/lazy.ts";
import { goTo, previewSubject, select, selected, shown } from "../../state.ts";
import { terms } from "../../terms.ts";
import { Long } from "../../text/long.tsx";
import { Name, Plain } from "../../text/plain.tsx";
import { Price } from "../common/cost.tsx";
import { ErrorNote } from "../common/error.tsx";
import { roleLabel } from "../common/labels.tsx";
import { useQuestion } from "../common/question.ts";
import { Estimated, Sections } from "./request-bar.tsx";

type Tool = NonNullable<Turn["request"]["tools"]>[number];

const PAGE = 100;
const LONG = 2_000;

export function Messages() {
  const { answer, error } = useQuestion(() => {
    const about = previewSubject.value;
    const box = shown.value;
    const wanted = terms.value;
    return about === null ? null : () => ask("turnView", about, box, wanted);
  });
  const limit = useSignal(PAGE);
  if (error.value !== null) return <ErrorNote title={t("error.title")} error={error.value} />;
  if (answer.value === null) return null;
  const { turn, account } = answer.value;
  const { messages, tools = [] } = turn.request;
  const entryOf = new Map<number, TurnEntry>();
  for (const entry of turn.entries) if (entry.became === "message") entryOf.set(entry.position, entry);
  const costs = new Map(account.messages.map((one) => [one.position, one]));
  if (messages.length === 0) return <p class="empty">{t("messages.nothing")}</p>;
  return (
    <div class="messages">
      <p class="muted">
        {count("messages", messages.length)}, <b data-total="messages">{number(account.tokens)}</b> {t("bar.tokens")}{" "}
        <Estimated exact={account.exact} /> <Price dollars={account.cost} />
      </p>
      <Sections view={account} />
      <ol>
        {messages.slice(0, limit.value).map((message, position) => (
          <MessageRow key={position} message={message} position={position} entry={entryOf.get(position)} cost={costs.get(position)} />
        ))}
      </ol>
      {messages.length > limit.value && (
        <button type="button" class="quiet" onClick={() => (limit.value += PAGE * 5)}>
          {t("messages.more", { n: number(messages.length - limit.value) })}
        </button>
      )}
      <RequestExtras turn={turn} tools={tools} />
    </div>
  );
}

interface OneProps {
  message: Message;
  position: number;
  entry: TurnEntry | undefined;
  cost: Account["messages"][number] | undefined;
}

function MessageRow({ message, position, entry, cost }: OneProps) {
  const seat = entry?.seat?.side === "context" ? entry.seat.position : null;
  const text = contentText(message.content);
  return (
    <li
      class="message"
      id={`message-${position}`}
      data-role={roleLabel(message.role)}
      data-selected={seat !== null && selected.value === seat}
      onClick={() => seat !== null && select(seat)}
    >
      <p class="message-head">
        <span class="num">{number(position)}</span>
        <b>
          <Name text={roleLabel(message.role)} />
        </b>
        {typeof message.name === "string" && (
          <code>
            <Name text={message.name} />
          </code>
        )}
        <MessageSource entry={entry} />
        {cost !== undefined && <span class="tokens">{number(cost.tokens)}</span>}
      </p>
      {text !== "" && <Long class="words" whole={text} first={LONG} />}
      {text === "" && (message.tool_calls ?? []).length === 0 && <p class="muted">{t("messages.empty")}</p>}
      {message.tool_calls?.map((call) => (
        <pre class="words call">
          <span class="muted">{t("messages.calls")} </span>
          <Plain text={callText(call)} />
        </pre>
      ))}
    </li>
  );
}

function MessageSource({ entry }: { entry: TurnEntry | undefined }) {
  if (entry?.seat === undefined) return <span class="muted">{t("messages.prompt")}</span>;
  const { side, position } = entry.seat;
  if (side === "output") return <span class="muted">{t("messages.output", { position: number(position) })}</span>;
  return (
    <button type="button" class="link" onClick={() => goTo(position)}>
      {t("messages.card", { position: number(position) })}
    </button>
  );
}

function RequestExtras({ turn, tools }: { turn: Turn; tools: readonly Tool[] }) {
  return (
    <>
      {(turn.result_fields?.length ?? 0) > 0 && (
        <section>
          <h3>{t("messages.fields")}</h3>
          <ul class="plain">
            {turn.result_fields?.map((field) => (
              <li>
                <code>
                  <Name text={field.name} />
                </code>{" "}
                <Plain text={field.description} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {tools.length > 0 && (
        <section>
          <h3>{t("messages.tools")}</h3>
          <ul class="plain">
            {tools.map((tool) => (
              <li>
                <code>
                  <Name text={toolName(tool)} />
                </code>
              </li>
            ))}
          </ul>
        </section>
      )}
      {(turn.missing?.length ?? 0) > 0 && (
        <section>
          <h3>{t("messages.missing")}</h3>
          <ul class="plain">
            {turn.missing?.map((card) => (
              <li class="gone">
                <code>
                  <Name text={card.card_id} />
                </code>{" "}
                {card.reason}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function toolName(tool: Tool): string {
  const name = member(tool.function, "name") ?? tool.name;
  return typeof name === "string" ? name : "?";
}

/** Returns a member of a value if it is an object. */
function member(value: Json | undefined, key: string): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject)[key] : undefined;
}

function callText(call: Json): string {
  const called = member(call, "function");
  const [name, given] = [member(called, "name"), member(called, "arguments")];
  return `${typeof name === "string" ? name : "?"} ${typeof given === "string" ? given : ""}`;
}

function contentText(content: Message["content"]): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  return content
    .map((part) => {
      const text = member(part, "text");
      return typeof text === "string" ? text : JSON.stringify(part);
    })
    .join("\n");
}
