//! Random projects and random handovers.

use crate::property::Dice;
use std::sync::LazyLock;
use tuckbox::agents::Setup;
use tuckbox::agents::recipe::Recipes;
use tuckbox::store::{Agent, AgentPointers, AgentState, MemoryStore, Profile};
use tuckbox::value::json::{Field, Object};
use tuckbox::{Card, Dialect, Json};

/// A project, a handover call, and the context to check.
pub struct World {
    pub store: MemoryStore,
    pub call: Json,
    pub setup: Setup,
    pub task: usize,
}

const BOXES: [&str; 7] = ["b0", "b1", "b2", "b3", "lead_out", "lead_ctx", "w_out"];
const CARDS: [&str; 14] = [
    "c0", "c1", "c2", "c3", "c4", "rf", "rf_text", "tools", "file", "call", "result", "gone",
    "expired", "deleted",
];
const TEMPLATES: [&str; 6] = [
    "You are {display_name}.",
    "",
    "Ask {downstream_desc} or {unknown}",
    "{{literal}} {display_name!r:>12}",
    "broken {",
    " padded ",
];

// parsed once, because the properties create many worlds
static CARDS_ONLY: LazyLock<MemoryStore> = LazyLock::new(|| {
    let mut store = MemoryStore::new();
    for text in CARD_ROWS {
        store.project("p1").add_card(card(text));
    }
    store
});
static REGISTERED: LazyLock<Recipes> = LazyLock::new(|| {
    Recipes::from_json(&Field::root(&Json::parse(RECIPES).unwrap()), tuckbox::call::is_operation)
        .unwrap()
});

impl World {
    pub fn random(dice: &mut Dice) -> Self {
        let mut store = CARDS_ONLY.clone();
        let tables = store.project("p1");
        let policy = dice.pick(&[
            r#"{}"#,
            r#"{"target_profiles": null}"#,
            r#"{"target_profiles": ["Writer", "Solo"]}"#,
            r#"{"target_tags": ["team"]}"#,
            "null",
        ]);
        for (name, box_id) in [("Lead", "pb_lead"), ("Writer", "pb_writer"), ("Solo", "pb_solo")] {
            let mut profile = Profile::new(name, box_id);
            if name == "Writer" {
                profile.tags = vec!["team".to_owned()];
            }
            if name == "Lead" && dice.percent(50) {
                profile.delegation_policy = Json::parse(policy).unwrap();
            }
            tables.add_profile(profile);
            if name == "Lead" || dice.percent(95) {
                let template = if name == "Lead" { TEMPLATES[0] } else { dice.pick(&TEMPLATES) };
                let card_id = format!("prof_{name}");
                let template = Json::from(template);
                tables.add_card(card(&format!(
                    r#"{{"card_id": "{card_id}", "metadata": {{"type": "sys.profile"}},
                        "content": {{"__type__": "JsonContent", "data": {{"name": "{name}",
                        "system_prompt_template": {template}, "delegation_policy": {policy}}}}}}}"#
                )));
                tables.add_box(box_id, [card_id.as_str()]);
            }
        }
        for box_id in BOXES {
            if dice.percent(92) {
                let length = dice.below(6);
                let cards: Vec<&str> = (0..length).map(|_| dice.pick(&CARDS)).collect();
                tables.add_box(box_id, cards);
            }
        }
        for (agent_id, profile) in [("lead", "pb_lead"), ("w", "pb_writer"), ("s", "pb_solo")] {
            let mut agent = Agent::new(agent_id, profile);
            let mut some = |id: &str, percent| dice.percent(percent).then(|| id.into());
            let own = if agent_id == "w" { "w_out" } else { "lead_out" };
            agent.display_name = some("Wendy", 40).map(|_: tuckbox::BoxId| "Wendy".to_owned());
            agent.pointers = Some(AgentPointers {
                last_output_box_id: some(own, 60),
                memory_context_box_id: some("b1", 40),
            });
            agent.state = Some(AgentState {
                output_box_id: some(own, 70),
                context_box_id: some("lead_ctx", 70),
                profile_box_id: None,
                status: dice.pick(&["running", "idle", "suspended", ""]).to_owned(),
            });
            tables.add_agent(agent);
        }
        let setup = Setup::new(Default::default(), REGISTERED.clone());
        let (call, tasks) = handover(dice);
        let task = if dice.percent(2) { tasks } else { dice.below(tasks) };
        Self { store, call, setup, task }
    }

    /// Returns a project that accepts every valid task.
    pub fn plain() -> MemoryStore {
        let mut store = MemoryStore::new();
        let mut lead = Profile::new("Lead", "pb_lead");
        lead.delegation_policy = Json::parse("{}").unwrap();
        let mut worker = Agent::new("w", "pb_writer");
        worker.pointers = Some(AgentPointers {
            last_output_box_id: Some("w_out".into()),
            ..AgentPointers::default()
        });
        let tables = store.project("p1");
        tables
            .add_profile(lead)
            .add_profile(Profile::new("Writer", "pb_writer"))
            .add_profile(Profile::new("Solo", "pb_solo"))
            .add_agent(Agent::new("lead", "pb_lead"))
            .add_agent(worker)
            .add_agent(Agent::new("s", "pb_solo"));
        for box_id in BOXES {
            tables.add_box(box_id, ["c0"]);
        }
        store
    }
}

