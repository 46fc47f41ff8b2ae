// Files of the page's server that grow: `tuckbox ui PATH` and `tuckbox watch` report their changes.

/** A file that changed. `address` takes `?from=N`: the bytes from N on. */
export interface LiveFile {
  readonly name: string;
  readonly address: string;
  readonly size: number;
  /** The time of the last change, in milliseconds. */
  readonly changed: number;
}

/** What the recorder of `tuckbox watch -- COMMAND` recorded, and why the rest is not recorded. */
export interface LiveStatus {
  readonly recorded: number;
  readonly skipped: number;
  readonly reason?: string;
  /** What was set for the command. */
  readonly note?: string;
}

/** The state of the connection to the page's server. The browser connects again after `lost`, but not after `ended`. */
export type LiveConnection = "open" | "lost" | "ended";

/**
 * Calls `changed` with all files, and then with those that are new or have grown. `url` is `events` of the origin that
 * the page was opened with. Returns a function that ends the reports.
 */
export function followFiles(
  url: string,
  changed: (files: readonly LiveFile[], status?: LiveStatus) => void,
  connection: (state: LiveConnection) => void,
): () => void {
  const source = new EventSource(url);
  source.addEventListener("open", () => connection("open"));
  source.addEventListener("error", () => connection("lost"));
  source.addEventListener("end", () => {
    source.close();
    connection("ended");
  });
  source.addEventListener("files", ({ data }: MessageEvent<string>) => {
    const { files, status } = JSON.parse(data) as { files: LiveFile[]; status?: LiveStatus };
    changed(files, status);
  });
  return () => source.close();
}
