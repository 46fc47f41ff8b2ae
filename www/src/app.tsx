import { useEffect } from "preact/hooks";
import { namedCall } from "./calls.ts";
import { openFault, opening, openFrom } from "./project.ts";
import { areRowsThere, firstRows } from "./preview.ts";
import { project, room } from "./state.ts";
import { lang, t } from "./i18n/index.ts";
import { strange } from "./url.ts";
import { pending } from "./pending.ts";
import { place } from "./mount.ts";
import { legible, Name } from "./text/plain.tsx";
import { Header } from "./view/shell/header.tsx";
import { building } from "./build/start.ts";
import { isHelpOpen, isPaletteOpen } from "./dialogs.ts";
import { Nav } from "./view/shell/nav.tsx";
import { Center } from "./view/context/center.tsx";
import { paneStyle, type Side } from "./view/shell/panes.ts";
import { FaultNote } from "./view/common/error.tsx";
import { act } from "./view/commit/propose.ts";
import { DropTarget, OpenDialog, ProgressNote } from "./view/project/open.tsx";
import { useKeys } from "./view/shell/keys.ts";
import { later } from "./view/common/lazy.tsx";

const Splitter = later<{ side: Side }>(async () => (await import("./view/shell/splitter.tsx")).Splitter, Edge);
const ActDialog = later(async () => (await import("./view/commit/dialog.tsx")).ActDialog);
const Tour = later(async () => (await import("./view/shell/tour.tsx")).Tour);
const Why = later(async () => (await import("./view/context/why.tsx")).Why);
const Build = later(async () => (await import("./view/handover/build.tsx")).Build);
const Boxes = later(async () => (await import("./view/project/boxes.tsx")).Boxes);
const Runs = later(async () => (await import("./view/runs/runs.tsx")).Runs);
const Handoff = later(async () => (await import("./view/handoff.tsx")).Handoff);
const Memory = later(async () => (await import("./view/memory.tsx")).Memory);
const Sessions = later(async () => (await import("./view/sessions.tsx")).Sessions);
const WhatIf = later(async () => (await import("./view/fit/whatif.tsx")).WhatIf);
const Palette = later(async () => (await import("./view/shell/palette.tsx")).Palette);
const Help = later(async () => (await import("./view/shell/palette.tsx")).Help);
const Find = later(async () => (await import("./view/project/search.tsx")).Find);
const Compare = later(async () => (await import("./view/compare/compare.tsx")).Compare);

// loaded early, because the user types right after opening the palette
void firstRows.then(() => pending(import("./view/shell/palette.tsx"))).catch(() => undefined);

/** Explains the terms of the domain on hover. */
function useExplained(): void {
  useEffect(() => {
    let end: (() => void) | undefined;
    let isGone = false;
    firstRows.then(() => pending(import("./view/shell/explain.ts"))).then(({ explain }) => {
      if (!isGone) end = explain(place().root);
    }).catch(() => undefined);
    return () => {
      isGone = true;
      end?.();
    };
  }, []);
}

export function App() {
  useKeys();
  useExplained();
  const call = namedCall.value;
  if (place().isWhole) document.title = call === null ? t("app.title") : `${legible(call.title[lang.value])} · ${t("app.title")}`;
  const isBuilding = building.value && call !== null;
  return (
    <>
      <a class="skip" href="#main">{t("app.skip")}</a>
      <Header />
      <Strange />
      {project.value !== null && areRowsThere.value && <Tour />}
      {project.value === null ? <Opening /> : (
        <Room isBuilding={isBuilding} />
      )}
      <OpenDialog />
      {act.value !== null && <ActDialog />}
      <DropTarget />
      {isPaletteOpen.value && <Palette />}
      {isHelpOpen.value && <Help />}
    </>
  );
}

/** A placeholder until the splitter is loaded. */
function Edge() {
  return <div class="splitter" />;
}

function Room({ isBuilding }: { isBuilding: boolean }) {
  switch (room.value) {
    case "context":
      return (
        <main id="main" tabIndex={-1} class="room" data-building={isBuilding} style={paneStyle()}>
          {isBuilding ? <Build /> : <Nav />}
          {areRowsThere.value ? <Splitter side="nav" /> : <Edge />}
          <Center />
          {areRowsThere.value ? <Splitter side="why" /> : <Edge />}
          {areRowsThere.value && <Why />}
        </main>
      );
    case "compare":
      return <main id="main" tabIndex={-1} class="hall"><Compare /></main>;
    case "whatif":
      return <main id="main" tabIndex={-1} class="hall"><WhatIf /></main>;
    case "runs":
      return <main id="main" tabIndex={-1} class="hall"><Runs /></main>;
    case "handoff":
      return <main id="main" tabIndex={-1} class="hall"><Handoff /></main>;
    case "memory":
      return <main id="main" tabIndex={-1} class="hall"><Memory /></main>;
    case "sessions":
      return <main id="main" tabIndex={-1} class="hall"><Sessions /></main>;
    case "search":
      return <main id="main" tabIndex={-1} class="hall"><Find /></main>;
    case "boxes":
      return <main id="main" tabIndex={-1} class="hall"><Boxes /></main>;
  }
}

/** Lists the URL parameters that the page does not know. */
function Strange() {
  if (strange.value.length === 0) return null;
  return (
    <p class="strange" role="status">
      <Name text={t("address.strange", { what: strange.value.join(", ") })} />
      <button type="button" class="quiet" onClick={() => (strange.value = [])}>{t("address.dismiss")}</button>
    </p>
  );
}

/** Shown until the first project is open. */
function Opening() {
  const failed = openFault.value;
  return (
    <main id="main" tabIndex={-1} class="opening">
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
