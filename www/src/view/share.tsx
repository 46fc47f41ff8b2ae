// The menu of the ways out. What is in it comes after the first cards.
import { t } from "../i18n/index.ts";
import { areRowsThere } from "../preview.ts";
import { later } from "./later.tsx";
import { Menu } from "./menus.tsx";

const Exports = later(async () => (await import("./exports.tsx")).Exports);

export function Share() {
  return <Menu label={t("export.button")}>{areRowsThere.value && <Exports />}</Menu>;
}
