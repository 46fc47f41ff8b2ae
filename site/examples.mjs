// Which examples run in a page.

/** The modules of the package that work in a page. `client/play.js` has the same list. */
const MODULES = ["tuckbox", "tuckbox/engine", "tuckbox/worker", "tuckbox/stores/kv", "tuckbox/mask"];

/** Returns true for a whole program, or for code that continues one. Code with the mark `js ignore` is neither. */
export function isRunnable(text, lang, before) {
  if (lang !== "js") return false;
  const imports = [...text.matchAll(/^import (?:.*? from )?"([^"]+)"/gm)].map(([, name]) => name);
  if (!imports.every((name) => MODULES.includes(name))) return false;
  return before !== "" || imports.includes("tuckbox");
}

/** Returns the output that the comments of an example promise. */
export function promised(text) {
  return text
    .split("\n")
    .flatMap((line) => (line.includes("console.log") && line.includes("// → ") ? [line.split("// → ")[1].trim()] : []));
}
