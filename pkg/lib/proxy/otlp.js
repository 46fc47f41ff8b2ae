// Spans and log records of running apps, as the exporters of OpenTelemetry send them over HTTP: JSON, or protobuf that
// becomes the same JSON. Only those about models are kept, without attributes of the machine.
import { TuckboxError } from "../error.js";
import { own } from "../options.js";

/** The paths of the protocol. */
const PATHS = new Set(["/v1/traces", "/v1/logs", "/v1/metrics"]);

/** Attributes of spans about models: GenAI conventions, present and earlier, and those of other libraries. */
const ABOUT = /^(?:gen_ai|ai|llm|openinference|traceloop)\.|^(?:input|output)\.value$|^openai\./;

/**
 * Returns whether a request is an export.
 *
 * @param {string} method @param {string} path
 */
export function isExport(method, path) {
  return method === "POST" && PATHS.has(path.split("?")[0]);
}

/**
 * Returns what an export has about models as the JSON of the protocol; `undefined` if that is nothing.
 *
 * @param {Uint8Array} bytes The body, not compressed.
 * @param {string} path
 * @param {string} type The content type.
 * @returns {string | undefined}
 */
export function exported(bytes, path, type) {
  const kind = path.split("?")[0];
  if (kind === "/v1/metrics") return undefined;
  const shape = kind === "/v1/traces" ? TRACES : LOGS;
  const value = /protobuf/.test(type) ? decode(bytes, shape) : parse(bytes);
  const kept =
    kind === "/v1/traces" ? keep(value, "resourceSpans", "scopeSpans", "spans") : keep(value, "resourceLogs", "scopeLogs", "logRecords");
  return kept === undefined ? undefined : JSON.stringify(kept);
}

/** @param {Uint8Array} bytes */
function parse(bytes) {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new TuckboxError("bad_request", "the export is not valid JSON");
  }
}

/** @param {any} value @returns {any[]} */
const list = (value) => (Array.isArray(value) ? value : []);

/**
 * Returns an export without the spans or records of other subjects, and without resources.
 *
 * @param {any} value @param {string} outer @param {string} middle @param {string} inner
 */
function keep(value, outer, middle, inner) {
  /** @param {any} item */
  const isAbout = (item) =>
    [item, ...list(item?.events)].some(
      (one) =>
        list(one?.attributes).some(({ key } = {}) => typeof key === "string" && ABOUT.test(key)) ||
        /^gen_ai\./.test(own(one).eventName ?? own(one).name ?? ""),
    );
  /** @param {any} scope @returns {{ [name: string]: any }} */
  const scoped = (scope) => ({ scope: { name: scope?.scope?.name ?? "" }, [inner]: list(scope?.[inner]).filter(isAbout) });
  const groups = list(value?.[outer])
    .map((group) => ({
      [middle]: list(group?.[middle])
        .map(scoped)
        .filter((scope) => scope[inner].length > 0),
    }))
    .filter((group) => group[middle].length > 0);
  return groups.length === 0 ? undefined : { [outer]: groups };
}

/**
 * A field of a message: its name, how its value is read, and whether it repeats.
 *
 * @typedef {{ name: string, read: "text" | "hex" | "base64" | "bool" | "int" | "long" | "double" | "fixed" | (() => Shape), isList?: boolean }} Field
 * @typedef {{ [number: number]: Field | undefined }} Shape
 */

/** @type {(name: string, read: Field["read"], isList?: boolean) => Field} */
const field = (name, read, isList = false) => ({ name, read, isList });
/** @type {Shape} */
const VALUE = {
  1: field("stringValue", "text"),
  2: field("boolValue", "bool"),
  3: field("intValue", "long"),
  4: field("doubleValue", "double"),
  5: field("arrayValue", () => ({ 1: field("values", () => VALUE, true) })),
  6: field("kvlistValue", () => ({ 1: field("values", () => PAIR, true) })),
  7: field("bytesValue", "base64"),
};
/** @type {Shape} */
const PAIR = { 1: field("key", "text"), 2: field("value", () => VALUE) };
/** @type {Shape} */
const EVENT = { 1: field("timeUnixNano", "fixed"), 2: field("name", "text"), 3: field("attributes", () => PAIR, true) };
/** @type {Shape} */
const SPAN = {
  1: field("traceId", "hex"),
  2: field("spanId", "hex"),
  4: field("parentSpanId", "hex"),
  5: field("name", "text"),
  6: field("kind", "int"),
  7: field("startTimeUnixNano", "fixed"),
  8: field("endTimeUnixNano", "fixed"),
  9: field("attributes", () => PAIR, true),
  11: field("events", () => EVENT, true),
};
/** @type {Shape} */
const RECORD = {
  1: field("timeUnixNano", "fixed"),
  5: field("body", () => VALUE),
  6: field("attributes", () => PAIR, true),
  9: field("traceId", "hex"),
  10: field("spanId", "hex"),
  11: field("observedTimeUnixNano", "fixed"),
  12: field("eventName", "text"),
};
/** @type {Shape} */
const SCOPE = { 1: field("name", "text") };
/** @type {(outer: string, middle: string, inner: string, item: Shape) => Shape} */
const exportShape = (outer, middle, inner, item) => ({
  1: field(outer, () => ({ 2: field(middle, () => ({ 1: field("scope", () => SCOPE), 2: field(inner, () => item, true) }), true) }), true),
});
const TRACES = exportShape("resourceSpans", "scopeSpans", "spans", SPAN);
const LOGS = exportShape("resourceLogs", "scopeLogs", "logRecords", RECORD);

/** The maximum depth of a message. */
const MAX_DEPTH = 100;

/**
 * Decodes a message of protobuf. Unknown fields are skipped.
 *
 * @param {Uint8Array} bytes @param {Shape} shape @param {number} [depth]
 * @returns {{ [name: string]: any }}
 */
function decode(bytes, shape, depth = 0) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const message = /** @type {{ [name: string]: any }} */ ({});
  let at = 0;
  const broken = () => new TuckboxError("bad_request", "the export is not valid protobuf");
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) throw broken();
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw broken();
  };
  /** @param {number} length */
  const take = (length) => {
    if (length > bytes.length - at) throw broken();
    at += length;
    return at - length;
  };
  if (depth > MAX_DEPTH) throw broken();
  while (at < bytes.length) {
    const tag = varint();
    const [known, wire] = [shape[Number(tag >> 3n)], Number(tag & 7n)];
    /** @type {any} */
    let value;
    if (wire === 0) {
      const read = varint();
      value = known?.read === "bool" ? read !== 0n : known?.read === "long" ? String(BigInt.asIntN(64, read)) : Number(read);
    } else if (wire === 1) {
      const start = take(8);
      value = known?.read === "double" ? view.getFloat64(start, true) : String(view.getBigUint64(start, true));
    } else if (wire === 2) {
      const length = Number(varint());
      const start = take(length);
      const inner = bytes.subarray(start, start + length);
      if (known === undefined) continue;
      if (typeof known.read === "function") value = decode(inner, known.read(), depth + 1);
      else if (known.read === "hex") value = Buffer.from(inner).toString("hex");
      else value = known.read === "base64" ? Buffer.from(inner).toString("base64") : new TextDecoder().decode(inner);
    } else if (wire === 5) take(4);
    else throw broken();
    if (known === undefined) continue;
    if (known.isList === true) {
      const values = message[known.name] ?? [];
      message[known.name] = values;
      values.push(value);
    } else message[known.name] = value;
  }
  return message;
}
