// A project that is exposed tells a panel what it does, and answers for its store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { expose } from "../../pkg/devtools.js";
import { memoryStore, open } from "../../pkg/index.js";
import { awaited, settled } from "../support/until.mjs";
import { packCall, project } from "./support.mjs";

/** A panel: it says, and waits for messages of a kind. */
function panel(t) {
  const channel = new BroadcastChannel("tuckbox-devtools");
  t.after(() => channel.close());
  const heard = [];
  const waiting = [];
  channel.onmessage = ({ data }) => {
    if (data?.from !== "page") return;
    heard.push(data);
    for (const [at, { fits, resolve }] of [...waiting.entries()].reverse()) {
      if (fits(data)) waiting.splice(at, 1)[0] && resolve(data);
    }
  };
  const next = (fits) => {
    const found = heard.find(fits);
    return found ?? awaited(`a message fits \`${fits}\``, new Promise((resolve) => waiting.push({ fits, resolve })), () => heard);
  };
  const say = (message) => channel.postMessage({ tuckbox: 1, from: "panel", ...message });
  let asked = 0;
  const ask = (to, type, body) => {
    const number = (asked += 1);
    say({ to, type, ask: number, body: typeof body === "string" ? body : JSON.stringify(body) });
    return next((message) => message.type === "answer" && message.ask === number);
  };
  return { heard, next, say, ask };
}

const isHello = ({ type }) => type === "hello";

test("what happened before a panel came is told when it comes, and what happens then at once", async (t) => {
  const { workspace } = await project();
  t.after(expose(workspace, { name: "demo" }));
  const { heard, next, say } = panel(t);
  const early = await workspace.preview("pack_context", packCall());
  say({ type: "who" });
  const { name, where, settings, commits } = await next(isHello);
  assert.deepEqual([name, where, JSON.parse(settings).project_id, commits], ["demo", "worker", "p1", false]);
  const told = await next(({ type }) => type === "event");
  assert.equal(told.kind, "preview");
  assert.deepEqual(JSON.parse(told.call), { ...packCall(), op: "pack_context" });
  assert.equal(told.content_hash, early.contentHash);

  // the same call with the same time and randomness is the same preview, byte for byte
  const entropy = Uint8Array.from(told.entropy.match(/../g), (digits) => Number.parseInt(digits, 16));
  const again = await workspace.preview(JSON.parse(told.call), { now: told.now, entropy });
  assert.equal(again.valueText, early.valueText);

  await early.commit();
  const { receipt } = await next(({ kind }) => kind === "commit");
  assert.equal(receipt.boxes[0].box_id, early.value.context_box_id);
  await assert.rejects(workspace.preview("get_boxes", {}), { path: "box_ids" });
  const { fault } = await next(({ kind, fault }) => kind === "preview" && fault !== undefined);
  assert.deepEqual([fault.code, fault.path], ["bad_request", "box_ids"]);
  assert.deepEqual(
    heard.filter(({ type }) => type === "event").map(({ count }) => count),
    [1, 2, 3, 4],
  );
});

