// The inspector as a part of the npm package: a page for `tuckbox ui`, the element `<tuckbox-inspector>`, and the panel
// of `tuckbox extension`. It imports the package's own files, so that the tarball contains nothing twice.
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Files of the package, relative to the folder of this build. */
const OURS: Record<string, string> = {
  "tuckbox/web": "../web.js",
  "tuckbox/stores/http": "../stores/http.js",
  "tuckbox/engine": "../engine.js",
  "tuckbox/mask": "../mask.js",
  "tuckbox/worker": "../worker.js",
  "tuckbox/counters/openai": "../counters/openai.js",
};

const packageFiles = (): Plugin => ({
  name: "package-files",
  enforce: "pre",
  resolveId(source) {
    const id = OURS[source];
    return id === undefined ? null : { id, external: true };
  },
});

/** Copies the files of the extension that are not built. */
const extensionFiles = (): Plugin => ({
  name: "extension-files",
  closeBundle() {
    rmSync(here("../pkg/extension"), { recursive: true, force: true });
    cpSync(here("extension"), here("../pkg/extension"), { recursive: true, filter: (path) => path !== here("extension/dist") });
  },
});

const flat = { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js", assetFileNames: "[name]-[hash][extname]" };

export default defineConfig({
  base: "./",
  plugins: [packageFiles(), extensionFiles()],
  build: {
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    outDir: "../pkg/inspector",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // bundlers rename these files
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: {
      input: { index: here("index.html"), inspector: here("src/element.ts"), panel: here("panel.html") },
      preserveEntrySignatures: "strict",
      // a file of the package without used exports is not loaded: only the worker needs it
      treeshake: { moduleSideEffects: "no-external" },
      makeAbsoluteExternalsRelative: false,
      output: flat,
    },
  },
  worker: {
    format: "es",
    plugins: () => [packageFiles()],
    rollupOptions: { makeAbsoluteExternalsRelative: false, output: { ...flat, entryFileNames: "[name]-[hash].js" } },
  },
});
