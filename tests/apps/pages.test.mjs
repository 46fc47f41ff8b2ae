// The examples of the page of the inspector, as a page and as an app in React: `<tuckbox-inspector>` opens.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "../browser/chromium.mjs";
import { pack, unpack } from "../consumers/harness/tarball.mjs";
import { deep, onlyDeep } from "../support/deep.mjs";
import { GUARD_MS } from "../support/until.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const page = readFileSync(here("../../docs/how-to/use-the-inspector.md"), "utf8");
const block = (language) => page.match(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m"))[1];

/** A store of the page with an agent that read one card. */
const WRITE = `import { open } from "tuckbox";
import { indexedDbStore } from "tuckbox/stores/indexeddb";
const store = indexedDbStore("notes");
const project = await open(store, { projectId: "demo" });
const { card_ids } = await project.cards.put({ cards: [{ type: "note", author_id: "me", content: { __type__: "TextContent", text: "Bees dance." } }] });
await project.boxes.create({ box_id: "bees", card_ids });
await store.addProfiles("demo", [{ name: "Reader", profile_box_id: "bees" }]);
`;

/** The files of each app. The page of the reader has the cards before the inspector opens. */
const APPS = {
  page: {
    "index.html": `<!doctype html>\n${block("html")}`,
    "inspector.css": block("css"),
    "inspector.js": `${WRITE}${block("js").replace(/^import \{ indexedDbStore \}.*\n/m, "")}`,
  },
  react: {
    "index.html": '<!doctype html>\n<div id="root"></div>\n<script type="module" src="main.jsx"></script>\n',
    "inspector.jsx": block("jsx"),
    "main.jsx": `import { createRoot } from "react-dom/client";
import { Inspector } from "./inspector.jsx";
${WRITE}
createRoot(document.querySelector("#root")).render(<Inspector store={store} projectId="demo" />);
`,
  },
};

let browser;
before(async () => {
  if (!deep) return;
  await unpack((await pack("apps-pages")).file, here("pages"));
  browser = await launch();
});
after(() => browser?.close());

for (const [name, files] of Object.entries(APPS)) {
  test(`the example of the inspector opens: ${name}`, onlyDeep("builds an app"), async () => {
    const root = here(`pages/${name}`);
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(`${root}/${file}`, text);
    const { build, preview } = await import("vite");
    const options = { root, configFile: false, logLevel: "error", esbuild: { jsx: "automatic" }, build: { target: "es2022" } };
    await build(options);
    const server = await preview({ ...options, preview: { host: "127.0.0.1", port: 0, strictPort: false } });
    const context = await browser.newContext();
    context.setDefaultTimeout(GUARD_MS);
    try {
      const shown = await context.newPage();
      const complaints = [];
      shown.on("pageerror", (error) => complaints.push(String(error)));
      await shown.goto(server.resolvedUrls.local[0]);
      // it opens on the newest thing there is
      await shown.locator("tuckbox-inspector").getByText("Bees dance.").first().waitFor();
      assert.deepEqual(complaints, []);
    } finally {
      await context.close();
      await server.close();
    }
  });
}
