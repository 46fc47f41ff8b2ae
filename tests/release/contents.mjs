// The files that each package can contain, and its maximum size in bytes.
import { maskText } from "../../pkg/mask.js";

/** Every other file in a package is an error. The sizes are those of the packed file. */
export const PACKAGES = {
  crate: {
    max: 1_500_000,
    allowed: /^(Cargo\.(toml|toml\.orig|lock)|\.cargo_vcs_info\.json|README\.md|CHANGELOG\.md|LICENSE-\w+|src\/[\w/]+\.(rs|json|LICENSE))$/,
    required: ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "CHANGELOG.md"],
  },
  "tuckbox-sqlite crate": {
    max: 100_000,
    allowed: /^(Cargo\.(toml|toml\.orig|lock)|\.cargo_vcs_info\.json|clippy\.toml|LICENSE-\w+|(src|examples)\/[\w/]+\.rs)$/,
    required: ["LICENSE-MIT", "LICENSE-APACHE"],
  },
  "npm package": {
    max: 8_000_000,
    allowed:
      /^(package\.json|README\.md|NOTICES\.md|LICENSE-\w+|[\w-]+\.js|(adapters|bin|counters|engines|lib|stores|generated)\/[\w/.-]+\.(js|wasm)|types\/[\w/-]+\.d\.ts|schema\/operations\.json|lib\/mcp\/view\.html|(inspector|extension)\/[\w/.-]+\.(js|css|html|svg|json|png|wasm))$/,
    required: [
      "LICENSE-MIT",
      "LICENSE-APACHE",
      "NOTICES.md",
      "README.md",
      "generated/core.wasm",
      "inspector/index.html",
      "extension/manifest.json",
    ],
  },
  wheel: {
    max: 4 << 20,
    allowed:
      /^tuckbox(\/([\w/]+\.pyi?|py\.typed|stores\/postgres\.json|_native\.(abi3\.so|pyd))|-[\w.]+\.dist-info\/(METADATA|WHEEL|RECORD|entry_points\.txt|licenses\/LICENSE-\w+|sboms\/[\w.-]+\.json))$/,
    required: ["tuckbox/py.typed", "tuckbox/__init__.py", "tuckbox/stores/postgres.json"],
  },
  extension: {
    max: 6 << 20,
    allowed: /^[\w/.-]+\.(js|css|html|svg|json|png|wasm)$/,
    required: ["manifest.json", "panel.html", "background.js"],
  },
};

/** Paths of the machine that built a package. */
const ABSOLUTE =
  /(?<![\w.~:/-])(?:\/(?:root|home|Users|build|tmp|private|var\/folders|github\/workspace)\/[\w.-]+[\w./-]*|[A-Z]:\\+Users\\+\w+)/g;

/** Returns a sentence for each file that a package must not contain or lacks, and for its size. */
export function wrongContents(name, files, bytes) {
  const { max, allowed, required } = PACKAGES[name];
  const wrong = files.filter((file) => !allowed.test(file)).map((file) => `the ${name} must not contain \`${file}\``);
  wrong.push(...required.filter((file) => !files.includes(file)).map((file) => `the ${name} lacks \`${file}\``));
  if (bytes > max) wrong.push(`the ${name} has ${bytes} bytes; at most ${max} are allowed`);
  return wrong;
}

/** Returns a sentence for each secret and absolute path in a file. */
export function wrongText(name, bytes) {
  const isText = /\.(js|mjs|ts|md|json|css|html|svg|py|pyi|rs|toml|txt)$/.test(name);
  const text = Buffer.from(bytes).toString(isText ? "utf8" : "latin1");
  const paths = new Set([...text.matchAll(ABSOLUTE)].map(([path]) => path));
  const wrong = [...paths].slice(0, 3).map((path) => `\`${name}\` has the absolute path \`${path}\``);
  // encoded modules have every shape by chance
  if (isText && !name.endsWith(".inline.js") && maskText(text) !== text) wrong.push(...secretLines(name, text));
  return wrong;
}

/** Files that find secrets and have examples of them. */
const ABOUT_SECRETS = /(?:^|\/)(?:mask\.js|secrets\.rs|tests\.rs|tests\/\w+\.rs|uri\.rs)$/;

function secretLines(name, text) {
  if (ABOUT_SECRETS.test(name)) return [];
  return text.split("\n").flatMap((line, at) => (maskText(line) === line ? [] : [`\`${name}:${at + 1}\` looks like a secret`]));
}
