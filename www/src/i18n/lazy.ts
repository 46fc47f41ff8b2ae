// Texts for lazily loaded views: all texts are loaded before such a view is rendered.
export { cards, count, type Key, lang, tLazy as t, formatTime, number, percent, setLang, codeLabel } from "./index.ts";
