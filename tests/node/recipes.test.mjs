// Recipes of a host's own: registered when a project is opened, then operations like any other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonText, open } from "../../pkg/index.js";
import { filled } from "./support.mjs";

const review = {
  name: "ask_for_review",
  arguments: [{ name: "what", type: "text" }, { name: "drafts", type: "box_ids", required: false }],
  handover: {
    target_profile_config: { profile_name: "Writer" },
    context_packing_config: {
      pack_arguments: [{ arg_key: "what" }],
      inherit_context: { include_boxes_from_args: ["drafts"], include_parent: true },
    },
  },
};
const call = { source_agent_id: "agent_a", arguments: { what: "Is it true?", drafts: ["b1"] } };

test("a recipe is run by name, as an operation of its own, and from the call itself", async () => {
  for (const recipes of [[review], [jsonText(JSON.stringify(review))]]) {
    const workspace = await open(filled(), { project_id: "p1", recipes });
    const byName = await workspace.preview("run_recipe", { ...call, recipe: "ask_for_review" });
    assert.equal(byName.value.profile_name, "Writer");
    assert.deepEqual(byName.ledger.audit.map(({ recipe, packed_by, sources }) => [recipe, packed_by, sources.map(({ box_id }) => box_id)]), [["ask_for_review", "agent_a", ["b1"]]]);
    assert.equal((await workspace.call("ask_for_review", call)).card_ids.length, 4);
    assert.equal((await workspace.runRecipe({ ...call, recipe: review })).card_ids.length, 4);
  }
});

test("a recipe that is wrong is refused when the project is opened, with every fault", async () => {
  const wrong = { ...review, arguments: [{ name: "what", type: "words" }] };
  await assert.rejects(open(filled(), { project_id: "p1", recipes: [wrong] }), (error) => {
    assert.equal(error.code, "bad_request");
    assert.match(error.path, /^recipes\[0\]/);
    return true;
  });
  await assert.rejects(open(filled(), { project_id: "p1", recipes: [review, review] }), { code: "bad_request", path: "recipes[1].name" });
  await assert.rejects(open(filled(), { project_id: "p1", recipes: "x" }), { code: "bad_request", path: "recipes" });
});

test("projects share no recipes, and an unknown one is named", async () => {
  await open(filled(), { project_id: "p1", recipes: [review] });
  const other = await open(filled(), { project_id: "p1" });
  await assert.rejects(other.call("ask_for_review", call), { code: "bad_request", path: "op" });
  await assert.rejects(other.runRecipe({ ...call, recipe: "ask_for_review" }), { code: "bad_request", path: "recipe" });
});
