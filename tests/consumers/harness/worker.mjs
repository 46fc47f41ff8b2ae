// Runs a Worker like its platform: bundled for `workerd`, with modules next to the script.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { build } from "esbuild";
import { Miniflare } from "miniflare";

/** Starts the Worker in `entry`. `fetch` sends it a request. */
export async function startWorker(entry, options = {}) {
  const wasm = new Map();
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    plugins: [externalModules(wasm)],
    write: false,
  });
  const worker = new Miniflare({
    modules: [
      { type: "ESModule", path: "worker.js", contents: outputFiles[0].text },
      ...Array.from(wasm, ([path, contents]) => ({ type: "CompiledWasm", path, contents })),
    ],
    compatibilityDate: "2026-01-01",
    ...options,
  });
  return { fetch: (url, init) => worker.dispatchFetch(url, init), stop: () => worker.dispose() };
}

function externalModules(wasm) {
  return {
    name: "modules",
    setup(bundler) {
      bundler.onResolve({ filter: /\.wasm$/ }, async ({ path, resolveDir }) => {
        const file = new URL(path, `file://${resolveDir}/`);
        wasm.set(basename(path), await readFile(file));
        return { path: `./${basename(path)}`, external: true };
      });
    },
  };
}
