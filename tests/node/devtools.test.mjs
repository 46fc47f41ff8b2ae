// An exposed project sends its events to a panel and serves its store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { expose } from "../../pkg/devtools.js";
import { memoryStore, open } from "../../pkg/index.js";
import { awaited, settled } from "../support/until.mjs";
import { packCall, project } from "./support.mjs";

/** Creates a panel that sends messages and waits for messages of a kind. */
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
    return found ?? awaited(`a message matches \`${fits}\``, new Promise((resolve) => waiting.push({ fits, resolve })), () => heard);
  };
  const send = (message) => channel.postMessage({ tuckbox: 1, from: "panel", ...message });
  let asked = 0;
  const ask = (to, type, body) => {
    const number = (asked += 1);
    send({ to, type, ask: number, body: typeof body === "string" ? body : JSON.stringify(body) });
    return next((message) => message.type === "answer" && message.ask === number);
  };
  return { heard, next, send, ask };
}

const isHello = ({ type }) => type === "hello";

test("a new panel receives earlier events, and then each event at once", async (t) => {
  const { workspace } = await project();
  t.after(expose(workspace, { name: "demo" }));
  const { heard, next, send } = panel(t);
  const early = await workspace.preview("pack_context", packCall());
  send({ type: "who" });
  const { name, where, settings, commits } = await next(isHello);
  assert.deepEqual([name, where, JSON.parse(settings).project_id, commits], ["demo", "worker", "p1", false]);
  const event = await next(({ type }) => type === "event");
  assert.equal(event.kind, "preview");
  assert.deepEqual(JSON.parse(event.call), { ...packCall(), op: "pack_context" });
  assert.equal(event.content_hash, early.contentHash);

  // the same call with the same time and entropy returns the same bytes
  const entropy = Uint8Array.from(event.entropy.match(/../g), (digits) => Number.parseInt(digits, 16));
  const again = await workspace.preview(JSON.parse(event.call), { now: event.now, entropy });
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

test("a panel reads the store of the page, and commits only if the page allows it", async (t) => {
  for (const commits of [false, true]) {
    const { store, workspace } = await project();
    const stop = expose(workspace, { commits });
    const { next, send, ask } = panel(t);
    send({ type: "who" });
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

test("a panel cannot access other projects of the store", async (t) => {
  const { store, workspace } = await project();
  store.project("p2").addBox({ box_id: "secret", card_ids: ["c9"] });
  t.after(expose(workspace, { commits: true }));
  const { next, send, ask } = panel(t);
  send({ type: "who" });
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
  // a row cannot name another project either
  const { fault } = await ask(id, "commit", {
    ...writes,
    project_id: "p1",
    boxes: [],
    cards: [{ card_id: "c1", tenant_id: "p2", content: {}, metadata: {} }],
  });
  assert.equal(fault.code, "bad_request");
  assert.equal(store.export(), before);
});

test("unknown messages are ignored, and invalid store requests get an error", async (t) => {
  const { workspace } = await project();
  t.after(expose(workspace));
  const { heard, next, send, ask } = panel(t);
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
  send({ type: "who" });
  const { id } = await next(isHello);
  assert.equal(heard.filter(isHello).length, 1);
  send({ to: "somebody", type: "read", ask: 77, body: "{}" });
  send({ to: id, type: "read", ask: "77", body: "{}" });
  for (const body of ["[]", "{", "7"]) assert.equal(typeof (await ask(id, "read", body)).fault.message, "string");
  assert.ok(!heard.some(({ ask: number }) => String(number) === "77"));
});

test("at most 200 events are kept, and the oldest are discarded first", async (t) => {
  const workspace = await open(memoryStore(), { projectId: "p1" });
  t.after(expose(workspace));
  for (let at = 0; at < 210; at += 1) await workspace.preview("text_form", { value: at });
  const { heard, next, send } = panel(t);
  send({ type: "who" });
  await next(({ count }) => count === 210);
  const events = heard.filter(({ type }) => type === "event");
  assert.deepEqual([events.length, events[0].count], [200, 11]);
});

test("`expose` requires a project, and a stopped one sends nothing", async (t) => {
  assert.throws(() => expose({}), { code: "bad_request" });
  const { workspace } = await project();
  assert.throws(() => expose(workspace, { commit: true }), { code: "bad_request", path: "commit" });
  const { heard, next, send } = panel(t);
  expose(workspace)();
  send({ type: "who" });
  await workspace.preview("text_form", { value: 1 });
  // another project answers the same request; after that, an answer of this one would have arrived
  const { workspace: other } = await project();
  t.after(expose(other, { name: "other" }));
  send({ type: "who" });
  await next(({ name }) => name === "other");
  await settled();
  assert.deepEqual(
    heard.filter(({ type, name }) => (type === "hello" && name !== "other") || type === "event"),
    [],
  );
});
