// Texts for lazily loaded views: all texts are loaded before such a view is rendered.
export { cards, codeLabel, count, formatTime, type Key, lang, number, percent, setLang, tLazy as t } from "./index.ts";
