// Packs the package and installs it from the tarball, like a user.
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deep } from "../../support/deep.mjs";
import { run } from "./programs.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** The folder of the consumers and their tools. */
export const CONSUMERS = here("../");

/** Packs the package into the folder `name`. Returns the tarball and the list of its files. */
export async function pack(name) {
  const folder = here(`../../.cache/${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [packed] = JSON.parse(await run(npm, ["pack", "--json", "--pack-destination", folder], { cwd: here("../../../pkg") }));
  return { file: join(folder, packed.filename), files: packed.files.map(({ path }) => path) };
}

/** Installs the tarball for all consumers, unless it is already installed. */
export async function install({ file }) {
  const wanted = createHash("sha256").update(readFileSync(file)).digest("hex");
  const stamp = join(CONSUMERS, "node_modules/tuckbox/.tarball");
  if (read(stamp) === wanted) return;
  if (deep || process.platform === "win32")
    await run(npm, ["install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--prefer-offline", file], { cwd: CONSUMERS });
  else await unpack(file, CONSUMERS);
  writeFileSync(stamp, wanted);
}

/** Installs a package without dependencies and scripts for the projects of a folder, 10 times faster than npm. */
export async function unpack(file, projects) {
  const folder = join(projects, "node_modules/tuckbox");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run("tar", ["-xzf", file, "--strip-components=1", "-C", folder]);
  const program = join(projects, "node_modules/.bin/tuckbox");
  mkdirSync(dirname(program), { recursive: true });
  rmSync(program, { force: true });
  symlinkSync("../tuckbox/bin/tuckbox.js", program);
  chmodSync(program, 0o755);
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
