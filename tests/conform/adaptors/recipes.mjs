// `recipes`: every recorded way of handing over.
import { addBoxes, env, fields, newCard, objectText, outcome } from "../world.mjs";
import { items, members } from "../raw.mjs";

const DIALECTS = ["v1r3", "v1r4", "v1r4_hotfix"];
const HANDING = ["delegate_async", "launch_principal", "ask_expert", "fork_join"];

export function run({ input, inputText, worlds, worldsText }, tuckbox) {
  const named = typeof input.world === "string" && Object.hasOwn(worlds ?? {}, input.world);
  const world = named ? worlds[input.world] : input;
  const worldText = named ? fields(worldsText)(input.world) : inputText;
  const each = (dialect) => outcome(dialect, () => recipe({ input, inputText, world, worldText, dialect }, tuckbox));
  return Promise.all(DIALECTS.map(each));
}

async function recipe({ input, inputText, world, worldText, dialect }, tuckbox) {
  const { jsonText, memoryStore, open } = tuckbox;
  const store = memoryStore();
  const project_id = typeof world.project_id === "string" ? world.project_id : "proj_1";
  if (project_id !== "") fill(store.project(project_id), input, world, worldText, jsonText);
  const workspace = await open(store, { project_id, dialect });
  const call = callText(input.op, fields(inputText), fields(worldText), dialect, toolName(input, world));
  const preview = await workspace.preview(jsonText(call), env);
  const cards = items(fields(preview.writesText)("cards").replace(/^null$/, "[]"));
  const value = fields(preview.valueText);
  if (input.op === "pack_context_with_instruction") return packed(value, cards);
  if (input.op === "fork_join") return forked(value, cards, dialect);
  return HANDING.includes(input.op) ? handed(value, cards, dialect) : preview.valueText;
}

/** The call as it goes through the door. */
function callText(op, input, world, dialect, named) {
  const call = { op: JSON.stringify(op) };
  if (op === "fork_join_args") call.arguments = input("arguments");
  else if (op === "resolve_current_output_box_id") call.agent_id = input("agent_id");
  else Object.assign(call, { source_agent_id: world("source_agent_id"), dialect: JSON.stringify(dialect) });
  if (op === "validate_box_ids_exist") {
    Object.assign(call, { box_ids: input("box_ids"), authorized_box_ids: input("authorized_box_ids") });
  } else if (op === "pack_context_with_instruction") {
    call.tool_suffix = world("tool_suffix");
    for (const key of ["profile_name", "instruction", "inherit_box_ids"]) call[key] = input(key);
  } else if (HANDING.includes(op)) {
    call.tool_suffix = world("tool_suffix");
    call.arguments = input("arguments");
    Object.assign(call, named);
    call.recursion_depth = fields(world("headers"))("CG-Recursion-Depth");
    if (input("handler").startsWith("{")) Object.assign(call, Object.fromEntries(members(input("handler"))));
  }
  return objectText(call);
}

/** The name under which a model called the tool, where it was recorded. */
function toolName(input, world) {
  const given = [input, world].find((from) => from.tool_name !== undefined);
  return given === undefined ? {} : { tool_name: JSON.stringify(given.tool_name) };
}

/** A recorded world: profiles, roster, states, pointers, boxes, and the caller's profile card. */
function fill(project, input, world, worldText, jsonText) {
  const profiles = fields(worldText)("profiles");
  for (const [name, row] of profiles.startsWith("{") ? members(profiles) : []) {
    const own = Object.fromEntries(row.startsWith("{") ? members(row) : []);
    project.addProfile(jsonText(objectText({ ...own, name: JSON.stringify(name) })));
  }
  addBoxes(project, world.boxes);
  const policy = fields(worldText)("caller_delegation_policy");
  const hasPolicy = world.caller_delegation_policy !== undefined;
  const data = objectText({ name: '"Caller"', ...(hasPolicy ? { delegation_policy: policy } : {}) });
  const content = objectText({ __type__: '"JsonContent"', data });
  const metadata = '{"type":"sys.profile","role":"system"}';
  project.addCard(jsonText(objectText({ card_id: '"sysprof"', content, metadata })));
  project.addBox({ box_id: world.profiles?.Caller?.profile_box_id ?? "", card_ids: ["sysprof"] });
  for (const row of agents(input, world)) project.addAgent(row);
}

