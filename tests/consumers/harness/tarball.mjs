// The package as a stranger gets it: packed, and installed from the tarball.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./programs.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** Where the consumers and their tools are. */
export const CONSUMERS = here("../");

/** Packs the package into a folder of this name; gives the tarball and what is in it. */
export async function pack(name) {
  const folder = here(`../../.cache/${name}`);
  mkdirSync(folder, { recursive: true });
  const [packed] = JSON.parse(await run(npm, ["pack", "--json", "--pack-destination", folder], { cwd: here("../../../pkg") }));
  return { file: join(folder, packed.filename), files: packed.files.map(({ path }) => path) };
}

/** Installs the tarball for all consumers, unless it is the one that is there. */
export async function install({ file }) {
  const wanted = createHash("sha256").update(readFileSync(file)).digest("hex");
  const stamp = join(CONSUMERS, "node_modules/tuckbox/.tarball");
  if (read(stamp) === wanted) return;
  await run(npm, ["install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--prefer-offline", file], { cwd: CONSUMERS });
  writeFileSync(stamp, wanted);
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
