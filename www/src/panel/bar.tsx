// The bar above the inspector: the page's project and its events.
import { lang } from "../i18n/index.ts";
import { show } from "../state.ts";
import { Name, Plain, visibleText } from "../text/plain.tsx";
import { connectionState, exposedProjects } from "./connection.ts";
import { eventError, events, inspected, isFollowing, type LogEntry, selectProject } from "./live.ts";
import { panelTexts } from "./texts.ts";

export function Bar() {
  const texts = panelTexts[lang.value];
  const now = inspected.value;
  const all = exposedProjects.value;
  return (
    <section class="panel-bar" aria-label={texts.label}>
      <p class="panel-state" role="status" data-state={connectionState.value}>
        {connectionState.value === "denied"
          ? texts.denied
          : connectionState.value === "waiting"
            ? texts.waiting
            : all.length === 0
              ? texts.noProject
              : texts.joined}
      </p>
      {all.length > 0 && (
        <label class="panel-choice">
          {texts.project}
          <select
            value={now?.id ?? ""}
            onChange={(event) => {
              const next = all.find(({ id }) => id === event.currentTarget.value);
              if (next !== undefined) void selectProject(next);
            }}
          >
            {all.map(({ id, name, where }) => (
              <option value={id}>
                {visibleText(name)} {where === "worker" ? texts.worker : ""}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="panel-choice">
        <input type="checkbox" checked={isFollowing.value} onChange={(event) => (isFollowing.value = event.currentTarget.checked)} />
        {texts.follow}
      </label>
      {eventError.value !== null && (
        <p class="panel-trouble" role="alert">
          <Plain text={eventError.value.message} />
        </p>
      )}
      <details class="panel-log">
        <summary>
          {texts.events} <span class="num">{events.value.length}</span>
        </summary>
        {events.value.length === 0 ? (
          <p class="muted">{texts.noEvents}</p>
        ) : (
          <ol>
            {events.value.map((entry) => (
              <li key={entry.count}>
                <Line entry={entry} />
              </li>
            ))}
          </ol>
        )}
      </details>
    </section>
  );
}

function Line({ entry }: { entry: LogEntry }) {
  const texts = panelTexts[lang.value];
  const { count, at, kind, op, call_id, error } = entry;
  const time = new Date(at).toLocaleTimeString(lang.value);
  return (
    <>
      <span class="num">{count}</span> <time>{time}</time>{" "}
      <span class="panel-kind" data-kind={kind}>
        {texts[kind]}
      </span>{" "}
      {call_id === null ? (
        <code>
          <Name text={op} />
        </code>
      ) : (
        <button type="button" class="link" onClick={() => show({ kind: "call", id: call_id })}>
          <Name text={op} />
        </button>
      )}
      {error !== null && (
        <>
          {" "}
          <code class="code">
            <Plain text={error.code} />
          </code>{" "}
          <Plain text={error.message} />
        </>
      )}
    </>
  );
}
