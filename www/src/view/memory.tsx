// Memory and layers: which process sees which layer and for how long; a composition's remembered messages, queries,
// summaries, and write-back.
import { batch, computed, signal } from "@preact/signals";
import type { DeclaredOperations, Memory as MemoryState, MemoryStep, PromptTables } from "tuckbox/web";
import { compositions } from "../calls.ts";
import { ask, errorData } from "../engine/client.ts";
import type { ErrorData, Json, JsonObject, NamedCall } from "../engine/protocol.ts";
import { openFit } from "../fit/state.ts";
import { codeLabel, count, lang, number, t } from "../i18n/lazy.ts";
import { saveCall } from "../project.ts";
import { project } from "../state.ts";
import { write } from "../text/json.ts";
import { Name, Plain, visibleText } from "../text/plain.tsx";
import { ErrorNote } from "./common/error.tsx";
import { roleLabel } from "./common/labels.tsx";
import { useQuestion } from "./common/question.ts";

type Value<Op extends keyof DeclaredOperations> = DeclaredOperations[Op]["value"];
type State = Pick<MemoryState, "messages" | "compression__context" | "memory_records">;
const EMPTY: State = { messages: [] };

const chosen = signal<string | null>(null);
const current = computed<NamedCall | null>(() => compositions.value.find(({ id }) => id === chosen.value) ?? compositions.value[0] ?? null);
/** The changed state of a composition. */
const changedState = signal<{ of: string; state: State } | null>(null);
const state = computed<State | null>(() => {
  const call = current.value;
  if (call === null) return null;
  if (changedState.value?.of === call.id) return changedState.value.state;
  const { checkpoint_messages, contexts } = call.call as { checkpoint_messages?: Json; contexts?: JsonObject };
  const summary = contexts?.compression__context;
  return {
    ...EMPTY,
    ...(Array.isArray(checkpoint_messages) ? { messages: checkpoint_messages as unknown as MemoryState["messages"] } : {}),
    ...(typeof summary === "string" ? { compression__context: summary } : {}),
  };
});
const marked = signal<ReadonlySet<string>>(new Set());
const error = signal<ErrorData | null>(null);
const effects = signal<readonly string[]>([]);

export function Memory() {
  return (
    <section class="memory scroll-view">
      <header class="row">
        <h2>{t("memory.title")}</h2>
        <button type="button" class="quiet" onClick={() => void create()}>
          {t("memory.new")}
        </button>
      </header>
      <Layers />
      {current.value === null ? <p class="muted">{t("memory.none")}</p> : <Conversation call={current.value} />}
    </section>
  );
}

async function create(): Promise<void> {
  const title = t("memory.untitled");
  const id = `compose-${crypto.randomUUID().slice(0, 8)}`;
  const call = {
    op: "compose",
    process: "react",
    system_prompt: "",
    contexts: { knowledge__context: "" },
    checkpoint_messages: [],
    query: { runtime: t("memory.query.example") },
  };
  await saveCall({ id, title: { en: title, zh: title }, note: { en: "", zh: "" }, call });
  chosen.value = id;
}

