// Markdown to HTML: links of the site, headings with anchors, and examples that run.
import { Marked } from "marked";
import { isRunnable, promised } from "./examples.mjs";

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Returns text for HTML. */
export const escaped = (text) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]);

/** Returns the anchor of a heading, as GitHub writes it. */
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Returns `{ title, html, sections, hasPlay, headings }` of a page. JSON calls of `operations` run. */
export function render(text, link, operations = new Set()) {
  const state = { before: "", sections: [{ title: "", anchor: "", text: "" }], headings: [], hasPlay: false, operations };
  const marked = new Marked({ renderer: renderer(state, link) });
  const html = marked.parse(text.replace(/^<!--[\s\S]*?-->\n/, ""));
  return { ...state, html, title: state.headings[0]?.text ?? "", sections: state.sections.filter(({ title }) => title !== "") };
}

function renderer(state, link) {
  const add = (text) => (state.sections.at(-1).text += ` ${text}`);
  return {
    heading({ tokens, depth, text }) {
      const plain = text.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "");
      const anchor = slug(plain);
      state.headings.push({ text: plain, anchor, depth });
      state.sections.push({ title: plain, anchor: depth === 1 ? "" : anchor, text: "" });
      // an example continues those of its section
      if (depth <= 2) state.before = "";
      return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    paragraph({ tokens, text }) {
      add(text);
      return `<p>${this.parser.parseInline(tokens)}</p>\n`;
    },
    listitem(item) {
      add(item.text);
      return `<li>${this.parser.parse(item.tokens)}</li>\n`;
    },
    link({ href, tokens }) {
      return `<a href="${escaped(link(href))}">${this.parser.parseInline(tokens)}</a>`;
    },
    image({ href, text }) {
      return `<img src="${escaped(link(href))}" alt="${escaped(text)}" loading="lazy">`;
    },
    table({ header, rows }) {
      const cells = (tag, row) => `<tr>${row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`;
      for (const row of rows) add(row.map((cell) => cell.text).join(" "));
      const head = header.some((cell) => cell.text !== "") ? `<thead>${cells("th", header)}</thead>` : "";
      return `<div class="wide" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${rows.map((row) => cells("td", row)).join("")}</tbody></table></div>\n`;
    },
    code({ text, lang = "" }) {
      const op = lang === "json" ? calledIn(text) : undefined;
      if (state.operations.has(op)) {
        state.hasPlay = true;
        return play(text, { call: op });
      }
      if (!isRunnable(text, lang, state.before)) {
        if (lang === "js") state.before = "";
        return `<pre tabindex="0"><code>${colored(text, lang)}</code></pre>\n`;
      }
      state.hasPlay = true;
      const html = play(text, { before: state.before });
      state.before += `${text}\n`;
      return html;
    },
  };
}

/** Returns the operation of a call that is JSON. */
function calledIn(text) {
  try {
    return JSON.parse(text).op;
  } catch {
    return undefined;
  }
}

/** Returns an example that a reader can change and run: a program, or a `call` of an operation. */
export function play(text, { before = "", language = "en", call = "" } = {}) {
  const words = language === "zh" ? ["运行", "可编辑的示例", "输出"] : ["Run", "Example, editable", "Output"];
  const lines = JSON.stringify(promised(text));
  return `<div class="play"${call === "" ? "" : ` data-call="${call}"`} data-before="${escaped(before)}" data-promised="${escaped(lines)}">
<div class="code"><textarea spellcheck="false" autocapitalize="off" autocomplete="off" aria-label="${words[1]}" rows="${text.split("\n").length}">${escaped(text)}</textarea>
<button type="button" class="run">${words[0]}</button><pre class="output" tabindex="0" role="log" aria-label="${words[2]}" hidden></pre></div>
<div class="inspector" hidden></div>
</div>\n`;
}

/** Returns code with colored comments and strings. Lines that only rustdoc reads are omitted. */
function colored(code, lang) {
  const text = lang === "rust" ? code.replace(/^# .*\n?/gm, "").trimEnd() : code;
  const comment = /^(?:sh|python|toml|yaml|text)$/.test(lang) ? "#[^\\n]*" : "\\/\\/[^\\n]*|\\/\\*[\\s\\S]*?\\*\\/";
  const pattern = new RegExp(`(${lang === "text" ? "(?!)" : comment})|("(?:[^"\\\\\\n]|\\\\.)*")`, "g");
  let html = "";
  let at = 0;
  for (const found of text.matchAll(pattern)) {
    html += escaped(text.slice(at, found.index));
    html += `<span class="${found[1] === undefined ? "string" : "comment"}">${escaped(found[0])}</span>`;
    at = found.index + found[0].length;
  }
  return html + escaped(text.slice(at));
}
