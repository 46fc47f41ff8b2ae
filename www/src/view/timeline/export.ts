// Writes one step as an HTML file that holds only the tab that is shown. Secrets are masked, and nothing is uploaded.

import { maskText } from "tuckbox/mask";
import type { MessageRow, StepDetail, TimelineStep } from "tuckbox/web";
import { ask } from "../../engine/client.ts";
import { codeLabel, lang, number, t } from "../../i18n/lazy.ts";
import type { StepTab } from "../../state.ts";
import { visibleText } from "../../text/plain.tsx";
import { didLabel, session, timeLabel } from "../../timeline/state.ts";

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #8886;border-radius:6px;padding:.6rem;unicode-bidi:plaintext}
h3{margin:1.2rem 0 .3rem;font-size:1em}table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:start}`;

const escaped = (text: string) =>
  visibleText(maskText(text)).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const block = (title: string, text: string) => `<h3>${escaped(title)}</h3>\n<pre>${escaped(text)}</pre>`;

const table = (head: string[], rows: string[][]) =>
  `<table><thead><tr>${head.map((cell) => `<th>${escaped(cell)}</th>`).join("")}</tr></thead>\n<tbody>${rows
    .map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`)
    .join("\n")}</tbody></table>`;

/** Returns a message with all of its text. */
async function whole(row: MessageRow): Promise<MessageRow> {
  if (!row.parts.some(({ cut }) => cut)) return row;
  return (await ask("timelineMessage", session.peek(), row.id))?.message ?? row;
}

async function messageHtml(row: MessageRow, change?: string): Promise<string> {
  const { parts } = await whole(row);
  const word = change === undefined ? "" : `${t(`timeline.change.${change as "added"}`)}: `;
  return parts
    .map(({ kind, tool, target, text, sealed }) => {
      const title = [t(`timeline.kind.${kind}`), tool, target].filter((part) => part !== null).join(" ");
      return block(`${word}${title}`, sealed ? t("timeline.detail.sealed") : text);
    })
    .join("\n");
}

async function bodyOf(tab: StepTab, detail: StepDetail): Promise<string> {
  switch (tab) {
    case "changes": {
      const changes = await Promise.all(
        detail.changes.map((change) =>
          change.message !== null
            ? messageHtml(change.message, change.change)
            : block(
                `${t(`timeline.change.${change.change as "added"}`)}: ${t(`timeline.subject.${change.subject as "tool"}`)} ${change.name ?? ""}`,
                [change.before, change.after].filter((text) => text !== null).join("\n→\n"),
              ),
        ),
      );
      const answer = detail.answer === null ? [] : [`<h2>${escaped(t("timeline.changes.answer"))}</h2>`, await messageHtml(detail.answer)];
      return [...changes, ...answer].join("\n");
    }
    case "request":
      return (await Promise.all((await ask("timelineRequest", session.peek(), detail.step)).map((row) => messageHtml(row)))).join("\n");
    case "tokens":
      return table(
        [t("timeline.tokens.label"), t("timeline.detail.tokens")],
        detail.groups.map(({ kind, tool, file, tokens }) => [
          [t(`timeline.kind.${kind}`), tool, file].filter((part) => part !== null).join(" · "),
          number(tokens),
        ]),
      );
    case "tools":
      return table(
        [t("timeline.tools.name"), t("timeline.tools.size"), t("timeline.tools.calls")],
        detail.tools.list.map(({ name, tokens, calls }) => [
          name,
          tokens === null ? t("timeline.unknown.value") : number(tokens),
          calls === 0 ? t("timeline.tools.never") : number(calls),
        ]),
      );
    case "raw":
      return detail.body === null
        ? `<p>${escaped(t("timeline.raw.none"))}</p>`
        : block(t("timeline.raw.exact"), JSON.stringify(detail.body, null, 2));
    case "log":
      return table(
        [t("timeline.missing"), ""],
        detail.unknown.map(({ what, why }) => [codeLabel("unknown", what), why]),
      );
  }
}

/** Saves the shown tab of a step as a file. */
export async function exportStep(one: TimelineStep, detail: StepDetail, tab: StepTab, facts: string): Promise<void> {
  const title = [t("timeline.step", { n: one.step }), timeLabel(one.at), didLabel(one)].filter((part) => part !== "").join(" · ");
  const html = `<!doctype html>
<html lang="${lang.peek() === "zh" ? "zh-Hans" : "en"}">
<head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title><style>${STYLE}</style></head>
<body>
<h1>${escaped(title)}</h1>
<p>${escaped(facts)}</p>
<h2>${escaped(t(`timeline.tab.${tab}`))}</h2>
${await bodyOf(tab, detail)}
</body></html>
`;
  const url = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `step-${one.step}-${tab}.html`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
