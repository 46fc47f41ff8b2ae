//! Promises that the reference systems do not make.

use super::{CONTEXT, OUTPUT, PROFILE, World, at, text, time};
use tuckbox::store::table;
use tuckbox::{Json, json};

fn enqueue(payload: Json) -> Json {
    json!({"target_agent_id": "a1", "message_type": "turn", "payload": payload,
        "headers": {"CG-Recursion-Depth": "0"}})
}

fn turn(profile: &str) -> Json {
    json!({"agent_id": "a1", "agent_turn_id": "t1", "channel_id": "public",
        "profile_box_id": profile, "context_box_id": CONTEXT, "output_box_id": OUTPUT})
}

#[test]
fn accepted_message_is_not_an_error() {
    let incomplete = json!({"agent_turn_id": "t1", "channel_id": "public"});
    let mut world = World::new();
    let done = world.call("enqueue", enqueue(incomplete.clone()));
    assert_eq!(text(&done.value, "error_code"), "missing_required_fields");
    assert_eq!(world.count(&table::INBOX), 0, "a refusal writes nothing");
    // the reference systems accept it
    world.follow_reference();
    let done = world.call("enqueue", enqueue(incomplete));
    assert_eq!(text(&done.value, "status"), "accepted");
    assert_eq!(text(&world.row(&table::INBOX, "t1"), "status"), "error");
}

#[test]
fn any_text_is_a_box_id() {
    let mut world = World::new();
    world.store.project("p1").add_box("pb_writer", []).add_box("notes", []);
    let call = json!({"agent_id": "a1", "profile_box_id": "pb_writer", "context_box_id": "notes",
        "headers": {"CG-Recursion-Depth": "0"}});
    let done = world.call("dispatch", call.clone());
    assert_eq!(text(&done.value, "status"), "accepted", "{}", done.value);
    assert_eq!(text(&world.row(&table::HEADS, "a1"), "profile_box_id"), "pb_writer");
    let done = World::new().call("enqueue", enqueue(turn("pb_writer")));
    assert_eq!(at(&done.value, "payload.turn_epoch"), 1_i64.into());
    // the reference systems have UUIDs
    let mut world = World::new();
    world.follow_reference();
    let done = world.call("enqueue", enqueue(turn("pb_writer")));
    assert_eq!(text(&done.value, "error_code"), "invalid_box_id");
}

/// Runs a turn up to `until`, loses its head and rebuilds it. Returns the head before and after.
fn rebuilt(until: &str) -> (Json, Json, World) {
    let mut world = World::new();
    world.call("enqueue", enqueue(turn(PROFILE)));
    if until != "dispatched" {
        let claimed = world.call("claim_inbox", json!({"agent_id": "a1"}));
        let item = at(&claimed.value, "items").as_array().unwrap()[0].clone();
        let started = world.call("turn_start", item.clone());
        let step_id = at(&started.value, "step_id");
        if until != "running" {
            let mut call = item.as_object().unwrap().clone();
            call.insert("step_id".into(), step_id.clone());
            call.insert("tool_calls".into(), json!([{"id": "c1", "name": "search"}]));
            world.call("turn_tools", Json::Object(call));
        }
        if until == "resumed" {
            let thought =
                json!({"step_id": step_id.clone(), "card_type": "agent.thought", "calls": true});
            world.index("thought", thought, 0);
            // the clock of this host shows an earlier time
            world.now -= 60_000;
            let answer = json!({"agent_id": "a1", "agent_turn_id": "t1", "turn_epoch": 1,
                "step_id": step_id, "tool_call_id": "c1", "tool_name": "search", "result": 7});
            world.call("answer_tool_call", answer);
            let claimed = world.call("claim_inbox", json!({"agent_id": "a1"}));
            world.call("resume", at(&claimed.value, "items").as_array().unwrap()[0].clone());
        }
    }
    let before = world.row(&table::HEADS, "a1");
    world.store.project("p1").remove_row(&tuckbox::store::RowKey::new(&table::HEADS, ["a1"]));
    let done = world.call("reclaim_agent", json!({"agent_id": "a1"}));
    assert_eq!((done.value.as_bool(), done.sent(".task").len()), (Some(true), 0));
    (before, world.row(&table::HEADS, "a1"), world)
}

#[test]
fn lost_head_is_rebuilt_and_its_turn_goes_on() {
    for until in ["dispatched", "running", "suspended", "resumed"] {
        let (before, after, mut world) = rebuilt(until);
        let status = if until == "resumed" { "running" } else { until };
        assert_eq!(text(&before, "status"), status);
        for column in [
            "status",
            "active_agent_turn_id",
            "active_channel_id",
            "turn_epoch",
            "active_recursion_depth",
            "trace_id",
            "profile_box_id",
            "context_box_id",
            "output_box_id",
            "waiting_tool_count",
        ] {
            assert_eq!(after.get(column), before.get(column), "{until}: {column}");
        }
        if status == "running" {
            let epoch = at(&before, "turn_epoch");
            let end = json!({"agent_id": "a1", "agent_turn_id": "t1", "turn_epoch": epoch,
                "output_box_id": OUTPUT});
            let done = world.call("turn_complete", end);
            assert_eq!(text(&done.sent(".task")[0], "status"), "success");
        }
    }
}

#[test]
fn reconciled_task_has_the_outcome_of_its_turn() {
    for (outcome, error) in
        [("timeout", "dispatch_timeout"), ("partial", "half"), ("canceled", "no")]
    {
        let mut world = World::new();
        let spec = json!({"agent_id": "a1", "provision": false, "profile_box_id": PROFILE,
            "context_box_id": CONTEXT});
        world.call(
            "create_batch",
            json!({"source_agent_id": "boss", "parent_agent_turn_id": "tp", "parent_turn_epoch": 1,
                "parent_tool_call_id": "cp", "recursion_depth": 0, "activate": true, "task_specs": [spec]}),
        );
        let task =
            world.store.tables("p1").unwrap().rows(&table::BATCH_TASKS).next().unwrap().clone();
        let turn = text(&Json::Object((*task.row).clone()), "current_agent_turn_id").to_owned();
        world.add(
            &table::STEPS,
            json!({"agent_id": "a1", "step_id": "s_end", "agent_turn_id": turn.as_str(), "status": "failed",
                "error": error, "outcome": outcome, "metadata": {}, "started_at": time(2), "ended_at": time(2)}),
        );
        world.call("finish_idle", json!({"agent_id": "a1"}));
        world.now += 70_000;
        world.call("reconcile_task", json!({"batch_task_id": task.key[0].as_str()}));
        assert_eq!(text(&world.row(&table::BATCH_TASKS, &task.key[0]), "status"), outcome);
    }
}
