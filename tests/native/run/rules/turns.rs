//! Steps, results and the end of turns.

use super::{CONTEXT, OUTPUT, World, at, list, text};
use tuckbox::store::table;
use tuckbox::{Json, json};

#[test]
fn result_that_ends_the_turn_is_its_deliverable() {
    let mut world = World::waiting(&["c1", "c2"]);
    let ends =
        json!({"status": "failed", "after_execution": "terminate", "result": {"error_code": "E7"}});
    world.result("r1", "c1", ends, 1);
    let last = json!({"status": "success", "after_execution": "suspend", "result": "late"});
    world.result("r2", "c2", last, 2);
    world.resume("c1", "r1");
    let done = world.resume("c2", "r2");
    let [task] = &done.sent(".task")[..] else { panic!("{}", done.writes) };
    assert_eq!((text(task, "status"), text(task, "error")), ("failed", "E7"));
    assert_eq!(text(task, "tool_result_card_id"), "r2", "the card that arrived last");
    let [card] = &done.cards("task.deliverable")[..] else { panic!("{}", done.writes) };
    let thought = at(card, "content.data.diagnostics.last_agent_thought");
    assert!(thought.as_str().unwrap().contains("E7"), "the result that ends the turn: {card}");
}

#[test]
fn error_of_a_turn_is_the_first_text_of_its_result() {
    for (error, result, expected) in [
        (json!({"message": "m", "code": "c"}), json!({"error_message": "r"}), "m"),
        (json!({"code": "c"}), json!({"error_message": "r"}), "c"),
        (Json::Null, json!({"error_message": "r", "error": "e"}), "r"),
        (Json::Null, json!({"error": "e", "error_code": "x"}), "e"),
        (Json::Null, json!("text"), "timeout"),
    ] {
        let mut world = World::waiting(&["c1"]);
        let content = json!({"status": "timeout", "after_execution": "terminate", "result": result,
            "error": error});
        world.result("r1", "c1", content, 1);
        let done = world.resume("c1", "r1");
        assert_eq!(text(&done.sent(".task")[0], "error"), expected);
    }
}

#[test]
fn submit_result_with_other_calls_runs_nothing() {
    let mut world = World::with_turn("running");
    let calls = json!([{"id": "c1", "name": "search"}, {"id": "c2", "name": "submit_result",
        "outcome": "deliver"}]);
    let done = world.work("turn_tools", json!({"tool_calls": calls.clone()}));
    assert_eq!(done.cards("tool.result").len(), 1, "{}", done.writes);
    assert_eq!(text(&done.cards("tool.result")[0], "tool_call_id"), "c2");
    assert!(done.sent(".state").is_empty() && done.sent(".task").is_empty());
    assert_eq!(at(&done.value, "queued").as_array().unwrap().len(), 1, "the next step");
    assert_eq!(world.count(&table::WAITING_TOOLS), 0);

    let done = world.work("turn_tools", json!({"tool_calls": calls, "step_count": 7}));
    assert_eq!(text(&done.sent(".task")[0], "error"), "max_steps_reached (max_steps=8)");
}

#[test]
fn executing_tool_is_omitted_only_for_submit_result() {
    for (name, events) in [("submit_result", 0), ("deliver_it", 1)] {
        let mut world = World::with_turn("running");
        let calls = json!([{"id": "c1", "name": name, "outcome": "deliver"}]);
        let done = world.work("turn_tools", json!({"tool_calls": calls}));
        let executing =
            done.sent(".state").into_iter().filter(|state| text(state, "status") == "running");
        assert_eq!(executing.count(), events, "{name}");
    }
}

#[test]
fn blank_card_id_counts_as_missing() {
    let mut world = World::waiting(&["c1"]);
    let done = world.resume("c1", "  ");
    assert_eq!(text(&done.sent(".task")[0], "error"), "missing tool_result_card_id");
}

#[test]
fn result_without_a_call_is_ignored() {
    let mut world = World::waiting(&["c1"]);
    world.result("r1", "c1", json!({"status": "success", "after_execution": "suspend"}), 1);
    let payload =
        json!({"tool_result_card_id": "r1", "status": "success", "after_execution": "suspend"});
    let done = world.work("resume", json!({"payload": payload}));
    assert!(done.rows("heads").is_empty() && done.rows("outbox").is_empty(), "{}", done.writes);
    assert_eq!(world.count(&table::RESUME_LEDGER), 0);
}

#[test]
fn wrong_results_have_stable_codes() {
    let inline = json!({"tool_call_id": "c1", "tool_result_card_id": "r1", "result": 1,
        "after_execution": "suspend"});
    let mut world = World::waiting(&["c1"]);
    let done = world.work("resume", json!({"payload": inline}));
    assert_eq!(at(&done.cards("tool.result")[0], "content.error.code"), "invalid_payload".into());

    let mut world = World::waiting(&["c1"]);
    let done = world.resume("c1", "thought");
    let code = at(&done.cards("tool.result")[0], "content.error.code");
    assert_eq!(code, "invalid_tool_result_type".into());
}

