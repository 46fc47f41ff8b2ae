// Explains the terms of the domain on hover, in the page's own texts: headings, labels, buttons, notes. Names, ids and
// contents of the project are not searched.
import { t } from "../../i18n/lazy.ts";
import { TERMS } from "./glossary.tsx";

/** Elements with texts of the page. */
const PAGE_TEXT = "h2, h3, h4, th, dt, legend, summary, caption, button, label, p.muted, p.empty, figcaption";
/** Elements with texts of the project. */
const PROJECT_TEXT = ".name, .entry, .line, code, pre, select, textarea, .cm-editor";
/** The maximum number of explanations per element. */
const MAX_TERMS = 3;

const ownTitles = new WeakMap<Element, string>();

/** Starts explaining; returns a function that stops it. */
export function explain(root: Pick<EventTarget, "addEventListener" | "removeEventListener">): () => void {
  const listener = (event: Event) => {
    const at = event.target instanceof Element ? event.target.closest(PAGE_TEXT) : null;
    if (at !== null && at.closest(PROJECT_TEXT) === null) setTitle(at);
  };
  root.addEventListener("pointerover", listener);
  return () => root.removeEventListener("pointerover", listener);
}

function setTitle(at: Element): void {
  const there = at.getAttribute("title");
  // a title of the element's own takes precedence
  if (there !== null && there !== ownTitles.get(at)) return;
  const title = explanations(ownText(at));
  if (title === "") at.removeAttribute("title");
  else at.setAttribute("title", title);
  ownTitles.set(at, title);
}

function ownText(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return node.nodeValue ?? "";
  if (node instanceof Element && node.matches(PROJECT_TEXT)) return " ";
  return Array.from(node.childNodes, ownText).join("");
}

function explanations(text: string): string {
  const found = TERMS.flatMap((name) => {
    const word = t(`term.${name}`);
    return word !== "" && containsTerm(text, word) ? [`${word}: ${t(`term.${name}.is`)}`] : [];
  });
  return found.slice(0, MAX_TERMS).join("\n");
}

/** Returns whether a text contains a term, singular or plural. */
function containsTerm(text: string, word: string): boolean {
  // Chinese has neither spaces nor plurals
  return /^[\x20-\x7e]+$/.test(word) ? new RegExp(`\\b${word}(?:s|es)?\\b`, "i").test(text) : text.includes(word);
}
