//! The laws, checked on the rows after every step.

use super::Failure;
use super::model::Model;
use super::world::{Made, Seen};
use crate::run::rows::{Batch, Edge, Head, Inbox, Row, Task, Waiting};
use crate::run::words::{BatchStatus, HeadStatus, InboxStatus, TaskStatus, WaitStatus};
use crate::store::{MemoryStore, Writes};
use crate::value::json::{Json, Object};
use std::collections::BTreeMap;

/// Every row of a table.
pub(super) fn rows<R: Row>(store: &MemoryStore, project: &str) -> Vec<R> {
    let Some(tables) = store.tables(project) else { return Vec::new() };
    tables.rows(R::TABLE).filter_map(|row| R::read(&row.row).ok()).collect()
}

fn failure(law: &'static str, found: String) -> Failure {
    Failure { law, found, step: None }
}

/// The head that a batch puts, if it puts one.
fn head_in(writes: &Writes) -> Option<Head> {
    let change = writes.rows.iter().find(|change| change.of.table == Head::TABLE)?;
    Head::read(change.row.as_ref()?).ok()
}

/// Work that consumes its message leaves it in no hands.
fn consumed(made: &Made, writes: &Writes, store: &MemoryStore) -> Result<(), Failure> {
    let inbox_id = made.args.get("inbox_id").and_then(Json::as_str);
    let Some(inbox_id) = inbox_id.filter(|_| made.args.contains_key("consume")) else {
        return Ok(());
    };
    // a turn that was started goes on, and so does its message
    let goes_on = made.op == "turn_start"
        && head_in(writes).is_some_and(|head| head.status == HeadStatus::Running);
    let epoch = made.args.get("turn_epoch");
    let held = rows::<Inbox>(store, writes.project_id.as_str()).into_iter().any(|row| {
        row.inbox_id == inbox_id
            && row.status == InboxStatus::Processing
            && row.payload.get("turn_epoch") == epoch
    });
    if held && !goes_on {
        let found = format!("{} of {inbox_id}", made.op);
        return Err(failure("a message is consumed with the work on it", found));
    }
    Ok(())
}

/// What must hold of one commit: `before` is the head as it was.
pub(super) fn commit(
    made: &Made,
    before: Option<&Head>,
    writes: &Writes,
    store: &MemoryStore,
) -> Result<(), Failure> {
    consumed(made, writes, store)?;
    let Some(after) = head_in(writes) else { return Ok(()) };
    let (old, op) = (before.cloned().unwrap_or_default(), made.op);
    let told = format!("{op} of {}", after.agent_id);
    if after.turn_epoch < old.turn_epoch {
        return Err(failure(
            "the epoch never falls",
            format!("{told}: {} after {}", after.turn_epoch, old.turn_epoch),
        ));
    }
    let of_turn = matches!(
        op,
        "turn_start" | "turn_tools" | "turn_complete" | "turn_fail" | "turn_give_back" | "resume"
    );
    if of_turn {
        let epoch =
            made.args.get("turn_epoch").and_then(Json::as_number).and_then(|number| number.whole());
        let turn = made.args.get("agent_turn_id").and_then(Json::as_str);
        if epoch != Some(old.turn_epoch) || turn != old.active_agent_turn_id.as_deref() {
            let found = format!(
                "{told} at {turn:?} {epoch:?} on {:?} {}",
                old.active_agent_turn_id, old.turn_epoch
            );
            return Err(failure("nothing is written under an old epoch", found));
        }
    }
    let ends =
        old.status != HeadStatus::Idle && after.active_agent_turn_id != old.active_agent_turn_id;
    if op == "turn_complete" && ends && old.status != HeadStatus::Running {
        return Err(failure(
            "only a turn that runs is completed",
            format!("{told}: {}", old.status.as_str()),
        ));
    }
    if matches!(op, "reap_turn" | "stop") && ends && after.turn_epoch <= old.turn_epoch {
        return Err(failure("taking a turn away raises the epoch", told));
    }
    if old.status == HeadStatus::Suspended
        && after.status == HeadStatus::Running
        && op == "resume"
        && after.turn_epoch <= old.turn_epoch
    {
        return Err(failure("a resumed turn has a new epoch", told));
    }
    if op == "turn_give_back" {
        let waits = rows::<Inbox>(store, writes.project_id.as_str()).into_iter().any(|row| {
            row.agent_turn_id == after.active_agent_turn_id
                && row.message_type == "turn"
                && row.status == InboxStatus::Pending
        });
        let raised = after.turn_epoch == old.turn_epoch + 1;
        if !raised || !waits || after.status != HeadStatus::Dispatched {
            return Err(failure("a turn that is given back waits at a new epoch", told));
        }
    }
    if op == "ring_again" && after.updated_at != old.updated_at {
        return Err(failure("ringing again makes no turn younger", told));
    }
    if op == "time_out_tools" && after.resume_deadline.is_none() {
        let inbox = rows::<Inbox>(store, writes.project_id.as_str());
        for row in rows::<Waiting>(store, writes.project_id.as_str()) {
            let mine = Some(&row.agent_turn_id) == after.active_agent_turn_id.as_ref()
                && row.turn_epoch == after.turn_epoch
                && row.wait_status == WaitStatus::Waiting;
            let told_of = inbox.iter().any(|message| {
                message.message_type == "timeout"
                    && message.correlation_id.as_ref() == Some(&row.tool_call_id)
            });
            if mine && !told_of {
                return Err(failure("a deadline that passed is reported", row.tool_call_id));
            }
        }
    }
    Ok(())
}

