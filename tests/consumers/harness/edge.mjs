// Runs an edge function like its platform: bundled for `edge-light`, with compiled modules.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { build } from "esbuild";

const { EdgeRuntime } = createRequire(new URL("../deep/", import.meta.url))("edge-runtime");

/** Starts the function in `entry`. `fetch` sends it a request. */
export async function startEdgeFunction(entry, env = {}) {
  const modules = {};
  const { outputFiles } = await build({
    stdin: {
      contents: `import handler from ${JSON.stringify(entry)}; addEventListener("fetch", (event) => event.respondWith(handler(event.request)));`,
      resolveDir: ".",
    },
    bundle: true,
    format: "iife",
    target: "es2022",
    conditions: ["edge-light"],
    plugins: [compiled(modules)],
    write: false,
  });
  const runtime = new EdgeRuntime({
    initialCode: outputFiles[0].text,
    // the platform compiles no code from strings or bytes
    codeGeneration: { strings: false, wasm: false },
    extend: (context) => Object.assign(context, { process: { env }, modules }),
  });
  return { fetch: (url, init) => runtime.dispatchFetch(url, init) };
}

/** Resolves `import module from "./x.wasm?module"` to a compiled module. */
function compiled(modules) {
  return {
    name: "modules",
    setup(bundler) {
      bundler.onResolve({ filter: /\.wasm\?module$/ }, ({ path, resolveDir }) => ({
        path: new URL(path, `file://${resolveDir}/`).pathname,
        namespace: "module",
      }));
      bundler.onLoad({ filter: /.*/, namespace: "module" }, async ({ path }) => {
        modules[path] = await WebAssembly.compile(await readFile(path));
        return { contents: `export default globalThis.modules[${JSON.stringify(path)}];` };
      });
    },
  };
}
