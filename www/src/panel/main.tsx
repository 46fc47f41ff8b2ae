// The panel in DevTools: the inspector on a project of the page that is looked at, and what that project does.
import { render } from "preact";
import { App } from "../app.tsx";
import { Bar } from "./bar.tsx";
import { follow } from "./live.ts";

const bar = document.getElementById("panel");
if (bar !== null) render(<Bar />, bar);
const app = document.getElementById("app");
if (app !== null) render(<App />, app);

follow();
