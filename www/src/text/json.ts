// Reads and writes JSON without losing integers: those beyond 2^53 are BigInts.
import { parseJson } from "tuckbox/web";
import type { Json } from "../engine/protocol.ts";

export type Parsed = { ok: true; value: Json } | { ok: false; message: string; offset: number | null };

export function parse(text: string): Parsed {
  try {
    return { ok: true, value: parseJson(text) as Json };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const at = /position (\d+)/.exec(message)?.[1];
    return { ok: false, message, offset: at === undefined ? null : Number(at) };
  }
}

/** Returns JSON text, indented by two spaces; lists of short scalars stay on one line. */
export function write(value: unknown, indent = ""): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    const items = value.map((item) => write(item, inner));
    const line = `[${items.join(", ")}]`;
    if (line.length <= 60 && !line.includes("\n") && !line.includes("{")) return line;
    return `[\n${items.map((item) => inner + item).join(",\n")}\n${indent}]`;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return "{}";
  return `{\n${members.map(([key, member]) => `${inner}${JSON.stringify(key)}: ${write(member, inner)}`).join(",\n")}\n${indent}}`;
}
