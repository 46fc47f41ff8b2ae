//! A turn whose worker is lost runs again.

use super::{CONTEXT, OUTPUT, PROFILE, World, at, text, time};
use tuckbox::store::table;
use tuckbox::{Json, json};

/// A world with the turn `t1` of `a1`.
fn world() -> World {
    let mut world = World::new();
    let turn = json!({"agent_id": "a1", "agent_turn_id": "t1", "channel_id": "public",
        "profile_box_id": PROFILE, "context_box_id": CONTEXT, "output_box_id": OUTPUT});
    world.call(
        "enqueue",
        json!({"target_agent_id": "a1", "message_type": "turn", "payload": turn,
            "headers": {"CG-Recursion-Depth": "0"}}),
    );
    world
}

/// Claims the message of the turn.
fn claim(world: &mut World) -> Json {
    let claimed = world.call("claim_inbox", json!({"agent_id": "a1"}));
    at(&claimed.value, "items").as_array().unwrap()[0].clone()
}

/// Claims and starts the turn. Returns the work with its step.
fn start(world: &mut World) -> Json {
    let item = claim(world);
    let started = world.call("turn_start", item.clone());
    assert_eq!(at(&started.value, "entered"), true.into(), "{}", started.value);
    let mut work = item.as_object().unwrap().clone();
    work.insert("step_id".into(), at(&started.value, "step_id"));
    Json::Object(work)
}

fn is_due(world: &mut World) -> bool {
    let due = world.call("due", json!({"rule": "recover"}));
    let calls = at(&due.value, "calls");
    let calls = calls.as_array().unwrap();
    assert!(calls.iter().all(|call| text(call, "op") == "recover_turn"), "{calls:?}");
    !calls.is_empty()
}

fn recover(world: &mut World) -> bool {
    world.call("recover_turn", json!({"agent_id": "a1"})).value.as_bool().unwrap()
}

#[test]
fn turn_of_a_lost_worker_runs_again_from_its_last_step() {
    let mut world = world();
    let first = start(&mut world);
    let mut tools = first.as_object().unwrap().clone();
    tools.insert(
        "tool_calls".into(),
        json!([{"id": "c1", "name": "no_tool", "outcome": "error", "error": "x"}]),
    );
    let done = world.call("turn_tools", Json::Object(tools));
    let next = at(&done.value, "queued").as_array().unwrap()[0].clone();
    assert_eq!(at(&next, "step_count"), 1_i64.into());
    let mut second = first.as_object().unwrap().clone();
    second.extend(next.as_object().unwrap().clone());
    let second = Json::Object(second);
    world.call("turn_start", second.clone());
    world.now += 15_000;
    assert_eq!((is_due(&mut world), recover(&mut world)), (false, false));
    world.now += 1;
    assert_eq!((is_due(&mut world), recover(&mut world)), (true, true));
    // the lost worker cannot write any more
    let late = world.call("turn_complete", second);
    assert_eq!(at(&late.value, "ended"), false.into());
    assert_eq!(text(&world.row(&table::HEADS, "a1"), "status"), "dispatched");
    let work = start(&mut world);
    assert_eq!((at(&work, "step_count"), at(&work, "turn_epoch")), (1_i64.into(), 2_i64.into()));
    let done = world.call("turn_complete", work);
    assert_eq!(text(&done.sent(".task")[0], "status"), "success");
}

#[test]
fn turn_that_a_lost_worker_claimed_runs_again() {
    let mut world = world();
    world.now += 60_000;
    // no worker claimed it
    assert_eq!((is_due(&mut world), recover(&mut world)), (false, false));
    claim(&mut world);
    world.now += 15_001;
    assert_eq!((is_due(&mut world), recover(&mut world)), (true, true));
    let work = start(&mut world);
    assert_eq!(at(&work, "turn_epoch"), 2_i64.into());
}

#[test]
fn turn_from_a_host_whose_clock_is_ahead_runs_again() {
    let mut world = world();
    // the results of its calls are older than its message
    for seq in 0..30 {
        let result = json!({"inbox_id": format!("r{seq}"), "agent_id": "a1", "agent_turn_id": "t1",
            "message_type": "tool_result", "status": "consumed", "payload": {}, "seq": seq,
            "created_at": time(0)});
        world.add(&table::INBOX, result);
    }
    start(&mut world);
    world.now += 15_001;
    assert_eq!((is_due(&mut world), recover(&mut world)), (true, true));
    let result = json!({"agent_id": "a1", "agent_turn_id": "t1", "output_box_id": OUTPUT});
    let progress = world.call("turn_result", result.clone());
    assert_eq!(at(&progress.value, "result"), Json::Null, "the turn waits");
    let work = start(&mut world);
    assert_eq!(at(&work, "turn_epoch"), 2_i64.into());
    world.call("turn_complete", work);
    let progress = world.call("turn_result", result);
    assert_eq!(at(&progress.value, "result.attempts"), 2_i64.into());
}

#[test]
fn renewed_turn_is_not_released() {
    let mut world = world();
    start(&mut world);
    for _ in 0..10 {
        world.now += 10_000;
        let renewed = world.call(
            "state_update",
            json!({"agent_id": "a1", "expect_agent_turn_id": "t1", "expect_turn_epoch": 1,
                "expect_status": "running", "new_status": "running"}),
        );
        assert_eq!(at(&renewed.value, "updated"), true.into());
        assert_eq!((is_due(&mut world), recover(&mut world)), (false, false));
    }
}

#[test]
fn turn_fails_after_its_last_attempt() {
    let mut world = world();
    for attempt in 1..=3 {
        start(&mut world);
        world.now += 16_000;
        assert!(recover(&mut world), "attempt {attempt}");
        if attempt < 3 {
            let message = world.row(&table::INBOX, "t1");
            assert_eq!(at(&message, "payload.attempt"), (attempt + 1).into());
        }
    }
    assert_eq!(text(&world.row(&table::HEADS, "a1"), "status"), "idle");
    let steps = world.store.tables("p1").unwrap();
    let errors: Vec<_> =
        steps.rows(&table::STEPS).filter_map(|row| row.text("error").map(str::to_owned)).collect();
    assert_eq!(errors.iter().filter(|error| *error == "lease_expired").count(), 2, "{errors:?}");
    assert!(errors.iter().any(|error| error == "worker_lost"), "{errors:?}");
}

#[test]
fn other_message_of_a_lost_worker_returns_after_the_lease() {
    let mut world = world();
    start(&mut world);
    world.call(
        "enqueue",
        json!({"target_agent_id": "a1", "message_type": "stop", "payload":
            {"agent_id": "a1", "agent_turn_id": "t1", "turn_epoch": 1}, "headers": {"CG-Recursion-Depth": "0"}}),
    );
    claim(&mut world);
    world.now += 15_001;
    let due = world.call("due", json!({"rule": "requeue"}));
    assert_eq!(at(&due.value, "calls").as_array().unwrap().len(), 1, "{}", due.value);
}

#[test]
fn reference_systems_do_not_run_a_turn_again() {
    let mut world = world();
    world.follow_reference();
    start(&mut world);
    world.now += 299_000;
    assert_eq!((is_due(&mut world), recover(&mut world)), (false, false));
}
