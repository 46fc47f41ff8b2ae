import { fault, openFault, opening, openFrom, project, target } from "./state.ts";
import { lang, t } from "./i18n/index.ts";
import { Header } from "./view/header.tsx";
import { Nav } from "./view/nav.tsx";
import { Center } from "./view/center.tsx";
import { Why } from "./view/why.tsx";
import { FaultNote } from "./view/fault.tsx";
import { DropTarget, OpenDialog, ProgressNote } from "./view/open.tsx";
import { useKeys } from "./view/keys.ts";

export function App() {
  useKeys();
  document.title = target.value?.kind === "call"
    ? `${target.value.call.title[lang.value]} · ${t("app.title")}`
    : t("app.title");
  return (
    <>
      <a class="skip" href="#cards">{t("app.skip")}</a>
      <Header />
      {project.value === null ? <Opening /> : (
        <main class="room" data-fault={fault.value !== null}>
          <Nav />
          <Center />
          <Why />
        </main>
      )}
      <OpenDialog />
      <DropTarget />
    </>
  );
}

/** Before the first project is there. */
function Opening() {
  const failed = openFault.value;
  return (
    <main class="opening">
      {opening.value !== null && <ProgressNote />}
      {failed !== null && (
        <>
          <FaultNote title={t("fault.open")} fault={failed} />
          <button type="button" class="quiet" onClick={() => void openFrom({ kind: "demo" })}>{t("open.demo")}</button>
        </>
      )}
    </main>
  );
}
