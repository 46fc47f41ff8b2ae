// Previews and commits over HTTP, and their tokens.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Tokens } from "../../pkg/lib/http/token.js";
import { filled, server } from "./routes.mjs";

test("a commit writes exactly what its preview showed", async () => {
  const { store, post } = server();
  const args = {
    tool_suffix: "t",
    source_agent_id: "a",
    arguments: { profile_name: "writer", instruction: "go", boxes: ["b1"] },
    handover: {
      context_packing_config: { pack_arguments: [{ arg_key: "instruction" }], inherit_context: { include_boxes_from_args: ["boxes"] } },
    },
  };
  const before = store.export();
  const shown = await post("/projects/p1/operations/pack_context/preview?entries=true", args);
  assert.equal(shown.status, 200);
  assert.equal(store.export(), before);
  assert.equal(shown.json.ledger.boxes[0].entries.length, shown.json.value.attached_card_ids.length);
  assert.equal((await post("/projects/p1/operations/pack_context/preview", args)).json.ledger.boxes[0].entries, undefined);
  const done = await post(`/projects/p1/operations/pack_context/commit?preview=${shown.json.preview}`, args);
  assert.deepEqual(
    [done.json.value, done.json.content_hash, done.json.receipt.repeated],
    [shown.json.value, shown.json.content_hash, false],
  );
  const again = await post(`/projects/p1/operations/pack_context/commit?preview=${shown.json.preview}`, args);
  assert.deepEqual([again.status, again.json.receipt], [200, { ...done.json.receipt, repeated: true }]);
  const { json } = await post("/projects/p1/boxes/batch", { box_ids: [shown.json.value.context_box_id] });
  assert.deepEqual(json.boxes[0].card_ids, shown.json.value.attached_card_ids);
});

test("a commit of a stale preview is a conflict, and a repeated commit returns the first receipt", async (t) => {
  const { post } = server();
  const args = { box_id: "b2", card_ids: ["c1"] };
  const first = await post("/projects/p1/operations/append_to_box/preview", args);
  const second = await post("/projects/p1/operations/append_to_box/preview", args);
  const path = (shown) => `/projects/p1/operations/append_to_box/commit?preview=${shown.json.preview}`;
  const done = await post(path(first), args);
  assert.equal(done.status, 200);
  const late = await post(path(second), args);
  assert.deepEqual([late.status, late.json.error.code], [409, "conflict"]);
  const again = await post(path(first), args);
  assert.deepEqual([again.status, again.json.receipt], [200, { ...done.json.receipt, repeated: true }]);
  const other = await post(path(second), { box_id: "b2", card_ids: ["c3"] });
  assert.equal(other.status, 403);
  const { json } = await post("/projects/p1/boxes/batch", { box_ids: ["b2"] });
  assert.deepEqual(json.boxes[0].card_ids, ["c1"]);
  const gone = await post("/projects/p1/operations/delete_box/preview", { box_id: "b2" });
  assert.equal((await post(`/projects/p1/operations/delete_box/commit?preview=${gone.json.preview}`, { box_id: "b2" })).status, 200);
  const deleted = await post(`/projects/p1/operations/delete_box/commit?preview=${gone.json.preview}`, { box_id: "b2" });
  assert.deepEqual([deleted.status, deleted.json.receipt.repeated], [200, true]);
  const short = server({ previewSeconds: 0 });
  const old = await short.post("/projects/p1/operations/create_box/preview", { card_ids: [] });
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 5 });
  assert.equal((await short.post(`/projects/p1/operations/create_box/commit?preview=${old.json.preview}`, { card_ids: [] })).status, 409);
});

test("a preview token is valid only for its project, caller, operation and arguments", async () => {
  const store = filled();
  store.project("p2").addBox({ box_id: "b2", card_ids: [] });
  const { post } = server({ store });
  const [args, alice] = [{ box_id: "b2", card_ids: ["c1"] }, { authorization: "Bearer alice" }];
  const shown = await post("/projects/p1/operations/append_to_box/preview", args, alice);
  const token = shown.json.preview;
  const before = store.export();
  const commit = (path, body, headers) => post(`/projects/${path}/commit?preview=${token}`, body, headers);
  const refused = [
    commit("p2/operations/append_to_box", args, alice),
    commit("p1/operations/append_to_box", args, { authorization: "Bearer mallory" }),
    commit("p1/operations/append_to_box", args),
    commit("p1/operations/append_to_box", { ...args, card_ids: ["c3"] }, alice),
    commit("p1/operations/replace_box", args, alice),
    // another server with another secret
    server({ store }).post(`/projects/p1/operations/append_to_box/commit?preview=${token}`, args, alice),
  ];
  for (const { status, json } of await Promise.all(refused))
    assert.deepEqual([status, json.error.code, json.error.path], [403, "auth_failed", "preview"]);
  // forged tokens: another time, another signature, no signature, two signatures
  const [payload, signature] = token.split(".");
  const [now, ...rest] = JSON.parse(Buffer.from(payload, "base64url"));
  const forged = Buffer.from(JSON.stringify([now + 1, ...rest])).toString("base64url");
  for (const [made, status] of [
    [`${forged}.${signature}`, 403],
    [`${payload}.${"0".repeat(64)}`, 403],
    [payload, 400],
    [`${token}.${signature}`, 400],
  ]) {
    assert.equal((await post(`/projects/p1/operations/append_to_box/commit?preview=${made}`, args, alice)).status, status, made);
  }
  assert.equal(store.export(), before);
  assert.equal((await commit("p1/operations/append_to_box", args, alice)).status, 200);
});

test("servers with the same secret accept each other's tokens, and the host identifies the caller", async () => {
  const store = filled();
  const options = { store, secret: "a secret of both servers", caller: ({ request }) => request.headers.get("x-user") ?? "nobody" };
  const [one, other] = [server(options), server(options)];
  const args = { box_id: "b2", card_ids: ["c1"] };
  const { json } = await one.post("/projects/p1/operations/append_to_box/preview", args, { "x-user": "alice", authorization: "Bearer 1" });
  const commit = (user) =>
    other.post(`/projects/p1/operations/append_to_box/commit?preview=${json.preview}`, args, { "x-user": user, authorization: "Bearer 2" });
  assert.equal((await commit("bob")).status, 403);
  assert.equal((await commit("alice")).status, 200);
  for (const secret of ["short", 7, new Uint8Array(8)]) assert.throws(() => server({ secret }), { code: "bad_request", path: "secret" });
  assert.throws(() => server({ caller: "alice" }), { code: "bad_request", path: "caller" });
  assert.equal((await server({ caller: () => undefined }).post("/projects/p1/operations/append_to_box/preview", args)).status, 500);
});

test("a token is valid for its time: neither expired, nor from a clock that is ahead", async () => {
  const [tokens, now] = [new Tokens("a secret of 24 characters"), Date.now()];
  const subject = { project_id: "p", op: "pack_context", body: "{}", caller: "me" };
  const token = await tokens.write({ now, entropy: new Uint8Array(32), hash: "h", operation_id: "o" }, subject);
  for (const clock of [now - 59_000, now, now + 59_000]) assert.equal((await tokens.read(token, subject, clock, 60)).operation_id, "o");
  for (const clock of [now - 61_000, now + 61_000]) await assert.rejects(tokens.read(token, subject, clock, 60), { code: "conflict" });
});
