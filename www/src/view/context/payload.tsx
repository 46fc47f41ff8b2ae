// The request body of each provider, with its conversion changes.
import { computed, type ReadonlySignal, signal, useSignal } from "@preact/signals";
import { ask } from "../../engine/client.ts";
import {
  type Account,
  type Bucket,
  COUNTINGS,
  type Counting,
  type Loss,
  PROVIDERS,
  type PromptSource,
  type Provider,
} from "../../engine/protocol.ts";
import { number, percent, t } from "../../i18n/lazy.ts";
import { goTo, previewSubject, shown } from "../../state.ts";
import { counting, maxOutput, models, provider, setCounting, setMaxOutput, setProvider, terms } from "../../terms.ts";
import { Long } from "../../text/long.tsx";
import { Name, Plain } from "../../text/plain.tsx";
import { indentJson } from "../../text/pretty.ts";
import { CopyButton } from "../common/copy.tsx";
import { Price } from "../common/cost.tsx";
import { ErrorNote } from "../common/error.tsx";
import { useQuestion } from "../common/question.ts";
import { Estimated, Sections } from "./request-bar.tsx";

const strict = signal(false);

/** How many characters of the body to show until the user asks for all. */
const PREVIEW_LENGTH = 40_000;

/** The payload of the context. */
export function ContextPayload() {
  return <Payload source={previewSource} />;
}

const previewSource = computed<PromptSource | null>(() =>
  previewSubject.value === null ? null : { subject: previewSubject.value, shown: shown.value },
);

