//! Sentences of the documents about layers, queries and card types.

use crate::property::{Dice, hold};
use tuckbox::agents::Setup;
use tuckbox::rule::{AnyOutcome, Composer, Defaults, Step};
use tuckbox::store::Snapshot;
use tuckbox::value::card::role_of_type;
use tuckbox::{Env, Json, Timestamp, json};

fn outcome(setup: &Setup, call: &Json) -> AnyOutcome {
    let call = setup.read_call(call).unwrap();
    let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    match call.step(&Snapshot::new("p1".into()), &env).unwrap() {
        Step::Done(outcome) => outcome,
        Step::Need(reads) => panic!("unexpected reads: {reads:?}"),
    }
}

fn value(call: &Json) -> Json {
    outcome(&Setup::default(), call).value.to_json().unwrap()
}

fn codes(setup: &Setup, call: &Json) -> Vec<String> {
    let found = outcome(setup, call);
    let value = found.value.to_json().unwrap();
    let of_value = value.get("lints").and_then(Json::as_array).unwrap_or_default();
    let code = |lint: &Json| lint.get("code").and_then(Json::as_str).map(str::to_owned);
    let of_outcome = found.lints.iter().map(|lint| lint.code.as_str().to_owned());
    of_outcome.chain(of_value.iter().filter_map(code)).collect()
}

#[test]
fn the_live_todo_replaces_a_stored_block() {
    let state = json!({"todo": ["read"], "todo__context": "old"});
    let collected = value(&json!({"op": "collect_contexts", "state": state.clone()}));
    assert_eq!(collected.get("contexts"), Some(&json!({"todo__context": "- [ ] read"})));
    let left: Vec<_> = collected
        .get("left_out")
        .and_then(Json::as_array)
        .unwrap()
        .iter()
        .map(|left| (left.get("from").cloned().unwrap(), left.get("rule").cloned().unwrap()))
        .collect();
    assert_eq!(left, [(json!("state.todo__context"), json!("overridden"))]);
    // what the host brings for this call is used
    let retrieved = json!({"todo__context": "new"});
    let call = json!({"op": "collect_contexts", "state": state, "retrieved": retrieved.clone()});
    assert_eq!(value(&call).get("contexts"), Some(&retrieved));
}

#[test]
fn a_stored_framework_block_is_not_injected() {
    let call = json!({"op": "collect_contexts", "state": {"framework__context": "old"}});
    let collected = value(&call);
    assert_eq!(collected.get("contexts"), Some(&json!({})));
    let left = collected.get("left_out").and_then(Json::as_array).unwrap();
    assert_eq!(left[0].get("rule"), Some(&json!("runtime_only")));
    // the reference systems inject it
    let reference = Defaults { reference_behavior: true, ..Defaults::default() };
    let found = outcome(&Setup::new(reference, Default::default()), &call).value.to_json().unwrap();
    assert_eq!(found.get("contexts"), Some(&json!({"framework__context": "old"})));
}

#[test]
fn a_summary_that_sharing_keeps_out_is_a_lint() {
    let call = json!({"op": "compose", "process": "react", "system_prompt": "s", "query": "q",
        "contexts": {"compression__context": "They met."}});
    let composer = Composer { enable_share_context: Some(false), ..Composer::default() };
    let off = Setup::new(Defaults { composer, ..Defaults::default() }, Default::default());
    assert!(codes(&off, &call).contains(&"summary_not_shared".to_owned()));
    assert!(codes(&Setup::default(), &call).is_empty());
}

fn talk(roles: &[&str]) -> Json {
    let message = |role: &&str| json!({"role": *role, "content": "continue"});
    json!({"op": "compose", "process": "react", "system_prompt": "s", "contexts": {},
        "query": {"in_checkpoint": true},
        "checkpoint_messages": roles.iter().map(message).collect::<Json>()})
}

#[test]
fn the_query_appears_exactly_once() {
    let twice = "duplicate_query".to_owned();
    assert!(codes(&Setup::default(), &talk(&["user", "user"])).contains(&twice));
    assert!(!codes(&Setup::default(), &talk(&["user", "assistant", "user"])).contains(&twice));
    let none = json!({"op": "compose", "process": "react", "system_prompt": "s", "contexts": {}, "query": null});
    assert!(codes(&Setup::default(), &none).contains(&"no_query".to_owned()));
    // an answered query can be asked again, an open one cannot
    let ask = |roles: &[&str]| {
        let Json::Object(mut call) = talk(roles) else { unreachable!() };
        call.insert("query".into(), "continue".into());
        Setup::default().read_call(&Json::Object(call)).is_ok()
    };
    assert!(ask(&["user", "assistant"]));
    assert!(!ask(&["user"]));
}

const TYPES: [&str; 10] = [
    "task.instruction",
    "agent.thought",
    "tool.call",
    "tool.result",
    "task.deliverable",
    "sys.profile",
    "sys.rendered_prompt",
    "sys.tools",
    "meta.parent_pointer",
    "note",
];

#[test]
fn a_card_of_a_standard_type_has_its_role_or_a_lint() {
    hold("a card of a standard type has its role or a lint", |dice: &mut Dice| {
        let card_type = TYPES[dice.below(TYPES.len())];
        let roles = [None, Some("user"), Some("assistant"), Some("tool"), Some("system")];
        let given = roles[dice.below(roles.len())];
        let metadata = given.map_or(json!({}), |role| json!({"role": role}));
        let card = json!({"type": card_type, "author_id": "a", "metadata": metadata,
            "content": {"__type__": "TextContent", "text": "x"}});
        let put = outcome(&Setup::default(), &json!({"op": "put_cards", "cards": [card]}));
        let stored = put.writes.cards[0].role();
        assert_eq!(stored, given.or(role_of_type(card_type)));
        let differs = role_of_type(card_type).is_some_and(|role| stored != Some(role));
        assert_eq!(put.lints.iter().any(|lint| lint.code == "role_mismatch"), differs);
    });
}
