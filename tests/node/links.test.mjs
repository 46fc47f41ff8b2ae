// Checks that every relative link of a page names a file of the repository and a heading in it.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const GENERATED = ["node_modules", "target", "dist", "generated"];
const pages = [...pagesIn("")];

/** Returns the pages of a folder, as paths from the root. */
function* pagesIn(folder) {
  for (const entry of readdirSync(`${root}${folder}`, { withFileTypes: true })) {
    if (entry.isDirectory() && !entry.name.startsWith(".") && !GENERATED.includes(entry.name)) yield* pagesIn(`${folder}${entry.name}/`);
    else if (entry.name.endsWith(".md")) yield `${folder}${entry.name}`;
  }
}

/** Returns the text of a page without its code blocks. */
function prose(page) {
  return readFileSync(`${root}${page}`, "utf8").replace(/^ *```.*?^ *```$/gms, "");
}

/** Returns the anchors of a page's headings, as GitHub writes them. */
function anchors(page) {
  const headings = [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test("every relative link of a page leads to an existing file and heading", () => {
  assert.ok(pages.includes("docs/README.md"));
  const broken = pages.flatMap((page) => {
    const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link).filter((link) => !/^[a-z]+:/.test(link));
    return links
      .filter((link) => {
        const [path, anchor] = link.split("#");
        const target = path === "" ? page : posix.join(posix.dirname(page), path);
        if (!existsSync(`${root}${target}`)) return true;
        return anchor !== undefined && !anchors(target).includes(anchor);
      })
      .map((link) => `${page}: ${link}`);
  });
  assert.deepEqual(broken, []);
});
