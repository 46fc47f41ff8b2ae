// The texts for views that come when they are asked for: all of them are there by then.
export { cards, count, type Key, lang, late as t, moment, number, percent, setLang, word } from "./index.ts";
