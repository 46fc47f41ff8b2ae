// Two languages, one signal. Components read texts while they render, so switching the language renders them again. The
// English texts of the first view are part of the first bundle; all others are loaded when they are needed.
import { batch, signal } from "@preact/signals";
import { mountPoint } from "../mount.ts";
import { pending } from "../pending.ts";
import { loadChoice, savePreference } from "../preferences.ts";
import { visibleText } from "../text/plain.tsx";
import { type FirstKey, first } from "./en/first.ts";
import type { LazyKey } from "./en/lazy.ts";

export type Lang = "en" | "zh";
export type Key = FirstKey | LazyKey;
type Texts = Readonly<Partial<Record<Key, string>>>;

export const lang = signal<Lang>("en");
const texts = signal<Texts>(first);

const FIRST: Record<Lang, () => Promise<Texts>> = { en: async () => first, zh: async () => (await import("./zh/first.ts")).first };
const LAZY: Record<Lang, () => Promise<Texts>> = {
  en: async () => (await import("./en/lazy.ts")).lazy,
  zh: async () => (await import("./zh/lazy.ts")).lazy,
};

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

/** Loads the texts that the first view does not need. */
export async function loadLazyTexts(): Promise<void> {
  if (isLazyWanted) return;
  const found = await LAZY[lang.peek()]();
  isLazyWanted = true;
  texts.value = { ...texts.peek(), ...found };
}

const preferred: Lang = navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";

/** Resolves when the texts of the first view are loaded. */
export const textsReady: Promise<void> = setLang(loadChoice("lang", ["en", "zh"], preferred)).catch(() => setLang("en"));

type Values = Record<string, string | number>;

/** Returns a text of the first view with its placeholders filled. */
export function t(key: FirstKey, values?: Values): string {
  return tLazy(key, values);
}

/** Returns any text with its placeholders filled; empty until it is loaded. Values are untrusted. */
export function tLazy(key: Key, values?: Values): string {
  const text = texts.value[key] ?? "";
  return values ? text.replace(/\{(\w+)\}/g, (_, name: string) => visibleText(String(values[name] ?? ""))) : text;
}

/** Returns the parts of a text: literal strings and placeholder names, in order. */
export function templateParts(key: Key): { text: string; name: string | null }[] {
  const text = texts.value[key] ?? "";
  return text.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1] ?? null;
    return { text: part, name };
  });
}

/** Returns the label of a code of the core, or the code itself if it has none. */
export function codeLabel(group: string, code: string): string {
  const key = `${group}.${code}`;
  return Object.hasOwn(texts.value, key) ? tLazy(key as Key) : code;
}

// created once: `toLocaleString` would create a formatter for every number
const numberFormats = { en: new Intl.NumberFormat("en-GB"), zh: new Intl.NumberFormat("zh-CN") };

export function number(value: number): string {
  return numberFormats[lang.value].format(value);
}

/** Returns date and time in the user's time zone. */
export function formatTime(ms: number): string {
  const format = new Intl.DateTimeFormat(lang.value === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium", timeStyle: "short" });
  return format.format(ms);
}

export function percent(share: number): string {
  const digits = share > 0 && share < 0.0995 ? 1 : 0;
  return `${(share * 100).toFixed(digits)}%`;
}

type CountKey = Key extends infer K ? (K extends `count.${infer What}.one` ? What : never) : never;

/** Returns a number with its noun in singular or plural. */
export function count(what: CountKey, n: number): string {
  return tLazy(n === 1 ? `count.${what}.one` : `count.${what}`, { n: number(n) });
}

export function cards(n: number): string {
  return count("cards", n);
}
