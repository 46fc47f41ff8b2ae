// `pack`: `pack_context` in the three dialects.

import { items } from "../raw.mjs";
import { addBoxes, env, fields, newCard, objectText, outcome } from "../world.mjs";

const DIALECTS = ["v1r3", "v1r4", "v1r4_hotfix"];

export function run({ input, inputText }, tuckbox) {
  return Promise.all(DIALECTS.map((dialect) => outcome(dialect, () => pack(input, inputText, dialect, tuckbox))));
}

async function pack(input, inputText, dialect, { jsonText, memoryStore, open }) {
  const text = fields(inputText);
  const workspace = await open(store(input, memoryStore), { projectId: input.project_id, dialect, authority: { granted_by: "call" } });
  const call = {
    op: "pack_context",
    tool_suffix: input.tool_suffix ?? "",
    source_agent_id: input.source_agent_id ?? "",
    arguments: jsonText(text("arguments")),
    handover: jsonText(text("handover")),
  };
  const preview = await workspace.preview(call, env);
  const { context_box_id, target_profile_box_id: profile_box_id, attached_card_ids: card_ids } = preview.value;
  const { project_id } = preview.writes;
  const cards = items(fields(preview.writesText)("cards").replace(/^null$/, "[]"));
  const given = givenMetadata(preview, input.handover, text("handover"));
  return objectText({
    context_box: JSON.stringify({ box_id: context_box_id, tenant_id: project_id, card_ids }),
    profile_box_id: JSON.stringify(profile_box_id),
    new_cards: `[${cards.map((card, at) => newCard(card, given[at])).join(",")}]`,
  });
}

function store({ project_id, other_projects = {}, ...tables }, memoryStore) {
  const store = memoryStore();
  if (project_id !== "") fill(store.project(project_id), tables);
  for (const [other, tables] of Object.entries(other_projects)) fill(store.project(other), tables);
  return store;
}

function fill(project, { profiles, boxes }) {
  for (const [name, box_id] of Object.entries(profiles ?? {})) {
    project.addProfile({ name, profile_box_id: box_id ? String(box_id) : null });
  }
  addBoxes(project, boxes);
}

/** Returns the requested metadata of each new card, without reserved keys. */
function givenMetadata({ ledger }, _handover, handoverText) {
  const rules = fields(fields(handoverText)("context_packing_config"))("pack_arguments");
  const entries = ledger.boxes.flatMap((account) => account.entries());
  const made = entries.filter(({ cause }) => cause.kind !== "inherited");
  return made.map(({ cause }) => {
    if (cause.kind === "parent") return '{"role":"system"}';
    const rule = items(rules)[Number(/\[(\d+)\]$/.exec(cause.path)[1])];
    const metadata = fields(rule)("card_metadata");
    if (!metadata.startsWith("{") || /^\{\s*\}$/.test(metadata)) return '{"role":"user"}';
    return fields(metadata)("role") === "null" && !Object.hasOwn(JSON.parse(metadata), "role")
      ? `${metadata.trim().slice(0, -1)},"role":"user"}`
      : metadata;
  });
}
