// Reads the project that `tuckbox ui` was started with, from the served page.
import type { Origin } from "./engine/protocol.ts";
import type { OpenLockfile } from "./lock/state.ts";

/** A lockfile of the server, with the current contexts. */
interface LockStart {
  kind: "lock";
  lock: Partial<OpenLockfile>;
}

/** Returns the project or the lockfile of the server; `null` if it has none. */
export function startProject(): Origin | LockStart | null {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="tuckbox-start"]');
  if (meta === null) return null;
  return JSON.parse(meta.content) as Origin | LockStart;
}