/// What must hold of all rows of a project, after every step.
pub(super) fn project(
    store: &MemoryStore,
    name: &str,
    model: &Model,
    seen: &mut Seen,
) -> Result<(), Failure> {
    let heads = rows::<Head>(store, name);
    let inbox = rows::<Inbox>(store, name);
    let waiting = rows::<Waiting>(store, name);
    for head in &heads {
        let agent = head.agent_id.as_str();
        if head.active_agent_turn_id.is_none() != (head.status == HeadStatus::Idle) {
            return Err(failure(
                "an agent is idle if and only if it has no turn",
                agent.to_owned(),
            ));
        }
        let highest = seen.epochs.entry(agent.to_owned()).or_default();
        if head.turn_epoch < *highest {
            return Err(failure(
                "the epoch never falls",
                format!("{agent}: {} after {highest}", head.turn_epoch),
            ));
        }
        *highest = head.turn_epoch;
        if head.status != HeadStatus::Idle && !seen.torn.contains(agent) {
            let lease = (agent.to_owned(), head.turn_epoch);
            let turn = head.active_agent_turn_id.clone().unwrap_or_default();
            let known = seen.leases.entry(lease).or_insert_with(|| turn.clone());
            if *known != turn {
                return Err(failure(
                    "an epoch belongs to one turn",
                    format!("{agent} {}: {known} and {turn}", head.turn_epoch),
                ));
            }
        }
        let open = waiting.iter().filter(|row| {
            row.agent_id == agent
                && Some(&row.agent_turn_id) == head.active_agent_turn_id.as_ref()
                && row.turn_epoch == head.turn_epoch
                && matches!(row.wait_status, WaitStatus::Waiting | WaitStatus::Received)
        });
        let open = i64::try_from(open.count()).unwrap_or(-1);
        let expected =
            if head.status == HeadStatus::Suspended { head.waiting_tool_count } else { 0 };
        let count_right = head.status == HeadStatus::Suspended || head.waiting_tool_count == 0;
        if (open != expected || !count_right) && !seen.torn.contains(agent) {
            return Err(failure(
                "waiting count equals waiting rows",
                format!("{agent}: {open} rows, count {}", head.waiting_tool_count),
            ));
        }
    }
    for row in &waiting {
        let head = heads.iter().find(|head| head.agent_id == row.agent_id);
        let open = matches!(row.wait_status, WaitStatus::Waiting | WaitStatus::Received);
        let held = head.is_some_and(|head| {
            head.active_agent_turn_id.as_ref() == Some(&row.agent_turn_id)
                && head.turn_epoch == row.turn_epoch
        });
        if open && !held && !seen.torn.contains(&row.agent_id) {
            return Err(failure(
                "only a turn that is there waits",
                format!("{} {}", row.agent_id, row.tool_call_id),
            ));
        }
    }
    let mut queued: BTreeMap<&str, Vec<(i64, String)>> = BTreeMap::new();
    for row in &inbox {
        if row.message_type != "turn" {
            continue;
        }
        let turn = row.agent_turn_id.clone().unwrap_or_default();
        if row.status == InboxStatus::Queued {
            queued.entry(&row.agent_id).or_default().push((row.seq, turn));
        }
    }
    for (agent, told) in &model.agents {
        let mut found = queued.remove(agent.as_str()).unwrap_or_default();
        found.sort();
        let found: Vec<String> = found.into_iter().map(|(_, turn)| turn).collect();
        if found.iter().ne(told.queue.iter()) {
            return Err(failure(
                "the queue is what the model says",
                format!("{agent}: {found:?}, the model has {:?}", told.queue),
            ));
        }
        let head = heads.iter().find(|head| head.agent_id == *agent);
        if let Some(head) = head
            && head.active_agent_turn_id != told.active
        {
            return Err(failure(
                "the turn is what the model says",
                format!(
                    "{agent}: {:?}, the model has {:?}",
                    head.active_agent_turn_id, told.active
                ),
            ));
        }
    }
    for (agent, rows) in queued {
        if !rows.is_empty() {
            return Err(failure(
                "the queue is what the model says",
                format!("{agent}: {rows:?}, the model has nothing"),
            ));
        }
    }
    batches(store, name, &inbox, seen)
}

