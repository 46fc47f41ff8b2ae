// The browser of the page's tests: the system's Chromium, driven by playwright-core.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const flags = JSON.parse(readFileSync(new URL("./chromium-flags.json", import.meta.url), "utf8"));

/** The limit of a start: a guard, not an expectation. */
const START_MS = 5 * 60_000;

/** Starts the browser that `cargo xtask test` found, headless if possible. */
export function launch(more = []) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_HEADLESS || need("CHROMIUM"),
    args: [...flags, ...more],
    timeout: START_MS,
  });
}

/** Starts the browser with only one extension; returns its only context. */
export function launchWithExtension(folder, more = []) {
  const args = [...flags, ...more, `--disable-extensions-except=${folder}`, `--load-extension=${folder}`];
  return chromium.launchPersistentContext("", {
    executablePath: need("CHROMIUM"),
    args,
    timeout: START_MS,
    ignoreDefaultArgs: ["--disable-extensions"],
  });
}

/** Returns the URL at which `cargo xtask test` serves the page. */
export function pageUrl() {
  return need("TUCKBOX_PAGE");
}

/** Returns the folder of the extension that `cargo xtask test` built. */
export function extensionFolder() {
  return need("TUCKBOX_EXTENSION");
}

function need(variable) {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: run \`cargo xtask test --only page\``);
  return value;
}