export function Payload({ source }: { source: ReadonlySignal<PromptSource | null> }) {
  const { answer, error, busy } = useQuestion(() => {
    const from = source.value;
    const { options, counting: by } = terms.value;
    const wanted = { options: { ...options, strict: strict.value }, counting: by };
    return from === null ? null : () => ask("payload", from, wanted);
  });
  const found = answer.value;
  return (
    <div class="payload">
      <div class="row">
        <label class="choice">
          <span>{t("payload.provider")}</span>
          <select value={provider.value} onChange={(event) => setProvider(event.currentTarget.value as Provider)}>
            {PROVIDERS.map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="choice">
          <span>{t("payload.model")}</span>
          <input
            type="text"
            spellcheck={false}
            value={models.value[provider.value]}
            onInput={(event) => (models.value = { ...models.value, [provider.value]: event.currentTarget.value })}
          />
        </label>
        <label class="choice" title={t("payload.counting.note")}>
          <span>{t("payload.counting")}</span>
          <select value={counting.value} onChange={(event) => setCounting(event.currentTarget.value as Counting)}>
            {COUNTINGS.map((name) => (
              <option value={name}>{name === "estimate" ? t("payload.counting.estimate") : name}</option>
            ))}
          </select>
        </label>
        <label class="choice" title={t("payload.answer.note")}>
          <span>{t("payload.answer")}</span>
          <input
            type="number"
            min="1"
            step="1"
            value={maxOutput.value ?? ""}
            onInput={(event) => {
              const given = Number(event.currentTarget.value);
              setMaxOutput(Number.isSafeInteger(given) && given > 0 ? given : null);
            }}
          />
        </label>
        <label class="choice check">
          <input type="checkbox" checked={strict.value} onChange={(event) => (strict.value = event.currentTarget.checked)} />
          <span>{t("payload.strict")}</span>
        </label>
      </div>
      {busy.value && counting.value !== "estimate" && (
        <p class="muted" role="status">
          {t("payload.counting.busy")}
        </p>
      )}
      {error.value !== null && <ErrorNote title={t("error.title")} error={error.value} />}
      {found !== null && (
        <div class="payload-body" data-stale={error.value !== null}>
          <section class="payload-text">
            <header class="row">
              <h3>{t("payload.body")}</h3>
              <CopyButton text={found.body} label={t("copy.json")} />
              {provider.value !== "neutral" && (
                <CopyButton
                  text={curl(provider.value, models.value[provider.value], found.body)}
                  label={t("payload.curl")}
                  title={t("payload.curl.note")}
                />
              )}
            </header>
            <Long class="raw" whole={indentJson(found.body)} first={PREVIEW_LENGTH} />
          </section>
          <section class="payload-side">
            <h3>
              {t("payload.losses")} <span class="num">{number(found.losses.length)}</span>
            </h3>
            {found.losses.length === 0 ? (
              <p class="muted">{t("payload.losses.none")}</p>
            ) : (
              <ul class="notes">
                {found.losses.map((loss) => (
                  <LossNote loss={loss} />
                ))}
              </ul>
            )}
            {found.renamed_tools.length > 0 && (
              <>
                <h3>{t("payload.renamed")}</h3>
                <ul class="plain">
                  {found.renamed_tools.map(({ given, sent }) => (
                    <li>
                      <code>
                        <Name text={given} />
                      </code>{" "}
                      →{" "}
                      <code>
                        <Name text={sent} />
                      </code>
                    </li>
                  ))}
                </ul>
              </>
            )}
            <Tokens account={found.account} />
          </section>
        </div>
      )}
    </div>
  );
}

function LossNote({ loss }: { loss: Loss }) {
  return (
    <li>
      <p class="note-head">
        <code class="code" data-lossy={loss.lossy}>
          {loss.code}
        </code>
        <span class="muted">{t(`action.${loss.action}`)}</span>
        {loss.position !== undefined && <span class="muted">{t("payload.message", { position: number(loss.position) })}</span>}
        {loss.card_id !== undefined && (
          <code class="path">
            <Name text={loss.card_id} />
          </code>
        )}
      </p>
      <p>
        <Plain text={loss.reason} />
      </p>
      {loss.lossy && <p class="gone">{t("payload.lossy")}</p>}
    </li>
  );
}

/** The buckets of the account, largest first; they add up to the total. */
function Tokens({ account }: { account: Account }) {
  const limit = useSignal(12);
  const buckets = account.buckets.toSorted((a, b) => b.tokens - a.tokens);
  return (
    <>
      <h3>
        {t("payload.account")}{" "}
        <span class="num" data-total="payload">
          {number(account.tokens)}
        </span>{" "}
        <Estimated exact={account.exact} /> <Price dollars={account.cost} />
      </h3>
      <Sections view={account} />
      <table class="buckets">
        <tbody>
          {buckets.slice(0, limit.value).map((bucket) => (
            <tr>
              <td>
                <BucketName bucket={bucket} />
              </td>
              <td class="tokens" data-exact={bucket.exact}>
                {bucket.exact ? "" : "≈ "}
                {number(bucket.tokens)}
              </td>
              <td class="tokens muted">{percent(bucket.tokens / Math.max(1, account.tokens))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {buckets.length > limit.value && (
        <button type="button" class="quiet" onClick={() => (limit.value += 200)}>
          {t("messages.more", { n: number(buckets.length - limit.value) })}
        </button>
      )}
    </>
  );
}

function BucketName({ bucket }: { bucket: Bucket }) {
  switch (bucket.kind) {
    case "card":
      return (
        <code>
          <Name text={bucket.card_id} />
        </code>
      );
    case "layer":
      return (
        <code>
          <Name text={bucket.layer} />
        </code>
      );
    case "message":
      return (
        <button type="button" class="link" onClick={() => goTo(bucket.position)}>
          {t("payload.message", { position: number(bucket.position) })}
        </button>
      );
    case "tools":
      return <>{t("payload.tools")}</>;
    case "framing":
      return <>{t("payload.framing")}</>;
  }
}

/** Returns a curl command. The key comes from the environment of the user who runs it. */
function curl(to: Provider, model: string, body: string): string {
  const lines = [`curl ${quoteForShell(urlOf(to, model))}`, ...headersOf(to).map((header) => `-H "${header}"`)];
  // the body is one line of JSON, so it cannot contain the end marker
  return `${lines.join(" \\\n  ")} \\\n  --data-binary @- <<'END_OF_BODY'\n${body}\nEND_OF_BODY\n`;
}

function urlOf(to: Provider, model: string): string {
  switch (to) {
    case "openai_chat":
      return "https://api.openai.com/v1/chat/completions";
    case "openai_responses":
      return "https://api.openai.com/v1/responses";
    case "anthropic":
      return "https://api.anthropic.com/v1/messages";
    case "gemini":
      return `https://generativelanguage.googleapis.com/v1beta/models/${encodeURIComponent(model)}:generateContent`;
    case "neutral":
      return "";
  }
}

function headersOf(to: Provider): string[] {
  const type = "Content-Type: application/json";
  switch (to) {
    case "openai_chat":
    case "openai_responses":
      return [type, "Authorization: Bearer $OPENAI_API_KEY"];
    case "anthropic":
      return [type, "anthropic-version: 2023-06-01", "x-api-key: $ANTHROPIC_API_KEY"];
    case "gemini":
      return [type, "x-goog-api-key: $GEMINI_API_KEY"];
    case "neutral":
      return [type];
  }
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
