//! Every call of orchestration reads at most twice. The tests preview every operation in the worlds
//! of the simulator. `tests/simulate.rs` checks the same for every call of the simulator.

use crate::declared::{self, Undeclared};
use crate::property::times;
use crate::sim::{Plan, watched};
use std::collections::BTreeMap;
use tuckbox::agents::Setup;
use tuckbox::rule::{Call, Step};
use tuckbox::store::table::{self, Table};
use tuckbox::store::{MemoryStore, Profile, RowKey, Snapshot, Store, Tables};
use tuckbox::{Env, Json, Timestamp};

const PROFILE: &str = "00000000-0000-4000-8000-0000000000a1";
const CONTEXT: &str = "00000000-0000-4000-8000-0000000000c1";

const LEAD: &str = "00000000-0000-4000-8000-0000000000a2";
const OUTPUT: &str = "00000000-0000-4000-8000-0000000000c2";
const LAST: &str = "00000000-0000-4000-8000-0000000000c3";

/// Returns a queued turn that lacks the boxes that it needs.
fn cannot_run(agent: &str, at: usize) -> String {
    format!(
        r#"{{"inbox_id": "m_{at}", "agent_id": "{agent}", "message_type": "turn", "status": "queued",
            "payload": {{"agent_turn_id": "t_{at}"}}, "seq": {at}, "recursion_depth": 1,
            "agent_turn_id": "t_{at}", "correlation_id": "m_{at}",
            "created_at": "2026-01-01T00:00:00Z"}}"#
    )
}

/// Returns a few rows as JSON.
fn some(tables: &Tables, table: &Table) -> Vec<Json> {
    tables.rows(table).take(12).map(|row| Json::Object((*row.row).clone())).collect()
}

fn text(row: &Json, column: &str) -> String {
    row.get(column).and_then(Json::as_str).unwrap_or_default().to_owned()
}

/// Returns the given columns of a row as arguments, if it has them.
fn given(row: &Json, columns: &[&str]) -> String {
    let there = columns.iter().filter_map(|column| {
        Some(format!(r#", "{column}": {}"#, row.get(column).filter(|value| !value.is_null())?))
    });
    there.collect()
}

/// Returns the arguments of a batch of these agents.
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

/// Returns the world with four more batches, which are rare in the simulator. One ends with its
/// last child, one fails fast, one has a short deadline, and one has lost one of its two messages.
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
        let outcome = loop {
            match call.step(&snapshot, &env).unwrap() {
                Step::Done(outcome) => break outcome,
                Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads).unwrap()).unwrap(),
            };
        };
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
    // the first turns of a queue cannot run
    for at in 0..3 {
        let Json::Object(row) = Json::parse(&cannot_run("w3", at)).unwrap() else { continue };
        tables.add_row(&table::INBOX, row);
    }
    store
}

