//! The invariants of the rows, checked after every step.

use super::failure::{Failure, failure};
use super::model::{Fate, Model};
use super::rows::{Batch, Head, Row, Task};
use super::view::View;
use super::world::{Made, Seen};
use tuckbox::store::Writes;
use tuckbox::value::json::{Json, Object};

/// Returns the head that a commit writes.
fn head_in(writes: &Writes) -> Option<Head> {
    let change = writes.rows.iter().find(|change| change.of.table == Head::TABLE)?;
    Some(Head::read(change.row.as_ref()?))
}

/// Checks that work which consumes its message leaves no message in processing.
fn consumed(made: &Made, writes: &Writes, view: &View) -> Result<(), Failure> {
    let inbox_id = made.args.get("inbox_id").and_then(Json::as_str);
    let Some(inbox_id) = inbox_id.filter(|_| made.args.contains_key("consume")) else {
        return Ok(());
    };
    // the message of a started turn stays in processing
    let continues =
        made.op == "turn_start" && head_in(writes).is_some_and(|head| head.status == "running");
    let epoch = made.args.get("turn_epoch");
    let held = view
        .inbox
        .get([inbox_id.to_owned()].as_slice())
        .is_some_and(|row| row.status == "processing" && row.payload.get("turn_epoch") == epoch);
    if held && !continues {
        let found = format!("{} of {inbox_id}", made.op);
        return Err(failure("a message is consumed with the work on it", found));
    }
    Ok(())
}

/// Checks one commit; `before` is the head before it.
pub(super) fn commit(
    made: &Made,
    before: Option<&Head>,
    writes: &Writes,
    view: &View,
) -> Result<(), Failure> {
    consumed(made, writes, view)?;
    let Some(after) = head_in(writes) else { return Ok(()) };
    let (old, op) = (before.cloned().unwrap_or_default(), made.op);
    let call = format!("{op} of {}", after.agent_id);
    if after.turn_epoch < old.turn_epoch {
        return Err(failure(
            "the epoch never falls",
            format!("{call}: {} after {}", after.turn_epoch, old.turn_epoch),
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
                "{call} at {turn:?} {epoch:?} on {:?} {}",
                old.active_agent_turn_id, old.turn_epoch
            );
            return Err(failure("nothing is written under an old epoch", found));
        }
    }
    let ends = !old.is_idle() && after.active_agent_turn_id != old.active_agent_turn_id;
    if op == "turn_complete" && ends && old.status != "running" {
        return Err(failure(
            "only a turn that runs is completed",
            format!("{call}: {}", old.status),
        ));
    }
    if matches!(op, "reap_turn" | "recover_turn" | "stop")
        && ends
        && after.turn_epoch <= old.turn_epoch
    {
        return Err(failure("taking a turn away raises the epoch", call));
    }
    if old.status == "suspended"
        && after.status == "running"
        && op == "resume"
        && after.turn_epoch <= old.turn_epoch
    {
        return Err(failure("a resumed turn has a new epoch", call));
    }
    if op == "turn_give_back" || (op == "recover_turn" && !ends) {
        let waits = view.inbox.values().any(|row| {
            row.agent_turn_id == after.active_agent_turn_id
                && row.message_type == "turn"
                && row.status == "pending"
        });
        let raised = after.turn_epoch == old.turn_epoch + 1;
        if !raised || !waits || after.status != "dispatched" {
            return Err(failure("a turn that is given back waits at a new epoch", call));
        }
    }
    if op == "ring_again" && after.updated_at != old.updated_at {
        return Err(failure("ringing again makes no turn younger", call));
    }
    if op == "time_out_tools" && after.resume_deadline.is_null() {
        for row in view.waiting.values() {
            let mine = Some(&row.agent_turn_id) == after.active_agent_turn_id.as_ref()
                && row.turn_epoch == after.turn_epoch
                && row.wait_status == "waiting";
            if mine && view.messages_of("timeout", &row.tool_call_id) == 0 {
                let call = row.tool_call_id.clone();
                return Err(failure("a deadline that passed is reported", call));
            }
        }
    }
    Ok(())
}

