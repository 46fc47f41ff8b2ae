import { render } from "preact";
import { App } from "./app.tsx";
import { recalled } from "./kept.ts";
import { openFault, openFrom } from "./state.ts";

const root = document.getElementById("app");
if (root !== null) render(<App />, root);

const shared = /^#s=(.+)$/.exec(location.hash)?.[1];
void start();

/** A link's project, or the last one, or the demo. */
async function start(): Promise<void> {
  if (shared !== undefined) {
    await openFrom({ kind: "link", fragment: shared });
    return;
  }
  const last = recalled("last");
  if (last !== null && (await openFrom({ kind: "kept", id: last }))) return;
  // what the browser no longer keeps is no fault of anybody's
  const lost = openFault.peek();
  if (last === null || lost?.code === "not_found" || lost?.code === "store") await openFrom({ kind: "demo" });
}

