// The front page for four readers, in English and Chinese.
import { escaped, play } from "./markdown.mjs";

const TEN_LINES = `import { memoryStore, open } from "tuckbox";

const note = { card_id: "n1", content: { __type__: "TextContent", text: "Bees dance." }, metadata: { role: "user" } };
const store = memoryStore();
store.project("demo").addCard(note).addBox({ box_id: "notes", card_ids: ["n1"] }).addProfile({ name: "Writer", profile_box_id: "pb" });
const project = await open(store, { projectId: "demo" });
const task = { profile_name: "Writer", instruction: "Draft it.", inherit_box_ids: ["notes"] };
const call = { tool_suffix: "delegate", source_agent_id: "lead", ...task };
const preview = await project.preview("pack_context_with_instruction", call);
for (const { position, cause } of preview.ledger.boxes[0].entries()) {
  console.log(position, cause.kind);
}
await preview.commit(); // exactly what the preview showed`;

const TEAM = `import { memoryStore, open } from "tuckbox";
import { engine } from "tuckbox/engine";
import { worker } from "tuckbox/worker";

const team = engine({ open, store: memoryStore(), projectId: "demo" });
await team.profile({ name: "Writer", llm_config: { provider: "openai_chat", model: "any" } });
await team.provision({ agent_id: "ann", profile: "Writer" });
const model = ({ body }) => \`Done: \${body.messages.at(-1).content}\`; // call your model here
const crew = worker({ engine: team, model });
await Promise.all([team.start(), crew.start()]);
const turn = await team.dispatch({ agent_id: "ann", instruction: "Draft it." });
const { fields } = await team.result(turn);
console.log(fields.output); // → Done: Draft it.
await Promise.all([crew.close(), team.close()]);`;

const PACKAGES = [
  ["Node, Deno, Bun", "npm install tuckbox", 'import { open } from "tuckbox"'],
  ["Vite, webpack, pages", "npm install tuckbox", 'import { open } from "tuckbox/web"'],
  ["Cloudflare Workers", "npm install tuckbox", "tuckbox/stores/durable-object"],
  ["Python 3.10+", "pip install tuckbox", "import tuckbox"],
  ["Rust 1.90+", "cargo add tuckbox", "use tuckbox::rule"],
  ["React, HTML", "npm install tuckbox", "<tuckbox-inspector>"],
  ["wasmtime, jco", "tuckbox.component.wasm", "tuckbox:core/project"],
];

const WORDS = {
  en: {
    lead: "Tuckbox assembles, previews and explains the context that each model receives. It is a library for Rust, JavaScript and Python, with the same bytes in every runtime.",
    readers: [
      [
        "debug",
        "I debug an agent",
        "Drop a log of Claude Code, Codex, Gemini CLI, LangGraph, an SDK or OpenTelemetry. See each request, its tokens, its cost, and why the cache missed. The log stays in this page.",
      ],
      [
        "build",
        "I build agents",
        "Pack a context for another agent. The preview has the final ids, the exact batch, and a reason for each card. Change the example and run it here.",
      ],
      [
        "run",
        "I run a team",
        "The engine runs turns, queues and batches on your database, in any number of processes. A process that ends loses nothing.",
      ],
      ["embed", "I embed it", "One core, one package for each runtime."],
    ],
    choose: "Choose a log, or drop it here",
    more: { debug: "Import logs", build: "Delegate", run: "Run turns and batches", embed: "Choose a form" },
    columns: ["runtime", "install", "use"],
  },
  zh: {
    lead: "Tuckbox 负责组装、预览并解释每个模型收到的上下文。它是 Rust、JavaScript 和 Python 的库，在所有运行环境中产生相同的字节。",
    readers: [
      [
        "debug",
        "我在调试智能体",
        "放入 Claude Code、Codex、Gemini CLI、LangGraph、SDK 或 OpenTelemetry 的日志，查看每个请求、token、费用，以及缓存未命中的原因。日志只留在此页面中。",
      ],
      [
        "build",
        "我在构建智能体",
        "为另一个智能体打包上下文。预览包含最终的 id、确切的写入内容，以及每张卡片的原因。可以在这里修改并运行示例。",
      ],
      ["run", "我在运行一个团队", "引擎在你的数据库上运行轮次、队列和批次，进程数量不限。进程中断不会丢失任何内容。"],
      ["embed", "我要嵌入它", "一个核心，每种运行环境一个软件包。"],
    ],
    choose: "选择日志，或将其拖放到这里",
    more: { debug: "导入日志", build: "委派", run: "运行轮次与批次", embed: "选择软件包" },
    columns: ["运行环境", "安装", "使用"],
  },
};

const LINKS = {
  debug: "docs/how-to/bring-your-own.html",
  build: "docs/how-to/delegate.html",
  run: "docs/how-to/run-agents.html",
  embed: "docs/how-to/choose-a-form.html",
};

/** Returns the front page in a language. */
export function front(language) {
  const words = WORDS[language];
  const table = `<div class="wide" tabindex="0" role="group" aria-label="${words.columns[0]}"><table><thead><tr>${words.columns.map((name) => `<th>${name}</th>`).join("")}</tr></thead><tbody>${PACKAGES.map((row) => `<tr>${row.map((cell, at) => `<td>${at === 0 ? escaped(cell) : `<code>${escaped(cell)}</code>`}</td>`).join("")}</tr>`).join("")}</tbody></table></div>`;
  const bodies = {
    debug: `<div id="drop"><label for="log">${words.choose}</label><input type="file" id="log"></div><div id="log-inspector" hidden></div>`,
    build: play(TEN_LINES, { language }),
    run: play(TEAM, { language }),
    embed: table,
  };
  const parts = words.readers.map(
    ([id, title, text]) =>
      `<section id="${id}"><h2>${title}</h2><p>${text} <a href="${LINKS[id]}">${words.more[id]}</a></p>${bodies[id]}</section>`,
  );
  return {
    title: "Tuckbox",
    language,
    wide: true,
    hasPlay: true,
    html: `<h1>Tuckbox</h1><p class="lead">${words.lead}</p><ul class="readers">${words.readers.map(([id, title]) => `<li><a href="#${id}">${title}</a></li>`).join("")}</ul>${parts.join("\n")}`,
  };
}
