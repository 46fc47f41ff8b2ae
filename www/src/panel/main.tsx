// The DevTools panel: the inspector for a project of the inspected page, and the project's events.
import { render } from "preact";
import { App } from "../app.tsx";
import { setPortFactory } from "../engine/client.ts";
import { workerPort } from "../engine/worker-port.ts";
import { textsReady } from "../i18n/index.ts";
import { showPending } from "../pending.ts";
import { loadExtrasWhenIdle, setStyleLoader } from "../view/common/lazy.tsx";
import { Bar } from "./bar.tsx";
import { follow } from "./live.ts";

setPortFactory(workerPort);
setStyleLoader(() => import("../style/late.css"));
await textsReady;
const bar = document.getElementById("panel");
if (bar !== null) render(<Bar />, bar);
const app = document.getElementById("app");
if (app !== null) {
  showPending(app);
  render(<App />, app);
}

follow();
loadExtrasWhenIdle();
