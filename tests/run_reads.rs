//! How often a call of orchestration reads before it is decided: at most twice, whatever the call and
//! whatever is stored. Every operation is asked for, as a preview, about everything that the worlds of
//! the simulator hold. (`tests/simulate.rs` holds the same of every call that the simulator makes.)

use std::collections::BTreeMap;
use tuckbox::rule::{Rule, Step};
use tuckbox::run::sim::{Plan, watched};
use tuckbox::run::{OPERATIONS, RunCall};
use tuckbox::store::table::{self, Table};
use tuckbox::store::{MemoryStore, RowKey, Snapshot, Store, Tables};
use tuckbox::{Env, Json, Timestamp};

const PROFILE: &str = "00000000-0000-4000-8000-0000000000a1";
const CONTEXT: &str = "00000000-0000-4000-8000-0000000000c1";

/// Rows as JSON; no more than a few of them.
fn some(tables: &Tables, table: &Table) -> Vec<Json> {
    tables.rows(table).take(12).map(|row| Json::Object((*row.row).clone())).collect()
}

fn text(row: &Json, column: &str) -> String {
    row.get(column).and_then(Json::as_str).unwrap_or_default().to_owned()
}

/// Some columns of a row as arguments, where it has them.
fn given(row: &Json, columns: &[&str]) -> String {
    let there = columns.iter().filter_map(|column| {
        Some(format!(r#", "{column}": {}"#, row.get(column).filter(|value| !value.is_null())?))
    });
    there.collect()
}

/// The arguments of a batch of these agents.
fn batch(call: &str, agents: &[&str], more: &str) -> String {
    let spec = |agent: &&str| {
        format!(
            r#"{{"agent_id": "{agent}", "profile_box_id": "{PROFILE}", "context_box_id": "{CONTEXT}"}}"#
        )
    };
    let specs: Vec<String> = agents.iter().map(spec).collect();
    format!(
        r#""source_agent_id": "boss", "parent_agent_turn_id": "t_boss", "parent_turn_epoch": 1,
            "parent_tool_call_id": "{call}", "recursion_depth": 1, "activate": true,
            "task_specs": [{}]{more}"#,
        specs.join(", ")
    )
}

/// The same world with batches, which are rare in those of the simulator: one that ends with its last
/// child, one that fails fast, one whose time is short, and one that has lost a message of its two.
fn with_batches(store: &MemoryStore, now: Timestamp) -> MemoryStore {
    let mut store = store.clone();
    let all = ["w1", "w2", "w3"];
    for (at, (agents, more)) in [
        (&all[..1], ""),
        (&all[..], r#", "fail_fast": true"#),
        (&all[..], r#", "deadline_seconds": 40"#),
        (&all[1..], r#", "fail_fast": true, "deadline_seconds": 40"#),
    ]
    .into_iter()
    .enumerate()
    {
        let call = rule("create_batch", &batch(&format!("c_{at}"), agents, more));
        let env = Env::new(now, [u8::try_from(at).unwrap(); 32]);
        let mut snapshot = Snapshot::new("p1".into());
        let outcome = tuckbox::rule::preview(&call, &mut snapshot, &env, &store).unwrap();
        store.commit(&outcome.writes).unwrap();
    }
    let tables = store.project("p1");
    let lost =
        tables.rows(&table::BATCH_TASKS).last().and_then(|row| row.text("current_agent_turn_id"));
    let lost = lost.unwrap_or_default().to_owned();
    let message = tables.rows(&table::INBOX).find(|row| row.text("agent_turn_id") == Some(&lost));
    if let Some(key) = message.map(|row| row.key.clone()) {
        tables.remove_row(&RowKey::new(&table::INBOX, key));
    }
    store
}

/// Calls of every operation about what is stored.
fn calls(tables: &Tables) -> Vec<(&'static str, String)> {
    let mut calls: Vec<(&'static str, String)> = Vec::new();
    let mut add = |op: &'static str, args: String| calls.push((op, args));
    let headers = r#""headers": {"CG-Recursion-Depth": "1"}"#;
    for op in ["due", "dispatch_pending", "outbox", "ledger_requeue_expired", "run_state"] {
        add(op, String::new());
    }
    add("build_batch_result", r#""status": "success", "tasks": []"#.to_owned());
    let refused = r#""dispatch_results": [{"status": "rejected", "error_code": "no"}]"#;
    add("dispatch_pending", refused.to_owned());
    let sent: Vec<String> =
        some(tables, &table::OUTBOX).iter().map(|row| text(row, "message_id")).collect();
    add("mark_sent", format!(r#""message_ids": {sent:?}"#));
    let results: Vec<Json> = tables
        .rows(&table::STEP_CARDS)
        .filter(|row| row.text("card_type") == Some("tool.result"))
        .map(|row| Json::Object((*row.row).clone()))
        .collect();

    for agent in ["boss", "w1", "w2", "w3", "nobody"] {
        let of = format!(r#""agent_id": "{agent}""#);
        let to = format!(r#""target_agent_id": "{agent}""#);
        for op in [
            "claim_inbox",
            "ring_again",
            "reclaim_agent",
            "time_out_tools",
            "take_up_results",
            "has_open",
            "run_state",
        ] {
            add(op, of.clone());
        }
        for op in ["claim_inbox", "take_up_results"] {
            add(op, format!(r#"{of}, "worker_targets": ["generic"]"#));
        }
        for which in ["dispatched", "active", "suspended"] {
            add("reap_turn", format!(r#"{of}, "which": "{which}""#));
        }
        add("wakeup", format!(r#"{to}, "mode": "dispatch_next""#));
        add("wakeup", to.clone());
        add("lease", format!(r#"{of}, "agent_turn_id": "t_new""#));
        add(
            "ensure_agent",
            format!(
                r#"{of}, "spec": {{"profile_box_id": "{PROFILE}", "worker_target": "generic"}}"#
            ),
        );
        add(
            "provision_identity",
            format!(
                r#"{to}, "action": "update", "profile_box_id": "{PROFILE}", "worker_target": "generic""#
            ),
        );
        let turn = format!(r#""profile_box_id": "{PROFILE}", "context_box_id": "{CONTEXT}""#);
        add("dispatch", format!(r#"{of}, {turn}, {headers}"#));
        for (kind, id) in [("turn", "t_new"), ("note", "t_new"), ("turn", "turn_w1_3")] {
            let payload = format!(r#"{{"agent_turn_id": "{id}", "channel_id": "public", {turn}}}"#);
            add(
                "enqueue",
                format!(r#"{to}, "message_type": "{kind}", "payload": {payload}, {headers}"#),
            );
        }
        add("create_batch", batch("c_new", &[agent, "w1"], ""));
    }
    for head in some(tables, &table::HEADS) {
        let agent = text(&head, "agent_id");
        let turn = head.get("active_agent_turn_id").and_then(Json::as_str).unwrap_or("t_none");
        let epoch = head.get("turn_epoch").cloned().unwrap_or_default();
        let guard = format!(
            r#""agent_id": "{agent}", "expect_agent_turn_id": "{turn}", "expect_turn_epoch": {epoch}"#
        );
        add("state_update", format!(r#"{guard}, "new_status": "running", "bump_epoch": true"#));
        add("finish_idle", format!(r#"{guard}, "last_output_box_id": "{CONTEXT}""#));
        let bare =
            format!(r#""agent_id": "{agent}", "agent_turn_id": "{turn}", "turn_epoch": {epoch}"#);
        let whole = format!("{bare}{}", given(&head, &["output_box_id", "context_box_id"]));
        for work in [&bare, &whole] {
            add("turn_give_back", work.clone());
            for op in ["turn_complete", "turn_fail"] {
                add(op, format!(r#"{work}, "thought": {{"text": "so"}}"#));
            }
            for more in ["", r#", "step_count": 1000"#] {
                for goes_on in [true, false] {
                    add(
                        "turn_start",
                        format!(r#"{work}, {headers}, "continuation": {goes_on}{more}"#),
                    );
                }
            }
            for outcome in ["suspend", "error", "deliver"] {
                add(
                    "turn_tools",
                    format!(
                        r#"{work}, "step_id": "s1", "thought": {{"text": "so"}},
                        "tool_calls": [{{"id": "c_new", "name": "t", "outcome": "{outcome}"}}]"#
                    ),
                );
            }
            add("stop", format!(r#"{work}, "payload": {{"reason": "enough"}}"#));
            add(
                "replace_waiting",
                format!(r#"{work}, "step_id": "s1", "tool_calls": [{{"id": "c_new"}}]"#),
            );
            add("ledger_claim", format!(r#"{work}, "lease_owner": "me""#));
            for result in results.iter().filter(|row| row.get("tool_call_id").is_some()).take(20) {
                let call = text(result, "tool_call_id");
                let card = text(result, "card_id");
                for op in ["mark_received", "mark_applied"] {
                    add(
                        op,
                        format!(
                            r#"{work}, "tool_call_id": "{call}", "tool_result_card_id": "{card}""#
                        ),
                    );
                }
                for after in ["suspend", "terminate"] {
                    add(
                        "resume",
                        format!(
                            r#"{work}, "payload": {{"tool_call_id": "{call}", "status": "success",
                            "after_execution": "{after}", "tool_result_card_id": "{card}"}}"#
                        ),
                    );
                }
            }
        }
    }
    for wait in some(tables, &table::WAITING_TOOLS) {
        let work = given(&wait, &["agent_id", "agent_turn_id", "turn_epoch"]);
        let work = work.trim_start_matches(", ");
        let call = text(&wait, "tool_call_id");
        // results that came, and one that did not
        let of_call = results.iter().filter(|row| text(row, "tool_call_id") == call);
        for card in of_call.map(|row| text(row, "card_id")).chain(["card_none".to_owned()]) {
            for hint in ["", r#", "step_id": "s_none""#] {
                add(
                    "resume",
                    format!(
                        r#"{work}, "payload": {{"tool_call_id": "{call}", "status": "success",
                        "after_execution": "terminate", "tool_result_card_id": "{card}"{hint}}}"#
                    ),
                );
            }
        }
        add("tool_call", format!(r#""correlation_id": "{call}", "recursion_depth": 1"#));
        add(
            "report",
            format!(
                r#""target_agent_id": "{}", "message_type": "tool_result", "correlation_id": "{call}",
                "payload": {{}}, "channel_id": "public", {headers}"#,
                text(&wait, "agent_id")
            ),
        );
    }
    for row in some(tables, &table::INBOX) {
        let id = text(&row, "inbox_id");
        for op in ["consume_inbox", "requeue_inbox", "poke_inbox"] {
            add(op, format!(r#""inbox_id": "{id}""#));
        }
        add("inbox_status", format!(r#""inbox_id": "{id}", "status": "consumed""#));
        add(
            "cancel",
            format!(
                r#""target_agent_id": "{}", "agent_turn_id": "{}""#,
                text(&row, "agent_id"),
                text(&row, "agent_turn_id")
            ),
        );
    }
    for task in some(tables, &table::BATCH_TASKS) {
        let id = text(&task, "batch_task_id");
        for op in ["reconcile_task", "dispatch_task"] {
            add(op, format!(r#""batch_task_id": "{id}""#));
        }
        add("dispatch_task", format!(r#""batch_task_id": "{id}", {refused}"#));
        for status in ["success", "failed", "partial"] {
            let turn = task.get("current_agent_turn_id").and_then(Json::as_str).unwrap_or("t_none");
            add("child_event", format!(r#""agent_turn_id": "{turn}", "status": "{status}""#));
        }
    }
    for batch in some(tables, &table::BATCHES) {
        let of = format!(r#""batch_id": "{}""#, text(&batch, "batch_id"));
        for op in ["activate_batch", "end_batch", "run_state"] {
            add(op, of.clone());
        }
        add("activate_batch", format!("{of}, {refused}"));
        for phase in ["request", "response"] {
            add(
                "join",
                format!(
                    r#""correlation_id": "{}", "phase": "{phase}", "recursion_depth": 1"#,
                    text(&batch, "batch_id")
                ),
            );
        }
    }
    calls
}

fn rule(op: &str, args: &str) -> RunCall {
    let args = if args.is_empty() { String::new() } else { format!(", {args}") };
    let call = format!(r#"{{"op": "{op}"{args}}}"#);
    let json = Json::parse(&call).unwrap_or_else(|error| panic!("{call}: {error}"));
    RunCall::from_json(op, &json).unwrap_or_else(|error| panic!("{call}: {error}"))
}

/// How often a call reads; nothing where it is refused.
fn reads(store: &MemoryStore, op: &str, args: &str, now: Timestamp) -> Option<usize> {
    let rule = rule(op, args);
    let env = Env::new(now, [7; 32]);
    let mut snapshot = Snapshot::new("p1".into());
    for read in 0..9 {
        match rule.step(&snapshot, &env) {
            Ok(Step::Done(_)) => return Some(read),
            Ok(Step::Need(reads)) => {
                snapshot.absorb(&reads, store.read(&reads).unwrap()).unwrap();
            }
            Err(_) => return None,
        }
    }
    panic!("{op} {args} keeps asking");
}

#[test]
fn every_operation_reads_at_most_twice_in_the_worlds_of_the_simulator() {
    let mut most: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..16 {
        let mut steps = 0;
        let plan = Plan { seed: 400 + seed, history: false, ..Plan::default() };
        watched(&plan, &mut |store, now| {
            steps += 1;
            if steps % 23 != 0 {
                return;
            }
            let store = &with_batches(store, now);
            let tables = store.tables("p1").unwrap();
            // as it is, and when everything is due
            for later in [0, 3_600_000] {
                let now = Timestamp::from_millis(now.as_millis() + later);
                for (op, args) in calls(tables) {
                    let Some(reads) = reads(store, op, &args, now) else { continue };
                    assert!(
                        reads <= 2,
                        "`{op}` reads {reads} times, seed {}, step {steps}: {args}",
                        plan.seed
                    );
                    let most = most.entry(op).or_default();
                    *most = reads.max(*most);
                }
            }
        });
    }
    let unseen: Vec<_> = OPERATIONS.iter().filter(|op| !most.contains_key(**op)).collect();
    assert!(unseen.is_empty(), "{unseen:?} were not answered in any world");
}
