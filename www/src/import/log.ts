// The logs that are open. Only their timeline is read at first; a method that needs their project imports it.
import type { ImportReport, NamedBytes, Timeline, TimelineOverview } from "tuckbox/web";
import type { LiveLog } from "./live.ts";

export class OpenLog {
  /** The report of their import; of large logs that of all files. */
  report: ImportReport | undefined;
  /** True if the report is of more files. */
  isPart = false;
  /** True if the open project has all of the files. */
  isImported = false;
  /** The files of a growing log. */
  readonly live: LiveLog | undefined;
  #files: readonly NamedBytes[];
  #timeline: Timeline;
  /** The overview that was asked for last. */
  #last: { session: number | undefined; overview: TimelineOverview } | undefined;

  constructor(files: readonly NamedBytes[], timeline: Timeline, live?: LiveLog) {
    this.#files = files;
    this.#timeline = timeline;
    this.live = live;
  }

  get files(): readonly NamedBytes[] {
    return this.#files;
  }

  get timeline(): Timeline {
    return this.#timeline;
  }

  /** Returns the steps of a session; `undefined` is the newest. */
  overview(session: number | undefined): TimelineOverview {
    if (this.#last === undefined || this.#last.session !== session)
      this.#last = { session, overview: this.#timeline.ask(session === undefined ? {} : { session }) };
    return this.#last.overview;
  }

  get requests(): number {
    return this.overview(undefined).sessions.reduce((sum, { steps }) => sum + steps, 0);
  }

  /** The box of the last request of the main agent. */
  get box_id(): string | null {
    const { steps } = this.overview(undefined);
    return (steps.findLast(({ kind }) => kind === "main") ?? steps.at(-1))?.box_id ?? null;
  }

  /** Replaces the files after they have grown. */
  replace(files: readonly NamedBytes[], timeline: Timeline): void {
    this.#timeline.dispose();
    [this.#files, this.#timeline, this.#last, this.isImported] = [files, timeline, undefined, false];
  }
}