/// Returns a random handover call, and the number of contexts that it packs.
pub fn handover(dice: &mut Dice) -> (Json, usize) {
    let mut call = match dice.below(7) {
        0 | 1 => {
            let task = task(dice, false);
            named("delegate_async", task)
        }
        2 | 3 => {
            let tasks = 1 + dice.below(4);
            return (fork_join(dice, tasks, None), tasks);
        }
        4 => {
            let mut arguments = Object::default();
            arguments.insert("expert_profile".into(), dice.pick(&["Writer", "Solo"]).into());
            arguments.insert("question".into(), "why is it so?".into());
            arguments.insert("include_history".into(), dice.percent(60).into());
            named("ask_expert", Json::Object(arguments))
        }
        5 => {
            let mut arguments = Object::default();
            arguments.insert("what".into(), dice.pick(&["look", "do A", "again"]).into());
            if dice.percent(70) {
                let boxes: Vec<&str> = (0..dice.below(4)).map(|_| dice.pick(&BOXES)).collect();
                arguments.insert("drafts".into(), boxes.into());
            }
            if dice.percent(40) {
                arguments.insert("verdict".into(), Json::parse(r#"[{"name": "ok"}]"#).unwrap());
            }
            named("ask_for_review", Json::Object(arguments))
        }
        _ => {
            let mut arguments = Object::default();
            arguments.insert("profile_name".into(), dice.pick(&["Writer", "solo", "Nope"]).into());
            arguments.insert("instruction".into(), "do A".into());
            arguments.insert("boxes".into(), vec![dice.pick(&BOXES), dice.pick(&BOXES)].into());
            let mut call = named("pack_context", Json::Object(arguments));
            let handover = Json::parse(
                r#"{"context_packing_config": {"pack_arguments": [{"arg_key": "instruction"}],
                    "inherit_context": {"include_boxes_from_args": ["boxes"], "include_parent": true}},
                    "authorized_inherit_box_ids": ["b0", "b1", "b2", "lead_out"]}"#,
            );
            set(&mut call, "handover", handover.unwrap());
            set(&mut call, "tool_suffix", "t".into());
            call
        }
    };
    set(&mut call, "dialect", Dialect::ALL[dice.below(3)].name.into());
    (call, 1)
}

fn named(op: &str, arguments: Json) -> Json {
    let parts = [("op", op.into()), ("source_agent_id", "lead".into()), ("arguments", arguments)];
    Json::from(parts)
}

/// Sets one key of a call.
pub fn set(call: &mut Json, key: &str, value: Json) {
    if let Json::Object(call) = call {
        call.insert(key.to_owned(), value);
    }
}

