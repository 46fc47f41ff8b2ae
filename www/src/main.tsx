import { render } from "preact";
import { App } from "./app.tsx";
import { openFrom } from "./state.ts";

const root = document.getElementById("app");
if (root !== null) render(<App />, root);

const shared = /^#s=(.+)$/.exec(location.hash)?.[1];
void openFrom(shared === undefined ? { kind: "demo" } : { kind: "link", fragment: shared });

