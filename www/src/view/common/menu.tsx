// The buttons of menus. What opens them comes after the first cards.
import { openFault } from "../../project.ts";
import { areRowsThere } from "../../preview.ts";
import { later } from "./lazy.tsx";
import type { MenuProps } from "./menu-body.tsx";

const OpenMenu = later<MenuProps>(async () => (await import("./menu-body.tsx")).OpenMenu, Still);

/** A menu by the words on its button. */
export function Menu(props: MenuProps) {
  return areRowsThere.value || openFault.value !== null ? <OpenMenu {...props} /> : <Still {...props} />;
}

/** The button alone, in its place. */
function Still({ label, class: more = "" }: MenuProps) {
  return <div class={`menu ${more}`.trim()} inert><div class="quiet">{label}</div></div>;
}
