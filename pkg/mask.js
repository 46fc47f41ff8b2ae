// Masks secrets in requests to models: the only list of what is secret, for every part that records, copies or shares
// data. What is masked becomes `PLACEHOLDER`; all other bytes stay.
import { stringEnd } from "./lib/raw.js";

export const PLACEHOLDER = "[removed]";

/**
 * Names of secrets, in lower case and without `-` and `_`: headers, members of bodies at any depth, and parameters of
 * URLs. A prefix is allowed, such as `openai` in `openai_api_key`.
 */
const NAME =
  /(?:apikeys?|apikeystring|(?:access|refresh|id|auth|oauth|bearer|session|security|authorization)tokens?|secrets?|secretkey|secretaccesskey|privatekey|password|passwd|passphrase|connectionstring|credentials?|authorization|cookies?|signature)$/;

/** Names that are secret only as a parameter of a URL or as a header. */
const SHORT_NAME = /^(?:key|token|sig|pass|pwd|auth|subscriptionkey|ocpapimsubscriptionkey|xamztoken|xauthtoken)$/;

/** Names that end as secrets do, and are not. */
const NOT_SECRET = /^(?:signature|thoughtsignature|credentials?)$/;

/**
 * The ends of paths of members whose names alone do not make them secret. `*` is any name or index.
 *
 * @type {readonly (readonly string[])[]}
 */
const PATHS = [
  // servers and tools of MCP, of Anthropic and OpenAI
  ["mcpservers", "*", "headers", "*"],
  ["mcpservers", "*", "env", "*"],
  ["mcpservers", "*", "streamablehttptransport", "headers", "*"],
  ["tools", "*", "headers", "*"],
  // gateways
  ["extraheaders", "*"],
  ["defaultheaders", "*"],
  ["vertexcredentials"],
  // Azure
  ["datasources", "*", "parameters", "key"],
  ["datasources", "*", "parameters", "authentication", "key"],
  // Gemini
  ["authconfig", "*", "*"],
  ["apiauth", "*", "*"],
  ["allowlist", "*", "transform", "*"],
  ["allowlist", "*", "transform", "*", "*"],
];

/** Secrets that text shows by their shape. A key after a prefix has a digit: `sk-` also starts words. */
const SHAPES = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  /(?<=\bAWS4-HMAC-SHA256 )Credential=[^\s"]+ SignedHeaders=[^\s"]+ Signature=[0-9a-f]+/g,
  /(?<=\b(?:Bearer|Basic|Token) )(?=[A-Za-z._~+/-]*\d)[A-Za-z0-9._~+/-]{16,}=*/gi,
  /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]+\.[\w-]{10,}/g,
  /(?<![\w-])(?:AKIA|ASIA)[A-Z0-9]{16,}/g,
  /(?<![\w-])AIza[\w-]{30,}/g,
  /(?<![\w-])AQ\.Ab[\w-]{30,}/g,
  /(?<![\w-])ya29\.[\w-]{20,}/g,
  /(?<![\w-])ABSK[A-Za-z0-9+/]{40,}={0,2}/g,
  /(?<![\w-])dapi[0-9a-f]{32}(?:-\d)?/g,
  /(?<![\w-])(?:sk-|csk-|xai-|pplx-|nvapi-|tvly-|xox[abeprs]-|xapp-|glpat-|ek_|gsk_|hf_|fw_|lsv2_|npm_|pcsk_|r8_|vck_|gh[opsur]_|github_pat_|[sr]k_(?:live|test)_)(?=[A-Za-z_-]*\d)[\w-]{16,}/g,
];

