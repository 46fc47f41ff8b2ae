// What the command `tuckbox ui` was started with: it stands in the page that its server gives out.
import type { Origin } from "./engine/protocol.ts";

/** The project of the server that gave out this page; nothing when it has none. */
export function served(): Origin | null {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="tuckbox-start"]');
  if (meta === null) return null;
  return JSON.parse(meta.content) as Origin;
}
