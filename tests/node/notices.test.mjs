// The package names the licenses of the code that it contains.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { bundledCrates, bundledData, bundledPackages, noticesText } from "../support/notices.mjs";

const file = new URL("../../pkg/NOTICES.md", import.meta.url);
const isInstalled = existsSync(new URL("../../www/node_modules/preact", import.meta.url));

test("`NOTICES.md` names every bundled package and crate with its license", () => {
  if (process.env.TUCKBOX_BLESS === "1" && isInstalled) writeFileSync(file, noticesText());
  const text = readFileSync(file, "utf8");
  const listed = text.match(/^- \S+ \S+ \(.+\)$/gm);
  const expected = [...bundledPackages(), ...bundledCrates(), ...bundledData()].map(
    ({ name, version, license }) => `- ${name} ${version} (${license})`,
  );
  assert.deepEqual(listed.toSorted(), expected.toSorted(), "update it with TUCKBOX_BLESS=1");
  for (const name of ["preact", "@codemirror/view", "@lezer/common", "serde"])
    assert.ok(
      listed.some((line) => line.startsWith(`- ${name} `)),
      name,
    );
  // the installed packages contain the license texts
  if (isInstalled) assert.equal(text, noticesText(), "update it with TUCKBOX_BLESS=1");
  const { files } = JSON.parse(readFileSync(new URL("../../pkg/package.json", import.meta.url), "utf8"));
  assert.ok(files.includes("NOTICES.md"));
});

test("workflows pin actions to commits", () => {
  const folder = new URL("../../.github/workflows/", import.meta.url);
  for (const name of readdirSync(folder)) {
    const text = readFileSync(new URL(name, folder), "utf8");
    assert.match(text, /^permissions:\n {2}contents: read$/m, `${name} can only read, unless a job states more`);
    const used = text.match(/uses: \S+.*/g);
    assert.ok(used.length > 0, name);
    for (const line of used) assert.match(line, /^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});
