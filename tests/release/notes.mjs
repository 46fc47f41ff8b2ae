// Prints the notes of the release: the section of the version in the changelog.
import { readFileSync } from "node:fs";
import { section } from "./changes.mjs";
import { stated } from "./manifests.mjs";

const { version } = stated();
const found = section(readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8"), version);
if (found === undefined) throw new Error(`\`CHANGELOG.md\` has no section \`[${version}]\``);
console.log(found.text);
