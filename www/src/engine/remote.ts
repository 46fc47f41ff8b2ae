// Projects that the browser does not save: on a server, in an inspected page, or provided by the embedding page.

import { memoryStore, open, openTimeline } from "tuckbox/web";
import type { OpenLog } from "../import/log.ts";
import { loadCalls } from "./browser-db.ts";
import type { FileOrigin, Origin, StoredIn } from "./protocol.ts";
import { callsKey, type OpenProject, type Reporter } from "./session.ts";
import type { SnapshotContents } from "./snapshot.ts";

type RemoteOrigin = Extract<Origin, { kind: "server" | "page" | "host" | "given" | "live" }>;
/** The text and the contents of a project. */
export interface ReadProject {
  text: string;
  found: SnapshotContents;
  log?: OpenLog | undefined;
}

/** The id of the project of a log. */
const IMPORTED = "imported";

/** Reads the text of a project from any origin. */
type ProjectReader = (origin: FileOrigin, report: Reporter) => Promise<ReadProject>;

export async function openRemote(
  origin: RemoteOrigin,
  report: Reporter,
  readProject: ProjectReader,
): Promise<{ next: OpenProject; found?: SnapshotContents }> {
  switch (origin.kind) {
    case "server": {
      report({ stage: "connect", done: 0, total: 0 });
      const { connect } = await import("./server.ts");
      const { cache, workspace, calls: provided } = await connect(origin);
      const { project_id } = origin;
      const storedIn: StoredIn = { kind: "server", host: new URL(origin.url, location.href).host };
      const saved = await loadCalls(callsKey({ storedIn, project_id }) ?? "").catch(() => []);
      const calls = [...saved, ...provided.filter(({ id }) => !saved.some((one) => one.id === id))];
      return { next: { store: cache, workspace, calls, project_id, storedIn } };
    }
    case "page": {
      report({ stage: "connect", done: 0, total: 0 });
      const { attachToPage } = await import("./page.ts");
      const { cache, workspace } = await attachToPage(origin);
      const { project_id } = JSON.parse(origin.settings) as { project_id: string };
      return {
        next: { store: cache, workspace, calls: [], project_id, storedIn: { kind: "page", name: origin.name, commits: origin.commits } },
      };
    }
    case "host": {
      const { name, settings } = origin;
      const { openHostStore } = await import("./server.ts");
      const { cache, workspace } = await openHostStore(origin.store, settings);
      return {
        next: { store: cache, workspace, calls: [], project_id: settings.projectId, storedIn: { kind: "page", name, commits: true } },
      };
    }
    case "live": {
      report({ stage: "read", done: 0, total: 0 });
      const { LiveLog } = await import("../import/live.ts");
      const { OpenLog } = await import("../import/log.ts");
      const { EMPTY } = await import("../import/read.ts");
      const live = new LiveLog();
      await live.read(origin.files);
      const log = new OpenLog(live.files(), await openTimeline(live.files()), live);
      const store = memoryStore(EMPTY);
      const workspace = await open(store, { projectId: IMPORTED });
      const storedIn: StoredIn = { kind: "page", name: IMPORTED, commits: false };
      return { next: { store, workspace, calls: [], project_id: IMPORTED, storedIn, log } };
    }
    case "given": {
      const { text, found, log } = await readProject(origin.from, report);
      const { project_id } = found.info;
      const store = memoryStore(text);
      const workspace = await open(store, { projectId: project_id });
      return {
        next: {
          store,
          workspace,
          calls: found.info.calls,
          project_id,
          storedIn: { kind: "page", name: project_id, commits: true },
          log,
        },
        found,
      };
    }
  }
}
