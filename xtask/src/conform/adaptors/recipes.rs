//! `recipes`: all recorded delegations, through the JSON caller. Each is also dispatched by our
//! dispatcher, in a world whose boxes have [names](Names) that it accepts.

use super::Outcome;
use super::world::{self, drive};
use std::collections::BTreeSet;
use tuckbox::rule::AnyOutcome;
use tuckbox::store::{Agent, MemoryStore, Profile, Snapshot, Tables, table};
use tuckbox::value::json::{Field, Object, to_json};
use tuckbox::{Card, Dialect, Json, Result};

/// The recipes that start a turn.
const HANDING: [&str; 4] = ["delegate_async", "launch_principal", "ask_expert", "fork_join"];

pub fn run(input: &Json, worlds: &Json) -> Vec<Outcome> {
    let named = input.get("world").and_then(Json::as_str);
    let world = named.and_then(|name| worlds.get(name)).unwrap_or(input);
    let names = if is_handing(input) { Names::of(world) } else { Names::default() };
    let (input, world) = (names.there(input), names.there(world));
    let actual = |dialect| recipe(&input, &world, dialect).map(|answer| names.back(&answer));
    Dialect::REFERENCE
        .into_iter()
        .map(|dialect| Outcome { label: dialect.name, actual: actual(dialect) })
        .collect()
}

fn is_handing(input: &Json) -> bool {
    HANDING.contains(&text(input, "op"))
}

fn recipe(input: &Json, world: &Json, dialect: Dialect) -> Result<Json> {
    let op = text(input, "op");
    let project = world.get("project_id").and_then(Json::as_str).unwrap_or("proj_1");
    let mut snapshot = Snapshot::new(dialect.project_id(project)?);
    let mut call = call(op, input, world, dialect);
    if is_handing(input) {
        call = hand_out(call, world);
    }
    let outcome = drive(&call, &mut snapshot, &store(input, world)?)?;
    let value = outcome.value.to_json()?;
    Ok(match op {
        "pack_context_with_instruction" => packed(&value, &outcome),
        "fork_join" => forked(&value, &outcome, dialect)?,
        _ if is_handing(input) => handed(&value, &outcome, world, dialect)?,
        _ => value,
    })
}

/// The boxes of a recorded world (`PB_Writer`) as ids that a dispatcher accepts, and back.
///
/// The ids are upper case, because the id of a new agent contains the box of its profile in lower
/// case.
#[derive(Default)]
struct Names(Vec<(String, String)>);

impl Names {
    /// Returns the boxes of all agents and profiles.
    fn of(world: &Json) -> Self {
        let mut names = BTreeSet::new();
        for part in ["profiles", "roster", "state", "pointers"] {
            for (_, row) in member(world, part).as_object().into_iter().flatten() {
                let columns = row.as_object().into_iter().flatten();
                let boxes = columns.filter(|(column, _)| column.ends_with("box_id"));
                names.extend(boxes.filter_map(|(_, name)| Some(name.as_str()?.trim().to_owned())));
            }
        }
        names.remove("");
        let id = |at: usize| format!("B0B0B0B0-0000-7000-8000-{at:012}");
        Self(names.into_iter().enumerate().map(|(at, name)| (name, id(at))).collect())
    }

    fn there(&self, json: &Json) -> Json {
        each_text(json, &|text| match self.0.iter().find(|(name, _)| name == text.trim()) {
            Some((name, id)) => text.replace(name.as_str(), id),
            None => text.to_owned(),
        })
    }

    fn back(&self, json: &Json) -> Json {
        each_text(json, &|text| {
            self.0.iter().fold(text.to_owned(), |text, (name, id)| {
                text.replace(id.as_str(), name).replace(&id.to_lowercase(), &name.to_lowercase())
            })
        })
    }
}

/// Replaces every string and key.
fn each_text(json: &Json, with: &dyn Fn(&str) -> String) -> Json {
    match json {
        Json::String(text) => with(text).into(),
        Json::Array(items) => items.iter().map(|item| each_text(item, with)).collect(),
        Json::Object(object) => Json::Object(
            object.iter().map(|(key, value)| (with(key), each_text(value, with))).collect(),
        ),
        Json::Null | Json::Bool(_) | Json::Number(_) => json.clone(),
    }
}