function agents(input, world) {
  const found = new Map();
  const agent = (agent_id) => {
    if (!found.has(agent_id)) found.set(agent_id, { agent_id, in_roster: false });
    return found.get(agent_id);
  };
  if (typeof input.agent_id === "string") {
    Object.assign(agent(input.agent_id), { state: input.state ?? null, pointers: input.pointers ?? null });
    return found.values();
  }
  for (const [agent_id, row] of Object.entries(world.roster ?? {})) {
    Object.assign(agent(agent_id), { in_roster: true }, row);
  }
  for (const part of ["state", "pointers"]) {
    for (const [agent_id, row] of Object.entries(world[part] ?? {})) agent(agent_id)[part] = row;
  }
  return found.values();
}

function packed(value, cards) {
  const own = fields(value("packed"));
  return objectText({
    recipe: value("recipe"),
    context_box_id: own("context_box_id"),
    card_ids: own("attached_card_ids"),
    new_cards: newCards(cards),
  });
}

function handed(value, cards, dialect) {
  const request = fields(value("dispatch"));
  const keys = ["target_agent_id", "profile_box_id", "context_box_id", "display_name"];
  const dispatch = Object.fromEntries(keys.map((key) => [key, request(key)]));
  // the oldest system tells the depth in a header and leaves the output box to the dispatcher
  if (dialect === "v1r3") dispatch.recursion_depth = JSON.stringify(textForm(request("recursion_depth")));
  else dispatch.output_box_id = request("output_box_id");
  return objectText({
    result: objectText({ agent_id: request("target_agent_id") }),
    inherit_box_ids: value("inherit_box_ids"),
    instruction: value("instruction"),
    profile_name: value("profile_name"),
    author_id: author(cards),
    context_card_ids: value("card_ids"),
    new_cards: newCards(cards),
    dispatch: objectText(dispatch),
  });
}

function forked(value, cards, dialect) {
  const tasks = items(value("tasks").replace(/^null$/, "[]"));
  return objectText({
    result: objectText({ task_count: String(tasks.length) }),
    fail_fast: value("fail_fast"),
    deadline_seconds: value("deadline_seconds"),
    structured_output: value("structured_output"),
    author_id: author(cards),
    task_specs: `[${tasks.map((task) => taskSpec(fields(task), dialect)).join(",")}]`,
    new_cards: newCards(cards),
  });
}

function taskSpec(task, dialect) {
  const handed = fields(task("handed"));
  const request = fields(handed("dispatch"));
  const args = {
    task_index: task("task_index"),
    label: task("label"),
    instruction: handed("instruction"),
    target_strategy: handed("target_strategy"),
    target_ref: handed("target_ref"),
    profile_name: handed("profile_name"),
  };
  return objectText({
    agent_id: request("target_agent_id"),
    profile_box_id: request("profile_box_id"),
    context_box_id: request("context_box_id"),
    ...(dialect === "v1r3" ? {} : { output_box_id: request("output_box_id") }),
    task_args: objectText(args),
    inherit_box_ids: handed("inherit_box_ids"),
    context_card_ids: handed("card_ids"),
  });
}

/** Recipes ask for a role and nothing else. */
function newCards(cards) {
  const given = (card) => {
    const metadata = new Map(members(fields(card)("metadata")));
    return metadata.has("role") ? objectText({ role: metadata.get("role") }) : "{}";
  };
  return `[${cards.map((card) => newCard(card, given(card))).join(",")}]`;
}

function author(cards) {
  return cards.length === 0 ? "null" : fields(fields(cards[0])("metadata"))("author_id");
}

function textForm(text) {
  return text === "null" ? "None" : text.startsWith('"') ? JSON.parse(text) : text;
}
