// The places in a call that errors and lints refer to.
import { computed } from "@preact/signals";
import { parsedCall } from "../calls.ts";
import type { Json } from "../engine/protocol.ts";
import { lastPreview, previewError } from "../state.ts";
import { at, type Step, steps } from "../text/paths.ts";

export interface Mark {
  severity: "error" | "warning";
  /** The path of an existing value in the call: the named one, or its nearest ancestor. */
  path: Step[];
  message: string;
  code: string;
}

export const marks = computed<Mark[]>(() => {
  const call = parsedCall.value;
  if (call === null || !call.ok) return [];
  const found: Mark[] = [];
  const error = previewError.value;
  if (error !== null) found.push({ severity: "error", path: placeOf(call.value, error.path), message: error.message, code: error.code });
  else {
    for (const { path, message, code } of lastPreview.value?.lints ?? []) {
      found.push({ severity: "warning", path: placeOf(call.value, path), message, code });
    }
  }
  return found;
});

/** Returns the place that a path names. Paths of recipes start inside `arguments`. */
function placeOf(call: Json, path: string): Step[] {
  const named = steps(path);
  const inside: Step[] = ["arguments", ...named];
  for (const candidate of [named, inside]) {
    if (candidate.length > 0 && at(call, candidate) !== undefined) return candidate;
  }
  // the value is missing: use its nearest existing ancestor
  for (let length = named.length; length > 0; length -= 1) {
    for (const candidate of [named.slice(0, length), inside.slice(0, length + 1)]) {
      if (at(call, candidate) !== undefined) return candidate;
    }
  }
  return [];
}

export function key(path: readonly Step[]): string {
  return JSON.stringify(path);
}

export const marksByPath = computed<ReadonlyMap<string, Mark[]>>(() => {
  const found = new Map<string, Mark[]>();
  for (const mark of marks.value) {
    const at = key(mark.path);
    found.set(at, [...(found.get(at) ?? []), mark]);
  }
  return found;
});
