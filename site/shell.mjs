// The frame of a page: header, navigation, content, and an example to run.
import { escaped, play } from "./markdown.mjs";

/** The pages of the navigation, by group. */
const NAVIGATION = {
  Start: [
    ["overview.html", "Overview"],
    ["docs/concepts.html", "Concepts"],
    ["docs/how-to/start-a-project.html", "Start a project"],
    ["docs/how-to/adopt.html", "Adopt in an existing app"],
    ["docs/index.html", "All pages by task"],
  ],
  Guides: [
    ["docs/how-to/delegate.html", "Delegate"],
    ["docs/how-to/cards-to-request.html", "From cards to a request"],
    ["docs/how-to/call-a-provider.html", "Call a provider"],
    ["docs/how-to/fit-a-budget.html", "Fit a budget"],
    ["docs/how-to/explain-the-cache.html", "Explain the cache"],
    ["docs/how-to/lock-the-context.html", "Lock the context"],
    ["docs/how-to/memory.html", "Memory"],
    ["docs/how-to/run-agents.html", "Run turns and batches"],
    ["docs/how-to/conversations.html", "Have a conversation"],
    ["docs/how-to/bring-your-own.html", "Import logs"],
    ["docs/how-to/watch.html", "Watch an agent"],
    ["docs/how-to/use-over-mcp.html", "Use over MCP"],
    ["docs/how-to/use-the-inspector.html", "Use the inspector"],
    ["docs/how-to/upgrade.html", "Upgrade"],
    ["docs/scale.html", "Scale"],
  ],
  Reference: [
    ["docs/reference/operations.html", "Operations"],
    ["docs/reference/errors-and-lints.html", "Errors and lints"],
    ["docs/reference/limits.html", "Limits"],
    ["npm.html", "npm package"],
    ["docs/how-to/use-from-python.html", "Python package"],
    ["api/index.html", "APIs"],
    ["changelog.html", "Changelog"],
  ],
};

/** The example of pages that have none of their own. */
const EXAMPLE = `import { memoryStore, open } from "tuckbox";

const project = await open(memoryStore(), { projectId: "demo" });
const note = { card_id: "n1", type: "note", author_id: "you", content: { __type__: "TextContent", text: "Bees dance." } };
await project.cards.put({ cards: [note] });
const preview = await project.preview("create_box", { box_id: "notes", card_ids: ["n1"] });
console.log(preview.writes.boxes[0]); // nothing is written yet
await preview.commit();`;

const POLICY =
  "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'";

/** Returns the HTML of a page. */
export function shell({ title, html, headings = [], hasPlay = false, up, version, repository, address, language = "en", wide = false }) {
  const link = (to) => `${up}/${to}`;
  const group = ([name, pages]) =>
    `<p class="group">${name}</p><ul>${pages.map(([to, text]) => `<li><a href="${link(to)}"${to === address ? ' aria-current="page"' : ""}>${text}</a></li>`).join("")}</ul>`;
  const contents = headings.filter(({ depth }) => depth === 2);
  const onPage =
    wide || contents.length < 3
      ? ""
      : `<details class="on-page"><summary>On this page</summary><ul>${contents.map(({ text, anchor }) => `<li><a href="#${anchor}">${escaped(text)}</a></li>`).join("")}</ul></details>`;
  const example = hasPlay || wide ? "" : `<details class="try"><summary>Try it in this page</summary>${play(EXAMPLE)}</details>`;
  const zh = language === "zh";
  return `<!doctype html>
<html lang="${zh ? "zh-Hans" : "en"}" data-up="${up}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}${title === "Tuckbox" ? "" : " · Tuckbox"}</title>
<link rel="icon" href="${link("mark.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${link("site.css")}">
<script type="module" src="${link("site.js")}"></script>
</head>
<body${wide ? ' class="front"' : ""}>
<a class="skip" href="#main">${zh ? "跳到正文" : "Skip to the content"}</a>
<header>
<a class="name" href="${link("index.html")}">Tuckbox</a> <span class="version">${version}</span>
<search><label><span class="unseen">${zh ? "搜索" : "Search"}</span><input type="search" id="search" placeholder="${zh ? "搜索文档" : "Search the documentation"}" autocomplete="off"></label><ul id="found" hidden></ul></search>
<nav aria-label="${zh ? "站点" : "Site"}"><a href="${link("docs/index.html")}">${zh ? "文档" : "Docs"}</a> <a href="${link("api/index.html")}">API</a> <a href="${repository}">${zh ? "源代码" : "Source"}</a> ${zh ? `<a href="${link("index.html")}" lang="en">English</a>` : `<a href="${link("zh.html")}" lang="zh-Hans">中文</a>`}</nav>
<button type="button" id="theme">${zh ? "主题" : "Theme"}</button>
</header>
<div class="frame">
${wide ? "" : `<nav class="pages" aria-label="Pages"><details open><summary>Pages</summary>${Object.entries(NAVIGATION).map(group).join("")}</details></nav>`}
<main id="main" tabindex="-1">
${onPage}
${html}
${example}
</main>
</div>
<footer><p>${zh ? "MIT 或 Apache-2.0 许可。此网站不发送任何数据。" : "MIT or Apache-2.0. This site sends no data."} <a href="${link("changelog.html")}">${zh ? "更新日志" : "Changelog"}</a> · <a href="${link("security.html")}">${zh ? "安全" : "Security"}</a> · <a href="${link("docs/reference/extension.html")}">${zh ? "DevTools 扩展" : "DevTools extension"}</a></p></footer>
</body>
</html>
`;
}
