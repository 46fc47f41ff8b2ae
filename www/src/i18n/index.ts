// Two languages, one signal. A text is asked for at render time, so a switch is a re-render. The English of the first
// view comes with the page; everything else, and the other language, when it is read.
import { batch, signal } from "@preact/signals";
import { en, type FirstKey } from "./en.ts";
import type { LazyKey } from "./en-late.ts";
import { loadChoice, savePreference } from "../preferences.ts";
import { pending } from "../pending.ts";
import { mountPoint } from "../mount.ts";
import { visibleText } from "../text/plain.tsx";

export type Lang = "en" | "zh";
export type Key = FirstKey | LazyKey;
type Texts = Readonly<Partial<Record<Key, string>>>;

export const lang = signal<Lang>("en");
const texts = signal<Texts>(en);

const FIRST: Record<Lang, () => Promise<Texts>> = { en: async () => en, zh: async () => (await import("./zh.ts")).zh };
const LAZY: Record<Lang, () => Promise<Texts>> = { en: async () => (await import("./en-late.ts")).late, zh: async () => (await import("./zh-late.ts")).late };

let isLazyWanted = false;

export function setLang(next: Lang): Promise<void> {
  return pending(loadLang(next));
}

async function loadLang(next: Lang): Promise<void> {
  const found = { ...(await FIRST[next]()), ...(isLazyWanted ? await LAZY[next]() : {}) };
  batch(() => {
    lang.value = next;
    texts.value = found;
  });
  mountPoint().host.lang = next === "zh" ? "zh-Hans" : "en";
  savePreference("lang", next);
}

/** Brings the texts of what is not in the first view, once. */
export async function loadLazyTexts(): Promise<void> {
  if (isLazyWanted) return;
  const found = await LAZY[lang.peek()]();
  isLazyWanted = true;
  texts.value = { ...texts.peek(), ...found };
}

const preferred: Lang = navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";

/** Fulfilled when the texts are there. */
export const textsReady: Promise<void> = setLang(loadChoice("lang", ["en", "zh"], preferred)).catch(() => setLang("en"));

type Values = Record<string, string | number>;

/** A text with its gaps filled. What fills them may come from anywhere, and ends in tooltips and labels. */
export function t(key: FirstKey, filling?: Values): string {
  return tLazy(key, filling);
}

/** Any text, for what comes after the first view; nothing until it is there. */
export function tLazy(key: Key, filling?: Values): string {
  const text = texts.value[key] ?? "";
  return filling ? text.replace(/\{(\w+)\}/g, (_, name: string) => visibleText(String(filling[name] ?? ""))) : text;
}

/** A text whose fillings are nodes: the pieces between them, in order. */
export function templateParts(key: Key): { text: string; name: string | null }[] {
  const text = texts.value[key] ?? "";
  return text.split(/(\{\w+\})/).map((piece) => {
    const name = /^\{(\w+)\}$/.exec(piece)?.[1] ?? null;
    return { text: piece, name };
  });
}

/** The page's word for a code of the core; the code itself where there is none. */
export function codeLabel(group: string, code: string): string {
  const key = `${group}.${code}`;
  return Object.hasOwn(texts.value, key) ? tLazy(key as Key) : code;
}

// made once: `toLocaleString` makes one for every figure, which a list of them feels
const numberFormats = { en: new Intl.NumberFormat("en-GB"), zh: new Intl.NumberFormat("zh-CN") };

export function number(value: number): string {
  return numberFormats[lang.value].format(value);
}

/** A moment in the reader's own calendar. */
export function formatTime(ms: number): string {
  const format = new Intl.DateTimeFormat(lang.value === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium", timeStyle: "short" });
  return format.format(ms);
}

export function percent(share: number): string {
  const digits = share > 0 && share < 0.0995 ? 1 : 0;
  return `${(share * 100).toFixed(digits)} %`;
}

type CountKey = Key extends infer K ? (K extends `count.${infer What}.one` ? What : never) : never;

/** So many of something: one is not many. */
export function count(what: CountKey, n: number): string {
  return tLazy(n === 1 ? `count.${what}.one` : `count.${what}`, { n: number(n) });
}

export function cards(n: number): string {
  return count("cards", n);
}
