// A menu that goes away when somebody looks elsewhere, and is never cut off by what it stands in.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  label: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

export function Menu({ label, class: more = "", children }: Props) {
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
    const away = () => close(false);
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    document.addEventListener("keydown", key, { capture: true });
    addEventListener("resize", away);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
      document.removeEventListener("keydown", key, { capture: true });
      removeEventListener("resize", away);
    };
  }, []);
  /** Puts the body below the button, within the window. */
  const place = () => {
    const [at, inside] = [menu.current, body.current];
    if (at === null || inside === null || !at.open) return;
    const button = at.getBoundingClientRect();
    const width = inside.offsetWidth;
    const left = Math.max(8, Math.min(button.left, innerWidth - width - 8));
    const below = innerHeight - button.bottom - 12;
    const isAbove = below < Math.min(inside.scrollHeight, 160) && button.top > below;
    inside.style.left = `${left}px`;
    inside.style.top = isAbove ? "auto" : `${button.bottom + 4}px`;
    inside.style.bottom = isAbove ? `${innerHeight - button.top + 4}px` : "auto";
    inside.style.maxHeight = `${Math.max(80, isAbove ? button.top - 12 : below)}px`;
  };
  return (
    <details ref={menu} class={`menu ${more}`.trim()} onToggle={place}>
      <summary class="quiet">{label}</summary>
      <div ref={body} class="menu-body">{children}</div>
    </details>
  );
}
