//! Tasks whose child sent no event.

use super::child_event::{TurnEnd, child_event};
use super::end::{count_down, end_at_deadline, finalize};
use super::reads::{STEPS_OF_A_TURN, Stops, reconcile_targets, want_ending};
use super::settle::{Until, settle};
use crate::Timestamp;
use crate::run::queue::lease::queue_row;
use crate::run::queue::promote::{promote, wake_promoted, want_promotion};
use crate::run::rows::status::{BatchStatus, InboxStatus, StepStatus, TaskStatus};
use crate::run::rows::{Batch, Head, Inbox, Queue, StepRow, Task};
use crate::run::settings::older;
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::deliverable::deliverable;
use crate::run::turn::expiry::last_step;
use crate::run::turn::reads::{start_of, want_start};
use crate::run::values::{number_of, object, present};
use crate::run::wire::events::stamp;
use crate::value::arguments::arguments;
use crate::value::json::Json;

/// Returns true if a task changed less than `after` seconds ago.
fn young(task: &Task, now: Timestamp, after: i64) -> bool {
    !older(task.updated_at, now, after)
        && now.as_millis() - task.updated_at.as_millis() < after * 1000
}

arguments! {
    /// Checks a task whose end was not reported.
    ///
    /// The example of [`ChildEvent`](crate::run::ChildEvent) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReconcileTask {
        /// The task.
        pub batch_task_id: String,
        shared terms: RunTerms,
    }
}

perform! {
    ReconcileTask -> bool { |call, tx| reconcile_task(tx, &call.batch_task_id) }
}

/// Reconciles a dispatched task with the turn of its child.
fn reconcile_task(tx: &mut Transaction<'_>, batch_task_id: &str) -> Run<bool> {
    let reference = tx.reference_behavior;
    tx.want_with::<Task>(&[batch_task_id], || reconcile_targets(reference));
    let Some(task) = tx.get::<Task>(&[batch_task_id])? else { return Ok(false) };
    if task.status != TaskStatus::Dispatched {
        return Ok(false);
    }
    if task.current_turn_epoch.is_some() {
        return missed_event(tx, &task);
    }
    if young(&task, tx.now(), tx.settings.reconcile_after_seconds) {
        return Ok(false);
    }
    tx.want::<Batch>(&[&task.batch_id]);
    if let Some(turn) = task.current_agent_turn_id.as_deref() {
        want_start(tx, turn);
    }
    want_promotion(tx, &task.agent_id);
    reconcile(tx, task)?;
    Ok(true)
}

/// Reconciles a task without an epoch.
fn reconcile(tx: &mut Transaction<'_>, mut task: Task) -> Run<()> {
    let Some(turn) = present(task.current_agent_turn_id.as_deref()).map(str::to_owned) else {
        return redispatch(tx, task);
    };
    let Some(batch) = tx.get::<Batch>(&[&task.batch_id])? else { return Ok(()) };
    if batch.status != BatchStatus::Running {
        return Ok(());
    }
    let now = tx.now();
    let late = batch.deadline_at.is_some_and(|deadline| deadline < now);
    let is_ordered = batch.is_ordered(tx);
    if is_ordered {
        want_ending(tx, &batch, Stops::Ordered);
    } else if late || batch.may_end(1) {
        want_ending(tx, &batch, Stops::Others);
    }
    let row = start_of(tx, &turn)?;
    let payload = row.as_ref().and_then(|row| row.payload.as_object());
    let epoch = payload.and_then(|payload| number_of(payload, "turn_epoch"));
    if let Some(epoch) = epoch.filter(|epoch| *epoch > 0) {
        task.current_turn_epoch = Some(epoch);
        task.updated_at = now;
        return tx.put(&task, "reconcile", "the message has an epoch");
    }
    if young(&task, now, tx.settings.revert_after_seconds) {
        return Ok(());
    }
    if is_ordered {
        if late {
            return end_at_deadline(tx, batch);
        }
        let at = task.updated_at.plus_seconds(tx.settings.revert_after_seconds);
        settle(tx, &batch, Until::Turn(at, &task.agent_id))?;
    }
    // an earlier end can have ended the batch
    let running = |batch: &Batch| batch.status == BatchStatus::Running;
    let Some(batch) = tx.get::<Batch>(&[&task.batch_id])?.filter(running) else { return Ok(()) };
    let noted = warn(tx, &mut task, row.as_ref())?;
    if batch.fail_fast() || late {
        return fail_task(tx, batch, task, row.as_ref());
    }
    match row {
        _ if noted => {
            task.updated_at = now;
            tx.put(&task, "reconcile", "no epoch for too long")
        }
        Some(row) => end_unrun(tx, turn, &row),
        None => redispatch(tx, task),
    }
}

fn status_of(row: Option<&Inbox>) -> &'static str {
    row.map_or("missing", |row| row.status.as_str())
}

/// Notes a warning in the task, and promotes a queued turn; each once. Returns true if the task changed.
fn warn(tx: &mut Transaction<'_>, task: &mut Task, row: Option<&Inbox>) -> Run<bool> {
    let now = tx.now();
    let mut noted = false;
    if !task.metadata.contains_key("dispatch_warning_code") {
        task.metadata.insert("dispatch_warning_code".into(), "ack_pending_window_exceeded".into());
        task.metadata.insert("dispatch_warning_at".into(), stamp(now).into());
        task.metadata.insert("dispatch_warning_inbox_status".into(), status_of(row).into());
        noted = true;
    }
    let queued = row.is_some_and(|row| row.status == InboxStatus::Queued);
    if queued && !task.metadata.contains_key("dispatch_wakeup_sent_at") {
        let metadata = object! {
            "batch_task_id" => task.batch_task_id.as_str(), "batch_id" => task.batch_id.as_str(),
        };
        if let Some(promoted) = promote(tx, &task.agent_id)? {
            let reason = "batch_reconcile_ack_pending_window_exceeded";
            wake_promoted(tx, &task.agent_id, &promoted, reason, Some(metadata))?;
        }
        task.metadata.insert("dispatch_wakeup_sent_at".into(), stamp(now).into());
        task.metadata.insert("dispatch_wakeup_ack_status".into(), "accepted".into());
        noted = true;
    }
    Ok(noted)
}

