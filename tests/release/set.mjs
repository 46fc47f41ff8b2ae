// Writes a version or an address into every manifest: `node tests/release/set.mjs [--version V] [--repository URL]`.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { write } from "./manifests.mjs";

const { values } = parseArgs({ options: { version: { type: "string" }, repository: { type: "string" } } });
if (values.version !== undefined && !/^\d+\.\d+\.\d+$/.test(values.version))
  throw new Error(`unsupported version \`${values.version}\`; expected a form such as 0.2.0`);
const changed = write(values);
for (const file of changed) console.log(file);
// the locks repeat the version
for (const folder of ["", "sqlite/"])
  if (values.version !== undefined)
    execFileSync("cargo", ["update", "--offline", "--workspace"], {
      cwd: fileURLToPath(new URL(`../../${folder}`, import.meta.url)),
      stdio: "inherit",
    });