/// Returns a batch. The task at `wrong` is invalid in every world.
pub fn fork_join(dice: &mut Dice, tasks: usize, wrong: Option<usize>) -> Json {
    let list: Vec<Json> = (0..tasks)
        .map(|index| match wrong {
            Some(wrong) if wrong == index => wrong_task(dice),
            // the other tasks must be valid, so they have one kind only
            Some(_) => right_task(dice),
            None => task(dice, true),
        })
        .collect();
    let mut arguments = Object::default();
    arguments.insert("tasks".into(), list.into());
    let mut call = named("fork_join", Json::Object(arguments));
    set(&mut call, "dialect", Dialect::ALL[dice.below(3)].name.into());
    call
}

fn task(dice: &mut Dice, in_batch: bool) -> Json {
    let strategy = dice.pick(&["new", "new", "reuse", "clone"]);
    let target = match strategy {
        "new" => dice.pick(&["Writer", "solo", "Solo", "Nope"]),
        "reuse" if in_batch => dice.pick(&["w", "s"]),
        _ => dice.pick(&["w", "w", "s", "lead", "ghost"]),
    };
    let instruction = dice.pick(&["do A", "go on", " ", "look at sk-abcdefghij0123456789"]);
    with_box(dice, strategy, target, instruction)
}

fn right_task(dice: &mut Dice) -> Json {
    let target = dice.pick(&["Writer", "Solo"]);
    with_box(dice, "new", target, "a")
}

fn with_box(dice: &mut Dice, strategy: &str, target: &str, instruction: &str) -> Json {
    let mut task = Object::default();
    task.insert("target_strategy".into(), strategy.into());
    task.insert("target_ref".into(), target.into());
    task.insert("instruction".into(), instruction.into());
    if dice.percent(60) {
        task.insert("context_box_id".into(), dice.pick(&BOXES).into());
    }
    Json::Object(task)
}

fn wrong_task(dice: &mut Dice) -> Json {
    let text = dice.pick(&[
        r#"{"target_strategy": "new", "target_ref": "Nobody", "instruction": "a"}"#,
        r#"{"target_strategy": "reuse", "target_ref": "ghost", "instruction": "a"}"#,
        r#"{"target_strategy": "clone", "target_ref": "ghost", "instruction": "a"}"#,
        r#"{"target_strategy": "clone", "target_ref": "lead", "instruction": "a"}"#,
        r#"{"target_strategy": "new", "target_ref": "Writer", "instruction": "a", "context_box_id": "nowhere"}"#,
        r#"{"target_strategy": "spawn", "target_ref": "Writer", "instruction": "a"}"#,
        r#"{"target_strategy": "new", "target_ref": "Writer", "instruction": ["a"]}"#,
        r#"{"target_strategy": "new", "target_ref": "Writer", "instruction": "a", "extra": 1}"#,
    ]);
    Json::parse(text).unwrap()
}

/// Returns a store with boxes that many tasks share. The lead owns up to four of them.
pub fn shared_boxes(boxes: usize, cards: usize) -> MemoryStore {
    let mut store = World::plain();
    let tables = store.project("p1");
    for index in 0..boxes {
        let ids: Vec<String> = (0..cards).map(|card| format!("card_{index}_{card}")).collect();
        tables.add_box(format!("shared_{index}"), ids.iter().map(String::as_str));
    }
    let mut lead = Agent::new("lead", "pb_lead");
    let last = |index: usize| Some(format!("shared_{}", index % boxes).into());
    lead.state = Some(AgentState {
        status: "running".into(),
        profile_box_id: None,
        context_box_id: last(0),
        output_box_id: last(1),
    });
    lead.pointers =
        Some(AgentPointers { last_output_box_id: last(2), memory_context_box_id: last(3) });
    tables.add_agent(lead);
    // a policy in a card of the profile takes the most reads
    tables.add_card(card(
        r#"{"card_id": "prof", "metadata": {"type": "sys.profile"}, "content":
            {"__type__": "JsonContent", "data": {"name": "Lead", "delegation_policy": {}}}}"#,
    ));
    tables.add_profile(Profile::new("Lead", "pb_lead")).add_box("pb_lead", ["prof"]);
    store
}

