// Instantiates the parts of the fixture as `pkg/lib/core.js` does, and calls before and after the
// part is loaded.
const { readFileSync } = require("node:fs");
const compiled = (name) => new WebAssembly.Module(readFileSync(name));
const { exports } = new WebAssembly.Instance(compiled("core.wasm"));
const results = [exports.ask(-2)];
try {
  results.push(exports.ask(5));
} catch {
  results.push("trapped");
}
const part = compiled("extra.wasm");
const wanted = WebAssembly.Module.imports(part).map(({ kind, name }) => [
  name,
  kind === "function" ? exports.table.get(Number(name)) : exports[name],
]);
new WebAssembly.Instance(part, { core: Object.fromEntries(wanted) });
results.push(exports.ask(5));
console.log(results.join(" "));