test("a panel reads the page's own store, and commits only where the page allows it", async (t) => {
  for (const commits of [false, true]) {
    const { store, workspace } = await project();
    const stop = expose(workspace, { commits });
    const { next, say, ask } = panel(t);
    say({ type: "who" });
    const { id } = await next(isHello);
    const { body } = await ask(id, "read", { project_id: "p1", boxes: ["b1", "b9"] });
    assert.deepEqual(JSON.parse(body).missing_boxes, ["b9"]);

    const writes = (await workspace.preview("create_box", { card_ids: [], box_id: "new" })).writesText;
    const answer = await ask(id, "commit", writes);
    assert.equal(answer.fault?.code, commits ? undefined : "auth_failed");
    assert.equal(store.export().includes('"new"'), commits);
    const twice = await ask(id, "commit", writes.replace(/"operation_id":"[^"]*"/, '"operation_id":"other"'));
    assert.equal(twice.fault.code, commits ? "conflict" : "auth_failed");
    stop();
    await next(({ type }) => type === "bye");
  }
});

test("other projects of the store stay out of reach", async (t) => {
  const { store, workspace } = await project();
  store.project("p2").addBox({ box_id: "secret", card_ids: ["c9"] });
  t.after(expose(workspace, { commits: true }));
  const { next, say, ask } = panel(t);
  say({ type: "who" });
  const { id } = await next(isHello);
  const before = store.export();
  const writes = { operation_id: "o1", at: "2026-01-04T10:30:00.000Z", boxes: [{ change: "append", box_id: "secret", card_ids: ["c1"] }] };
  for (const [type, body] of [
    ["read", { project_id: "p2", boxes: ["secret"] }],
    ["read", { boxes: ["secret"] }],
    ["read", '{"project_id":"p1","project_id":"p2","boxes":["secret"]}'],
    ["commit", { project_id: "p2", ...writes }],
    ["commit", writes],
  ]) {
    const { fault } = await ask(id, type, body);
    assert.deepEqual([fault.code, fault.path], ["auth_failed", "project_id"], JSON.stringify(body));
  }
  // a row of its own project cannot carry another one's name either
  const { fault } = await ask(id, "commit", {
    ...writes,
    project_id: "p1",
    boxes: [],
    cards: [{ card_id: "c1", tenant_id: "p2", content: {}, metadata: {} }],
  });
  assert.equal(fault.code, "bad_request");
  assert.equal(store.export(), before);
});

test("what is no message of a panel is not heard, and what is none of a store's is answered with a fault", async (t) => {
  const { workspace } = await project();
  t.after(expose(workspace));
  const { heard, next, say, ask } = panel(t);
  const channel = new BroadcastChannel("tuckbox-devtools");
  t.after(() => channel.close());
  for (const odd of [
    null,
    5,
    "who",
    [],
    { type: "who" },
    { tuckbox: 2, from: "panel", type: "who" },
    { tuckbox: 1, from: "page", type: "who" },
  ])
    channel.postMessage(odd);
  say({ type: "who" });
  const { id } = await next(isHello);
  assert.equal(heard.filter(isHello).length, 1);
  say({ to: "somebody", type: "read", ask: 77, body: "{}" });
  say({ to: id, type: "read", ask: "77", body: "{}" });
  for (const body of ["[]", "{", "7"]) assert.equal(typeof (await ask(id, "read", body)).fault.message, "string");
  assert.ok(!heard.some(({ ask: number }) => String(number) === "77"));
});

test("only what waits is kept, the oldest forgotten first", async (t) => {
  const workspace = await open(memoryStore(), { project_id: "p1" });
  t.after(expose(workspace));
  for (let at = 0; at < 210; at += 1) await workspace.preview("text_form", { value: at });
  const { heard, next, say } = panel(t);
  say({ type: "who" });
  await next(({ count }) => count === 210);
  const events = heard.filter(({ type }) => type === "event");
  assert.deepEqual([events.length, events[0].count], [200, 11]);
});

test("nothing is watched that is no project, and nothing afterwards", async (t) => {
  assert.throws(() => expose({}), { code: "bad_request" });
  const { workspace } = await project();
  assert.throws(() => expose(workspace, { commit: true }), { code: "bad_request", path: "commit" });
  const { heard, next, say } = panel(t);
  expose(workspace)();
  say({ type: "who" });
  await workspace.preview("text_form", { value: 1 });
  // another project answers the same question: by then this one would have
  const { workspace: other } = await project();
  t.after(expose(other, { name: "other" }));
  say({ type: "who" });
  await next(({ name }) => name === "other");
  await settled();
  assert.deepEqual(
    heard.filter(({ type, name }) => (type === "hello" && name !== "other") || type === "event"),
    [],
  );
});
