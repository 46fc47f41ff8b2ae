// Untrusted text as text nodes, with invisible characters made visible. Nothing here parses markup.
import type { ComponentChildren } from "preact";

// controls, soft and zero-width characters, bidi controls, tag characters, variation selectors; not a joiner or
// selector inside an emoji
const HIDDEN =
  /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F|[#*0-9])[\u200D\uFE0F]|[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200C\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0E\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/u;
// most text has only these characters, and this test is many times faster
const PLAIN_ASCII = /^[\n -~]*$/;
const RUNS = new RegExp(`(?:${HIDDEN.source})+`, "gu");

const NAMES: Record<number, string> = {
  0: "NUL",
  8: "BS",
  13: "CR",
  27: "ESC",
  127: "DEL",
  173: "SHY",
  8203: "ZWSP",
  8204: "ZWNJ",
  8205: "ZWJ",
  8206: "LRM",
  8207: "RLM",
  8232: "LS",
  8233: "PS",
  8234: "LRE",
  8235: "RLE",
  8236: "PDF",
  8237: "LRO",
  8238: "RLO",
  8288: "WJ",
  8294: "LRI",
  8295: "RLI",
  8296: "FSI",
  8297: "PDI",
  65279: "BOM",
};

/** Returns names for invisible characters, and the characters that tag characters spell. */
export function charNames(run: string): string {
  const shown: string[] = [];
  for (const char of run) {
    const code = char.codePointAt(0) ?? 0;
    if (code >= 0xe0020 && code < 0xe007f) shown.push(`tag:${String.fromCodePoint(code - 0xe0000)}`);
    else shown.push(NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`);
  }
  return shown.join(" ");
}

/** Returns text with invisible characters replaced by their names, for attributes. */
export function visibleText(text: string): string {
  return PLAIN_ASCII.test(text) ? text : text.replaceAll(RUNS, (run) => `[${charNames(run)}]`);
}

/** Renders text with invisible characters made visible. */
export function Plain({ text }: { text: string }): ComponentChildren {
  if (PLAIN_ASCII.test(text) || !HIDDEN.test(text)) return text;
  const nodes: ComponentChildren[] = [];
  let at = 0;
  for (const found of text.matchAll(RUNS)) {
    if (found.index > at) nodes.push(text.slice(at, found.index));
    nodes.push(<span class="hidden-char">{charNames(found[0])}</span>);
    at = found.index + found[0].length;
  }
  if (at < text.length) nodes.push(text.slice(at));
  return nodes;
}

/** Renders an id or another name, isolated from the direction of the surrounding text. */
export function Name({ text, title, of = "name" }: { text: string; title?: string; of?: string }): ComponentChildren {
  return (
    <bdi class={of} title={title}>
      <Plain text={text} />
    </bdi>
  );
}
