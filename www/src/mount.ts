// Where the inspector is mounted: in its own page, or in the shadow root of an element in another page.

interface MountPoint {
  root: Document | ShadowRoot;
  /** Carries the theme and the language. */
  host: HTMLElement;
  /** Whether title, URL and storage of the page belong to the inspector. */
  isOwnPage: boolean;
}

let current: MountPoint = { root: document, host: document.documentElement, isOwnPage: true };

/** Mounts the inspector in an element, before the rest of it is loaded. */
export function mountIn(host: HTMLElement, root: ShadowRoot): void {
  current = { root, host, isOwnPage: false };
}

export const mountPoint = (): MountPoint => current;

export function byId(id: string): HTMLElement | null {
  return current.root.getElementById(id);
}

/** Returns the rectangle that fixed positions are relative to, in window coordinates. */
export function mountBounds(): { left: number; top: number; width: number; height: number } {
  return current.isOwnPage ? { left: 0, top: 0, width: innerWidth, height: innerHeight } : current.host.getBoundingClientRect();
}
