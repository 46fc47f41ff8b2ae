import { render } from "preact";
import { apply, followAddress, paramsOf } from "./url.ts";
import { App } from "./app.tsx";
import { answerWith } from "./engine/client.ts";
import { workerPort } from "./engine/worker-port.ts";
import { spoken } from "./i18n/index.ts";
import { recalled } from "./preferences.ts";
import { pending, showPending } from "./pending.ts";
import { served } from "./start-project.ts";
import { equipSoon, styleWith } from "./view/common/lazy.tsx";
import { openFault, openFrom } from "./project.ts";
import { firstRows } from "./preview.ts";

answerWith(workerPort);
styleWith(() => import("./style/late.css"));
void pending(start());

/** Opens the project of the link, of this tab, the last one, or the demo; then applies the URL. */
async function start(): Promise<void> {
  await spoken;
  const root = document.getElementById("app");
  if (root !== null) {
    showPending(root);
    render(<App />, root);
  }
  const params = paramsOf(location.hash);
  await openFirst(params.get("s"), params.get("p"));
  apply(params);
  followAddress();
  // texts and styles of the other views
  void firstRows.then(equipSoon);
}

async function openFirst(shared: string | undefined, mine: string | undefined): Promise<void> {
  if (shared !== undefined) {
    await openFrom({ kind: "link", fragment: shared });
    return;
  }
  const given = served();
  if (given !== null && mine === undefined) {
    await openFrom(given);
    return;
  }
  const last = mine ?? recalled("last");
  if (last !== null && (await openFrom({ kind: "kept", id: last }))) return;
  // a project that the browser has deleted is not an error
  const lost = openFault.peek();
  if (last !== null && lost?.code !== "not_found" && lost?.code !== "store") return;
  // a changed demo is not overwritten
  if (!(await openFrom({ kind: "demo", unless_kept: true }))) await openFrom({ kind: "demo" });
}
