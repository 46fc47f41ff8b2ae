// Reads the project that `tuckbox ui` was started with, from the served page.
import type { Origin } from "./engine/protocol.ts";

/** Returns the project of the server; `null` if it has none. */
export function startProject(): Origin | null {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="tuckbox-start"]');
  if (meta === null) return null;
  return JSON.parse(meta.content) as Origin;
}
