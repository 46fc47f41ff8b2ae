// Buttons of menus. The rest of a menu is loaded after the first cards.
import { openFault } from "../../project.ts";
import { areRowsThere } from "../../preview.ts";
import { later } from "./lazy.tsx";
import type { MenuProps } from "./menu-body.tsx";

const OpenMenu = later<MenuProps>(async () => (await import("./menu-body.tsx")).OpenMenu, Still);

/** A menu; only its button until the rest is loaded. */
export function Menu(props: MenuProps) {
  return areRowsThere.value || openFault.value !== null ? <OpenMenu {...props} /> : <Still {...props} />;
}

/** The button alone. */
function Still({ label, class: more = "" }: MenuProps) {
  return <div class={`menu ${more}`.trim()} inert><div class="quiet">{label}</div></div>;
}