/// Fails a task whose batch cannot wait.
fn fail_task(
    tx: &mut Transaction<'_>,
    mut batch: Batch,
    mut task: Task,
    row: Option<&Inbox>,
) -> Run<()> {
    let now = tx.now();
    task.status = TaskStatus::Failed;
    task.retryable = Some(false);
    task.next_retry_at = now;
    task.updated_at = now;
    task.error_detail = Some("downstream_unavailable".into());
    let view =
        object! { "error_code" => "downstream_unavailable", "inbox_status" => status_of(row) };
    task.metadata.insert("result_view".into(), Json::Object(view));
    tx.put(&task, "reconcile", "no epoch, and no time left")?;
    count_down(tx, &mut batch, 1)?;
    finalize(tx, batch)
}

/// Ends the task of a turn that was canceled or could not run: it never gets an epoch.
fn end_unrun(tx: &mut Transaction<'_>, turn: String, row: &Inbox) -> Run<()> {
    let (status, error) = match row.status {
        InboxStatus::Skipped => ("canceled", "canceled"),
        InboxStatus::Error => ("failed", "downstream_unavailable"),
        InboxStatus::Queued
        | InboxStatus::Pending
        | InboxStatus::Processing
        | InboxStatus::Consumed
        | InboxStatus::Deferred => return Ok(()),
    };
    let event = TurnEnd {
        agent_turn_id: turn,
        status: status.to_owned(),
        error: Some(error.to_owned()),
        ..TurnEnd::default()
    };
    child_event(tx, &event)?;
    Ok(())
}

/// Dispatches a task again whose message is lost.
fn redispatch(tx: &mut Transaction<'_>, mut task: Task) -> Run<()> {
    let now = tx.now();
    task.status = TaskStatus::Pending;
    task.current_agent_turn_id = None;
    task.next_retry_at = now;
    task.updated_at = now;
    tx.put(&task, "reconcile", "dispatched, and its message is gone")
}

/// Ends the task of a child that ended without an event, as its steps and its output box show.
fn missed_event(tx: &mut Transaction<'_>, task: &Task) -> Run<bool> {
    let turn = task.current_agent_turn_id.clone().unwrap_or_default();
    if young(task, tx.now(), tx.settings.revert_after_seconds) {
        return Ok(false);
    }
    tx.want::<Head>(&[&task.agent_id]);
    tx.want::<Queue>(&[&task.agent_id]);
    tx.want::<Batch>(&[&task.batch_id]);
    tx.want_list::<Task>("by_turn", &[&turn], 1);
    want_start(tx, &turn);
    tx.want_list::<StepRow>("by_turn", &[&task.agent_id, &turn], STEPS_OF_A_TURN);
    tx.want_box(task.output_box_id.as_deref());
    if still_open(tx, task, &turn)? {
        return Ok(false);
    }
    let steps = tx.list::<StepRow>("by_turn", &[&task.agent_id, &turn], STEPS_OF_A_TURN)?;
    let ended = steps.iter().rfind(|step| step.ended_at.is_some());
    let last = last_step(&steps).map(|(step, _)| step).or(ended);
    let batch = tx.peek::<Batch>(&[&task.batch_id])?;
    let ended = last.map_or(TaskStatus::Failed, outcome);
    if let Some(batch) = batch.filter(|batch| batch.may_end(1)) {
        want_ending(tx, &batch, batch.stops(ended));
    }
    let mut delivered = None;
    if let Some(output) = present(task.output_box_id.as_deref())
        && let Some(ids) = tx.box_cards(output)?
    {
        let cards = tx.cards(&ids)?;
        delivered = deliverable(&cards);
    }
    let event = TurnEnd {
        agent_turn_id: turn,
        status: ended.as_str().to_owned(),
        deliverable_card_id: delivered,
        error: match last {
            Some(step) => step.error.clone(),
            None => Some("downstream_unavailable".into()),
        },
        ..TurnEnd::default()
    };
    child_event(tx, &event)
}

/// Returns the outcome of a turn whose last step is this one, as its event reports it.
fn outcome(step: &StepRow) -> TaskStatus {
    let known = step.outcome.as_deref().and_then(TaskStatus::named);
    // an existing database does not have the outcome
    known.unwrap_or(match (step.status, step.error.as_deref()) {
        (StepStatus::Completed, _) => TaskStatus::Success,
        (_, Some("dispatch_timeout")) => TaskStatus::Timeout,
        _ => TaskStatus::Failed,
    })
}

/// Returns true if the turn of a task is active or queued.
fn still_open(tx: &mut Transaction<'_>, task: &Task, turn: &str) -> Run<bool> {
    let active = match tx.get::<Head>(&[&task.agent_id])? {
        Some(head) => head.active_agent_turn_id,
        // a lost head is rebuilt only while its queue has an active turn
        None => queue_row(tx, &task.agent_id)?.active_agent_turn_id,
    };
    if active.as_deref() == Some(turn) {
        return Ok(true);
    }
    let queued = |row: &Inbox| row.message_type == "turn" && row.status == InboxStatus::Queued;
    Ok(start_of(tx, turn)?.as_ref().is_some_and(queued))
}
