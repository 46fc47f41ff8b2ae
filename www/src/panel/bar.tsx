// The bar above the inspector: the page's project and its events.
import { lang } from "../i18n/index.ts";
import { show } from "../state.ts";
import { legible, Name, Plain } from "../text/plain.tsx";
import { choose, current, type Entry, isFollowing, log, trouble } from "./live.ts";
import { exposed, state } from "./connection.ts";
import { words } from "./texts.ts";

export function Bar() {
  const say = words[lang.value];
  const now = current.value;
  const all = exposed.value;
  return (
    <section class="panel-bar" aria-label={say.label}>
      <p class="panel-state" role="status" data-state={state.value}>
        {state.value === "denied" ? say.denied : state.value === "waiting" ? say.waiting : all.length === 0 ? say.nobody : say.joined}
      </p>
      {all.length > 0 && (
        <label class="panel-choice">
          {say.project}
          <select
            value={now?.id ?? ""}
            onChange={(event) => {
              const next = all.find(({ id }) => id === event.currentTarget.value);
              if (next !== undefined) void choose(next);
            }}
          >
            {all.map(({ id, name, where }) => <option value={id}>{legible(name)} {where === "worker" ? say.worker : ""}</option>)}
          </select>
        </label>
      )}
      <label class="panel-choice">
        <input type="checkbox" checked={isFollowing.value} onChange={(event) => (isFollowing.value = event.currentTarget.checked)} />
        {say.follow}
      </label>
      {trouble.value !== null && <p class="panel-trouble" role="alert"><Plain text={trouble.value.message} /></p>}
      <details class="panel-log">
        <summary>{say.log} <span class="figure">{log.value.length}</span></summary>
        {log.value.length === 0 ? <p class="muted">{say.quiet}</p> : (
          <ol>{log.value.map((entry) => <li key={entry.count}><Line entry={entry} /></li>)}</ol>
        )}
      </details>
    </section>
  );
}

function Line({ entry }: { entry: Entry }) {
  const say = words[lang.value];
  const { count, at, kind, op, call_id, fault } = entry;
  const time = new Date(at).toLocaleTimeString(lang.value);
  return (
    <>
      <span class="figure">{count}</span> <time>{time}</time>{" "}
      <span class="panel-kind" data-kind={kind}>{say[kind]}</span>{" "}
      {call_id === null ? <code><Name text={op} /></code> : (
        <button type="button" class="link" onClick={() => show({ kind: "call", id: call_id })}><Name text={op} /></button>
      )}
      {fault !== null && <> <code class="code"><Plain text={fault.code} /></code> <Plain text={fault.message} /></>}
    </>
  );
}
