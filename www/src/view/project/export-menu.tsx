// The export menu. Its contents are loaded after the first cards.
import { t } from "../../i18n/index.ts";
import { areRowsThere } from "../../preview.ts";
import { later } from "../common/lazy.tsx";
import { Menu } from "../common/menu.tsx";

const Exports = later(async () => (await import("./export-form.tsx")).Exports);

export function Share() {
  return <Menu label={t("export.button")}>{areRowsThere.value && <Exports />}</Menu>;
}
