// `recipes`: all recorded delegations. Each is also dispatched, in a world whose boxes have names that the dispatcher
// accepts.

import { items, members } from "../raw.mjs";
import { addBoxes, env, fields, newCard, objectText, outcome } from "../world.mjs";

const DIALECTS = ["v1r3", "v1r4", "v1r4_hotfix"];
const HANDING = ["delegate_async", "launch_principal", "ask_expert", "fork_join"];

/** The turn of the caller. */
const TURN = { active_agent_turn_id: "turn_parent", turn_epoch: 1 };

export function run(given, tuckbox) {
  const {
    input: { op, world: name },
    worlds,
    worldsText,
  } = given;
  const named = typeof name === "string" && Object.hasOwn(worlds ?? {}, name);
  const recorded = named ? fields(worldsText)(name) : given.inputText;
  const names = HANDING.includes(op) ? boxNames(JSON.parse(recorded)) : [];
  const [inputText, worldText] = [given.inputText, recorded].map((text) => there(text, names));
  const [input, world] = [inputText, worldText].map((text) => JSON.parse(text));
  const each = (dialect) =>
    outcome(dialect, async () => back(await recipe({ input, inputText, world, worldText, dialect }, tuckbox), names));
  return Promise.all(DIALECTS.map(each));
}

/** Returns the boxes of all agents and profiles, each with an id that a dispatcher accepts. */
function boxNames(world) {
  const rows = ["profiles", "roster", "state", "pointers"].flatMap((part) => Object.values(world[part] ?? {}));
  const columns = rows.flatMap((row) => Object.entries(row ?? {})).filter(([column]) => column.endsWith("box_id"));
  const texts = columns.map(([, name]) => name).filter((name) => typeof name === "string");
  const names = [...new Set(texts.map((name) => name.trim()))].filter((name) => name !== "").sort();
  return names.map((name, at) => [name, `B0B0B0B0-0000-7000-8000-${String(at).padStart(12, "0")}`]);
}

/** Returns JSON text with the ids of boxes instead of their names. */
function there(json, names) {
  if (names.length === 0) return json;
  return json.replace(/"(?:[^"\\]|\\.)*"/g, (token) => {
    const text = JSON.parse(token);
    const named = names.find(([name]) => name === text.trim());
    return named === undefined ? token : JSON.stringify(text.replaceAll(...named));
  });
}

/** Returns JSON text with the names of boxes instead of their ids, in the same case. */
function back(json, names) {
  const inside = (text) => JSON.stringify(text).slice(1, -1);
  const named = (text, [name, id]) =>
    text.replaceAll(id, () => inside(name)).replaceAll(id.toLowerCase(), () => inside(name.toLowerCase()));
  return names.reduce(named, json);
}

async function recipe({ input, inputText, world, worldText, dialect }, tuckbox) {
  const { jsonText, memoryStore, open } = tuckbox;
  const store = memoryStore();
  const project_id = typeof world.project_id === "string" ? world.project_id : "proj_1";
  if (project_id !== "") fill(store.project(project_id), input, world, worldText, jsonText);
  const workspace = await open(store, { projectId: project_id, dialect, authority: { granted_by: "call" }, referenceBehavior: true });
  let call = callText(input.op, fields(inputText), fields(worldText), dialect, toolName(input, world));
  if (HANDING.includes(input.op)) call = handOutText(call, world, fields(worldText));
  const preview = await workspace.preview(jsonText(call), env);
  const cards = items(fields(preview.writesText)("cards").replace(/^null$/, "[]"));
  const value = fields(preview.valueText);
  if (input.op === "pack_context_with_instruction") return packed(value, cards);
  const rows = (table) => written(preview.writesText, table);
  if (input.op === "fork_join") return forked(value, cards, rows("batch_tasks"), dialect);
  return HANDING.includes(input.op) ? handed(value, cards, rows("inbox"), world, dialect) : preview.valueText;
}

/** Returns the recipe as a `hand_out` of the calling turn. It is refused if the recorded dispatcher refuses. */
function handOutText(call, { dispatch_status }, world) {
  const refused = ["busy", "rejected"].includes(dispatch_status);
  const settings = refused ? { settings: '{"max_recursion_depth":0}' } : {};
  return objectText({
    op: '"hand_out"',
    call,
    headers: world("headers"),
    parent_agent_turn_id: JSON.stringify(TURN.active_agent_turn_id),
    parent_turn_epoch: String(TURN.turn_epoch),
    parent_tool_call_id: '"call_parent"',
    ...settings,
  });
}

/** Returns the JSON of each written row of a table. */
function written(writesText, table) {
  const changes = items(fields(writesText)("rows").replace(/^null$/, "[]")).map(fields);
  return changes.filter((change) => change("table") === JSON.stringify(table)).map((change) => change("row"));
}

/** Returns the call for the package. */
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

