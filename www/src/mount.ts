// Where the inspector lives: in a page of its own, or in the shadow root of an element in somebody else's page.

interface Place {
  root: Document | ShadowRoot;
  /** Carries the theme and the language. */
  host: HTMLElement;
  /** Whether the page is ours: its title, its address, its storage. */
  isWhole: boolean;
}

let here: Place = { root: document, host: document.documentElement, isWhole: true };

/** Moves into an element; before anything else of the inspector is loaded. */
export function settle(host: HTMLElement, root: ShadowRoot): void {
  here = { root, host, isWhole: false };
}

export const place = (): Place => here;

export function byId(id: string): HTMLElement | null {
  return here.root.getElementById(id);
}

/** The rectangle that a fixed position is counted from, in the window's coordinates. */
export function frame(): { left: number; top: number; width: number; height: number } {
  return here.isWhole ? { left: 0, top: 0, width: innerWidth, height: innerHeight } : here.host.getBoundingClientRect();
}
