// The words of the domain, explained on hover wherever the page itself says them: headings, labels, buttons, notes.
// What a project says is its own: names, ids and contents are not searched for words.
import { t } from "../../i18n/lazy.ts";
import { TERMS } from "./glossary.tsx";

/** Where the page speaks. */
const SAYS = "h2, h3, h4, th, dt, legend, summary, caption, button, label, p.muted, p.empty, figcaption";
/** Where the project speaks. */
const THEIRS = ".name, .entry, .line, code, pre, select, textarea, .cm-editor";
/** More explanations than this are no help. */
const MOST = 3;

const given = new WeakMap<Element, string>();

/** Explains from now on; gives what ends it. */
export function explain(root: Pick<EventTarget, "addEventListener" | "removeEventListener">): () => void {
  const listener = (event: Event) => {
    const at = event.target instanceof Element ? event.target.closest(SAYS) : null;
    if (at !== null && at.closest(THEIRS) === null) put(at);
  };
  root.addEventListener("pointerover", listener);
  return () => root.removeEventListener("pointerover", listener);
}

function put(at: Element): void {
  const there = at.getAttribute("title");
  // what somebody wrote for this place says more
  if (there !== null && there !== given.get(at)) return;
  const said = explanations(ownText(at));
  if (said === "") at.removeAttribute("title");
  else at.setAttribute("title", said);
  given.set(at, said);
}

function ownText(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return node.nodeValue ?? "";
  if (node instanceof Element && node.matches(THEIRS)) return " ";
  return Array.from(node.childNodes, ownText).join("");
}

function explanations(text: string): string {
  const found = TERMS.flatMap((name) => {
    const word = t(`term.${name}`);
    return word !== "" && says(text, word) ? [`${word}: ${t(`term.${name}.is`)}`] : [];
  });
  return found.slice(0, MOST).join("\n");
}

/** True where a text says a word, or many of it. */
function says(text: string, word: string): boolean {
  // Chinese has neither spaces nor plurals
  return /^[\x20-\x7e]+$/.test(word) ? new RegExp(`\\b${word}(?:s|es)?\\b`, "i").test(text) : text.includes(word);
}
