//! `prune` deletes rows of ended work only, in the worlds of the simulator.

use crate::property::times;
use crate::sim::{Plan, watched};
use tuckbox::run::{ListDue, Prune, Pruned};
use tuckbox::store::table::{self, Table};
use tuckbox::store::{MemoryStore, Snapshot, Store};
use tuckbox::value::json::Object;
use tuckbox::{Code, Env, Json, Rule, Timestamp, json, rule};

const DAY: i64 = 86_400_000;

/// Returns the value of a call, and commits its writes.
fn done<R: Rule>(store: &mut MemoryStore, call: &R, now: Timestamp, entropy: u8) -> R::Value {
    let env = Env::new(now, [entropy; 32]);
    let mut snapshot = Snapshot::new("p1".into());
    let outcome = rule::preview(call, &mut snapshot, &env, store).unwrap();
    store.commit(&outcome.writes).unwrap();
    outcome.value
}

/// Returns the rows of a table as text.
fn rows(store: &MemoryStore, table: &Table) -> Vec<String> {
    let rows = store.tables("p1").unwrap().rows(table);
    rows.map(|row| Json::Object((*row.row).clone()).to_string()).collect()
}

fn has_status(row: &str, words: &[&str]) -> bool {
    words.iter().any(|word| row.contains(&format!(r#""status":"{word}""#)))
}

#[test]
fn prune_deletes_old_ended_rows_and_nothing_that_a_later_call_needs() {
    let kept = [
        &table::HEADS,
        &table::AGENT_QUEUES,
        &table::BATCHES,
        &table::BATCH_TASKS,
        &table::POINTERS,
        &table::PROJECT_AGENTS,
        &table::EXECUTION_EDGES,
    ];
    let mut deleted = [0_usize; 2];
    for seed in 0..times(4, 40) {
        let mut last = None;
        let plan = Plan { seed, history: false, ..Plan::default() };
        watched(&plan, &mut |store, now| last = Some((store.clone(), now)));
        let (mut store, now) = last.unwrap();
        // nothing is old enough
        let prune = Prune::from_json(&json!({})).unwrap();
        assert_eq!(done(&mut store, &prune, now, 1), Pruned::default(), "seed {seed}");
        let later = Timestamp::from_millis(now.as_millis() + 40 * DAY);
        let due = |store: &mut MemoryStore| {
            done(store, &ListDue::from_json(&json!({})).unwrap(), later, 2).calls
        };
        let (due_before, before) = (due(&mut store), kept.map(|table| rows(&store, table)));
        let boxes = store.tables("p1").unwrap().boxes().count();
        let mut round = 3;
        loop {
            let prune = Prune::from_json(&json!({"limit": 7})).unwrap();
            let pruned = done(&mut store, &prune, later, round);
            let counts = [pruned.messages, pruned.steps];
            deleted.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            round += 1;
            if !pruned.more {
                break;
            }
        }
        assert_eq!(due(&mut store), due_before, "seed {seed}");
        assert_eq!(kept.map(|table| rows(&store, table)), before, "seed {seed}");
        assert_eq!(store.tables("p1").unwrap().boxes().count(), boxes, "seed {seed}");
        // what is left belongs to turns that agents work on, or to open tasks
        let active =
            rows(&store, &table::HEADS).concat() + &rows(&store, &table::BATCH_TASKS).concat();
        for row in rows(&store, &table::INBOX) {
            let json = Json::parse(&row).unwrap();
            let turn = json.get("agent_turn_id").and_then(Json::as_str).unwrap_or_default();
            let is_open = has_status(&row, &["pending", "queued", "processing", "deferred"]);
            assert!(is_open || active.contains(turn), "seed {seed}: {row}");
        }
    }
    assert!(deleted.iter().all(|count| *count > 0), "{deleted:?}");
}

/// Returns a row of a table from JSON.
fn row(json: Json) -> Object {
    json.as_object().cloned().unwrap()
}

#[test]
fn prune_deletes_settled_calls_used_results_and_old_views_of_turns_that_ended() {
    let old = "2026-01-01T00:00:00.000Z";
    let mut store = MemoryStore::new();
    let project = store.project("p1");
    let head = json!({"agent_id": "a", "status": "suspended", "active_agent_turn_id": "now"});
    project.add_row(&table::HEADS, row(head));
    for (turn, status) in [("before", "applied"), ("now", "applied"), ("before", "waiting")] {
        let id = format!("{turn}_{status}");
        project.add_row(
            &table::WAITING_TOOLS,
            row(json!({
            "agent_id": "a", "agent_turn_id": turn, "turn_epoch": 1, "tool_call_id": id.as_str(),
            "wait_status": status, "updated_at": old, "created_at": old})),
        );
        let ledger = if status == "applied" { "applied" } else { "pending" };
        project.add_row(
            &table::RESUME_LEDGER,
            row(json!({
            "agent_id": "a", "agent_turn_id": turn, "turn_epoch": 1, "tool_call_id": id.as_str(),
            "tool_result_card_id": "r", "status": ledger, "updated_at": old, "created_at": old})),
        );
    }
    for (id, at) in [("v1", old), ("v2", "2026-02-09T00:00:00.000Z")] {
        project.add_row(&table::TURN_VIEWS, row(json!({"view_id": id, "agent_id": "a", "at": at})));
    }
    let now = Timestamp::parse("2026-02-10T00:00:00.000Z").unwrap();
    let prune = Prune::from_json(&json!({})).unwrap();
    let pruned = done(&mut store, &prune, now, 1);
    assert_eq!((pruned.calls, pruned.views, pruned.more), (2, 1, false));
    let left = |table, column: &str| {
        let ids = store.tables("p1").unwrap().rows(table).map(|row| row.row.get(column).cloned());
        let mut ids: Vec<Json> = ids.flatten().collect();
        ids.sort_by_key(Json::to_string);
        ids
    };
    assert_eq!(
        left(&table::WAITING_TOOLS, "tool_call_id"),
        ["before_waiting".into(), "now_applied".into()]
    );
    assert_eq!(
        left(&table::RESUME_LEDGER, "tool_call_id"),
        ["before_waiting".into(), "now_applied".into()]
    );
    assert_eq!(left(&table::TURN_VIEWS, "view_id"), ["v2".into()]);
}

#[test]
fn prune_refuses_an_age_below_an_hour() {
    let error = Prune::from_json(&json!({"older_than_seconds": 60})).unwrap_err();
    assert_eq!(error.code(), Code::BadRequest);
    assert_eq!(error.path().to_string(), "older_than_seconds");
}
