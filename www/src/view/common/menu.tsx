// Buttons of menus. The rest of a menu is loaded after the first cards.

import { hasRows } from "../../preview.ts";
import { openError } from "../../project.ts";
import { lazy } from "./lazy.tsx";
import type { MenuProps } from "./menu-body.tsx";

const MenuWithBody = lazy<MenuProps>(async () => (await import("./menu-body.tsx")).MenuWithBody, MenuButton);

/** A menu; only its button until the rest is loaded. */
export function Menu(props: MenuProps) {
  return hasRows.value || openError.value !== null ? <MenuWithBody {...props} /> : <MenuButton {...props} />;
}

/** The button alone. */
function MenuButton({ label, class: more = "" }: MenuProps) {
  return (
    <div class={`menu ${more}`.trim()} inert>
      <div class="quiet">{label}</div>
    </div>
  );
}
