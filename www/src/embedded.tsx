// The app inside an element: its styles are an adopted style sheet, and the page's own thread answers its calls.
import { render } from "preact";
import { App } from "./app.tsx";
import { setPortFactory } from "./engine/client.ts";
import { threadPort } from "./engine/port.ts";
import type { ErrorData } from "./engine/protocol.ts";
import { textsReady } from "./i18n/index.ts";
import { showPending } from "./pending.ts";
import { openError, openFrom } from "./project.ts";
import own from "./style/embedded.css?inline";
import css from "./style/index.css?inline";
import { loadExtrasWhenIdle } from "./view/common/lazy.tsx";

export { openFrom };

/** Returns the error of the last attempt to open a project. */
export const lastOpenError = (): ErrorData | null => openError.peek();

export async function start(root: ShadowRoot): Promise<void> {
  setPortFactory(threadPort);
  await textsReady;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`${toElementStyles(css)}\n${own}`);
  root.adoptedStyleSheets = [sheet];
  const app = document.createElement("div");
  app.id = "app";
  root.append(app);
  showPending(app);
  render(<App />, app);
  loadExtrasWhenIdle();
}

/**
 * Adapts the page's styles to an element: `:root` becomes `:host`, and media queries on the window become container
 * queries.
 */
function toElementStyles(sheet: string): string {
  return sheet
    .replaceAll(/:root(\[[^\]]*\])/g, ":host($1)")
    .replaceAll(":root", ":host")
    .replaceAll(/(^|[},\s])body(?=[\s{,])/g, "$1#app")
    .replaceAll(/(^|[},\s])html(?=[\s{,])/g, "$1#app")
    .replaceAll(/@media\s*(?=\([^{]*(?:width|height)[^{]*\{)/g, "@container tuckbox ");
}