/// Checks all rows of a project.
pub(super) fn project(view: &View, seen: &mut Seen) -> Result<(), Failure> {
    for head in view.heads.values() {
        let agent = head.agent_id.as_str();
        if head.active_agent_turn_id.is_none() != head.is_idle() {
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
        if !head.is_idle() && !seen.torn.contains(agent) {
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
        let open = view.waiting.values().filter(|row| {
            row.agent_id == agent
                && Some(&row.agent_turn_id) == head.active_agent_turn_id.as_ref()
                && row.turn_epoch == head.turn_epoch
                && row.is_open()
        });
        let open = i64::try_from(open.count()).unwrap_or(-1);
        let expected = if head.status == "suspended" { head.waiting_tool_count } else { 0 };
        let count_right = head.status == "suspended" || head.waiting_tool_count == 0;
        if (open != expected || !count_right) && !seen.torn.contains(agent) {
            return Err(failure(
                "waiting count equals waiting rows",
                format!("{agent}: {open} rows, count {}", head.waiting_tool_count),
            ));
        }
    }
    for row in view.waiting.values() {
        let head = view.head(&row.agent_id);
        let open = row.is_open();
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
    view.batches.values().try_for_each(|batch| of_batch(view, batch, seen))
}

fn of_batch(view: &View, batch: &Batch, seen: &mut Seen) -> Result<(), Failure> {
    let id = batch.batch_id.as_str();
    // a batch that ended does not change, so it is checked once
    let stamp = (batch.status.clone(), batch.updated_at.clone());
    match seen.ended_batches.get(id) {
        Some(known) if *known == stamp => return Ok(()),
        Some(known) => {
            let found = format!("{id}: {:?} and {:?}", known.0, stamp.0);
            return Err(failure("a batch ends once", found));
        }
        None => {}
    }
    let mine: Vec<&Task> = view.tasks.values().filter(|task| task.batch_id == id).collect();
    let fail_fast = batch.metadata.get("fail_fast").and_then(Json::as_bool) == Some(true);
    if batch.status == "running" {
        let bad = ["failed", "timeout", "canceled"];
        if fail_fast && mine.iter().any(|task| bad.contains(&task.status.as_str())) {
            return Err(failure("a batch that fails fast does not wait", id.to_owned()));
        }
        return Ok(());
    }
    seen.ended_batches.insert(id.to_owned(), stamp);
    if let Some(open) = mine.iter().find(|task| task.is_open()) {
        return Err(failure("a batch that ended has no open task", open.batch_task_id.clone()));
    }
    let responses = view.links_of(id, "join", "response");
    let results = view.messages_of("tool_result", &batch.parent_tool_call_id);
    if responses != 1 || results != 1 {
        return Err(failure(
            "a batch that ended is answered once",
            format!("{id}: {responses} responses, {results} results"),
        ));
    }
    for task in mine.iter().filter(|task| task.status == "canceled") {
        let Some(turn) = task.current_agent_turn_id.as_deref() else { continue };
        let stopped = view.messages_of("stop", turn) > 0
            || view.inbox.values().any(|row| {
                row.message_type == "turn"
                    && row.agent_turn_id.as_deref() == Some(turn)
                    && !row.is_open()
            });
        let lost = seen.lost_rows.contains(turn) || seen.ended_turns.contains_key(turn);
        if !stopped && !lost {
            let found = turn.to_owned();
            return Err(failure("the children of a batch that ended are stopped", found));
        }
    }
    Ok(())
}

/// Checks a message of the outbox.
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
        "worker_lost",
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

/// Checks that all work ended.
pub(super) fn rest(view: &View, model: &Model, seen: &Seen) -> Result<(), Failure> {
    for head in view.heads.values() {
        if !head.is_idle() {
            let found = format!(
                "{} is {} with {:?}",
                head.agent_id, head.status, head.active_agent_turn_id
            );
            return Err(failure("every agent comes to rest", found));
        }
    }
    for row in view.inbox.values() {
        if row.is_open() {
            let found = format!("{} {} is {}", row.message_type, row.inbox_id, row.status);
            return Err(failure("every message is worked on", found));
        }
    }
    for batch in view.batches.values() {
        if batch.status == "running" {
            return Err(failure("every batch ends", batch.batch_id.clone()));
        }
    }
    for (id, turn) in &model.turns {
        let over = match turn.fate {
            Fate::Canceled | Fate::CannotRun | Fate::Lost => true,
            Fate::Queued | Fate::Leased | Fate::Ended(_) => false,
        };
        if !over && !seen.ended_turns.contains_key(id) {
            return Err(failure("every accepted turn ends", id.clone()));
        }
    }
    Ok(())
}
