//! Limits of the work of one orchestration call.
use crate::call::work_limits::{fork_join, limit, project, run, settings};
use tuckbox::store::Profile;
use tuckbox::{Code, Json, json};

#[test]
fn a_name_counts_in_every_row_of_a_batch() {
    let spec = r#"{"provision": true, "profile_box_id": "pb_writer", "context_box_id": "large"}"#;
    let call = format!(
        r#"{{"op": "create_batch", "source_agent_id": "lead", "parent_agent_turn_id": "t", "parent_turn_epoch": 1,
            "parent_tool_call_id": "c", "channel_id": "{}", "task_specs": [{}]}}"#,
        "x".repeat(1_000),
        vec![spec; 20].join(",")
    );
    let call = Json::parse(&call).unwrap();
    let mut store = project(3);
    let mut writer = Profile::new("Writer", "pb_writer");
    writer.worker_target = Some("w".into());
    store.project("p1").add_profile(writer);
    assert!(run(&call, &settings("{}"), &store).is_ok());
    let found = limit(run(&call, &settings(r#"{"max_bytes": 30000}"#), &store));
    assert_eq!(found, (Code::Limit, String::new(), Some("max_bytes".into())));
    let found = limit(run(&call, &settings(r#"{"max_tasks": 19}"#), &store));
    assert_eq!(found, (Code::Limit, "task_specs".to_owned(), Some("max_tasks".into())));
}

#[test]
fn a_call_cannot_raise_the_limit_of_returned_rows() {
    let mut store = project(1);
    let text = |row: &str| Json::parse(row).unwrap().as_object().unwrap().clone();
    for at in 0..4 {
        let row = format!(
            r#"{{"message_id": "m{at}", "subject": "s", "payload": {{}}, "status": "pending",
                "created_at": "2026-01-01T00:00:00.000Z", "seq": {at}}}"#
        );
        store.project("p1").add_row(&tuckbox::store::table::OUTBOX, text(&row));
    }
    let outbox = json!({"op": "outbox", "limit": 1000});
    let returned = |limits: &str| {
        let outcome = run(&outbox, &settings(limits), &store).unwrap();
        outcome.value.to_json().unwrap().get("messages").unwrap().as_array().unwrap().len()
    };
    assert_eq!((returned("{}"), returned(r#"{"max_tasks": 3}"#)), (4, 3));
    let sent = json!({"op": "mark_sent", "message_ids": ["m0", "m1", "m2"]});
    let found = limit(run(&sent, &settings(r#"{"max_messages": 2}"#), &store));
    assert_eq!(found, (Code::Limit, "message_ids".to_owned(), Some("max_messages".into())));
    let calls = json!({"op": "replace_waiting", "agent_id": "lead", "agent_turn_id": "t",
        "wait_items": [{"tool_call_id": "a"}, {"tool_call_id": "b"}]});
    assert!(run(&calls, &settings("{}"), &store).is_ok());
    let found = limit(run(&calls, &settings(r#"{"max_tasks": 1}"#), &store));
    assert_eq!(found, (Code::Limit, "wait_items".to_owned(), Some("max_tasks".into())));
}

#[test]
fn the_ids_in_the_result_of_a_dispatch_count() {
    let call = json!({"op": "hand_out", "parent_agent_turn_id": "t", "parent_turn_epoch": 1, "parent_tool_call_id": "c",
        "call": fork_join(2)});
    let found = limit(run(&call, &settings(r#"{"max_values": 7}"#), &project(3)));
    assert_eq!(found, (Code::Limit, "call".to_owned(), Some("max_values".into())));
}