/// Returns the recipe as a `hand_out` of the calling turn. If the mock dispatcher of the recording
/// refuses, ours needs a reason: the depth, or [missing workers](lacks_workers) for an `error`.
fn hand_out(call: Json, world: &Json) -> Json {
    let mut hand_out = Object::default();
    let mut put = |key: &str, value: Json| drop(hand_out.insert(key.to_owned(), value));
    put("op", "hand_out".into());
    put("call", call);
    put("headers", member(world, "headers"));
    put("parent_agent_turn_id", TURN.into());
    put("parent_turn_epoch", 1_i64.into());
    put("parent_tool_call_id", "call_parent".into());
    if ["busy", "rejected"].contains(&text(world, "dispatch_status")) {
        put("settings", Json::from([("max_recursion_depth", 0_i64)]));
    }
    Json::Object(hand_out)
}

/// The turn of the caller.
const TURN: &str = "turn_parent";

/// Returns the call for the JSON caller.
fn call(op: &str, input: &Json, world: &Json, dialect: Dialect) -> Json {
    let mut call = Object::default();
    let mut put = |key: &str, value: Json| drop(call.insert(key.to_owned(), value));
    put("op", op.into());
    match op {
        "fork_join_args" => put("arguments", member(input, "arguments")),
        "resolve_current_output_box_id" => put("agent_id", member(input, "agent_id")),
        _ => {
            put("source_agent_id", member(world, "source_agent_id"));
            put("dialect", dialect.name.into());
        }
    }
    match op {
        "validate_box_ids_exist" => {
            put("box_ids", member(input, "box_ids"));
            put("authorized_box_ids", member(input, "authorized_box_ids"));
        }
        "pack_context_with_instruction" => {
            put("tool_suffix", member(world, "tool_suffix"));
            for key in ["profile_name", "instruction", "inherit_box_ids"] {
                put(key, member(input, key));
            }
        }
        _ if HANDING.contains(&op) => {
            put("tool_suffix", member(world, "tool_suffix"));
            put("arguments", member(input, "arguments"));
            put("recursion_depth", member(&member(world, "headers"), "CG-Recursion-Depth"));
            // the tool name that the model used, if it was recorded
            for named in [world, input] {
                if let Some(name) = named.get("tool_name") {
                    put("tool_name", name.clone());
                }
            }
            for (key, value) in member(input, "handler").as_object().into_iter().flatten() {
                put(key, value.clone());
            }
        }
        _ => {}
    }
    Json::Object(call)
}

/// Returns the store of a recorded world: profiles, roster, states, pointers, boxes, and the
/// caller's profile card.
fn store(input: &Json, world: &Json) -> Result<MemoryStore> {
    let mut store = MemoryStore::new();
    let project = world.get("project_id").and_then(Json::as_str).unwrap_or("proj_1");
    let tables = store.project(project);
    for (name, row) in member(world, "profiles").as_object().into_iter().flatten() {
        let mut profile = row.as_object().cloned().unwrap_or_default();
        profile.insert("name".into(), name.as_str().into());
        if lacks_workers(world) {
            profile.remove("worker_target");
        }
        tables.add_profile(Profile::from_row(&Field::root(&Json::Object(profile)))?);
    }
    world::add_boxes(tables, world);
    let own = profile_card(world.get("caller_delegation_policy"));
    tables.add_card(Card::from_row(&Field::root(&own))?);
    tables.add_box(
        text(&member(&member(world, "profiles"), "Caller"), "profile_box_id"),
        ["sysprof"],
    );
    if is_handing(input) {
        add_parties(tables, world)?;
        return Ok(store);
    }

    let mut agents = Object::default();
    for part in ["roster", "state", "pointers"] {
        for (agent_id, row) in member(world, part).as_object().into_iter().flatten() {
            add(&mut agents, agent_id, part, row.clone());
        }
    }
    if let Some(agent_id) = input.get("agent_id").and_then(Json::as_str) {
        agents = Object::new();
        add(&mut agents, agent_id, "state", member(input, "state"));
        add(&mut agents, agent_id, "pointers", member(input, "pointers"));
    }
    for row in agents.values() {
        tables.add_agent(Agent::from_row(&Field::root(row))?);
    }
    Ok(store)
}

