import { render } from "preact";
import { App } from "./app.tsx";
import { setPortFactory } from "./engine/client.ts";
import { workerPort } from "./engine/worker-port.ts";
import { textsReady } from "./i18n/index.ts";
import { pending, showPending } from "./pending.ts";
import { loadPreference } from "./preferences.ts";
import { firstRows } from "./preview.ts";
import { openError, openFrom } from "./project.ts";
import { startProject } from "./start-project.ts";
import { applyParams, paramsOf, syncUrl } from "./url.ts";
import { loadExtrasWhenIdle, setStyleLoader } from "./view/common/lazy.tsx";

setPortFactory(workerPort);
setStyleLoader(() => import("./style/late.css"));
void pending(start());

/** Opens the project of the link, of this tab, the last one, or the demo; then applies the URL. */
async function start(): Promise<void> {
  await textsReady;
  const root = document.getElementById("app");
  if (root !== null) {
    showPending(root);
    render(<App />, root);
  }
  const params = paramsOf(location.hash);
  await openFirst(params.get("s"), params.get("p"));
  applyParams(params);
  syncUrl();
  // texts and styles of the other views
  void firstRows.then(loadExtrasWhenIdle);
}

async function openFirst(shared: string | undefined, mine: string | undefined): Promise<void> {
  if (shared !== undefined) {
    await openFrom({ kind: "link", fragment: shared });
    return;
  }
  const given = startProject();
  // a growing log is never saved
  if (given !== null && (mine === undefined || given.kind === "live")) {
    if (given.kind === "lock") await (await import("./lock/state.ts")).openServedLock(given.lock);
    else await openFrom(given);
    return;
  }
  const last = mine ?? loadPreference("last");
  if (last !== null && (await openFrom({ kind: "saved", id: last }))) return;
  // a project that the browser has deleted is not an error
  const error = openError.peek();
  if (last !== null && error?.code !== "not_found" && error?.code !== "store") return;
  // a changed demo is not overwritten
  if (!(await openFrom({ kind: "demo", unless_saved: true }))) await openFrom({ kind: "demo" });
}