fn batches(
    store: &MemoryStore,
    name: &str,
    inbox: &[Inbox],
    seen: &mut Seen,
) -> Result<(), Failure> {
    let found = rows::<Batch>(store, name);
    if found.is_empty() {
        return Ok(());
    }
    let tasks = rows::<Task>(store, name);
    let edges = rows::<Edge>(store, name);
    for batch in found {
        let id = batch.batch_id.as_str();
        let mine: Vec<&Task> = tasks.iter().filter(|task| task.batch_id == id).collect();
        let fail_fast = batch.metadata.get("fail_fast").and_then(Json::as_bool) == Some(true);
        if batch.status == BatchStatus::Running {
            let failed = mine.iter().any(|task| {
                matches!(
                    task.status,
                    TaskStatus::Failed | TaskStatus::Timeout | TaskStatus::Canceled
                )
            });
            if fail_fast && failed {
                return Err(failure("a batch that fails fast does not wait", id.to_owned()));
            }
            continue;
        }
        let stamp = (batch.status, batch.updated_at);
        let known = *seen.ended_batches.entry(id.to_owned()).or_insert(stamp);
        if known != stamp {
            return Err(failure(
                "a batch ends once",
                format!("{id}: {:?} and {:?}", known.0, stamp.0),
            ));
        }
        if let Some(open) = mine.iter().find(|task| !task.status.is_final()) {
            return Err(failure("a batch that ended has no open task", open.batch_task_id.clone()));
        }
        let responses = edges.iter().filter(|edge| {
            edge.correlation_id == id && edge.primitive == "join" && edge.edge_phase == "response"
        });
        let results = inbox.iter().filter(|row| {
            row.message_type == "tool_result"
                && row.correlation_id.as_deref() == Some(&batch.parent_tool_call_id)
        });
        let (responses, results) = (responses.count(), results.count());
        if responses != 1 || results != 1 {
            return Err(failure(
                "a batch that ended is answered once",
                format!("{id}: {responses} responses, {results} results"),
            ));
        }
        for task in mine.iter().filter(|task| task.status == TaskStatus::Canceled) {
            let Some(turn) = task.current_agent_turn_id.as_deref() else { continue };
            let stopped = inbox.iter().any(|row| {
                (row.message_type == "stop" && row.correlation_id.as_deref() == Some(turn))
                    || (row.agent_turn_id.as_deref() == Some(turn)
                        && row.message_type == "turn"
                        && row.status != InboxStatus::Queued
                        && row.status != InboxStatus::Pending
                        && row.status != InboxStatus::Processing)
            });
            let lost = seen.lost_rows.contains(turn) || seen.ended_turns.contains_key(turn);
            if !stopped && !lost {
                return Err(failure(
                    "the children of a batch that ended are stopped",
                    turn.to_owned(),
                ));
            }
        }
    }
    Ok(())
}

