// Where a project's text comes from, and what it must look like.
import { parseJson, TuckboxError } from "tuckbox/web";
import { write } from "../text/json.ts";
import demoCalls from "../demo/calls.json?raw";
import demoSnapshot from "../demo/snapshot.json?raw";
import type { Looking, NamedCall, Origin, Progress, ProjectInfo } from "./protocol.ts";
import { keptText } from "./shelf.ts";

/** The format this page writes; a later one is refused with a word about it. */
const FORMAT = 1;
const PATIENCE_MS = 20_000;

export type Report = (progress: Progress) => void;

/** The text of a snapshot, wherever it lies. */
export async function textOf(origin: Exclude<Origin, { kind: "server" | "page" }>, report: Report): Promise<string> {
  switch (origin.kind) {
    case "demo":
      return `{"format":${FORMAT},"calls":${demoCalls},${demoSnapshot.trim().slice(1)}`;
    case "text":
      return origin.text;
    case "file":
      return drain(origin.blob.stream(), origin.blob.size, (done, total) => report({ stage: "read", done, total }));
    case "link":
      return unpack(origin.fragment);
    case "address":
      return fetched(origin.address, report);
    case "kept": {
      const text = await keptText(origin.id);
      if (text === undefined) throw new TuckboxError("not_found", "the browser no longer keeps this project");
      return text;
    }
  }
}

async function drain(
  stream: ReadableStream<Uint8Array>,
  total: number,
  report: (done: number, total: number) => void,
): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = stream.getReader();
  const parts: string[] = [];
  let done = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      parts.push(decoder.decode(read.value, { stream: true }));
      done += read.value.length;
      report(done, total);
    }
    parts.push(decoder.decode());
  } catch (thrown) {
    if (thrown instanceof TypeError) throw wrong("the bytes are not UTF-8 text", "", thrown);
    throw thrown;
  }
  return parts.join("");
}

async function fetched(address: string, report: Report): Promise<string> {
  let url: URL;
  try {
    url = new URL(address);
  } catch (cause) {
    throw wrong(`\`${address}\` is not an address`, "address", cause);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw wrong(`\`${url.protocol}\` addresses cannot be opened; use \`https:\` or \`http:\``, "address");
  }
  report({ stage: "fetch", done: 0, total: 0 });
  const signal = AbortSignal.timeout(PATIENCE_MS);
  let response: Response;
  try {
    response = await fetch(url, { signal, credentials: "omit", referrerPolicy: "no-referrer", redirect: "follow" });
  } catch (cause) {
    throw unreachable(url, cause);
  }
  if (!response.ok) throw failed(`\`${url.host}\` answered ${response.status} ${response.statusText}`.trim());
  if (/html/.test(response.headers.get("content-type") ?? "")) {
    throw failed(`\`${url.host}\` answered with a web page, not with a snapshot`);
  }
  const total = Number(response.headers.get("content-length") ?? 0);
  try {
    return await drain(response.body ?? new Blob([]).stream(), total, (done) => report({ stage: "fetch", done, total }));
  } catch (cause) {
    if (cause instanceof TuckboxError) throw cause;
    throw unreachable(url, cause);
  }
}

function unreachable(url: URL, cause: unknown): TuckboxError {
  const late = cause instanceof DOMException && cause.name === "TimeoutError";
  const message = late
    ? `\`${url.host}\` did not answer within ${PATIENCE_MS / 1000} seconds`
    : `\`${url.host}\` cannot be reached, or does not let other pages read it`;
  return failed(message, cause);
}

function failed(message: string, cause?: unknown): TuckboxError {
  return new TuckboxError("store", message, { path: "address", cause });
}

function wrong(message: string, path: string, cause?: unknown): TuckboxError {
  return new TuckboxError("bad_request", message, { path, cause });
}

interface Tables {
  project_id?: unknown;
  boxes?: { box_id: string; card_ids?: string[]; parent_ids?: string[]; deleted_at?: string | null }[];
  profiles?: { name: string; profile_box_id?: string | null }[];
  agents?: { agent_id: string; display_name?: string | null; profile_box_id?: string | null; state?: { status?: string } | null }[];
  cards?: unknown[];
}

interface File {
  format?: unknown;
  projects?: Tables[];
  calls?: NamedCall[];
  looking?: Looking;
}

/** What a snapshot holds: what there is to choose from, and what was looked at. */
export interface Listed {
  info: ProjectInfo;
  looking: Looking;
}

/** What there is to choose from in a snapshot. Refuses what is none, saying where. */
export function listed(text: string): Listed {
  if (text.trim() === "") throw wrong("there is nothing in it", "");
  let file: File;
  try {
    file = parseJson(text) as File;
  } catch (cause) {
    throw wrong(`not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, "", cause);
  }
  if (typeof file !== "object" || file === null || Array.isArray(file)) {
    throw wrong("a snapshot is an object with a list `projects`", "");
  }
  if (typeof file.format === "number" && file.format > FORMAT) {
    throw wrong(`the snapshot has format ${file.format}, this page reads format ${FORMAT}: it was made by a newer version`, "format");
  }
  if (!Array.isArray(file.projects)) throw wrong("a snapshot is an object with a list `projects`", "projects");
  const tables = file.projects[0];
  if (tables === undefined) throw wrong("the snapshot holds no project", "projects");
  if (typeof tables.project_id !== "string") throw wrong("the project has no id", "projects[0].project_id");
  for (const name of ["boxes", "profiles", "agents", "cards"] as const) {
    if (tables[name] !== undefined && !Array.isArray(tables[name])) {
      throw wrong(`expected a list of rows`, `projects[0].${name}`);
    }
  }
  const looking = typeof file.looking === "object" && file.looking !== null ? file.looking : {};
  const info = {
    project_id: tables.project_id,
    cards: tables.cards?.length ?? 0,
    boxes: (tables.boxes ?? []).filter((box) => !box.deleted_at).map(({ box_id, card_ids, parent_ids }) => ({
      box_id,
      cards: card_ids?.length ?? 0,
      parent_ids: parent_ids ?? [],
    })),
    profiles: (tables.profiles ?? []).map(({ name, profile_box_id }) => ({ name, profile_box_id: profile_box_id ?? null })),
    agents: (tables.agents ?? []).map(({ agent_id, display_name, profile_box_id, state }) => ({
      agent_id,
      display_name: display_name ?? null,
      profile_box_id: profile_box_id ?? null,
      status: state?.status ?? null,
    })),
    calls: Array.isArray(file.calls) ? file.calls.filter(isCall) : [],
  };
  return { info, looking };
}

function isCall(call: NamedCall): boolean {
  return typeof call?.id === "string" && typeof call.call === "object" && call.call !== null &&
    typeof call.title?.en === "string";
}

/** A store's export with the calls beside it, and what was looked at. */
export function withCalls(exported: string, calls: NamedCall[], looking: Looking): string {
  return `{"format":${FORMAT},"looking":${JSON.stringify(looking)},"calls":${write(calls)},${exported.trim().slice(1)}`;
}

/** Text as the fragment of an address: deflated, in base64 without signs that need escaping. */
export async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(fragment: string): Promise<string> {
  try {
    const binary = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return await new Response(stream).text();
  } catch (cause) {
    throw wrong("the link is damaged: what stands behind its `#` cannot be unpacked", "link", cause);
  }
}
