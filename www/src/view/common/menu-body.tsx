// A menu that closes when the user clicks elsewhere. Its body has a fixed position, so that no container cuts it off.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { mountBounds, mountPoint } from "../../mount.ts";

export interface MenuProps {
  label: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

export function MenuWithBody({ label, class: more = "", children }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const close = (isFocused: boolean) => {
      const at = menu.current;
      if (at === null || !at.open) return;
      at.open = false;
      if (isFocused) at.querySelector("summary")?.focus();
    };
    const outside = (event: Event) => {
      if (event.target instanceof Node && menu.current?.contains(event.target) !== true) close(false);
    };
    const key = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || menu.current?.open !== true) return;
      event.stopPropagation();
      close(true);
    };
    const outsideElement = (event: Event) => {
      if (!event.composedPath().includes(mountPoint().host)) close(false);
    };
    const away = () => close(false);
    const { root, isOwnPage } = mountPoint();
    root.addEventListener("pointerdown", outside);
    // clicks outside an embedding element reach only the document
    if (!isOwnPage) document.addEventListener("pointerdown", outsideElement);
    root.addEventListener("focusin", outside);
    root.addEventListener("keydown", key as EventListener, { capture: true });
    addEventListener("resize", away);
    return () => {
      root.removeEventListener("pointerdown", outside);
      document.removeEventListener("pointerdown", outsideElement);
      root.removeEventListener("focusin", outside);
      root.removeEventListener("keydown", key as EventListener, { capture: true });
      removeEventListener("resize", away);
    };
  }, []);
  /** Positions the body below or above the button, within the window. */
  const put = () => {
    const [at, inside] = [menu.current, body.current];
    if (at === null || inside === null || !at.open) return;
    const button = at.getBoundingClientRect();
    const within = mountBounds();
    const [top, bottom] = [button.top - within.top, button.bottom - within.top];
    const left = Math.max(8, Math.min(button.left - within.left, within.width - inside.offsetWidth - 8));
    const below = within.height - bottom - 12;
    const isAbove = below < Math.min(inside.scrollHeight, 160) && top > below;
    inside.style.left = `${left}px`;
    inside.style.top = isAbove ? "auto" : `${bottom + 4}px`;
    inside.style.bottom = isAbove ? `${within.height - top + 4}px` : "auto";
    inside.style.maxHeight = `${Math.max(80, isAbove ? top - 12 : below)}px`;
  };
  return (
    <details ref={menu} class={`menu ${more}`.trim()} onToggle={put}>
      <summary class="quiet">{label}</summary>
      <div ref={body} class="menu-body">
        {children}
      </div>
    </details>
  );
}