/// Adds rows that a dispatcher needs and the recorded recipes did not need. They are states and
/// pointers in their tables, the turn of the caller, and the worker of each profile.
fn add_parties(tables: &mut Tables, world: &Json) -> Result<()> {
    let profiles = member(world, "profiles");
    let rows = |part: &str| {
        let rows = member(world, part).as_object().cloned().unwrap_or_default();
        rows.into_iter().map(|(agent_id, row)| {
            let mut row = row.as_object().cloned().unwrap_or_default();
            row.insert("agent_id".into(), agent_id.into());
            row
        })
    };
    for mut row in rows("roster") {
        let mut profiles = profiles.as_object().into_iter().flatten().map(|(_, profile)| profile);
        let own = profiles.find(|of| of.get("profile_box_id") == row.get("profile_box_id"));
        let worker = own.filter(|_| !lacks_workers(world)).and_then(|of| of.get("worker_target"));
        if let Some(worker) = worker {
            row.get_or_insert_with("worker_target", || worker.clone());
        }
        tables.add_agent(Agent::from_row(&Field::root(&Json::Object(row)))?);
    }
    for mut row in rows("state") {
        if row.get("agent_id") == world.get("source_agent_id") {
            row.insert("active_agent_turn_id".into(), TURN.into());
            row.insert("turn_epoch".into(), 1_i64.into());
        }
        tables.add_row(&table::HEADS, row);
    }
    for row in rows("pointers") {
        tables.add_row(&table::POINTERS, row);
    }
    Ok(())
}

/// Returns true if our dispatcher must answer `error` for lack of workers.
fn lacks_workers(world: &Json) -> bool {
    text(world, "dispatch_status") == "error"
}

/// Puts one part of an agent into its row.
fn add(agents: &mut Object, agent_id: &str, part: &str, row: Json) {
    let agent = agents.get_or_insert_with(agent_id, || {
        Json::from([("agent_id", Json::from(agent_id)), ("in_roster", false.into())])
    });
    let Json::Object(agent) = agent else { return };
    if part == "roster" {
        agent.insert("in_roster".into(), true.into());
        agent.extend(row.as_object().cloned().unwrap_or_default());
    } else {
        agent.insert(part.into(), row);
    }
}

fn profile_card(policy: Option<&Json>) -> Json {
    let mut data = Object::from_iter([("name".to_owned(), Json::from("Caller"))]);
    if let Some(policy) = policy {
        data.insert("delegation_policy".into(), policy.clone());
    }
    let content = [("__type__", Json::from("JsonContent")), ("data", Json::Object(data))];
    let metadata = Json::from([("type", "sys.profile"), ("role", "system")]);
    Json::from([
        ("card_id", Json::from("sysprof")),
        ("content", Json::from(content)),
        ("metadata", metadata),
    ])
}

fn packed(value: &Json, outcome: &AnyOutcome) -> Json {
    let packed = member(value, "packed");
    Json::from([
        ("recipe", member(value, "recipe")),
        ("context_box_id", member(&packed, "context_box_id")),
        ("card_ids", member(&packed, "attached_card_ids")),
        ("new_cards", new_cards(outcome)),
    ])
}

fn handed(value: &Json, outcome: &AnyOutcome, world: &Json, dialect: Dialect) -> Result<Json> {
    let handed = member(value, "handed");
    let request = member(&handed, "dispatch");
    let mut dispatch = Object::default();
    for key in ["target_agent_id", "profile_box_id", "context_box_id", "display_name"] {
        dispatch.insert(key.into(), member(&request, key));
    }
    // the oldest system sends the depth in a header and lets the dispatcher choose the output box
    if dialect.needs_depth {
        let depth = member(&request, "recursion_depth").text_form();
        dispatch.insert("recursion_depth".into(), depth.into());
    } else {
        dispatch.insert("output_box_id".into(), member(&request, "output_box_id"));
        let written = rows(outcome, "inbox")?;
        let depth = written.first().map_or(&request, |row| row).get("recursion_depth");
        dispatch.insert("depth_policy".into(), depth_policy(depth, world));
    }
    let result = member(value, "result");
    let recorded = ["status", "error_code", "agent_id", "agent_turn_id", "turn_epoch"];
    let recorded = recorded.into_iter().chain(["context_box_id", "output_box_id"]);
    let result = recorded.filter_map(|key| Some((key.to_owned(), result.get(key)?.clone())));
    Ok(Json::from([
        ("defer_resume", member(value, "defer_resume")),
        ("result", Json::Object(result.collect())),
        ("inherit_box_ids", member(&handed, "inherit_box_ids")),
        ("instruction", member(&handed, "instruction")),
        ("profile_name", member(&handed, "profile_name")),
        ("author_id", author(outcome)),
        ("context_card_ids", member(&handed, "card_ids")),
        ("new_cards", new_cards(outcome)),
        ("dispatch", Json::Object(dispatch)),
    ]))
}

