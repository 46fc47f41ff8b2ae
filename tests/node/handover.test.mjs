// Handovers: custom recipes, the receiver's view, and the audit.
import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonText, open } from "../../pkg/index.js";
import { review } from "./samples.mjs";
import { filled } from "./support.mjs";

const asked = { source_agent_id: "agent_a", arguments: { what: "Is it true?", drafts: ["b1"] } };
const delegated = {
  source_agent_id: "agent_a",
  arguments: { target_strategy: "new", target_ref: "Writer", instruction: "go", context_box_id: "b1" },
};

test("a custom recipe is an operation and a method of `project.recipes`", async () => {
  const project = await open(filled(), { projectId: "p1", recipes: [review, jsonText(JSON.stringify({ ...review, name: "then" }))] });
  const preview = await project.preview("ask_for_review", asked);
  assert.equal(preview.value.profile_name, "Writer");
  assert.equal(preview.ledger.audit[0].recipe, "ask_for_review");
  assert.equal((await project.recipes.askForReview(asked)).inherit_box_ids[0], "b1");
  assert.equal(typeof (await preview.after()).recipes.askForReview, "function");
  assert.equal((await project.call("then", asked)).profile_name, "Writer", "`then` is not a method, so that a namespace can be awaited");
  assert.equal(await project.recipes, project.recipes);
  assert.equal((await project.recipes.run({ ...asked, recipe: "ask_for_review" })).card_ids.length, 4);
  assert.equal((await project.recipes.run({ ...asked, recipe: { ...review, name: "once" } })).card_ids.length, 4);

  const other = await open(filled(), { projectId: "p1" });
  assert.equal(other.recipes.askForReview, undefined);
  await assert.rejects(other.call("ask_for_review", asked), { code: "bad_request", path: "op" });
  await assert.rejects(other.recipes.run({ ...asked, recipe: "ask_for_review" }), { code: "bad_request", path: "recipe" });
});

test("`open` refuses an invalid recipe and names all errors", async () => {
  const broken = { ...review, arguments: [{ name: "what", type: "words" }] };
  await assert.rejects(open(filled(), { projectId: "p1", recipes: [review, broken] }), (error) => {
    assert.equal(error.code, "bad_request");
    assert.equal(error.path, "recipes[1].arguments[0].type");
    const paths = error.details.errors.map(({ path }) => path);
    assert.ok(paths.includes("recipes[1].handover.context_packing_config.inherit_context.include_boxes_from_args[0]"), paths.join("\n"));
    return true;
  });
  await assert.rejects(open(filled(), { projectId: "p1", recipes: [review, review] }), { path: "recipes[1].name" });
  await assert.rejects(open(filled(), { projectId: "p1", recipes: "all" }), { path: "recipes" });
});

test("the receiver's view is the same before and after the commit", async () => {
  const project = await open(filled(), { projectId: "p1" });
  const preview = await project.preview("delegate_async", delegated);
  const { target_agent_id, context_box_id } = preview.value.dispatch;
  const look = { agent_id: target_agent_id, context_box_id };
  const before = await (await preview.after()).preview("turn_view", look);
  await assert.rejects(project.turnView(look), { code: "not_found", path: "agent_id" });
  await preview.commit();
  assert.equal((await project.preview("turn_view", look)).valueText, before.valueText);
});

test("the audit names who packed which cards, from where, and by which authority", async () => {
  const project = await open(filled(), { projectId: "p1" });
  const own = { ...delegated, dialect: "v1r4", arguments: { ...delegated.arguments, context_box_id: "b2" } };
  const { ledger, value } = await project.preview("delegate_async", own);
  assert.deepEqual(ledger.audit, [
    {
      context_box_id: value.dispatch.context_box_id,
      packed_by: "agent_a",
      tool_suffix: "delegate_async",
      recipe: "delegate_async",
      dialect: "v1r4",
      target_profile: "Writer",
      target_profile_box_id: value.dispatch.profile_box_id,
      target_agent_id: value.dispatch.target_agent_id,
      target_display_name: value.dispatch.display_name,
      permission: { profile_box_id: "pb_lead", target_profiles: ["Writer"], target_tags: [] },
      sources: [{ box_id: "b2", version: 1, cards: 1, authority: { kind: "own", as_what: "last_output_box_id" }, path: "context_box_id" }],
    },
  ]);
  assert.deepEqual((await project.preview("get_boxes", { box_ids: ["b1"] })).ledger.audit, []);
});

test("the error names the position of a refused task, and nothing is written", async () => {
  const store = filled();
  const project = await open(store, { projectId: "p1" });
  const before = store.export();
  const { arguments: task } = delegated;
  for (const [changed, code, path] of [
    [{ target_ref: "Lead" }, "auth_failed", "tasks[1].target_ref"],
    [{ target_ref: "Nobody" }, "not_found", "tasks[1].target_ref"],
    [{ target_strategy: "clone", target_ref: "agent_a" }, "auth_failed", "tasks[1].target_ref"],
    [{ target_strategy: "reuse", target_ref: "ghost" }, "not_found", "tasks[1].target_ref"],
    [{ context_box_id: "b9" }, "not_found", "tasks[1].context_box_id"],
    [{ instruction: undefined }, "bad_request", "tasks[1].instruction"],
    [{ label: "x" }, "bad_request", "tasks[1].label"],
  ]) {
    const tasks = [task, { ...task, ...changed }];
    await assert.rejects(project.preview("fork_join", { source_agent_id: "agent_a", arguments: { tasks } }), { code, path });
  }
  assert.equal(store.export(), before);
});

test("a refused call leaves an audit entry and nothing else", async () => {
  const store = filled();
  const project = await open(store, { projectId: "p1", dialect: "v1r4" });
  const before = JSON.parse(store.export());
  const tasks = [delegated.arguments];
  await assert.rejects(project.recipes.forkJoin({ source_agent_id: "agent_a", arguments: { tasks } }), { code: "bad_request" });
  const packed = { tool_suffix: "t", source_agent_id: "agent_a", arguments: { profile_name: "Writer", boxes: ["b1"] } };
  const inherit_context = { include_boxes_from_args: ["boxes"] };
  const handover = { authorized_inherit_box_ids: ["b1"], context_packing_config: { inherit_context } };
  await assert.rejects(project.pack({ ...packed, handover }), { code: "bad_request", path: "arguments.boxes[0]" });
  const { rows } = await project.agents.listAudit({ box_id: "b1" });
  assert.deepEqual(
    rows.map(({ action, actor_id, data }) => [action, actor_id, data.op, data.path]),
    [
      ["refused", "agent_a", "fork_join", "tasks[0].context_box_id"],
      ["refused", "agent_a", "pack_context", "arguments.boxes[0]"],
    ],
  );
  const after = JSON.parse(store.export());
  for (const table of ["cards", "boxes"]) assert.deepEqual(after[table], before[table]);
});
