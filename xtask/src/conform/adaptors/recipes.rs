//! `recipes`: every recorded way of handing over, through the JSON caller.

use super::Outcome;
use super::world::{self, drive};
use tuckbox::rule::AnyOutcome;
use tuckbox::store::{Agent, MemoryStore, Profile, Snapshot};
use tuckbox::value::json::{Field, Object};
use tuckbox::{Card, Dialect, Json, Result};

pub fn run(input: &Json, worlds: &Json) -> Vec<Outcome> {
    let named = input.get("world").and_then(Json::as_str);
    let world = named.and_then(|name| worlds.get(name)).unwrap_or(input);
    Dialect::ALL
        .into_iter()
        .map(|dialect| Outcome { label: dialect.name, actual: recipe(input, world, dialect) })
        .collect()
}

fn recipe(input: &Json, world: &Json, dialect: Dialect) -> Result<Json> {
    let op = text(input, "op");
    let project = world.get("project_id").and_then(Json::as_str).unwrap_or("proj_1");
    let mut snapshot = Snapshot::new(dialect.project_id(project)?);
    let outcome = drive(&call(op, input, world, dialect), &mut snapshot, &store(input, world)?)?;
    let value = outcome.value.to_json()?;
    Ok(match op {
        "pack_context_with_instruction" => packed(&value, &outcome),
        "fork_join" => forked(&value, &outcome, dialect),
        "delegate_async" | "launch_principal" | "ask_expert" => handed(&value, &outcome, dialect),
        _ => value,
    })
}

/// The call as it goes through the caller.
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
        "delegate_async" | "launch_principal" | "ask_expert" | "fork_join" => {
            put("tool_suffix", member(world, "tool_suffix"));
            put("arguments", member(input, "arguments"));
            put("recursion_depth", member(&member(world, "headers"), "CG-Recursion-Depth"));
            // the name under which a model called the tool, where it was recorded
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

/// A recorded world: profiles, roster, states, pointers, boxes, and the caller's profile card.
fn store(input: &Json, world: &Json) -> Result<MemoryStore> {
    let mut store = MemoryStore::new();
    let project = world.get("project_id").and_then(Json::as_str).unwrap_or("proj_1");
    let tables = store.project(project);
    for (name, row) in member(world, "profiles").as_object().into_iter().flatten() {
        let mut profile = row.as_object().cloned().unwrap_or_default();
        profile.insert("name".into(), name.as_str().into());
        tables.add_profile(Profile::from_row(&Field::root(&Json::Object(profile)))?);
    }
    world::add_boxes(tables, world);
    let own = profile_card(world.get("caller_delegation_policy"));
    tables.add_card(Card::from_row(&Field::root(&own))?);
    tables.add_box(
        text(&member(&member(world, "profiles"), "Caller"), "profile_box_id"),
        ["sysprof"],
    );

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

fn handed(value: &Json, outcome: &AnyOutcome, dialect: Dialect) -> Json {
    let request = member(value, "dispatch");
    let mut dispatch = Object::default();
    for key in ["target_agent_id", "profile_box_id", "context_box_id", "display_name"] {
        dispatch.insert(key.into(), member(&request, key));
    }
    // the oldest system tells the depth in a header and leaves the output box to the dispatcher
    if dialect.needs_depth {
        let depth = member(&request, "recursion_depth").text_form();
        dispatch.insert("recursion_depth".into(), depth.into());
    } else {
        dispatch.insert("output_box_id".into(), member(&request, "output_box_id"));
    }
    Json::from([
        ("result", Json::from([("agent_id", member(&request, "target_agent_id"))])),
        ("inherit_box_ids", member(value, "inherit_box_ids")),
        ("instruction", member(value, "instruction")),
        ("profile_name", member(value, "profile_name")),
        ("author_id", author(outcome)),
        ("context_card_ids", member(value, "card_ids")),
        ("new_cards", new_cards(outcome)),
        ("dispatch", Json::Object(dispatch)),
    ])
}

fn forked(value: &Json, outcome: &AnyOutcome, dialect: Dialect) -> Json {
    let tasks = member(value, "tasks");
    let tasks = tasks.as_array().unwrap_or_default();
    Json::from([
        ("result", Json::from([("task_count", Json::from(tasks.len()))])),
        ("fail_fast", member(value, "fail_fast")),
        ("deadline_seconds", member(value, "deadline_seconds")),
        ("structured_output", member(value, "structured_output")),
        ("author_id", author(outcome)),
        ("task_specs", tasks.iter().map(|task| task_spec(task, dialect)).collect()),
        ("new_cards", new_cards(outcome)),
    ])
}

fn task_spec(task: &Json, dialect: Dialect) -> Json {
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
    spec.insert("profile_box_id".into(), member(&request, "profile_box_id"));
    spec.insert("context_box_id".into(), member(&request, "context_box_id"));
    if !dialect.needs_depth {
        spec.insert("output_box_id".into(), member(&request, "output_box_id"));
    }
    spec.insert("task_args".into(), Json::Object(args));
    spec.insert("inherit_box_ids".into(), member(&handed, "inherit_box_ids"));
    spec.insert("context_card_ids".into(), member(&handed, "card_ids"));
    Json::Object(spec)
}

/// Recipes ask for a role and nothing else.
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