/// What must hold of a message that was committed.
pub(super) fn message(row: &Object, project: &str, seen: &mut Seen) -> Result<(), Failure> {
    let subject = row.get("subject").and_then(Json::as_str).unwrap_or_default();
    if !subject.starts_with(&format!("cg.v1r3.{project}.")) {
        return Err(failure("no project sees another", subject.to_owned()));
    }
    if !subject.ends_with(".task") {
        return Ok(());
    }
    let payload = row.get("payload");
    let text = |key: &str| {
        payload
            .and_then(|payload| payload.get(key))
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let turn = text("agent_turn_id");
    let count = seen.ended_turns.entry(turn.clone()).or_insert(0_usize);
    *count += 1;
    if *count > 1 {
        return Err(failure("a turn ends once", turn));
    }
    let error = text("error");
    let known = [
        "",
        "boom",
        "batch_terminated",
        "stopped_by_pmo",
        "dispatch_timeout",
        "timeout_reaped_by_watchdog",
        "state_lost",
        "max_steps_reached",
        "tool timeout (resume_deadline exceeded)",
    ];
    if !known.contains(&error.as_str()) && !error.starts_with("max_steps_reached") {
        return Err(failure("a turn fails only for a reason", format!("{turn}: {error}")));
    }
    if payload.and_then(|payload| payload.get("deliverable_card_id")).is_none_or(Json::is_null) {
        return Err(failure("a turn that ended leaves a deliverable", turn));
    }
    Ok(())
}

/// What must hold when nothing fails any more and nothing is left to do.
pub(super) fn rest(
    store: &MemoryStore,
    name: &str,
    model: &Model,
    seen: &Seen,
) -> Result<(), Failure> {
    for head in rows::<Head>(store, name) {
        if head.status != HeadStatus::Idle {
            let found = format!(
                "{} is {} with {:?}",
                head.agent_id,
                head.status.as_str(),
                head.active_agent_turn_id
            );
            return Err(failure("every agent comes to rest", found));
        }
    }
    for row in rows::<Inbox>(store, name) {
        if matches!(
            row.status,
            InboxStatus::Queued | InboxStatus::Pending | InboxStatus::Processing
        ) {
            let found = format!("{} {} is {}", row.message_type, row.inbox_id, row.status.as_str());
            return Err(failure("every message is worked on", found));
        }
    }
    for batch in rows::<Batch>(store, name) {
        if batch.status == BatchStatus::Running {
            return Err(failure("every batch ends", batch.batch_id));
        }
    }
    for turn in &model.accepted {
        let over = model.canceled.contains(turn)
            || model.poison.contains(turn)
            || seen.lost_rows.contains(turn);
        if !over && !seen.ended_turns.contains_key(turn) {
            return Err(failure("every accepted turn ends", turn.clone()));
        }
    }
    Ok(())
}
