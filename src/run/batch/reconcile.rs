//! Tasks whose turn nobody has confirmed.

use super::super::bugs::Bug;
use super::super::deliverable::deliverable;
use super::super::desk::{Desk, Run, present};
use super::super::follows;
use super::super::l0::{self, number_of};
use super::super::message::{object, stamp};
use super::super::rows::{Batch, Head, Inbox, Queue, StepRow, Task};
use super::super::settings::older;
use super::super::words::{BatchStatus, InboxStatus, StepStatus, TaskStatus};
use super::{ChildEvent, Stops, child_event, count_down, finalise, want_ending};
use crate::value::json::Json;

fn young(task: &Task, now: crate::Timestamp, after: i64) -> bool {
    !older(task.updated_at, now, after)
        && now.as_millis() - task.updated_at.as_millis() < after * 1000
}

/// Looks after one task.
pub(crate) fn reconcile_task(desk: &mut Desk<'_>, batch_task_id: &str) -> Run<bool> {
    desk.want_with::<Task>(&[batch_task_id], follows::task);
    let Some(task) = desk.get::<Task>(&[batch_task_id])? else { return Ok(false) };
    if task.status != TaskStatus::Dispatched {
        return Ok(false);
    }
    if task.current_turn_epoch.is_some() {
        return missed_event(desk, task);
    }
    if young(&task, desk.now(), desk.settings.reconcile_after_seconds) {
        return Ok(false);
    }
    want(desk, &task);
    reconcile(desk, task)?;
    Ok(true)
}

fn want(desk: &mut Desk<'_>, task: &Task) {
    desk.want::<Batch>(&[&task.batch_id]);
    if let Some(turn) = task.current_agent_turn_id.as_deref() {
        desk.want_list::<Inbox>("of_turn", &[turn], 4);
        desk.want::<Inbox>(&[turn]);
    }
    l0::want_promotion(desk, &task.agent_id);
}

fn reconcile(desk: &mut Desk<'_>, mut task: Task) -> Run<()> {
    let Some(turn) = present(task.current_agent_turn_id.as_deref()).map(str::to_owned) else {
        return redispatch(desk, task);
    };
    let Some(mut batch) = desk.get::<Batch>(&[&task.batch_id])? else { return Ok(()) };
    if batch.status != BatchStatus::Running {
        return Ok(());
    }
    let now = desk.now();
    let late = batch.deadline_at.is_some_and(|deadline| deadline < now);
    if late || batch.may_end(1) {
        want_ending(desk, &batch, Stops::Others);
    }
    let rows = desk.list::<Inbox>("of_turn", &[&turn], 4)?;
    let row = rows.into_iter().find(|row| row.message_type == "turn");
    let row = match row {
        Some(row) => Some(row),
        None => desk.get::<Inbox>(&[&turn])?,
    };
    let payload = row.as_ref().and_then(|row| row.payload.as_object());
    let epoch =
        payload.and_then(|payload| number_of(payload, "turn_epoch")).filter(|epoch| *epoch > 0);
    if let Some(epoch) = epoch {
        task.current_turn_epoch = Some(epoch);
        task.updated_at = now;
        return desk.put(&task, "reconcile", "the message has an epoch");
    }
    let window = desk.settings.revert_after_seconds;
    if young(&task, now, window) {
        return Ok(());
    }
    let status = row.as_ref().map_or("missing", |row| row.status.as_str());
    let mut noted = false;
    if !task.metadata.contains_key("dispatch_warning_code") {
        task.metadata.insert("dispatch_warning_code".into(), "ack_pending_window_exceeded".into());
        task.metadata.insert("dispatch_warning_at".into(), stamp(now).into());
        task.metadata.insert("dispatch_warning_inbox_status".into(), status.into());
        noted = true;
    }
    let queued = row.as_ref().is_some_and(|row| row.status == InboxStatus::Queued);
    if queued && !task.metadata.contains_key("dispatch_wakeup_sent_at") {
        let metadata = object! {
            "batch_task_id" => task.batch_task_id.as_str(), "batch_id" => task.batch_id.as_str(),
        };
        if let Some(promoted) = l0::promote(desk, &task.agent_id)? {
            let reason = "batch_reconcile_ack_pending_window_exceeded";
            l0::ring_promoted(desk, &task.agent_id, &promoted, reason, Some(metadata))?;
        }
        task.metadata.insert("dispatch_wakeup_sent_at".into(), stamp(now).into());
        task.metadata.insert("dispatch_wakeup_ack_status".into(), "accepted".into());
        noted = true;
    }
    if batch.fail_fast() || late {
        task.status = TaskStatus::Failed;
        task.retryable = Some(false);
        task.next_retry_at = now;
        task.updated_at = now;
        task.error_detail = Some("downstream_unavailable".into());
        let view = object! { "error_code" => "downstream_unavailable", "inbox_status" => status };
        task.metadata.insert("result_view".into(), Json::Object(view));
        desk.put(&task, "reconcile", "no epoch, and no time left")?;
        count_down(desk, &mut batch, 1)?;
        return finalise(desk, batch);
    }
    if noted {
        task.updated_at = now;
        desk.put(&task, "reconcile", "no epoch for too long")?;
    } else if let Some(row) = &row {
        // somebody took the turn back, or it could not run: it will never have an epoch
        let (status, error) = match row.status {
            InboxStatus::Skipped => ("canceled", "canceled"),
            InboxStatus::Error => ("failed", "downstream_unavailable"),
            InboxStatus::Queued
            | InboxStatus::Pending
            | InboxStatus::Processing
            | InboxStatus::Consumed
            | InboxStatus::Deferred => return Ok(()),
        };
        let event = ChildEvent {
            agent_turn_id: turn,
            status: status.to_owned(),
            error: Some(error.to_owned()),
            ..ChildEvent::default()
        };
        child_event(desk, &event)?;
    } else if desk.settings.bug != Bug::LostChildForgotten {
        return redispatch(desk, task);
    }
    Ok(())
}