#[test]
fn result_found_as_a_card_gets_a_ledger_row() {
    let mut world = World::waiting(&["c1", "c2"]);
    world.result("r1", "c1", json!({"status": "success", "after_execution": "suspend"}), 1);
    world.result("r2", "c2", json!({"status": "success", "after_execution": "suspend"}), 2);
    world.work("mark_received", json!({"tool_call_id": "c2", "tool_result_card_id": "r2"}));
    let done = world.call("take_up_results", json!({"agent_id": "a1"}));
    let queued = at(&done.value, "queued");
    assert_eq!(queued.as_array().unwrap().len(), 1, "only a call that waits: {queued}");
    let row = world.row(&table::RESUME_LEDGER, "r1");
    assert_eq!((text(&row, "status"), text(&row, "tool_call_id")), ("pending", "c1"));

    let mut world = World::waiting(&["c1"]);
    world.result("r1", "c1", json!({"status": "success", "after_execution": "suspend"}), 1);
    world.work("mark_received", json!({"tool_call_id": "c1", "tool_result_card_id": "r1"}));
    let none = world.call("take_up_results", json!({"agent_id": "a1"}));
    assert_eq!(at(&none.value, "queued"), json!([]));
    let done = world.call("take_up_results", json!({"agent_id": "a1", "include_received": true}));
    assert_eq!(at(&done.value, "queued").as_array().unwrap().len(), 1);
}

#[test]
fn call_that_no_worker_started_is_claimed_once_its_head_is_unchanged_for_a_lease() {
    let mut world = World::waiting(&["c1"]);
    world.now += 60_000;
    let take_up = |unchanged_ms| json!({"agent_id": "a1", "include_unstarted": true, "unchanged_ms": unchanged_ms});
    let early = world.call("take_up_results", take_up(15_000));
    assert_eq!(early.value, json!({"queued": []}));
    let done = world.call("take_up_results", take_up(15_001));
    let queued = at(&done.value, "queued");
    assert_eq!(at(&queued.as_array().unwrap()[0], "start.tool_call_id"), "c1".into());
    assert_eq!(at(&done.value, "turn.context_box_id"), CONTEXT.into());
    assert_eq!(at(&done.value, "turn.headers"), json!({"CG-Recursion-Depth": "0"}));
}

#[test]
fn suspension_finds_ledger_rows_and_cards() {
    let mut world = World::with_turn("running");
    world.result("r1", "c1", json!({"status": "success", "after_execution": "suspend"}), 1);
    world.result("r2", "c2", json!({"status": "success", "after_execution": "suspend"}), 2);
    // the result of `c1` was reported while the turn ran
    world.resume("c1", "r1");
    world.now += 5000;
    let calls = json!([{"id": "c1", "name": "search"}, {"id": "c2", "name": "search"}]);
    let done = world.work("turn_tools", json!({"tool_calls": calls}));
    let queued = at(&done.value, "queued");
    let cards: Vec<Json> = queued
        .as_array()
        .unwrap()
        .iter()
        .map(|item| at(item, "resume.tool_result_card_id"))
        .collect();
    assert_eq!(cards, [Json::from("r1"), Json::from("r2")]);
    assert_eq!(text(&world.row(&table::RESUME_LEDGER, "r2"), "status"), "pending");
}

#[test]
fn applied_result_has_no_error_and_a_repeated_one_touches_its_row() {
    let mut world = World::waiting(&["c1", "c2"]);
    world.result("r1", "c1", json!({"status": "success", "after_execution": "suspend"}), 1);
    world.add(
        &table::RESUME_LEDGER,
        json!({"agent_id": "a1", "agent_turn_id": "t1", "turn_epoch": 3, "tool_call_id": "c1",
            "tool_result_card_id": "r1", "status": "pending", "attempt_count": 1,
            "next_retry_at": super::time(0), "last_error": "tool_result_card_not_found", "payload": {},
            "created_at": super::time(0), "updated_at": super::time(0)}),
    );
    world.resume("c1", "r1");
    let first = world.row(&table::RESUME_LEDGER, "r1");
    assert_eq!((text(&first, "status"), first.get("last_error")), ("applied", None));
    world.now += 1000;
    world.resume("c1", "r1");
    let again = world.row(&table::RESUME_LEDGER, "r1");
    assert_ne!(text(&again, "updated_at"), text(&first, "updated_at"));
}

#[test]
fn completed_turn_delivers_the_given_card() {
    let mut world = World::with_turn("running");
    let cards = json!({"deliverable_card_id": "d1", "new_card_ids": ["n1"]});
    let done = world.work("turn_complete", cards);
    assert!(done.cards("task.deliverable").is_empty(), "no fallback");
    assert_eq!(text(&done.sent(".task")[0], "deliverable_card_id"), "d1");
    assert_eq!(list(&done.sent(".step")[0], "new_card_ids"), ["n1", "d1"]);
}

#[test]
fn resumed_card_is_new_even_if_the_box_has_it() {
    let mut world = World::waiting(&["c1", "c2"]);
    world.result("r1", "c1", json!({"status": "success", "after_execution": "suspend"}), 1);
    world.store.project("p1").add_box(OUTPUT, ["r1"]);
    let done = world.resume("c1", "r1");
    let steps = done.sent(".step");
    assert_eq!(list(&steps[steps.len() - 1], "new_card_ids"), ["r1"]);
}

#[test]
fn stop_cards_have_the_epoch_of_the_head() {
    let mut world = World::with_turn("running");
    let args = json!({"agent_id": "a1", "agent_turn_id": "t1", "turn_epoch": 1, "payload": {}});
    let done = world.call("stop", args);
    for kind in ["agent.error", "task.deliverable"] {
        let [card] = &done.cards(kind)[..] else { panic!("{}", done.writes) };
        assert_eq!(at(card, "metadata.resume_turn_epoch"), 3_i64.into(), "{kind}");
    }
}
