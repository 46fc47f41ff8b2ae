// Packs the npm package and the extension into a folder: `node tests/release/pack.mjs DIR`. Both must be built.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { zip } from "../support/zip.mjs";
import { stated } from "./manifests.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = resolve(process.argv[2]);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
execFileSync(npm, ["pack", "--pack-destination", folder], { cwd: `${root}pkg`, stdio: ["ignore", "ignore", "inherit"] });

const built = `${root}www/extension/dist`;
const paths = readdirSync(built, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .sort();
const files = paths.map((path) => [relative(built, path).replaceAll("\\", "/"), readFileSync(path)]);
const { version } = stated();
writeFileSync(join(folder, `tuckbox-extension-${version}.zip`), zip(files));

// `cargo xtask component` builds them
for (const name of ["tuckbox", "tuckbox-full"]) {
  const component = `${root}target/component/${name}.component.wasm`;
  if (existsSync(component)) writeFileSync(join(folder, `${name}-${version}.component.wasm`), readFileSync(component));
}
for (const name of readdirSync(folder).sort()) console.log(name);
