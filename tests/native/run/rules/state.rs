//! Single changes of heads and waiting calls.

use super::{CONTEXT, World, at, text, time};
use tuckbox::store::table;
use tuckbox::{Json, json};

#[test]
fn state_update_writes_every_given_column() {
    let mut world = World::with_turn("running");
    let args = json!({"agent_id": "a1", "active_channel_id": "other", "active_recursion_depth": 4,
        "parent_step_id": "s0", "trace_id": null, "expecting_correlation_id": "k",
        "waiting_tool_count": 2, "resume_deadline": time(60), "output_box_id": CONTEXT});
    let done = world.call("state_update", args);
    assert_eq!(done.value, json!({"updated": true}));
    let head = world.row(&table::HEADS, "a1");
    assert_eq!((text(&head, "status"), text(&head, "active_agent_turn_id")), ("running", "t1"));
    assert_eq!((text(&head, "active_channel_id"), text(&head, "parent_step_id")), ("other", "s0"));
    assert_eq!((head.get("trace_id"), text(&head, "expecting_correlation_id")), (None, "k"));
    assert_eq!(at(&head, "waiting_tool_count"), 2_i64.into());
    assert_eq!(at(&head, "active_recursion_depth"), 4_i64.into());
    assert_eq!(
        (text(&head, "resume_deadline"), text(&head, "output_box_id")),
        (&*time(60), CONTEXT)
    );
}

#[test]
fn lease_clears_the_expected_correlation() {
    let mut world = World::new();
    world.add(
        &table::HEADS,
        json!({"agent_id": "a1", "status": "idle", "turn_epoch": 3, "updated_at": time(0),
            "expecting_correlation_id": "k", "waiting_tool_count": 0, "active_recursion_depth": 0}),
    );
    world.call("lease", json!({"agent_id": "a1", "agent_turn_id": "t2"}));
    assert_eq!(world.row(&table::HEADS, "a1").get("expecting_correlation_id"), None);
}

#[test]
fn marks_succeed_again_from_their_own_state() {
    let mut world = World::waiting(&["c1"]);
    let args = json!({"tool_call_id": "c1", "tool_result_card_id": "r1"});
    let updated = json!({"updated": true});
    assert_eq!(world.work("mark_received", args.clone()).value, updated);
    let first = text(&world.row(&table::WAITING_TOOLS, "c1"), "received_at").to_owned();
    world.now += 1000;
    assert_eq!(world.work("mark_received", args.clone()).value, updated);
    assert_eq!(text(&world.row(&table::WAITING_TOOLS, "c1"), "received_at"), first);
    assert_eq!(world.work("mark_applied", args.clone()).value, updated);
    world.now += 1000;
    assert_eq!(world.work("mark_applied", args.clone()).value, updated);
    assert_eq!(world.work("mark_received", args).value, json!({"updated": false}));
}

#[test]
fn replaced_waits_have_ids_and_names() {
    let mut world = World::with_turn("suspended");
    let items = json!([{"tool_call_id": " c1 ", "tool_name": "search"}, {"tool_call_id": "  "},
        {"tool_call_id": "c2", "step_id": "s9"}, {"tool_name": "search"}]);
    let done = world.work("replace_waiting", json!({"wait_items": items}));
    assert_eq!(done.value, json!({"waiting": 2}));
    let (first, second) =
        (world.row(&table::WAITING_TOOLS, "c1"), world.row(&table::WAITING_TOOLS, "c2"));
    assert_eq!((text(&first, "tool_name"), text(&first, "step_id")), ("search", "s1"));
    assert_eq!((text(&second, "tool_name"), text(&second, "step_id")), ("unknown", "s9"));
    assert_eq!(world.row(&table::WAITING_TOOLS, " c1 "), Json::Null);
}