/// Returns tasks on shared boxes. Dialects with authority use only boxes that the lead owns.
pub fn shared_tasks(tasks: usize, boxes: usize, dialect: Dialect) -> Json {
    let own = if dialect.checks_authority { boxes.min(4) } else { boxes };
    let tasks: Vec<Json> = (0..tasks)
        .map(|index| {
            Json::from([
                ("target_strategy", Json::from(if index % 3 == 2 { "clone" } else { "new" })),
                ("target_ref", Json::from(if index % 3 == 2 { "w" } else { "Writer" })),
                ("instruction", Json::from(format!("part {index}"))),
                ("context_box_id", Json::from(format!("shared_{}", index % own))),
            ])
        })
        .collect();
    Json::from([("tasks", Json::from(tasks))])
}

fn card(text: &str) -> Card {
    Card::from_row(&Field::root(&Json::parse(text).unwrap())).unwrap()
}

const RECIPES: &str = r#"[{
    "name": "ask_for_review",
    "arguments": [
        {"name": "what", "type": "text"},
        {"name": "drafts", "type": "box_ids", "required": false},
        {"name": "verdict", "type": "result_fields", "required": false}],
    "handover": {
        "target_profile_config": {"profile_name": "Writer"},
        "context_packing_config": {
            "pack_arguments": [
                {"arg_key": "what", "as_card_type": "task.instruction"},
                {"arg_key": "verdict", "as_card_type": "task.result_fields"}],
            "inherit_context": {"include_boxes_from_args": ["drafts"], "include_parent": true}}}
}]"#;

const CARD_ROWS: [&str; 13] = [
    r#"{"card_id": "c0", "metadata": {"role": "user"}, "content": {"__type__": "TextContent", "text": "do A"}}"#,
    r#"{"card_id": "c1", "metadata": {"role": "assistant"}, "content": {"__type__": "TextContent", "text": "thought"}}"#,
    r#"{"card_id": "c2", "metadata": {}, "content": {"__type__": "JsonContent", "data": {"b": 1, "aa": [2.50, null]}}}"#,
    r#"{"card_id": "c3", "metadata": {"role": null}, "content": {"__type__": "TextContent", "text": "password = hunter22x"}}"#,
    r#"{"card_id": "c4", "metadata": {"role": "user", "type": "task.instruction"}, "content": {"__type__": "TextContent", "text": "go on"}}"#,
    r#"{"card_id": "rf", "metadata": {"type": "task.result_fields"}, "content": {"__type__": "FieldsSchemaContent", "fields": [{"name": "sum", "description": "short"}, {"name": "n"}]}}"#,
    r#"{"card_id": "rf_text", "metadata": {"type": "task.result_fields"}, "content": {"__type__": "TextContent", "text": "no fields"}}"#,
    r#"{"card_id": "tools", "metadata": {"type": "sys.tools"}, "content": {"__type__": "ToolContent", "tools": [{"type": "function", "function": {"name": "x"}}]}}"#,
    r#"{"card_id": "file", "metadata": {"role": "user"}, "content": {"__type__": "FileContent", "uri": "s3://b/k", "checksum": "sha"}}"#,
    r#"{"card_id": "call", "metadata": {"role": "assistant"}, "content": {"__type__": "ToolCallContent", "tool_name": "x", "arguments": {"q": 1}, "status": "called"}}"#,
    r#"{"card_id": "result", "metadata": {"role": "tool"}, "tool_call_id": "k", "content": {"__type__": "ToolResultContent", "status": "success", "after_execution": "suspend", "result": {"a": 1}}}"#,
    r#"{"card_id": "expired", "metadata": {"role": "user"}, "expires_at": "2020-01-01T00:00:00Z", "content": {"__type__": "TextContent", "text": "old"}}"#,
    r#"{"card_id": "deleted", "metadata": {"role": "user"}, "deleted_at": "2020-01-01T00:00:00Z", "content": {"__type__": "TextContent", "text": "gone"}}"#,
];
