//! The result of a turn: when it ended, on which deliverable, and why it failed.

use tuckbox::agents::Setup;
use tuckbox::run::{ReadTurnResult, TurnProgress};
use tuckbox::store::table::{HEADS, INBOX};
use tuckbox::store::{MemoryStore, Snapshot};
use tuckbox::value::json::Field;
use tuckbox::{Card, Env, Json, Timestamp, json, rule};

/// Returns a store with the head of an agent, the messages of a turn, and its output.
fn store(head: Option<Json>, messages: &[Json], output: &[Json]) -> MemoryStore {
    let mut store = MemoryStore::new();
    let project = store.project("p1");
    let object = |json: &Json| json.as_object().cloned().unwrap();
    if let Some(head) = head {
        project.add_row(&HEADS, object(&head));
    }
    for message in messages {
        project.add_row(&INBOX, object(message));
    }
    let ids: Vec<_> = output.iter().map(|card| card.get("card_id").unwrap().text_form()).collect();
    project.add_box("out", ids.iter().map(String::as_str));
    for card in output {
        project.add_card(Card::from_row(&Field::root(card)).unwrap());
    }
    store
}

fn read(store: &MemoryStore, after: Option<usize>) -> TurnProgress {
    let turn = json!({"agent_id": "ann", "agent_turn_id": "t1", "output_box_id": "out"});
    let mut call = ReadTurnResult::from_json(&turn).unwrap().with_setup(&Setup::default());
    call.after = after;
    let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    rule::preview(&call, &mut Snapshot::new("p1".into()), &env, store).unwrap().value
}

fn message(status: &str, payload: Json) -> Json {
    json!({"inbox_id": "m1", "agent_id": "ann", "agent_turn_id": "t1", "message_type": "turn",
        "status": status, "payload": payload})
}

fn head(active: Option<&str>, epoch: i64) -> Option<Json> {
    let active = active.map_or(Json::Null, Json::from);
    Some(json!({"agent_id": "ann", "status": "running", "turn_epoch": epoch,
        "active_agent_turn_id": active}))
}

fn thought() -> Json {
    json!({"card_id": "c1", "metadata": {"type": "agent.thought", "role": "assistant"},
        "content": {"__type__": "TextContent", "text": "hm"}})
}

fn deliverable(id: &str, metadata: &str, fields: Json) -> Json {
    let metadata = Json::parse(&format!(r#"{{"type": "task.deliverable"{metadata}}}"#)).unwrap();
    json!({"card_id": id, "metadata": metadata,
        "content": {"__type__": "JsonContent", "data": {"fields": fields}}})
}

#[test]
fn a_turn_ends_when_its_agent_has_passed_it() {
    let at = |epoch: i64| json!({"turn_epoch": epoch});
    for (head, messages, has_ended) in [
        (head(Some("t1"), 3), vec![message("processing", at(3))], false),
        (head(Some("t0"), 3), vec![message("queued", json!({}))], false),
        // a lost turn waits for its next epoch
        (head(None, 3), vec![message("pending", at(4))], false),
        (head(None, 3), vec![message("pending", json!({}))], false),
        (None, vec![message("pending", at(1))], false),
        // its agent reached the epoch, and has another turn or none
        (head(Some("t2"), 4), vec![message("pending", at(4))], true),
        (head(None, 3), vec![message("consumed", at(3))], true),
        (head(None, 3), vec![], true),
        (None, vec![], true),
    ] {
        let read = read(&store(head.clone(), &messages, &[thought()]), None);
        assert_eq!(read.result.is_some(), has_ended, "{head:?} {messages:?}");
        assert!(read.cards.is_empty());
    }
}

#[test]
fn its_result_is_the_last_deliverable() {
    let fields = json!([{"name": "answer", "value": "42"}, {"name": 7, "value": "no"}]);
    let output = [
        deliverable("d1", "", json!([])),
        thought(),
        deliverable("d2", r#", "partial": false"#, fields),
    ];
    let lost = message("consumed", json!({"turn_epoch": 3, "attempt": 2}));
    let known = store(head(None, 3), &[lost], &output);
    let result = read(&known, None).result.unwrap();
    assert_eq!((result.status, result.attempts, result.error), ("success", 2, None));
    assert_eq!(Json::Object(result.fields), json!({"answer": "42"}));
    assert_eq!(result.deliverable.unwrap().card_id, "d2");

    let ids = |after| -> Vec<String> {
        read(&known, Some(after)).cards.iter().map(|card| card.card_id.to_string()).collect()
    };
    assert_eq!(ids(0), ["d1", "c1", "d2"]);
    assert_eq!(ids(2), ["d2"]);
    assert!(ids(9).is_empty());
    let running = store(head(Some("t1"), 3), &[], &output[..2]);
    let seen = read(&running, Some(1));
    assert_eq!((seen.cards.len(), seen.result), (1, None));
}

#[test]
fn a_failed_turn_has_its_reason() {
    let named = |name: &str| json!([{"name": name, "value": "no key"}]);
    for (metadata, fields, reason) in [
        (r#", "terminal_reason": "stopped", "stop_reason": "later""#, named("error"), "stopped"),
        (r#", "stop_reason": "budget""#, named("error"), "budget"),
        ("", named("error"), "no key"),
        ("", named("reason"), "no key"),
        ("", named("output"), "the turn failed"),
    ] {
        let card = deliverable("d1", &format!(r#", "partial": true{metadata}"#), fields);
        let result = read(&store(head(None, 1), &[], &[card]), None).result.unwrap();
        assert_eq!((result.status, result.error.as_deref()), ("failed", Some(reason)));
        assert!(result.deliverable.is_some());
    }
    let result = read(&store(head(None, 1), &[], &[thought()]), None).result.unwrap();
    assert_eq!(result.error.as_deref(), Some("the turn ended without a deliverable"));
    assert_eq!((result.status, result.attempts, result.deliverable), ("failed", 1, None));
}
