// The methods that open a project and fill the first view. All others are loaded on first use.
import { open, TuckboxError } from "tuckbox/web";
import type { ImportReport } from "tuckbox/web";
import type { Answer, Ask, FileOrigin, Home, Json, Looking, Methods, Origin, Progress, ProjectInfo, View } from "./protocol.ts";
import { ageNow, become, changeCalls, changed, current, type Env, envNow, faultOf, type Handlers, info, inspect, nextEnv, type Opened, preview, previewText, type Report } from "./session.ts";
import { areLarge, isLargeLog } from "../import/files.ts";
import { SharedProject, type ShelfPlace } from "./shared-project.ts";
import { forgetProject, keptAbout, keptProjects } from "./browser-db.ts";
import type { Listed } from "./snapshot.ts";
import { listed, textOf } from "./snapshot.ts";

export { announceTo } from "./session.ts";

/** Makes a project the current one, unless the page has stopped waiting for it. */
function became(report: Report, next: Opened, found?: Listed): { info: ProjectInfo; home: Home; looking: Looking } {
  if (!report.isLive()) throw new TuckboxError("aborted", "nobody waits for this project any more");
  become(next);
  return { info: found?.info ?? info(), home: next.home, looking: found?.looking ?? {} };
}

type Early = "open" | "info" | "moment" | "save" | "kept" | "forget" | "look" | "card" | "keep" | "drop" | "draft" | "imported";

const methods: Pick<Handlers, Early> = {
  async open(report, asked) {
    const isLeft = asked.kind === "demo" && asked.unless_kept === true && (await keptAbout("demo").catch(() => undefined)) !== undefined;
    const origin: Origin = isLeft ? { kind: "kept", id: "demo" } : asked;
    if (origin.kind === "server" || origin.kind === "page" || origin.kind === "host" || origin.kind === "given") {
      const { elsewhere } = await import("./remote.ts");
      const { next, found } = await elsewhere(origin, report, projectOf);
      return became(report, next, found);
    }
    const { text, found, log } = await projectOf(origin, report);
    const { project_id } = found.info;
    const place = await shelfPlace(origin, text);
    const { id } = place;
    const shared = new SharedProject(place, text, found.info, log, changed);
    report({ stage: "open", done: 0, total: 0 });
    const workspace = await open(shared.store, { project_id });
    return became(report, { store: shared, workspace, calls: [], project_id, home: { kind: "browser", id }, shared, log }, found);
  },
  info: async () => info(),
  async moment(_, now, entropy) {
    nextEnv({ now, entropy: Uint8Array.from(entropy.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16)) });
    return info();
  },
  save: async () => current().shared?.save(),
  kept: () => keptProjects(),
  forget: (_, id) => forgetProject(id),
  look(_, { subject, ...more }) {
    return inspect("inspect", subject, more, (text) => JSON.parse(text) as View);
  },
  async card(_, card_id, call) {
    const made = call === null ? undefined : (await madeBy(call)).get(card_id);
    if (made !== undefined) return made;
    const found = await preview("get_cards", { card_ids: [card_id] }, (done) => done.value as { cards: Json[] });
    const row = found.cards.find((card) => (card as { card_id: string }).card_id === card_id);
    if (row === undefined) throw new TuckboxError("not_found", `no card \`${card_id}\` can be read`);
    return JSON.stringify(row);
  },
  async keep(_, call) {
    await changeCalls((calls) => (calls.some(({ id }) => id === call.id) ? calls.map((one) => (one.id === call.id ? call : one)) : [...calls, call]));
    return info();
  },
  async drop(_, id) {
    await changeCalls((calls) => calls.filter((one) => one.id !== id));
    return info();
  },
  draft: (_, id, text) =>
    changeCalls((calls) => calls.map((one) => {
      if (one.id !== id) return one;
      const { draft: _old, ...call } = one;
      return text === null ? call : { ...call, draft: text };
    })),
  imported: async () => current().log ?? null,
};

const NO_REQUEST = "no request to a model stands in these files";

