// Two languages, one signal. A text is asked for at render time, so a switch is a re-render. The English of the first
// view comes with the page; everything else, and the other language, when it is read.
import { batch, signal } from "@preact/signals";
import { en, type EarlyKey } from "./en.ts";
import type { LateKey } from "./en-late.ts";
import { kept, keep } from "../preferences.ts";
import { pending } from "../pending.ts";
import { place } from "../mount.ts";
import { legible } from "../text/plain.tsx";

export type Lang = "en" | "zh";
export type Key = EarlyKey | LateKey;
type Texts = Readonly<Partial<Record<Key, string>>>;

export const lang = signal<Lang>("en");
const texts = signal<Texts>(en);

const EARLY: Record<Lang, () => Promise<Texts>> = { en: async () => en, zh: async () => (await import("./zh.ts")).zh };
const LATE: Record<Lang, () => Promise<Texts>> = { en: async () => (await import("./en-late.ts")).late, zh: async () => (await import("./zh-late.ts")).late };

let isLateWanted = false;

export function setLang(next: Lang): Promise<void> {
  return pending(bring(next));
}

async function bring(next: Lang): Promise<void> {
  const found = { ...(await EARLY[next]()), ...(isLateWanted ? await LATE[next]() : {}) };
  batch(() => {
    lang.value = next;
    texts.value = found;
  });
  place().host.lang = next === "zh" ? "zh-Hans" : "en";
  keep("lang", next);
}

/** Brings the texts of what is not in the first view, once. */
export async function lateTexts(): Promise<void> {
  if (isLateWanted) return;
  const found = await LATE[lang.peek()]();
  isLateWanted = true;
  texts.value = { ...texts.peek(), ...found };
}

const preferred: Lang = navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";

/** Fulfilled when the texts are there. */
export const spoken: Promise<void> = setLang(kept("lang", ["en", "zh"], preferred)).catch(() => setLang("en"));

type Filling = Record<string, string | number>;

/** A text with its gaps filled. What fills them may come from anywhere, and ends in tooltips and labels. */
export function t(key: EarlyKey, filling?: Filling): string {
  return late(key, filling);
}

/** Any text, for what comes after the first view; nothing until it is there. */
export function late(key: Key, filling?: Filling): string {
  const text = texts.value[key] ?? "";
  return filling ? text.replace(/\{(\w+)\}/g, (_, name: string) => legible(String(filling[name] ?? ""))) : text;
}

/** A text whose fillings are nodes: the pieces between them, in order. */
export function pieces(key: Key): { text: string; name: string | null }[] {
  const text = texts.value[key] ?? "";
  return text.split(/(\{\w+\})/).map((piece) => {
    const name = /^\{(\w+)\}$/.exec(piece)?.[1] ?? null;
    return { text: piece, name };
  });
}

/** The page's word for a code of the core; the code itself where there is none. */
export function word(group: string, code: string): string {
  const key = `${group}.${code}`;
  return Object.hasOwn(texts.value, key) ? late(key as Key) : code;
}

// made once: `toLocaleString` makes one for every figure, which a list of them feels
const figures = { en: new Intl.NumberFormat("en-GB"), zh: new Intl.NumberFormat("zh-CN") };

export function number(value: number): string {
  return figures[lang.value].format(value);
}

/** A moment in the reader's own calendar. */
export function moment(ms: number): string {
  const format = new Intl.DateTimeFormat(lang.value === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium", timeStyle: "short" });
  return format.format(ms);
}

export function percent(share: number): string {
  const digits = share > 0 && share < 0.0995 ? 1 : 0;
  return `${(share * 100).toFixed(digits)} %`;
}

type Counted = Key extends infer K ? (K extends `count.${infer What}.one` ? What : never) : never;

/** So many of something: one is not many. */
export function count(what: Counted, n: number): string {
  return late(n === 1 ? `count.${what}.one` : `count.${what}`, { n: number(n) });
}

export function cards(n: number): string {
  return count("cards", n);
}