/** Returns the tool name that the model used, if it was recorded. */
function toolName(input, world) {
  const given = [input, world].find((from) => from.tool_name !== undefined);
  return given === undefined ? {} : { tool_name: JSON.stringify(given.tool_name) };
}

/** Returns the store of a recorded world: profiles, roster, states, pointers, boxes, and the caller's profile card. */
function fill(project, input, world, worldText, jsonText) {
  const profiles = fields(worldText)("profiles");
  for (const [name, row] of profiles.startsWith("{") ? members(profiles) : []) {
    const own = Object.fromEntries(row.startsWith("{") ? members(row) : []);
    if (world.dispatch_status === "error") delete own.worker_target;
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
  if (HANDING.includes(input.op)) addParties(project, world);
  else for (const row of agents(input, world)) project.addAgent(row);
}

/** Adds the rows that a dispatcher needs: states and pointers in their tables, turns and workers. */
function addParties(project, world) {
  const rows = (part) => Object.entries(world[part] ?? {}).map(([agent_id, row]) => ({ ...row, agent_id }));
  for (const row of rows("roster")) {
    const own = Object.values(world.profiles ?? {}).find((of) => of.profile_box_id === row.profile_box_id);
    const worker_target = world.dispatch_status === "error" ? undefined : own?.worker_target;
    project.addAgent({ in_roster: true, ...(worker_target === undefined ? {} : { worker_target }), ...row });
  }
  for (const row of rows("state")) {
    project.addRow("heads", { ...row, ...(row.agent_id === world.source_agent_id ? TURN : {}) });
  }
  for (const row of rows("pointers")) project.addRow("pointers", row);
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

function handed(outcome, cards, inbox, world, dialect) {
  const value = fields(outcome("handed"));
  const request = fields(value("dispatch"));
  const keys = ["target_agent_id", "profile_box_id", "context_box_id", "display_name"];
  const dispatch = Object.fromEntries(keys.map((key) => [key, request(key)]));
  // the oldest system sends the depth in a header and lets the dispatcher choose the output box
  if (dialect === "v1r3") dispatch.recursion_depth = JSON.stringify(textForm(request("recursion_depth")));
  else {
    dispatch.output_box_id = request("output_box_id");
    const depth = (inbox.length === 0 ? request : fields(inbox[0]))("recursion_depth");
    dispatch.depth_policy = depthPolicy(depth, world);
  }
  const recorded = ["status", "error_code", "agent_id", "agent_turn_id", "turn_epoch", "context_box_id", "output_box_id"];
  const result = new Map(members(outcome("result")));
  return objectText({
    defer_resume: outcome("defer_resume"),
    result: objectText(Object.fromEntries(recorded.filter((key) => result.has(key)).map((key) => [key, result.get(key)]))),
    inherit_box_ids: value("inherit_box_ids"),
    instruction: value("instruction"),
    profile_name: value("profile_name"),
    author_id: author(cards),
    context_card_ids: value("card_ids"),
    new_cards: newCards(cards),
    dispatch: objectText(dispatch),
  });
}

/** Returns how newer systems state the depth of a child: one below its caller. */
function depthPolicy(child, world) {
  const depth = world.headers?.["CG-Recursion-Depth"];
  const caller = typeof depth === "string" && /^\s*\+?\d+\s*$/.test(depth) ? Number(depth) : 0;
  return child === String(caller + 1) ? '"DepthPolicy.DESCEND"' : child;
}

function forked(outcome, cards, written, dialect) {
  const value = fields(outcome("handed"));
  const tasks = items(value("tasks").replace(/^null$/, "[]"));
  return objectText({
    defer_resume: outcome("defer_resume"),
    result: outcome("result"),
    fail_fast: value("fail_fast"),
    deadline_seconds: value("deadline_seconds"),
    structured_output: value("structured_output"),
    author_id: author(cards),
    task_specs: `[${tasks.map((task) => taskSpec(fields(task), written.map(fields), dialect)).join(",")}]`,
    new_cards: newCards(cards),
  });
}

/** Returns a task as delegated and as stored in the batch, with its agent and configuration. */
function taskSpec(task, written, dialect) {
  const handed = fields(task("handed"));
  const request = fields(handed("dispatch"));
  const metadata = (row) => fields(row("metadata"));
  const row = written.find((row) => metadata(row)("task_index") === task("task_index")) ?? fields("{}");
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
    provision: String(row("agent_id") !== request("target_agent_id")),
    profile_box_id: request("profile_box_id"),
    context_box_id: request("context_box_id"),
    ...(dialect === "v1r3" ? {} : { output_box_id: request("output_box_id") }),
    task_args: objectText(args),
    runtime_config: metadata(row)("runtime_config").replace(/^null$/, "{}"),
    inherit_box_ids: handed("inherit_box_ids"),
    context_card_ids: handed("card_ids"),
  });
}

/** Returns the new cards. Recipes set only their role. */
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
