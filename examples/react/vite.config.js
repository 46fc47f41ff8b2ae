import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  // the page's content security policy does not allow inline assets
  build: { assetsInlineLimit: 0, target: "es2022" },
  worker: { format: "es" },
  oxc: { jsx: { runtime: "automatic" } },
});
