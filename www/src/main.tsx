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

/** A link's project, or the one that this tab had, or the last one, or the demo; then what the address names. */
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
  // what the words of the domain mean, and what the next view will need
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
  // what the browser no longer keeps is no fault of anybody's
  const lost = openFault.peek();
  if (last !== null && lost?.code !== "not_found" && lost?.code !== "store") return;
  // the demo that another tab has changed is not written over
  if (!(await openFrom({ kind: "demo", unless_kept: true }))) await openFrom({ kind: "demo" });
}
