// JSON both ways without losing an integer: what is beyond 2^53 is a BigInt in between.
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

/** JSON text with two spaces a level; lists of short scalars stay on one line. */
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

export type Step = string | number;

/** The steps of a path such as `tasks[3].target_ref`. */
export function steps(path: string): Step[] {
  const found: Step[] = [];
  const step = /\.?([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/gy;
  for (let at = step.exec(path); at !== null; at = step.exec(path)) {
    const [, key, index, quoted] = at;
    if (index !== undefined) found.push(Number(index));
    else found.push(key ?? (JSON.parse(`"${quoted}"`) as string));
  }
  return found;
}

/** The value at a path; `undefined` where there is none. */
export function at(value: Json | undefined, path: Step[]): Json | undefined {
  let here: Json | undefined = value;
  for (const step of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = (here as Record<Step, Json>)[step];
  }
  return here;
}

/** The same value with another one at a path; `undefined` takes it out. */
export function set(value: Json | undefined, path: Step[], next: Json | undefined): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return next;
  if (typeof step === "number") {
    const list = Array.isArray(value) ? [...value] : [];
    const inner = set(list[step], rest, next);
    if (inner === undefined) list.splice(step, 1);
    else list[step] = inner;
    return list;
  }
  const object: Record<string, Json> = typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  const inner = set(object[step], rest, next);
  if (inner === undefined) delete object[step];
  else object[step] = inner;
  return object;
}
