// Builds the site in `target/site`: `node site/build.mjs RUSTDOC`. RUSTDOC is the folder that `cargo doc` wrote.
//
// Every link is relative, so that the site works in any folder of any server.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { front } from "./front.mjs";
import { render } from "./markdown.mjs";
import { samplesOf } from "./samples.mjs";
import { shell } from "./shell.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = `${root}target/site/`;
const read = (path) => readFileSync(root + path, "utf8");
const manifest = read("Cargo.toml");
const [version, repository] = [/^version = "(.+)"$/m, /^repository = "(.+)"$/m].map((line) => line.exec(manifest)[1]);

/** The pages that are not below `docs/`, by their source. */
const OTHERS = {
  "README.md": "overview.html",
  "pkg/README.md": "npm.html",
  "python/README.md": "python.html",
  "CHANGELOG.md": "changelog.html",
  "ARCHITECTURE.md": "architecture.html",
  "CONTRIBUTING.md": "contributing.html",
  "RELEASING.md": "releasing.html",
  "SECURITY.md": "security.html",
};

/** The files of the package that examples and the inspector load. */
const PACKAGE = ["adapters", "counters", "engine.js", "generated", "inspector", "lib", "mask.js", "stores", "web.js", "worker.js"];
const NOT_IN_PAGES =
  /[\\/](?:lib[\\/](?:cli|contract|local|mcp|proxy)|generated[\\/][\w-]+\.inline\.js|inspector[\\/](?:index|panel)\.html)$/;

const filesBelow = (folder, end) =>
  readdirSync(root + folder, { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(end))
    .sort();

/** The address of each source in the site. */
const addresses = new Map(Object.entries(OTHERS));
for (const source of filesBelow("docs", ".md")) addresses.set(source, source.replace(/README\.md$/, "index.md").replace(/md$/, "html"));
for (const source of filesBelow("pkg/types", ".d.ts"))
  addresses.set(source, source.replace("pkg/types", "api/typescript").replace(/\.d\.ts$/, ".html"));
for (const source of filesBelow("python/tuckbox", ".pyi"))
  addresses.set(source, source.replace("python/tuckbox", "api/python").replace(/pyi$/, "html"));

rmSync(out, { recursive: true, force: true });
const sections = [];

function write(address, text) {
  mkdirSync(dirname(out + address), { recursive: true });
  writeFileSync(out + address, text);
}

/** Returns the link from a page to a target of its source: a page or image of the site, or a file of the repository. */
function linkFrom(source, address) {
  return (target) => {
    if (/^(?:[a-z]+:|#)/.test(target))
      return target.startsWith(`${repository}/blob/main/`) ? own(target.slice(repository.length + 11)) : target;
    const [path, anchor] = target.split("#");
    return own(posix.join(posix.dirname(source), path) + (anchor === undefined ? "" : `#${anchor}`));
  };
  function own(found) {
    const [path, anchor] = found.split("#");
    const end = anchor === undefined ? "" : `#${anchor}`;
    const to = addresses.get(path) ?? (path.endsWith(".png") ? path : undefined);
    if (to === undefined) return `${repository}/blob/main/${path.replace(/\/$/, "")}${end}`;
    return posix.relative(posix.dirname(address), to) + end;
  }
}

const sampled = await samplesOf(JSON.parse(read("tests/node/examples.json")));
const operations = new Set(Object.keys(sampled.samples));
write("samples.json", JSON.stringify(sampled));

for (const [source, address] of addresses) {
  const up = posix.relative(posix.dirname(address), ".") || ".";
  const page = source.endsWith(".md")
    ? render(read(source), linkFrom(source, address), operations)
    : declarations(source.replace(/^(?:pkg|python)\//, ""), read(source), source.endsWith("pyi") ? "python" : "ts");
  for (const section of page.sections)
    sections.push({ ...section, url: `${address}${section.anchor === "" ? "" : `#${section.anchor}`}`, page: page.title });
  write(address, shell({ ...page, up, version, repository, address }));
}

/** Returns a page with the text of declarations. */
function declarations(name, text, language) {
  const names = [...text.matchAll(/^(?:export )?(?:declare )?(?:interface|type|class|function|const|def|async def) (\w+)/gm)].map(
    ([, found]) => found,
  );
  const page = render(`# ${name}\n\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`, (link) => link);
  return { ...page, hasPlay: false, sections: [{ title: name, anchor: "", text: names.join(" ") }] };
}

const listed = (start) => [...addresses.values()].filter((address) => address.startsWith(start));
write("api/index.html", shell({ ...apiPage(), up: "..", version, repository, address: "api/index.html" }));

function apiPage() {
  const list = (language) =>
    listed(`api/${language}/`)
      .map((address) => `- [${address.slice(5 + language.length, -5)}](${address.slice(4)})`)
      .join("\n");
  const rust = "The [documentation of the crate](rust/tuckbox/index.html) has an example for every public item.";
  const text = `# APIs\nThe [operations](../docs/reference/operations.html) are the same in every language.\n\n## Rust\n${rust}\n\n## TypeScript\nThe [npm package](../npm.html) describes the API. These are its types.\n\n${list("typescript")}\n\n## Python\n[Use from Python](../docs/how-to/use-from-python.html) describes the API. These are its types.\n\n${list("python")}\n`;
  return render(text, (link) => link);
}

for (const language of ["en", "zh"]) {
  const address = language === "en" ? "index.html" : "zh.html";
  write(address, shell({ ...front(language, repository), up: ".", version, repository, address }));
}

for (const image of filesBelow("docs", ".png")) write(image, readFileSync(root + image));
for (const name of readdirSync(`${root}site/client`)) if (name !== "sw.js") write(name, read(`site/client/${name}`));
write("minisearch.js", read("site/node_modules/minisearch/dist/es/index.js").replace(/^\/\/# sourceMappingURL.*$/m, ""));
write("mark.svg", read("www/public/mark.svg"));
write("search.json", JSON.stringify(sections.map((section, id) => ({ id, ...section }))));
for (const name of PACKAGE)
  cpSync(`${root}pkg/${name}`, `${out}pkg/${name}`, { recursive: true, filter: (path) => !NOT_IN_PAGES.test(path) });

// everything but the Rust API is stored on the first visit, for reading without a network
const all = readdirSync(out, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(out, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
  .sort();
const hash = createHash("sha256");
for (const name of all) hash.update(name).update(readFileSync(out + name));
const worker = read("site/client/sw.js")
  .replace('["__FILES__"]', JSON.stringify(all))
  .replace("__VERSION__", hash.digest("hex").slice(0, 16));
write("sw.js", worker);
cpSync(process.argv[2], `${out}api/rust`, {
  recursive: true,
  filter: (path) => !/[\\/](?:\.lock|xtask|xtask_build|_native)$/.test(path),
});

const bytes = all.reduce((sum, name) => sum + statSync(out + name).size, 0);
console.log(
  `target/site: ${addresses.size + 3} pages, ${sections.length} sections, ${(bytes / 2 ** 20).toFixed(1)} MB without the Rust API`,
);
