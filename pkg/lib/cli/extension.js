// `tuckbox extension`: the DevTools panel as a folder that a browser can load.
/** @import { Command } from "./usage.js" */
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { line } from "./paint.js";
import { UsageError } from "./usage.js";

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url));

/** The files of the package that the panel imports. */
const SHARED = ["engine.js", "mask.js", "web.js", "worker.js", "counters", "generated", "inspector", "lib", "stores", "NOTICES.md"];

/** Parts of the package that only programs use, and entries that the panel replaces. */
const LEFT_OUT = /[\\/](?:lib[\\/](?:cli|contract|local|mcp|proxy)|generated[\\/][\w-]+\.inline\.js|inspector[\\/](?:index|panel)\.html)$/;

/** @type {Command} */
export const EXTENSION = {
  summary: "Unpack the DevTools panel, to load it in a browser",
  usage: "[FOLDER]",
  about:
    "FOLDER is `tuckbox-extension` by default. It must be empty or new, or have an earlier version of the extension, which is replaced.",
  examples: ["tuckbox extension", "tuckbox extension ~/extensions/tuckbox"],
  async run(session, [folder = "tuckbox-extension"]) {
    const path = resolve(session.cwd, folder);
    const panel = await readFile(join(PACKAGE, "inspector/panel.html"), "utf8").catch(() => {
      throw new UsageError("this package was built without the inspector; build it with `cargo xtask build`");
    });
    await clear(path, folder);
    await cp(join(PACKAGE, "extension"), path, { recursive: true });
    for (const name of SHARED) await cp(join(PACKAGE, name), join(path, name), { recursive: true, filter: (file) => !LEFT_OUT.test(file) });
    await writeFile(join(path, "panel.html"), panel.replaceAll(/(src|href)="\.\//g, '$1="./inspector/'));
    const steps = ["open chrome://extensions", 'switch on "Developer mode"', `choose "Load unpacked" and ${line(path)}`];
    return { value: { folder: path }, view: () => [`unpacked ${line(path)}`, "", ...steps.map((step, at) => `  ${at + 1}. ${step}`)] };
  },
};

/**
 * Removes an earlier version of the extension. Refuses a folder with other files.
 *
 * @param {string} path
 * @param {string} folder
 */
async function clear(path, folder) {
  await mkdir(path, { recursive: true });
  if ((await readdir(path)).length === 0) return;
  const name = await readFile(join(path, "manifest.json"), "utf8")
    .then((text) => JSON.parse(text).name)
    .catch(() => undefined);
  if (name !== "Tuckbox") throw new UsageError(`the folder \`${line(folder)}\` is not empty, and it is not this extension`);
  await rm(path, { recursive: true });
  await mkdir(path);
}
