// Where the inspector is mounted: in its own page, or in the shadow root of an element in another page.

interface Place {
  root: Document | ShadowRoot;
  /** Carries the theme and the language. */
  host: HTMLElement;
  /** Whether title, URL and storage of the page belong to the inspector. */
  isWhole: boolean;
}

let here: Place = { root: document, host: document.documentElement, isWhole: true };

/** Mounts the inspector in an element, before the rest of it is loaded. */
export function settle(host: HTMLElement, root: ShadowRoot): void {
  here = { root, host, isWhole: false };
}

export const place = (): Place => here;

export function byId(id: string): HTMLElement | null {
  return here.root.getElementById(id);
}

/** Returns the rectangle that fixed positions are relative to, in window coordinates. */
export function frame(): { left: number; top: number; width: number; height: number } {
  return here.isWhole ? { left: 0, top: 0, width: innerWidth, height: innerHeight } : here.host.getBoundingClientRect();
}
