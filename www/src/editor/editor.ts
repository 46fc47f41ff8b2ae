// The JSON editor, loaded when the user first opens the JSON form.
//
// It is in a shadow root, so that its styles become adopted style sheets. The page's policy allows those, but not
// `<style>` elements.

import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  ensureSyntaxTree,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
  syntaxTree,
} from "@codemirror/language";
import { type Diagnostic, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { type EditorState, Transaction } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Mark } from "../build/marks.ts";
import type { Step } from "../text/paths.ts";

type Node = NonNullable<ReturnType<typeof syntaxTree>["topNode"]["firstChild"]>;

export interface Suggestion {
  label: string;
  note: string;
}

export interface EditorOptions {
  label: string;
  text: string;
  onChange: (text: string) => void;
  /** Returns the member names that fit the object at a path. */
  keysAt: (path: Step[]) => Suggestion[];
  /** Returns the values that fit a path; strings without quotation marks. */
  valuesAt: (path: Step[]) => Suggestion[];
}

export interface Editor {
  setText(text: string): void;
  setMarks(marks: readonly Mark[]): void;
  goTo(path: Step[]): void;
  destroy(): void;
}

const highlightColors = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px", color: "var(--text)", backgroundColor: "var(--raised)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--muted)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent-soft) 45%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 25%, transparent)",
  },
  ".cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--text)", border: "1px solid var(--line-strong)", borderRadius: "6px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--accent)" },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal" },
  ".cm-diagnostic": { padding: "4px 8px", fontFamily: "var(--sans)" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad)" },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--warn)" },
  ".cm-lintRange-error": { backgroundImage: "none", borderBottom: "2px solid var(--bad)" },
  ".cm-lintRange-warning": { backgroundImage: "none", borderBottom: "2px dotted var(--warn)" },
});

export function mount(host: HTMLElement, options: EditorOptions): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  root.replaceChildren();
  const place = document.createElement("div");
  place.style.height = "100%";
  root.append(place);
  const view = new EditorView({
    root,
    parent: place,
    doc: options.text,
    extensions: [
      lineNumbers(),
      foldGutter(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      json(),
      syntaxHighlighting(highlightColors),
      autocompletion({ override: [(context) => complete(context, options)], icons: false }),
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap]),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": options.label, tabindex: "0" }),
      EditorView.updateListener.of((update) => {
        const own = update.transactions.some((one) => one.annotation(Transaction.userEvent) !== "external");
        if (update.docChanged && own) options.onChange(update.state.doc.toString());
      }),
      theme,
    ],
  });
  return {
    setText(text) {
      if (text === view.state.doc.toString()) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        annotations: Transaction.userEvent.of("external"),
      });
    },
    setMarks(marks) {
      const diagnostics: Diagnostic[] = marks.map((mark) => {
        const { from, to } = rangeOf(view.state, mark.path);
        return { from, to, severity: mark.severity, message: mark.message, source: mark.code };
      });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    goTo(path) {
      const { from } = rangeOf(view.state, path);
      view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

const VALUES = ["Object", "Array", "String", "Number", "True", "False", "Null"];

function children(node: Node): Node[] {
  const found: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child);
  return found;
}

/** The time to parse a text. After it, values beyond the parsed part get the range of their parent. */
const PARSE_MS = 1000;

/** Returns the text range of the value at a path. */
function rangeOf(state: EditorState, path: readonly Step[]): { from: number; to: number } {
  // on a slow machine the editor has parsed only a part of the text
  const tree = ensureSyntaxTree(state, state.doc.length, PARSE_MS) ?? syntaxTree(state);
  let here = children(tree.topNode).find(({ name }) => VALUES.includes(name));
  for (const step of path) {
    if (here === undefined) break;
    let next: Node | undefined;
    if (typeof step === "number") next = children(here).filter(({ name }) => VALUES.includes(name))[step];
    else {
      for (const property of children(here)) {
        if (property.name !== "Property" || keyOf(state, property) !== step) continue;
        next = children(property).find(({ name }) => VALUES.includes(name));
      }
    }
    if (next === undefined) break;
    here = next;
  }
  if (here === undefined) return { from: 0, to: Math.min(1, state.doc.length) };
  // underline only the first character of an object or array
  const short = here.name === "Object" || here.name === "Array";
  return { from: here.from, to: short ? Math.min(here.from + 1, state.doc.length) : here.to };
}

function keyOf(state: EditorState, property: Node): string | null {
  const name = property.getChild("PropertyName");
  return name === null ? null : unquoted(state.sliceDoc(name.from, name.to));
}

function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    return text.replace(/^"|"$/g, "");
  }
}

/** Returns the path of a node: every property name and index above it. */
function pathOf(state: EditorState, node: Node): Step[] {
  const path: Step[] = [];
  for (let here: Node | null = node; here !== null; here = here.parent) {
    const parent: Node | null = here.parent;
    if (here.name === "Property") path.unshift(keyOf(state, here) ?? "");
    else if (parent?.name === "Array" && VALUES.includes(here.name)) {
      path.unshift(
        children(parent)
          .filter(({ name }) => VALUES.includes(name))
          .findIndex((one) => one.from === here?.from),
      );
    }
  }
  return path;
}

function complete(context: CompletionContext, options: EditorOptions): CompletionResult | null {
  const { state, pos } = context;
  const node = syntaxTree(state).resolveInner(pos, -1);
  const word = context.matchBefore(/"[^"\n]*|[\w.-]*/);
  const from = word?.from ?? pos;
  const isOpen = state.sliceDoc(from, from + 1) === '"';
  if (!context.explicit && !isOpen) return null;
  const property = above(node, "Property");
  const inKey = node.name === "PropertyName" || node.name === "Object" || (node.name === "⚠" && property === null);
  const closing = isOpen && state.sliceDoc(pos, pos + 1) === '"' ? pos + 1 : pos;
  if (inKey) {
    const object = above(node, "Object");
    if (object === null) return null;
    const taken = new Set(children(object).map((one) => (one.name === "Property" && one.from !== from ? keyOf(state, one) : null)));
    const keys = options.keysAt(pathOf(state, object)).filter(({ label }) => !taken.has(label));
    const colon = /^\s*:/.test(state.sliceDoc(closing, closing + 20)) ? "" : ": ";
    return result(keys, from, closing, (label) => `${JSON.stringify(label)}${colon}`);
  }
  const value = VALUES.includes(node.name) && node.name !== "Object" && node.name !== "Array" ? node : null;
  const path = value !== null ? pathOf(state, value) : pathOf(state, node);
  if (value === null && node.name === "Array") path.push(children(node).filter(({ name }) => VALUES.includes(name)).length);
  const bare = (label: string) => label === "true" || label === "false";
  return result(options.valuesAt(path), from, closing, (label) => (bare(label) ? label : JSON.stringify(label)));
}

function result(found: Suggestion[], from: number, to: number, text: (label: string) => string): CompletionResult | null {
  if (found.length === 0) return null;
  return {
    from,
    to,
    filter: true,
    options: found.map(({ label, note }) => ({ label: text(label).replace(/: $/, ""), detail: note, apply: text(label) })),
  };
}

function above(node: Node, name: string): Node | null {
  for (let here: Node | null = node; here !== null; here = here.parent) if (here.name === name) return here;
  return null;
}
