// Instantiates the pieces of the fixture as `pkg/lib/core.js` does, and asks before and after the part is there.
const { readFileSync } = require("node:fs");
const compiled = (name) => new WebAssembly.Module(readFileSync(name));
const { exports } = new WebAssembly.Instance(compiled("core.wasm"));
const told = [exports.ask(-2)];
try {
  told.push(exports.ask(5));
} catch {
  told.push("trapped");
}
const part = compiled("extra.wasm");
const wanted = WebAssembly.Module.imports(part).map(({ kind, name }) => [
  name,
  kind === "function" ? exports.table.get(Number(name)) : exports[name],
]);
new WebAssembly.Instance(part, { core: Object.fromEntries(wanted) });
told.push(exports.ask(5));
console.log(told.join(" "));
