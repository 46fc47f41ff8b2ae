import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  // nothing inline: the page's policy allows only files of its own
  build: { assetsInlineLimit: 0, target: "es2022" },
  worker: { format: "es" },
  oxc: { jsx: { runtime: "automatic" } },
});