/** A name with its value, such as `password = hunter22` or `"api_key": "a1b2c3d4"`. */
const ASSIGNMENT =
  /((?:password|passwd|secret|api[_-]?key|access_?token|auth_?token|private_?key|secret_?access_?key)["']? {0,3}[:=]{1,2} {0,3}["']?)([^\s"',;()<{$*[\\][^\s"',;()\\]{7,199})/gi;

const URLS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>\\]+/gi;

/** Encoded bytes, such as those of an image: a shape in them is chance. */
const ENCODED = /^(?:data:[^,]{0,100},)?[A-Za-z0-9+/=_-]{1000,}$/;

/**
 * Returns text without secrets, found by their shape.
 *
 * @type {typeof import("./types/mask.js").maskText}
 */
export function maskText(text) {
  if (ENCODED.test(text)) return text;
  let masked = text;
  for (const shape of SHAPES) masked = masked.replace(shape, PLACEHOLDER);
  if (masked.includes("://")) masked = masked.replace(URLS, maskUrl);
  return masked.replace(ASSIGNMENT, (found, keep, value) => (/\d/.test(value) ? keep + PLACEHOLDER : found));
}

/**
 * Returns a URL without passwords and secret parameters.
 *
 * @type {typeof import("./types/mask.js").maskUrl}
 */
export function maskUrl(url) {
  return url
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, `$1${PLACEHOLDER}@`)
    .replace(/([?&;#])([^=&;#?]{1,100})=[^&;#),\]}]+/g, (found, mark, name) =>
      isSecretName(decoded(name)) ? `${mark}${name}=${PLACEHOLDER}` : found,
    );
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns headers, in order, without the values of secret ones.
 *
 * @type {typeof import("./types/mask.js").maskHeaders}
 */
export function maskHeaders(headers) {
  const pairs = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return pairs.map(([name, value]) => [name, isSecretName(name) ? PLACEHOLDER : maskText(value)]);
}

/** @param {string} name */
function isSecretName(name) {
  const plain = normal(name);
  return SHORT_NAME.test(plain) || NAME.test(plain);
}

/** @param {string} name */
function normal(name) {
  return name.toLowerCase().replace(/[-_]/g, "");
}

/** The number of times that JSON can be text inside of JSON, as the arguments of tools are. */
const MAX_INNER = 4;

/**
 * Returns JSON text without secrets, found by their name, their path or their shape. Text that is not JSON is masked as
 * `maskText` does.
 *
 * @type {typeof import("./types/mask.js").maskJson}
 */
export function maskJson(text) {
  return maskedJson(text, 0) ?? maskText(text);
}

/**
 * Returns masked JSON; nothing for text that is not JSON.
 *
 * @param {string} text
 * @param {number} inner
 * @returns {string | undefined}
 */
function maskedJson(text, inner) {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const parts = [];
  /** The names around the current value; `*` for items of a list. */
  const path = /** @type {string[]} */ ([]);
  let from = 0;
  let isName = false;
  const token = /["{}[\],]/g;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const at = found.index;
    if (found[0] === "{" || found[0] === "[") {
      path.push(found[0] === "[" ? "*" : "");
      isName = found[0] === "{";
    } else if (found[0] === ",") isName = path.at(-1) !== "*";
    else if (found[0] !== '"') {
      path.pop();
      isName = false;
    } else {
      const end = stringEnd(text, at);
      token.lastIndex = end;
      const raw = text.slice(at, end);
      const value = /** @type {string} */ (raw.includes("\\") ? JSON.parse(raw) : raw.slice(1, -1));
      if (isName) {
        path[path.length - 1] = `.${normal(value)}`;
        isName = false;
        continue;
      }
      const masked = value !== "" && isSecretPath(path) ? PLACEHOLDER : maskedString(value, inner);
      if (masked === value) continue;
      parts.push(text.slice(from, at), JSON.stringify(masked));
      from = end;
    }
  }
  parts.push(text.slice(from));
  return parts.join("");
}

/** @param {string} text @param {number} inner */
function maskedString(text, inner) {
  const mayBeJson = inner < MAX_INNER && /^\s*[{[]/.test(text);
  return (mayBeJson ? maskedJson(text, inner + 1) : undefined) ?? maskText(text);
}

/** @param {readonly string[]} path */
function isSecretPath(path) {
  const names = path.filter((step) => step !== "*").map((step) => step.slice(1));
  const name = names.at(-1) ?? "";
  // a secret can be an object with its kind or its host: `{"authorization": {"type": "api-key", "value": "…"}}`
  const owner = name === "value" ? (names.at(-2) ?? "") : name;
  if (NAME.test(owner) && !NOT_SECRET.test(owner)) return true;
  if (path.length === 1 && SHORT_NAME.test(name)) return true;
  return PATHS.some((pattern) => {
    const start = path.length - pattern.length;
    return start >= 0 && pattern.every((step, at) => step === "*" || path[start + at] === `.${step}`);
  });
}