/// Returns how newer systems state the depth of a child: one below its caller.
fn depth_policy(child: Option<&Json>, world: &Json) -> Json {
    let headers = member(world, "headers");
    let depth: Option<i64> = text(&headers, "CG-Recursion-Depth").trim().parse().ok();
    let caller = depth.filter(|depth| *depth >= 0).unwrap_or(0);
    match child.and_then(Json::as_number).and_then(|depth| depth.whole()) {
        Some(depth) if depth == caller + 1 => "DepthPolicy.DESCEND".into(),
        _ => child.cloned().unwrap_or_default(),
    }
}

/// Returns the written rows of a table.
fn rows(outcome: &AnyOutcome, table: &str) -> Result<Vec<Json>> {
    let writes = to_json(&outcome.writes)?;
    let changes = writes.get("rows").and_then(Json::as_array).unwrap_or_default();
    let of_table = changes.iter().filter(|change| text(change, "table") == table);
    Ok(of_table.map(|change| member(change, "row")).collect())
}

fn forked(value: &Json, outcome: &AnyOutcome, dialect: Dialect) -> Result<Json> {
    let handed = member(value, "handed");
    let tasks = member(&handed, "tasks");
    let tasks = tasks.as_array().unwrap_or_default();
    let written = rows(outcome, "batch_tasks")?;
    Ok(Json::from([
        ("defer_resume", member(value, "defer_resume")),
        ("result", member(value, "result")),
        ("fail_fast", member(&handed, "fail_fast")),
        ("deadline_seconds", member(&handed, "deadline_seconds")),
        ("structured_output", member(&handed, "structured_output")),
        ("author_id", author(outcome)),
        ("task_specs", tasks.iter().map(|task| task_spec(task, &written, dialect)).collect()),
        ("new_cards", new_cards(outcome)),
    ]))
}

/// Returns a task as delegated and as stored in the batch, with its agent and configuration.
fn task_spec(task: &Json, written: &[Json], dialect: Dialect) -> Json {
    let index = task.get("task_index");
    let of_task = |row: &&Json| member(row, "metadata").get("task_index") == index;
    let row = written.iter().find(of_task).cloned().unwrap_or_default();
    let config = member(&row, "metadata").get("runtime_config").cloned();
    let handed = member(task, "handed");
    let request = member(&handed, "dispatch");
    let mut args = Object::default();
    for (key, from) in [
        ("task_index", task),
        ("label", task),
        ("instruction", &handed),
        ("target_strategy", &handed),
        ("target_ref", &handed),
        ("profile_name", &handed),
    ] {
        args.insert(key.into(), member(from, key));
    }
    let mut spec = Object::default();
    spec.insert("agent_id".into(), member(&request, "target_agent_id"));
    let is_other = member(&row, "agent_id") != member(&request, "target_agent_id");
    spec.insert("provision".into(), is_other.into());
    spec.insert("profile_box_id".into(), member(&request, "profile_box_id"));
    spec.insert("context_box_id".into(), member(&request, "context_box_id"));
    if !dialect.needs_depth {
        spec.insert("output_box_id".into(), member(&request, "output_box_id"));
    }
    spec.insert("task_args".into(), Json::Object(args));
    let config = config.unwrap_or_else(|| Json::Object(Object::default()));
    spec.insert("runtime_config".into(), config);
    spec.insert("inherit_box_ids".into(), member(&handed, "inherit_box_ids"));
    spec.insert("context_card_ids".into(), member(&handed, "card_ids"));
    Json::Object(spec)
}

/// Returns the new cards. Recipes set only their role.
fn new_cards(outcome: &AnyOutcome) -> Json {
    let given = |card: &Card| {
        Object::from_iter(card.metadata.get("role").map(|role| ("role".to_owned(), role.clone())))
    };
    outcome.writes.cards.iter().map(|card| world::new_card(card, given(card))).collect()
}

fn author(outcome: &AnyOutcome) -> Json {
    outcome.writes.cards.first().and_then(Card::author_id).into()
}

fn member(value: &Json, key: &str) -> Json {
    value.get(key).cloned().unwrap_or_default()
}

fn text<'a>(value: &'a Json, key: &str) -> &'a str {
    value.get(key).and_then(Json::as_str).unwrap_or_default()
}
