// Paths in a JSON value.
import type { Json } from "../engine/protocol.ts";

export type Step = string | number;

/** Returns the steps of a path such as `tasks[3].target_ref`. */
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

/** Returns the value at a path; `undefined` if there is none. */
export function at(value: Json | undefined, path: Step[]): Json | undefined {
  let here: Json | undefined = value;
  for (const step of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = (here as Record<Step, Json>)[step];
  }
  return here;
}

/** Returns the value with another one at a path; `undefined` removes it. */
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
