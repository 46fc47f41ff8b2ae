//! Messages and wakeups.

use super::{PROFILE, World, at, text, time};
use tuckbox::store::table;
use tuckbox::{Json, json};

fn message(inbox_id: &str, more: Json) -> Json {
    let mut row = json!({"inbox_id": inbox_id, "agent_id": "a1", "message_type": "turn",
        "status": "pending", "recursion_depth": 2, "correlation_id": inbox_id, "seq": 1,
        "created_at": time(-60), "payload": {"agent_id": "a1", "agent_turn_id": "t1",
        "turn_epoch": 3, "channel_id": "public", "profile_box_id": PROFILE}});
    if let Json::Object(row) = &mut row {
        row.extend(more.as_object().unwrap().clone());
    }
    row
}

#[test]
fn queued_messages_are_not_open() {
    let mut world = World::with_turn("running");
    world.add(&table::INBOX, message("m1", json!({"status": "queued"})));
    assert_eq!(world.call("has_open", json!({"agent_id": "a1"})).value, json!({"open": false}));
    world.add(&table::INBOX, message("m2", json!({"status": "processing"})));
    assert_eq!(world.call("has_open", json!({"agent_id": "a1"})).value, json!({"open": true}));
}

#[test]
fn wakeups_of_watchdogs_name_the_turn() {
    let mut world = World::waiting(&["c1"]);
    world.call(
        "state_update",
        json!({"agent_id": "a1", "waiting_tool_count": 1, "resume_deadline": time(-5)}),
    );
    let done = world.call("time_out_tools", json!({"agent_id": "a1"}));
    assert_eq!(text(&done.sent(".wakeup")[0], "agent_turn_id"), "t1");

    let mut world = World::with_turn("running");
    world.add(&table::INBOX, message("m1", json!({"message_type": "note", "payload": {}})));
    let done = world.call("poke_inbox", json!({"inbox_id": "m1"}));
    assert_eq!(done.sent(".wakeup")[0].get("agent_turn_id"), Some(&Json::Null));
}

#[test]
fn claimed_message_with_an_invalid_trace_gets_a_new_one() {
    let mut world = World::with_turn("dispatched");
    world.add(&table::INBOX, message("m1", json!({"traceparent": "wrong", "tracestate": "x=1"})));
    let done = world.call("claim_inbox", json!({"agent_id": "a1"}));
    let item = at(&done.value, "items").as_array().unwrap()[0].clone();
    let trace_id = text(&item, "trace_id").to_owned();
    let parent = at(&item, "headers.traceparent");
    assert!(parent.as_str().unwrap().starts_with(&format!("00-{trace_id}-")), "{item}");
    assert_eq!(at(&item, "headers.tracestate"), Json::Null);
}

#[test]
fn claimed_turn_touches_its_head_before_the_agent_is_checked() {
    for status in ["dispatched", "running", "suspended"] {
        let mut world = World::with_turn(status);
        let payload = json!({"agent_turn_id": "t1", "turn_epoch": 3});
        world.add(&table::INBOX, message("m1", json!({"payload": payload})));
        let done = world.call("claim_inbox", json!({"agent_id": "a1"}));
        assert_eq!(at(&done.value, "items"), json!([]), "no agent");
        assert_eq!(text(&world.row(&table::INBOX, "m1"), "status"), "error");
        let head = world.row(&table::HEADS, "a1");
        assert_eq!(at(&head, "active_recursion_depth"), 2_i64.into(), "{status}");
        assert_eq!(text(&head, "updated_at"), time(1), "{status}");
    }
}
