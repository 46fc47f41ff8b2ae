import { isOpen } from "../../dialogs.ts";
import { DIALECTS, type Dialect } from "../../engine/protocol.ts";
import { lang, number, setLang, t } from "../../i18n/index.ts";
import { chooseProject, visibleViews } from "../../project.ts";
import { dialect, isLog, logName, project, saveError, setDialect, storedIn, target, view } from "../../state.ts";
import { setWindow, windowSize } from "../../terms.ts";
import { Name, visibleText } from "../../text/plain.tsx";
import { THEMES, type Theme, theme } from "../../theme.ts";
import { Menu } from "../common/menu.tsx";
import { Segments } from "../common/segments.tsx";
import { ExportMenu } from "../project/export-menu.tsx";

const WINDOWS = [4_096, 8_192, 16_384, 32_768, 65_536, 128_000, 200_000, 1_000_000];

export function Header() {
  return (
    <header class="bar">
      <div class="brand">
        <Logo />
        <h1>Tuckbox</h1>
        <ProjectName />
        <StoredInNote />
      </div>
      <nav class="views" aria-label={t("view.label")}>
        {visibleViews.value.map((name) => (
          <button
            type="button"
            ref={view.value === name ? scrollIntoView : null}
            aria-current={view.value === name ? "page" : undefined}
            onClick={() => (view.value = name)}
          >
            {t(`view.${name}`)}
          </button>
        ))}
      </nav>
      <div class="choices">
        {view.value !== "timeline" && <RequestChoices />}
        <button type="button" class="quiet" onClick={() => (isOpen.value = true)}>
          {t("open.button")}
        </button>
        {project.value !== null && <ExportMenu />}
        <Settings />
      </div>
    </header>
  );
}

/** The dialect and the window of a preview. A log has neither. */
function RequestChoices() {
  return (
    <>
      {!isLog.value && (
        <Segments
          label={t("dialect.label")}
          options={DIALECTS.map((name) => ({ value: name, text: name }))}
          value={dialect.value}
          disabled={target.value?.kind !== "call"}
          onChange={(next) => setDialect(next as Dialect)}
        />
      )}
      <label class="choice" title={t("window.hint")}>
        <span>{t("window.label")}</span>
        <select value={String(windowSize.value)} onChange={(event) => setWindow(Number(event.currentTarget.value))}>
          {[...new Set([...WINDOWS, windowSize.value])]
            .toSorted((a, b) => a - b)
            .map((size) => (
              <option value={String(size)}>{number(size)}</option>
            ))}
        </select>
      </label>
    </>
  );
}

/** Scrolls the button of the current view into view if the row is too narrow. */
function scrollIntoView(button: HTMLButtonElement | null): void {
  const row = button?.parentElement;
  if (button === null || row == null) return;
  // only this row scrolls, never the page around the element
  const [inner, outer] = [button.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += Math.min(0, inner.left - outer.left) + Math.max(0, inner.right - outer.right);
}

/** The logo, drawn inline: in another page there is no file to refer to. */
function Logo() {
  return (
    <svg class="mark-icon" viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#1f3a5f" />
      <path d="M7 11h18v14H7z" fill="#f4f1ea" />
      <path d="M7 11l5-5h15l-2 5z" fill="#c9d6e6" />
      <path d="M12 15h8M12 18.500h8M12 22h5" stroke="#1f3a5f" stroke-width="1.700" stroke-linecap="round" />
    </svg>
  );
}

/** Theme and language. */
function Settings() {
  const other = lang.value === "en" ? "zh" : "en";
  return (
    <Menu class="settings" label={t("settings.label")}>
      <label class="choice">
        <span>{t("theme.label")}</span>
        <select value={theme.value} onChange={(event) => (theme.value = event.currentTarget.value as Theme)}>
          {THEMES.map((name) => (
            <option value={name}>{t(`theme.${name}`)}</option>
          ))}
        </select>
      </label>
      <button type="button" class="quiet" lang={other === "zh" ? "zh-Hans" : "en"} onClick={() => void setLang(other)}>
        {other === "zh" ? "中文" : "English"}
      </button>
    </Menu>
  );
}

/** The name of the project, or a select if the file contains several. */
function ProjectName() {
  const info = project.value;
  if (info === null) return null;
  if (info.projects.length < 2)
    return (
      <span class="project">
        <Name text={(isLog.value && logName.value) || info.project_id} />
      </span>
    );
  return (
    <label class="project">
      <span class="sr">{t("project.label")}</span>
      <select value={info.project_id} onChange={(event) => void chooseProject(event.currentTarget.value)}>
        {info.projects.map((id) => (
          <option value={id}>{visibleText(id)}</option>
        ))}
      </select>
    </label>
  );
}

/** Where the project is stored, and whether the browser saved it. */
function StoredInNote() {
  const at = storedIn.value;
  if (at === null) return null;
  const error = saveError.value;
  if (at.kind !== "server" && error === null) return null;
  const text = at.kind === "server" ? t("stored.server", { host: at.host }) : t("stored.not");
  return (
    <span class="where" role="status" data-lost={error !== null} title={error === null ? undefined : visibleText(error.message)}>
      <Name text={text} />
      {error !== null && <span class="sr">: {error.message}</span>}
    </span>
  );
}
