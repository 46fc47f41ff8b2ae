// The ways to open a project: a file, pasted text, a URL, a server, saved projects. The page sends requests only to
// URLs that the user typed.
import { signal } from "@preact/signals";
import { isOpen } from "../../dialogs.ts";
import { ask, errorData } from "../../engine/client.ts";
import type { Origin } from "../../engine/protocol.ts";
import { cards, count as countOf, formatTime, t } from "../../i18n/lazy.ts";
import { openError, opening } from "../../project.ts";
import { storedIn } from "../../state.ts";
import { Name } from "../../text/plain.tsx";
import { ErrorNote } from "../common/error.tsx";
import { useQuestion } from "../common/question.ts";
import { openFiles, openWithDialog, ProgressNote } from "./opening.tsx";

/** The log files read so far. */
function ReadSoFar() {
  const table = opening.value?.progress?.table ?? [];
  if (table.length === 0) return null;
  return (
    <table class="read-so-far">
      <tbody>
        {table.map(({ name, requests }) => (
          <tr>
            <td>
              <code class="path">
                <Name text={name} />
              </code>
            </td>
            <td class="num">{countOf("requests", requests)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function OpenForm() {
  return (
    <div class="dialog-body stack-gap">
      <h2 id="open-title">{t("open.title")}</h2>
      <p class="muted">{t("open.intro")}</p>
      {opening.value !== null && <ProgressNote />}
      <ReadSoFar />
      {openError.value !== null && <ErrorNote title={t("error.open")} error={openError.value} />}
      <p class="row">
        <label class="quiet file">
          {t("open.file")}
          <input
            type="file"
            multiple
            onChange={(event) => {
              void openFiles([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = "";
            }}
          />
        </label>
        <label class="quiet file">
          {t("open.folder")}
          <input
            type="file"
            {...{ webkitdirectory: true }}
            onChange={(event) => {
              void openFiles([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = "";
            }}
          />
        </label>
        <span class="muted">{t("open.drop")}</span>
      </p>
      <form class="stacked" onSubmit={(event) => submit(event, ({ text }) => ({ kind: "text", text }))}>
        <label for="open-text">{t("open.paste")}</label>
        <textarea id="open-text" name="text" rows={3} spellcheck={false} />
        <button type="submit" class="quiet">
          {t("open.paste.go")}
        </button>
      </form>
      <form class="stacked" onSubmit={(event) => submit(event, ({ url }) => ({ kind: "url", url }))}>
        <label for="open-url">{t("open.url")}</label>
        <span class="row">
          <input id="open-url" name="url" type="text" inputMode="url" spellcheck={false} placeholder="https://" />
          <button type="submit" class="quiet">
            {t("open.url.go")}
          </button>
        </span>
      </form>
      <ServerForm />
      <SavedProjects />
      <p class="row end">
        <button type="button" class="quiet" onClick={() => void openWithDialog({ kind: "demo" })}>
          {t("open.demo")}
        </button>
        <button type="button" class="quiet" onClick={() => (isOpen.value = false)}>
          {t("open.close")}
        </button>
      </p>
    </div>
  );
}

function submit(event: SubmitEvent & { currentTarget: HTMLFormElement }, origin: (fields: Record<Field, string>) => Origin): void {
  event.preventDefault();
  const data = new FormData(event.currentTarget);
  const field = (name: Field) => String(data.get(name) ?? "");
  void openWithDialog(
    origin({
      text: field("text"),
      url: field("url").trim(),
      project_id: field("project_id").trim(),
      box_id: field("box_id").trim(),
      token: field("token"),
    }),
  );
}

type Field = "text" | "url" | "project_id" | "box_id" | "token";

/** A project on a server with the package's routes. */
function ServerForm() {
  return (
    <details class="ways">
      <summary>{t("open.server")}</summary>
      <form
        class="fields"
        onSubmit={(event) => submit(event, ({ url, project_id, box_id, token }) => ({ kind: "server", url, project_id, box_id, token }))}
      >
        <label for="server-url">{t("open.server.url")}</label>
        <input id="server-url" name="url" type="text" inputMode="url" spellcheck={false} placeholder="https://example.org/api" />
        <label for="server-project">{t("open.server.project")}</label>
        <input id="server-project" name="project_id" type="text" spellcheck={false} />
        <label for="server-box">{t("open.server.box")}</label>
        <input id="server-box" name="box_id" type="text" spellcheck={false} />
        <label for="server-token">{t("open.server.token")}</label>
        <input id="server-token" name="token" type="password" autocomplete="off" />
        <p class="muted">{t("open.server.note")}</p>
        <button type="submit" class="quiet">
          {t("open.server.go")}
        </button>
      </form>
    </details>
  );
}

/** Projects saved in the browser. */
function SavedProjects() {
  const { answer } = useQuestion(() => {
    void deletions.value;
    return () => ask("listSaved");
  });
  const saved = answer.value ?? [];
  if (saved.length === 0) return null;
  const here = storedIn.value?.kind === "browser" ? storedIn.value.id : null;
  return (
    <section class="kept">
      <h3>{t("open.saved")}</h3>
      <ul class="plain">
        {saved.map(({ id, project_id, saved: time, cards: count, boxes, requests }) => (
          <li class="row">
            <button type="button" class="link" disabled={id === here} onClick={() => void openWithDialog({ kind: "saved", id })}>
              <Name text={project_id} />
            </button>
            <span class="muted grow">
              {requests === undefined
                ? t("open.saved.about", { cards: cards(count), boxes: countOf("boxes", boxes), when: formatTime(time) })
                : t("open.saved.log", { requests: countOf("requests", requests), when: formatTime(time) })}
            </span>
            {id === here ? (
              <span class="num">{t("open.saved.here")}</span>
            ) : (
              <button
                type="button"
                class="small"
                aria-label={t("open.saved.delete", { name: project_id })}
                onClick={() => void deleteSaved(id)}
              >
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const deletions = signal(0);

async function deleteSaved(id: string): Promise<void> {
  try {
    await ask("deleteSaved", id);
  } catch (thrown) {
    openError.value = errorData(thrown);
  }
  deletions.value += 1;
}