/** The table of layers: which process sees which, and how long each lives. */
function Layers() {
  const { answer, error: tableError } = useQuestion(() => {
    void project.value?.project_id;
    return async () => (await ask("preview", '{"op":"prompt_tables"}')).value as unknown as PromptTables;
  });
  if (tableError.value !== null) return <ErrorNote title={t("error.title")} error={tableError.value} />;
  const tables = answer.value;
  if (tables === null) return null;
  return (
    <div class="lanes" tabIndex={0} role="region" aria-label={t("memory.layers")}>
      <table class="layer-table">
        <thead>
          <tr>
            <th scope="col">{t("memory.layer")}</th>
            <th scope="col">{t("memory.lifetime")}</th>
            {tables.processes.map(({ process }) => (
              <th scope="col">
                <code>{process}</code>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tables.layers.map(({ layer, lifetime }) => (
            <tr>
              <th scope="row">
                <code>{layer}</code>
              </th>
              <td>{codeLabel("lifetime", lifetime)}</td>
              {tables.processes.map((process) => (
                <td>{visibilityLabel(layer, process)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Returns whether a process sees a layer, as a label. */
function visibilityLabel(
  layer: string,
  { always, when_sharing, checkpoint, other_blocks, needs_query }: PromptTables["processes"][number],
) {
  const has = (list: readonly string[]) => list.includes(layer);
  if (layer === "query") return t(needs_query ? "memory.needed" : "memory.allowed");
  if (layer === "checkpoint_messages" ? checkpoint : has(always)) return t("memory.always");
  if (layer === "*__context" ? other_blocks : has(when_sharing)) return t("memory.sharing");
  return layer.endsWith("__context") || layer === "checkpoint_messages" ? <span class="muted">–</span> : t("memory.always");
}

function Conversation({ call }: { call: NamedCall }) {
  const { messages, compression__context: summary, memory_records } = state.value ?? EMPTY;
  const contexts = (call.call.contexts ?? {}) as JsonObject;
  return (
    <>
      <div class="row">
        <label class="choice">
          <span>{t("memory.of")}</span>
          <select value={call.id} onChange={(event) => choose(event.currentTarget.value)}>
            {compositions.value.map((one) => (
              <option value={one.id}>{visibleText(one.title[lang.value] ?? one.id)}</option>
            ))}
          </select>
        </label>
        <button type="button" class="quiet" onClick={() => openFit(call.id)}>
          {t("memory.fit")}
        </button>
        {changedState.value?.of === call.id && (
          <>
            <button type="button" class="primary" onClick={() => void keepState(call)}>
              {t("memory.keep")}
            </button>
            <button type="button" class="quiet" onClick={() => choose(call.id)}>
              {t("memory.undo")}
            </button>
          </>
        )}
      </div>
      {error.value !== null && <ErrorNote title={t("error.title")} error={error.value} />}
      {effects.value.length > 0 && (
        <ul class="plain memory-log" role="status">
          {effects.value.map((line) => (
            <li>
              <Plain text={line} />
            </li>
          ))}
        </ul>
      )}
      <div class="runs-details">
        <section>
          <h3>
            {t("memory.messages")} <span class="num">{number(messages.length)}</span>
          </h3>
          {summary !== undefined && (
            <p class="summary">
              <b>{t("memory.summary")}</b> <Plain text={summary} />
            </p>
          )}
          {(memory_records?.compactions ?? []).map(({ id, covers }) => (
            <p class="muted">
              <code>
                <Name text={id} />
              </code>{" "}
              {t("memory.covers")} <Name text={covers.join(", ")} />
            </p>
          ))}
          <ol class="remembered">
            {messages.slice(-300).map(({ id, role, content }) => (
              <li>
                <label class="choice check">
                  <input
                    type="checkbox"
                    disabled={typeof id !== "string"}
                    checked={typeof id === "string" && marked.value.has(id)}
                    onChange={(event) => typeof id === "string" && mark(id, event.currentTarget.checked)}
                  />
                  <span>
                    <b>
                      <Name text={role === undefined ? "?" : roleLabel(role)} />
                    </b>{" "}
                    <code class="muted">
                      <Name text={id ?? "–"} />
                    </code>{" "}
                    <Plain text={typeof content === "string" ? content.slice(0, 400) : write((content ?? null) as Json).slice(0, 400)} />
                  </span>
                </label>
              </li>
            ))}
          </ol>
        </section>
        <section class="stack-gap">
          <Form title={t("memory.enter")} label={t("memory.query")} go={t("memory.enter.go")} onGo={(text) => enterQuery(call, text)} />
          <Form
            title={t("memory.compact", { messages: count("messages", marked.value.size) })}
            label={t("memory.summary.text")}
            go={t("memory.compact.go")}
            isOff={marked.value.size === 0}
            onGo={(text) => compact(call, text)}
          />
          <div>
            <h3>{t("memory.back")}</h3>
            <p class="muted">{t("memory.back.about")}</p>
            <button type="button" class="quiet" onClick={() => void writeBack(call, contexts)}>
              {t("memory.back.go")}
            </button>
          </div>
        </section>
      </div>
    </>
  );
}

function Form({
  title,
  label,
  go,
  isOff = false,
  onGo,
}: {
  title: string;
  label: string;
  go: string;
  isOff?: boolean;
  onGo: (text: string) => Promise<void>;
}) {
  return (
    <form
      class="stacked"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const text = String(new FormData(form).get("text") ?? "").trim();
        if (text !== "") void onGo(text).then(() => error.peek() === null && form.reset());
      }}
    >
      <h3>{title}</h3>
      <textarea name="text" rows={2} aria-label={label} placeholder={label} />
      <button type="submit" class="quiet" disabled={isOff}>
        {go}
      </button>
    </form>
  );
}

function choose(id: string): void {
  batch(() => {
    chosen.value = id;
    changedState.value = null;
    marked.value = new Set();
    effects.value = [];
    error.value = null;
  });
}

function mark(id: string, isMarked: boolean): void {
  const next = new Set(marked.peek());
  if (isMarked) next.add(id);
  else next.delete(id);
  marked.value = next;
}

/** Runs a rule on the state and shows the new state. */
async function change<Op extends keyof DeclaredOperations>(
  call: NamedCall,
  op: Op,
  more: JsonObject,
  describe: (value: Value<Op>) => string[],
): Promise<void> {
  try {
    const { value } = await ask("preview", write({ op, state: state.peek() as Json, ...more }));
    const found = value as unknown as Value<Op> & { state: State };
    batch(() => {
      changedState.value = { of: call.id, state: found.state };
      marked.value = new Set();
      effects.value = describe(found);
      error.value = null;
    });
  } catch (thrown) {
    error.value = errorData(thrown);
  }
}

const enterQuery = (call: NamedCall, content: string) =>
  change(call, "enter_query", { query: { id: `q-${crypto.randomUUID().slice(0, 8)}`, role: "user", content } }, ({ ledger }) =>
    ledger.map(stepLabel),
  );

/** Returns the summary that a new one replaces. */
function presentSummary(): { replaces?: string } {
  const { compression__context, memory_records } = state.peek() ?? EMPTY;
  if (compression__context === undefined) return {};
  return { replaces: memory_records?.compactions?.at(-1)?.id ?? "compression__context" };
}

const compact = (call: NamedCall, summary: string) => {
  const changes = [{ op: "compact", id: `s-${crypto.randomUUID().slice(0, 8)}`, covers: [...marked.peek()], summary, ...presentSummary() }];
  return change(call, "change_memory", { changes }, ({ ledger }) => ledger.flat().map(stepLabel));
};

const writeBack = (call: NamedCall, contexts: JsonObject) =>
  change(call, "write_back", { contexts }, ({ written, left_out }) => [
    ...written.map((layer) => t("memory.written", { layer })),
    ...left_out.map(({ layer, rule }) => t("memory.left", { layer, rule: codeLabel("left", rule) })),
  ]);

function stepLabel(step: MemoryStep): string {
  const more = "by" in step ? step.by : "of" in step ? step.of : "position" in step ? number(step.position) : "";
  return `${step.id}: ${codeLabel("effect", step.effect)} ${more}`.trim();
}

/** Saves the state in the composition. */
async function keepState(call: NamedCall): Promise<void> {
  const now = state.peek();
  if (now === null) return;
  const contexts = {
    ...((call.call.contexts ?? {}) as JsonObject),
    ...(now.compression__context === undefined ? {} : { compression__context: now.compression__context }),
  };
  await saveCall({ ...call, call: { ...call.call, contexts, checkpoint_messages: now.messages as unknown as Json } });
  choose(call.id);
}
