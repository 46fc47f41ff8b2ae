// The files that `node --test-force-exit` starts.
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * Writes a file that imports test files, each as a suite of its own. Returns its path.
 *
 * The suite waits for the whole file. Without it, `--test-force-exit` ends the process as soon as the known tests have
 * ended, while a file still waits at its top level before it declares its tests: these never run, and no test fails.
 *
 * @param {string} name
 * @param {string[]} files
 */
export function writeEntry(name, files) {
  const path = fileURLToPath(new URL(`../.cache/groups/${name}.mjs`, import.meta.url));
  const suite = (file) => {
    const [title, url] = [basename(file, ".test.mjs"), pathToFileURL(file).href].map((text) => JSON.stringify(text));
    return `describe(${title}, () => import(${url}).then(() => undefined));\n`;
  };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `import { describe } from "node:test";\n${files.map(suite).join("")}`);
  return path;
}