/// Returns calls of every operation on the stored rows.
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
    add("quarantine_messages", format!(r#""message_ids": {sent:?}, "error": "too long""#));
    add("retry_messages", format!(r#""message_ids": {sent:?}"#));
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
            "recover_turn",
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
            for more in ["", r#", "step_count": 1000"#, r#", "record": {}"#] {
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
                format!(r#"{work}, "step_id": "s1", "wait_items": [{{"tool_call_id": "c_new"}}]"#),
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
        // results that arrived, and one that did not
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
        let ran = format!(r#"{{"tool_call_id": "{call}", "tool_name": "search", "result": 1}}"#);
        add(
            "put_tool_results",
            format!(
                r#""agent_turn_id": "t_none", "step_id": "s_none", "results": [{ran}],
                "started": [{{"tool_call_id": "{call}", "tool_name": "search"}}]"#
            ),
        );
        for depth in 0..2 {
            let of_call = r#""step_id": "s_none", "tool_name": "search", "result": "found""#;
            add(
                "answer_tool_call",
                format!(
                    r#"{work}, "tool_call_id": "{call}", {of_call}, "recursion_depth": {depth}"#
                ),
            );
        }
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
        let turn = given(&row, &["agent_id", "agent_turn_id"]);
        let turn = format!(r#"{}, "output_box_id": "{OUTPUT}""#, turn.trim_start_matches(", "));
        if row.get("agent_turn_id").is_some_and(|turn| !turn.is_null()) {
            add("turn_result", format!(r#"{turn}, "after": 0"#));
            add("turn_result", turn);
        }
        add("prune", r#""older_than_seconds": 3600"#.to_owned());
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

fn rule(op: &str, args: &str) -> Call {
    let args = if args.is_empty() { String::new() } else { format!(", {args}") };
    let call = format!(r#"{{"op": "{op}"{args}}}"#);
    let json = Json::parse(&call).unwrap_or_else(|error| panic!("{call}: {error}"));
    Setup::default().read_call(&json).unwrap_or_else(|error| panic!("{call}: {error}"))
}

/// Returns the number of reads of a call, or nothing if it fails.
fn reads(
    store: &MemoryStore,
    (op, args): (&str, &str),
    now: Timestamp,
    undeclared: &mut Undeclared,
) -> Option<usize> {
    let rule = rule(op, args);
    let env = Env::new(now, [7; 32]);
    let mut snapshot = Snapshot::new("p1".into());
    for read in 0..9 {
        match rule.step(&snapshot, &env) {
            Ok(Step::Done(_)) => return Some(read),
            Ok(Step::Need(reads)) => {
                undeclared.reads(op, &reads);
                snapshot.absorb(&reads, store.read(&reads).unwrap()).unwrap();
            }
            Err(error) => {
                undeclared.error(op, &error);
                return None;
            }
        }
    }
    panic!("{op} {args} reads too often");
}

#[test]
fn every_operation_reads_at_most_twice_in_the_worlds_of_the_simulator() {
    let mut most: BTreeMap<&str, usize> = BTreeMap::new();
    let mut undeclared = Undeclared::default();
    // only the last seeds have rows that wait for results
    let (first, sampled) = (times(413, 400), times(184, 23));
    for seed in first..416 {
        let mut steps = 0;
        let plan = Plan { seed, history: false, ..Plan::default() };
        watched(&plan, &mut |store, now| {
            steps += 1;
            if steps % sampled != 0 {
                return;
            }
            let store = &with_batches(store, now);
            let tables = store.tables("p1").unwrap();
            // at the time of the simulator, and one hour later, when everything is due
            for later in [0, 3_600_000] {
                let now = Timestamp::from_millis(now.as_millis() + later);
                for (op, args) in calls(tables) {
                    let of = (op, args.as_str());
                    let Some(reads) = reads(store, of, now, &mut undeclared) else { continue };
                    // the view of a step reads the cards of boxes that the head names; a result is
                    // read before the cards of its output
                    let reads_cards = args.contains("\"record\"") || op == "turn_result";
                    let limit = if reads_cards { 3 } else { 2 };
                    assert!(
                        reads <= limit,
                        "`{op}` reads {reads} times, seed {}, step {steps}: {args}",
                        plan.seed
                    );
                    let most = most.entry(op).or_default();
                    *most = reads.max(*most);
                }
            }
        });
    }
    // a queue whose first turns cannot run needs the most reads
    assert_eq!(most.get("create_batch"), Some(&2));
    let of_run =
        declared::operations().iter().filter(|(_, entry)| entry.get("part") == Some(&"run".into()));
    // `hand_out` has the reads of its recipe
    let names = of_run.map(|(name, _)| name.as_str()).filter(|name| *name != "hand_out");
    let unseen: Vec<_> = names.filter(|name| !most.contains_key(*name)).collect();
    assert!(unseen.is_empty(), "{unseen:?} never succeeded in any world");
    assert!(undeclared.0.is_empty(), "{:#?}", undeclared.0);
}

#[test]
fn a_batch_of_new_agents_with_several_profiles_reads_once() {
    let mut store = MemoryStore::new();
    let project = store.project("p1");
    project.add_box(CONTEXT, []);
    let mut specs = Vec::new();
    for at in 0..5 {
        let box_id = format!("00000000-0000-4000-8000-0000000000f{at}");
        let mut profile = Profile::new(format!("Runner {at}"), box_id.as_str());
        profile.worker_target = Some("generic".into());
        project.add_profile(profile);
        specs.push(format!(
            r#"{{"provision": true, "profile_box_id": "{box_id}", "context_box_id": "{CONTEXT}"}}"#
        ));
    }
    let args = format!(
        r#""source_agent_id": "boss", "parent_agent_turn_id": "t_boss", "parent_turn_epoch": 1,
            "parent_tool_call_id": "c", "recursion_depth": 1, "activate": true,
            "task_specs": [{}]"#,
        specs.join(", ")
    );
    let of = ("create_batch", args.as_str());
    let mut undeclared = Undeclared::default();
    let count = reads(&store, of, Timestamp::from_millis(0), &mut undeclared);
    assert_eq!((count, undeclared.0.len()), (Some(1), 0));
}

/// Returns a project with a lead that delegates and a worker whose first queued turns cannot run.
/// With `in_card`, a card of the lead's profile has its policy. With `in_roster`, the roster rows
/// have the states and pointers of the agents.
fn of_recipes(in_card: bool, in_roster: bool) -> MemoryStore {
    let policy = r#"{"target_profiles": ["Runner"]}"#;
    let mut store = MemoryStore::new();
    let project = store.project("p1");
    let card = |text: &str| {
        tuckbox::Card::from_row(&tuckbox::value::json::Field::root(&Json::parse(text).unwrap()))
            .unwrap()
    };
    project
        .add_box(LEAD, ["policy"])
        .add_box(PROFILE, [])
        .add_box(CONTEXT, ["c1", "c2"])
        .add_box(OUTPUT, ["c3"])
        .add_box(LAST, ["c4"])
        .add_card(card(&format!(
            r#"{{"card_id": "policy", "metadata": {{"type": "sys.profile"}}, "content":
                {{"__type__": "JsonContent", "data": {{"delegation_policy": {policy}}}}}}}"#
        )));
    for card_id in ["c1", "c2", "c3", "c4"] {
        project.add_card(card(&format!(
            r#"{{"card_id": "{card_id}", "content": {{"__type__": "TextContent", "text": "x"}}}}"#
        )));
    }
    let policy = if in_card { "null" } else { policy };
    let mut rows = vec![
        (
            &table::PROJECT_PROFILES,
            format!(
                r#"{{"name": "Lead", "profile_box_id": "{LEAD}", "delegation_policy": {policy}}}"#
            ),
        ),
        (
            &table::PROJECT_PROFILES,
            format!(
                r#"{{"name": "Runner", "profile_box_id": "{PROFILE}", "worker_target": "generic"}}"#
            ),
        ),
    ];
    let head = format!(
        r#"{{"agent_id": "lead", "status": "running", "active_agent_turn_id": "t1",
            "turn_epoch": 1, "context_box_id": "{CONTEXT}", "output_box_id": "{OUTPUT}"}}"#
    );
    let idle = r#"{"agent_id": "w1", "status": "idle", "turn_epoch": 1}"#.to_owned();
    let pointers = format!(r#"{{"agent_id": "w1", "last_output_box_id": "{LAST}"}}"#);
    let mut kept =
        [format!(r#", "state": {head}"#), format!(r#", "state": {idle}, "pointers": {pointers}"#)];
    if !in_roster {
        kept = Default::default();
        rows.extend([(&table::HEADS, head), (&table::HEADS, idle), (&table::POINTERS, pointers)]);
    }
    for ((agent, box_id), kept) in [("lead", LEAD), ("w1", PROFILE)].into_iter().zip(kept) {
        let row = format!(
            r#"{{"agent_id": "{agent}", "profile_box_id": "{box_id}", "in_roster": true,
                "worker_target": "generic", "status": "active"{kept}}}"#
        );
        rows.push((&table::PROJECT_AGENTS, row));
    }
    rows.extend((0..3).map(|at| (&table::INBOX, cannot_run("w1", at))));
    for (table, row) in rows {
        let Json::Object(row) = Json::parse(&row).unwrap() else { panic!("{row}") };
        project.add_row(table, row);
    }
    store
}

#[test]
fn recipes_that_run_read_at_most_twice() {
    let headers = r#""headers": {"CG-Recursion-Depth": "1"}"#;
    let parent =
        r#""parent_agent_turn_id": "t1", "parent_turn_epoch": 1, "parent_tool_call_id": "k1""#;
    let targets = [("new", "Runner"), ("reuse", "w1"), ("clone", "w1")];
    let task = |(strategy, target): (&str, &str)| {
        format!(
            r#"{{"target_strategy": "{strategy}", "target_ref": "{target}", "instruction": "go",
                "context_box_id": "{CONTEXT}"}}"#
        )
    };
    let mut recipes: Vec<(&str, String)> = vec![
        ("launch_principal", r#"{"profile_name": "Runner", "instruction": "go"}"#.to_owned()),
        (
            "ask_expert",
            r#"{"expert_profile": "Runner", "question": "why?", "include_history": true}"#
                .to_owned(),
        ),
        ("fork_join", format!(r#"{{"tasks": [{}]}}"#, targets.map(task).join(", "))),
    ];
    recipes.extend(targets.map(|target| ("delegate_async", task(target))));
    for (in_card, in_roster) in [(false, false), (false, true), (true, false), (true, true)] {
        let store = of_recipes(in_card, in_roster);
        for dialect in ["v1r3", "v1r4", "v1r4_hotfix"] {
            for check in [false, true] {
                for (op, arguments) in &recipes {
                    let call = format!(
                        r#"{{"op": "hand_out", {headers}, {parent}, "call": {{"op": "{op}",
                            "source_agent_id": "lead", "tool_suffix": "x", "dialect": "{dialect}",
                            "recursion_depth": 1, "check_liveness": {check},
                            "arguments": {arguments}}}}}"#
                    );
                    let (reads, value) = handed_out(&store, &call);
                    let status = value.get("result").and_then(|result| result.get("status"));
                    assert_eq!(status.and_then(Json::as_str), Some("accepted"), "{call}: {value}");
                    assert!(reads <= 2, "{reads} reads, {in_card}, {in_roster}: {call}");
                }
            }
        }
    }
}

/// Returns the number of reads of a call without cached rows, and its result.
fn handed_out(store: &MemoryStore, call: &str) -> (usize, Json) {
    let json = Json::parse(call).unwrap_or_else(|error| panic!("{call}: {error}"));
    let rule = Setup::default().read_call(&json).unwrap_or_else(|error| panic!("{call}: {error}"));
    let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32]);
    let mut snapshot = Snapshot::new("p1".into());
    for read in 0..9 {
        match rule.step(&snapshot, &env).unwrap_or_else(|error| panic!("{call}: {error}")) {
            Step::Done(outcome) => return (read, outcome.value.to_json().unwrap()),
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads).unwrap()).unwrap(),
        }
    }
    panic!("{call} reads too often");
}