/// A task whose message is gone is handed out again.
fn redispatch(desk: &mut Desk<'_>, mut task: Task) -> Run<()> {
    if desk.settings.bug == Bug::LostChildForgotten {
        return Ok(());
    }
    let now = desk.now();
    task.status = TaskStatus::Pending;
    task.current_agent_turn_id = None;
    task.next_retry_at = now;
    task.updated_at = now;
    desk.put(&task, "reconcile", "dispatched, and its message is gone")
}

/// Takes in the end of a child whose event never came: what its steps and its box say.
fn missed_event(desk: &mut Desk<'_>, task: Task) -> Run<bool> {
    let turn = task.current_agent_turn_id.clone().unwrap_or_default();
    if young(&task, desk.now(), desk.settings.revert_after_seconds) {
        return Ok(false);
    }
    desk.want::<Head>(&[&task.agent_id]);
    desk.want::<Queue>(&[&task.agent_id]);
    desk.want::<Batch>(&[&task.batch_id]);
    desk.want_list::<Task>("by_turn", &[&turn], 1);
    desk.want_list::<Inbox>("of_turn", &[&turn], 4);
    desk.want_list::<StepRow>("by_turn", &[&task.agent_id, &turn], 64);
    desk.want_box(task.output_box_id.as_deref());
    let active = match desk.get::<Head>(&[&task.agent_id])? {
        Some(head) => head.active_agent_turn_id,
        // a lost head is made again only while the queue says that a turn is active
        None => l0::queue(desk, &task.agent_id)?.active_agent_turn_id,
    };
    if active.as_deref() == Some(&*turn) {
        return Ok(false);
    }
    let rows = desk.list::<Inbox>("of_turn", &[&turn], 4)?;
    let queued = |row: &Inbox| row.message_type == "turn" && row.status == InboxStatus::Queued;
    if rows.iter().any(queued) {
        return Ok(false);
    }
    let steps = desk.list::<StepRow>("by_turn", &[&task.agent_id, &turn], 64)?;
    let last = steps.iter().rfind(|step| step.ended_at.is_some());
    let well = last.is_some_and(|step| step.status == StepStatus::Completed);
    let batch = desk.peek::<Batch>(&[&task.batch_id])?;
    let ended = if well { TaskStatus::Success } else { TaskStatus::Failed };
    if let Some(batch) = batch.filter(|batch| batch.may_end(1)) {
        want_ending(desk, &batch, batch.stops(ended));
    }
    let mut delivered = None;
    if let Some(output) = present(task.output_box_id.as_deref())
        && let Some(ids) = desk.box_cards(output)?
    {
        let cards = desk.cards(&ids)?;
        delivered = deliverable(&cards);
    }
    let event = ChildEvent {
        agent_turn_id: turn,
        status: ended.as_str().to_owned(),
        deliverable_card_id: delivered,
        error: match last {
            Some(step) => step.error.clone(),
            None => Some("downstream_unavailable".into()),
        },
        ..ChildEvent::default()
    };
    child_event(desk, &event)
}
