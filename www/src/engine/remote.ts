// Projects that the browser does not save: on a server, in an inspected page, or provided by the embedding page.
import { memoryStore, open } from "tuckbox/web";
import type { ImportReport } from "tuckbox/web";
import type { FileOrigin, Home, Origin } from "./protocol.ts";
import { type Opened, placeOf, type Report } from "./session.ts";
import { keptCalls } from "./browser-db.ts";
import type { Listed } from "./snapshot.ts";

type Elsewhere = Extract<Origin, { kind: "server" | "page" | "host" | "given" }>;
/** Reads the text of a project from any origin. */
type ProjectOf = (origin: FileOrigin, report: Report) => Promise<{ text: string; found: Listed; log?: ImportReport }>;

export async function elsewhere(origin: Elsewhere, report: Report, projectOf: ProjectOf): Promise<{ next: Opened; found?: Listed }> {
  switch (origin.kind) {
    case "server": {
      report({ stage: "connect", done: 0, total: 0 });
      const { connect } = await import("./server.ts");
      const { seen, workspace, calls: beside } = await connect(origin);
      const { project_id } = origin;
      const home: Home = { kind: "server", host: new URL(origin.url, location.href).host };
      const kept = await keptCalls(placeOf({ home, project_id }) ?? "").catch(() => []);
      const calls = [...kept, ...beside.filter(({ id }) => !kept.some((one) => one.id === id))];
      return { next: { store: seen, workspace, calls, project_id, home } };
    }
    case "page": {
      report({ stage: "connect", done: 0, total: 0 });
      const { attach } = await import("./page.ts");
      const { seen, workspace } = await attach(origin);
      const { project_id } = JSON.parse(origin.settings) as { project_id: string };
      return { next: { store: seen, workspace, calls: [], project_id, home: { kind: "page", name: origin.name, commits: origin.commits } } };
    }
    case "host": {
      const { name, settings } = origin;
      const { hosted } = await import("./server.ts");
      const { seen, workspace } = await hosted(origin.store, settings);
      return { next: { store: seen, workspace, calls: [], project_id: settings.project_id, home: { kind: "page", name, commits: true } } };
    }
    case "given": {
      const { text, found, log } = await projectOf(origin.from, report);
      const { project_id } = found.info;
      const store = memoryStore(text);
      const workspace = await open(store, { project_id });
      return { next: { store, workspace, calls: found.info.calls, project_id, home: { kind: "page", name: project_id, commits: true }, log }, found };
    }
  }
}
