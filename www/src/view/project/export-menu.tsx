// The export menu. Its contents are loaded after the first cards.
import { t } from "../../i18n/index.ts";
import { hasRows } from "../../preview.ts";
import { lazy } from "../common/lazy.tsx";
import { Menu } from "../common/menu.tsx";

const ExportForm = lazy(async () => (await import("./export-form.tsx")).ExportForm);

export function ExportMenu() {
  return <Menu label={t("export.button")}>{hasRows.value && <ExportForm />}</Menu>;
}
