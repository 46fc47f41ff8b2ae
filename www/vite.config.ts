import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Returns one chunk for all modules of the first view, instead of one per set of views that share modules. */
function early(
  id: string,
  { getModuleInfo }: { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null },
): string | undefined {
  const found = new Set<string>();
  const waiting = [here("src/app.tsx")];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    waiting.push(...(getModuleInfo(next)?.importedIds ?? []));
  }
  return found.has(id) ? "app" : undefined;
}

export default defineConfig({
  // relative, so that the same build works at a server's root, in a folder and in an extension
  base: "./",
  resolve: {
    alias: [
      { find: "tuckbox/web", replacement: here("../pkg/web.js") },
      { find: "tuckbox/stores/http", replacement: here("../pkg/stores/http.js") },
      { find: "tuckbox/engine", replacement: here("../pkg/engine.js") },
      { find: "tuckbox/mask", replacement: here("../pkg/mask.js") },
      { find: "tuckbox/worker", replacement: here("../pkg/worker.js") },
      { find: "tuckbox/counters/openai", replacement: here("../pkg/counters/openai.js") },
      // an optional dependency of the package
      { find: /^gpt-tokenizer\/(.*)$/, replacement: `${here("node_modules/gpt-tokenizer/esm/")}$1.js` },
    ],
  },
  build: {
    target: "es2022",
    // keep `light-dark()` and nesting
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    outDir: "dist",
    rollupOptions: { input: { index: here("index.html"), panel: here("panel.html") }, output: { manualChunks: early } },
    // nothing inline: the page's policy allows only its own files
    assetsInlineLimit: 0,
    // the list of preloads costs more than it saves
    modulePreload: false,
    reportCompressedSize: false,
  },
  worker: { format: "es" },
});
