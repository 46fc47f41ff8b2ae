import { render } from "preact";
import { App } from "./app.tsx";
import { openDemo } from "./state.ts";

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
void openDemo();
