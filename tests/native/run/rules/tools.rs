//! Tool calls that deliver, and how long a turn waits for its tools.

use super::{OUTPUT, World, at, list, text};
use tuckbox::store::table;
use tuckbox::{Json, json};

/// Returns the fields of a deliverable as pairs.
fn fields(card: &Json) -> Vec<(String, String)> {
    let fields = at(card, "content.data.fields");
    let pair = |field: &Json| (text(field, "name").to_owned(), text(field, "value").to_owned());
    fields.as_array().unwrap().iter().map(pair).collect()
}

#[test]
fn the_arguments_of_a_call_that_delivers_are_the_fields_of_the_deliverable() {
    for (arguments, expected) in [
        (
            r#"{"summary": "s", "pages": [1, {"a": 1e3}]}"#,
            &[("summary", "s"), ("pages", r#"[1,{"a":1e3}]"#)][..],
        ),
        (r#"{}"#, &[]),
        (r#"["a", null]"#, &[("0", "a"), ("1", "null")]),
        (r#""done""#, &[("output", "done")]),
        ("null", &[("output", "null")]),
    ] {
        let mut world = World::with_turn("running");
        let calls = json!([{"id": "c1", "name": "submit_result", "outcome": "deliver", "delivered_text": arguments}]);
        let done = world.work("turn_tools", json!({"tool_calls": calls}));
        let [card] = &done.cards("task.deliverable")[..] else { panic!("{}", done.writes) };
        let found = fields(card);
        let found: Vec<_> =
            found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, expected);
        let data = at(card, "content.data");
        assert_eq!((at(&data, "schema_version"), text(&data, "kind")), (1.into(), "deliverable"));
        assert_eq!(text(&data, "status"), "success");
        let metadata = at(card, "metadata");
        let made =
            ["role", "author_id", "agent_turn_id", "step_id"].map(|key| text(&metadata, key));
        assert_eq!(made, ["assistant", "a1", "t1", "s1"]);

        let id = text(card, "card_id");
        assert_eq!(text(&done.sent(".task")[0], "deliverable_card_id"), id);
        assert_eq!(list(&done.sent(".step")[0], "new_card_ids"), [id]);
        let boxes = world.store.tables("p1").unwrap().boxes();
        let output = boxes.into_iter().find(|card_box| card_box.box_id.as_str() == OUTPUT).unwrap();
        assert_eq!(output.card_ids.iter().collect::<Vec<_>>(), [id]);
    }
}

#[test]
fn arguments_that_cannot_be_on_a_card_fail_the_call_and_the_turn_continues() {
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    for arguments in ["{\"a\": tru}", "{\"a\": \"\\u0000\"}", &long] {
        let mut world = World::with_turn("running");
        let calls = json!([{"id": "c1", "name": "submit_result", "outcome": "deliver", "delivered_text": arguments}]);
        let done = world.work("turn_tools", json!({"tool_calls": calls}));
        assert!(done.cards("task.deliverable").is_empty() && done.sent(".task").is_empty());
        let [card] = &done.cards("tool.result")[..] else { panic!("{}", done.writes) };
        assert_eq!(text(card, "tool_call_id"), "c1");
        assert!(!text(&at(card, "content.error"), "message").is_empty());
        assert_eq!(at(&done.value, "queued").as_array().unwrap().len(), 1, "the next step");
    }
}

#[test]
fn the_first_call_that_delivers_ends_the_turn() {
    let mut world = World::with_turn("running");
    let calls = json!([{"id": "c1", "name": "one", "outcome": "deliver", "delivered_text": "1"},
        {"id": "c2", "name": "two", "outcome": "deliver", "card_ids": ["d2"]}]);
    let done = world.work("turn_tools", json!({"tool_calls": calls}));
    let [card] = &done.cards("task.deliverable")[..] else { panic!("{}", done.writes) };
    assert_eq!(text(&done.sent(".task")[0], "deliverable_card_id"), text(card, "card_id"));
}

#[test]
fn a_turn_waits_longer_than_the_batch_of_its_call() {
    let call = |more: Json| {
        let mut call = json!({"id": "c1", "name": "fork_join"});
        if let Json::Object(call) = &mut call {
            call.extend(more.as_object().unwrap().clone());
        }
        call
    };
    for (calls, timeouts, seconds) in [
        (vec![call(json!({}))], json!({}), 30),
        (vec![call(json!({"batch_seconds": 100.5}))], json!({}), 161),
        (vec![call(json!({"batch_seconds": 0}))], json!({}), 960),
        (vec![call(json!({"batch_seconds": -5}))], json!({}), 960),
        (
            vec![
                call(json!({"batch_seconds": 100})),
                call(json!({"id": "c2", "batch_seconds": 50})),
            ],
            json!({}),
            160,
        ),
        (vec![call(json!({"batch_seconds": 100}))], json!({"fork_join": 40}), 40),
    ] {
        let mut world = World::with_turn("running");
        let args = json!({"tool_calls": calls, "tool_suspend_timeouts": timeouts});
        let now = world.now;
        world.work("turn_tools", args);
        let deadline = at(&world.row(&table::HEADS, "a1"), "resume_deadline");
        let expected = tuckbox::Timestamp::from_millis(now + seconds * 1000).to_string();
        assert_eq!(deadline, expected.into());
    }
}
