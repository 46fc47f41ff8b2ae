import { useEffect } from "preact/hooks";
import { building } from "./build/start.ts";
import { namedCall } from "./calls.ts";
import { isHelpOpen, isPaletteOpen } from "./dialogs.ts";
import { lang, t } from "./i18n/index.ts";
import { mountPoint } from "./mount.ts";
import { pending } from "./pending.ts";
import { firstRows, hasRows } from "./preview.ts";
import { openError, openFrom, opening } from "./project.ts";
import { project, view } from "./state.ts";
import { Name, visibleText } from "./text/plain.tsx";
import { unknownParams } from "./url.ts";
import { proposal } from "./view/commit/propose.ts";
import { ErrorNote } from "./view/common/error.tsx";
import { lazy } from "./view/common/lazy.tsx";
import { Center } from "./view/context/center.tsx";
import { DropTarget, OpenDialog } from "./view/project/open.tsx";
import { ProgressNote } from "./view/project/opening.tsx";
import { Header } from "./view/shell/header.tsx";
import { useKeys } from "./view/shell/keys.ts";
import { Nav } from "./view/shell/nav.tsx";
import { paneStyle, type Side } from "./view/shell/panes.ts";

const Splitter = lazy<{ side: Side }>(async () => (await import("./view/shell/splitter.tsx")).Splitter, Edge);
const ActDialog = lazy(async () => (await import("./view/commit/dialog.tsx")).CommitDialog);
const Tour = lazy(async () => (await import("./view/shell/tour.tsx")).Tour);
const Why = lazy(async () => (await import("./view/context/why.tsx")).Why);
const Build = lazy(async () => (await import("./view/handover/build.tsx")).Build);
const Boxes = lazy(async () => (await import("./view/project/boxes.tsx")).Boxes);
const Runs = lazy(async () => (await import("./view/runs/runs.tsx")).Runs);
const Handoff = lazy(async () => (await import("./view/handoff.tsx")).Handoff);
const Memory = lazy(async () => (await import("./view/memory.tsx")).Memory);
const Timeline = lazy(async () => (await import("./view/timeline/timeline.tsx")).Timeline);
const WhatIf = lazy(async () => (await import("./view/fit/whatif.tsx")).WhatIf);
const Palette = lazy(async () => (await import("./view/shell/palette.tsx")).Palette);
const Help = lazy(async () => (await import("./view/shell/palette.tsx")).Help);
const Find = lazy(async () => (await import("./view/project/search.tsx")).ProjectSearch);
const Compare = lazy(async () => (await import("./view/compare/compare.tsx")).Compare);

// loaded early, because the user types right after opening the palette
void firstRows.then(() => pending(import("./view/shell/palette.tsx"))).catch(() => undefined);

/** Explains the terms of the domain on hover. */
function useExplained(): void {
  useEffect(() => {
    let end: (() => void) | undefined;
    let isUnmounted = false;
    firstRows
      .then(() => pending(import("./view/shell/explain.ts")))
      .then(({ explain }) => {
        if (!isUnmounted) end = explain(mountPoint().root);
      })
      .catch(() => undefined);
    return () => {
      isUnmounted = true;
      end?.();
    };
  }, []);
}

export function App() {
  useKeys();
  useExplained();
  const call = namedCall.value;
  if (mountPoint().isOwnPage)
    document.title = call === null ? t("app.title") : `${visibleText(call.title[lang.value])} · ${t("app.title")}`;
  const isBuilding = building.value && call !== null;
  return (
    <>
      <a class="skip" href="#main">
        {t("app.skip")}
      </a>
      <Header />
      <UnknownParams />
      {project.value !== null && hasRows.value && <Tour />}
      {project.value === null ? <Opening /> : <CurrentView isBuilding={isBuilding} />}
      <OpenDialog />
      {proposal.value !== null && <ActDialog />}
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

function CurrentView({ isBuilding }: { isBuilding: boolean }) {
  switch (view.value) {
    case "context":
      return (
        <main id="main" tabIndex={-1} class="panes" data-building={isBuilding} style={paneStyle()}>
          {isBuilding ? <Build /> : <Nav />}
          {hasRows.value ? <Splitter side="nav" /> : <Edge />}
          <Center />
          {hasRows.value ? <Splitter side="why" /> : <Edge />}
          {hasRows.value && <Why />}
        </main>
      );
    case "compare":
      return (
        <main id="main" tabIndex={-1} class="whole-view">
          <Compare />
        </main>
      );
    case "whatif":
      return (
        <main id="main" tabIndex={-1} class="whole-view">
          <WhatIf />
        </main>
      );
    case "runs":
      return (
        <main id="main" tabIndex={-1} class="whole-view">
          <Runs />
        </main>
      );
    case "handoff":
      return (
        <main id="main" tabIndex={-1} class="whole-view">
          <Handoff />
        </main>
      );
    case "memory":
      return (
        <main id="main" tabIndex={-1} class="whole-view">
          <Memory />
        </main>
      );
    case "timeline":
      return (
        <main id="main" tabIndex={-1} class="whole-view">
          <Timeline />
        </main>
      );
    case "search":
      return (
        <main id="main" tabIndex={-1} class="whole-view">
          <Find />
        </main>
      );
    case "boxes":
      return (
        <main id="main" tabIndex={-1} class="whole-view">
          <Boxes />
        </main>
      );
  }
}

/** Lists the URL parameters that the page does not know. */
function UnknownParams() {
  if (unknownParams.value.length === 0) return null;
  return (
    <p class="unknown-params" role="status">
      <Name text={t("url.unknown", { params: unknownParams.value.join(", ") })} />
      <button type="button" class="quiet" onClick={() => (unknownParams.value = [])}>
        {t("url.dismiss")}
      </button>
    </p>
  );
}

/** Shown until the first project is open. */
function Opening() {
  const failed = openError.value;
  return (
    <main id="main" tabIndex={-1} class="opening">
      {opening.value !== null && <ProgressNote />}
      {failed !== null && (
        <>
          <ErrorNote title={t("error.open")} error={failed} />
          <button type="button" class="quiet" onClick={() => void openFrom({ kind: "demo" })}>
            {t("open.demo")}
          </button>
        </>
      )}
    </main>
  );
}
