import { fault, openFault, project, target } from "./state.ts";
import { lang, t } from "./i18n/index.ts";
import { Header } from "./view/header.tsx";
import { Nav } from "./view/nav.tsx";
import { Center } from "./view/center.tsx";
import { Why } from "./view/why.tsx";
import { FaultNote } from "./view/fault.tsx";
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
    </>
  );
}

function Opening() {
  const failed = openFault.value;
  return (
    <main class="opening">
      {failed === null
        ? <p role="status">{t("app.loading")}</p>
        : <FaultNote title={t("fault.open")} fault={failed} />}
    </main>
  );
}