/** Returns the text of a project and its contents, from a snapshot or from another tool's log. */
async function projectOf(origin: FileOrigin, report: Report): Promise<{ text: string; found: Listed; log?: ImportReport }> {
  let thrown: unknown;
  let files: { name: string; bytes: Uint8Array }[] = [];
  const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());
  const isLarge = (origin.kind === "files" && areLarge(origin.files)) || (origin.kind === "file" && (await isLargeLog(origin.blob)));
  if (isLarge) {
    const { surveyed } = await import("../import/read.ts");
    const log = await surveyed(origin.kind === "files" ? origin.files : [origin], report);
    if (log !== undefined) return { text: log.text, found: { ...listed(log.text), looking: log.looking }, log: log.report };
    throw new TuckboxError("bad_request", NO_REQUEST);
  }
  if (origin.kind === "addresses" || origin.kind === "files") {
    const given: { name: string; blob: () => Promise<Blob>; size: number }[] = origin.kind === "files"
      ? origin.files.map(({ name, blob }) => ({ name, blob: async () => blob, size: blob.size }))
      : origin.files.map(({ name, address }) => ({ name, blob: async () => (await fetch(address)).blob(), size: 0 }));
    const total = given.reduce((sum, { size }) => sum + size, 0);
    let done = 0;
    for (const { name, blob, size } of given) {
      report({ stage: "read", done, total });
      files.push({ name, bytes: await bytesOf(await blob()) });
      done += size;
    }
    thrown = new TuckboxError("bad_request", NO_REQUEST);
  } else {
    let text = "";
    try {
      text = await textOf(origin, report);
      report({ stage: "check", done: 0, total: text.length });
      const found = listed(text, origin.kind === "kept" ? origin.project_id : undefined);
      // this browser wrote the report itself, so it is valid
      return origin.kind === "kept" && found.log !== undefined ? { text, found, log: found.log as ImportReport } : { text, found };
    } catch (error) {
      if (!(error instanceof TuckboxError) || error.code !== "bad_request") throw error;
      thrown = error;
      if (origin.kind === "file") files = [{ name: origin.name, bytes: await bytesOf(origin.blob) }];
      else if (text !== "") files = [{ name: origin.kind, bytes: new TextEncoder().encode(text) }];
    }
  }
  if (files.length === 0) throw thrown;
  report({ stage: "import", done: 0, total: files.reduce((sum, { bytes }) => sum + bytes.length, 0) });
  const { imported } = await import("../import/read.ts");
  const log = await imported(files);
  if (log === undefined) throw thrown;
  return { text: log.text, found: { ...listed(log.text), looking: log.looking }, log: log.report };
}

/**
 * Returns the slot in which the browser saves a project, with its revision. The demo has one slot. The same text opened
 * again uses the same slot, unless that project has changed since.
 */
async function shelfPlace(origin: Origin, text: string): Promise<ShelfPlace> {
  if (origin.kind === "kept") return { id: origin.id, revision: (await keptAbout(origin.id))?.revision ?? 0, isKept: true };
  const id = origin.kind === "demo" ? "demo" : await fingerprint(text);
  const about = await keptAbout(id).catch(() => undefined);
  if (about === undefined) return { id, revision: 0, isKept: false };
  // resetting the demo is a change that other tabs are notified of
  if (origin.kind === "demo") return { id, revision: about.revision ?? 0, isKept: false };
  return about.revision === 1 ? { id, revision: 1, isKept: true } : { id: crypto.randomUUID(), revision: 0, isKept: false };
}

async function fingerprint(text: string): Promise<string> {
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (subtle === undefined) return crypto.randomUUID();
  const digest = new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// walking a list requests the cards of one call one after another
let lastMade: { call: string; env: Env; age: number; cards: Map<string, string> } | undefined;

/** Returns the cards that a call would write, each as JSON text. */
async function madeBy(call: string): Promise<Map<string, string>> {
  const [env, age] = [envNow(), ageNow()];
  if (lastMade?.call !== call || lastMade.env !== env || lastMade.age !== age) {
    const cards = await previewText(call, (done) => new Map(Array.from(done.writes.cards ?? [], (card) => [card.card_id, JSON.stringify(card)])));
    lastMade = { call, env, age, cards };
  }
  return lastMade.cards;
}

const isEarly = (method: keyof Methods): method is Early => Object.hasOwn(methods, method);

/** Answers one call; `isLive` returns whether the page still waits for the answer. */
export async function answer({ id, method, params }: Ask, say: (answer: Answer) => void, isLive: () => boolean): Promise<void> {
  try {
    const work = (isEarly(method) ? methods[method] : (await import("./lazy-methods.ts")).late[method]) as (report: Report, ...params: unknown[]) => Promise<unknown>;
    const report = Object.assign((progress: Progress) => say({ id, progress }), { isLive });
    say({ id, result: await work(report, ...params) });
  } catch (thrown) {
    say({ id, fault: faultOf(thrown) });
  }
}
