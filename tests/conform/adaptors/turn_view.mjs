// `turn_view`: the two boxes of a turn, and the view of its model.

import { members } from "../raw.mjs";
import { addBoxes, env, fields, objectText, outcome } from "../world.mjs";

const DIALECTS = ["v1r3", "v1r4", "v1r4_hotfix"];

export function run({ input, inputText }, tuckbox) {
  const work = (dialect) => {
    return input.op === "merge" ? merge(input, inputText, dialect, tuckbox) : assemble(input, inputText, tuckbox);
  };
  return Promise.all(DIALECTS.map((dialect) => outcome(dialect, () => work(dialect))));
}

async function merge(input, inputText, dialect, { jsonText, memoryStore, open }) {
  const store = memoryStore();
  addBoxes(store.project("p1"), input.boxes);
  const workspace = await open(store, { projectId: "p1" });
  const text = fields(inputText);
  const call = {
    op: '"turn_boxes"',
    context_box_id: text("context_box_id"),
    output_box_id: text("output_box_id"),
    dialect: JSON.stringify(dialect),
  };
  const preview = await workspace.preview(jsonText(objectText(call)), env);
  return objectText({ card_ids: fields(preview.valueText)("card_ids") });
}

/** Assembles the view of a list of cards. It is the same in every dialect. */
async function assemble(input, inputText, { jsonText, memoryStore, open }) {
  const store = memoryStore();
  const project = store.project("p1");
  const text = fields(inputText);
  for (const [card_id, card] of members(text("cards"))) {
    const own = Object.fromEntries(card.startsWith("{") ? members(card) : []);
    project.addCard(jsonText(objectText({ ...own, card_id: JSON.stringify(card_id) })));
  }
  const card_ids = (input.context_card_ids ?? []).filter((id) => typeof id === "string");
  project.addBox({ box_id: "context", card_ids });
  const profile = fields(text("profile"));
  const data = objectText({ name: profile("name"), system_prompt_template: text("system_prompt_template") });
  const content = objectText({ __type__: '"JsonContent"', data });
  const card = { card_id: '"profile-card"', content, metadata: '{"type":"sys.profile"}' };
  project.addCard(jsonText(objectText(card))).addBox({ box_id: "profile", card_ids: ["profile-card"] });

  const workspace = await open(store, { projectId: "p1" });
  const call = {
    op: '"turn_view"',
    context_box_id: '"context"',
    profile_box_id: '"profile"',
    display_name: profile("display_name"),
    downstream_desc: profile("downstream_desc"),
    tools: text("tool_specs"),
    system_append: text("system_append"),
    record: "true",
  };
  const turn = fields((await workspace.preview(jsonText(objectText(call)), env)).valueText);
  return objectText({
    card_ids: turn("source_card_ids"),
    request: turn("request"),
    source_card_ids: turn("source_card_ids"),
  });
}
