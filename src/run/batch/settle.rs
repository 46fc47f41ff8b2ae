//! The ends of the tasks of a batch, in the order of their times.
//!
//! A watchdog can look late, and a message can arrive late. So a batch with `fail_fast`, or with a
//! deadline that passed, takes the ends of its turns from their rows. Their order is that in which
//! they ended or were due to end. The outcome does not depend on the time at which a host looks.

use super::child_event::{TurnEnd, take_end};
use super::end::stop_child;
use super::reads::{STEPS_OF_A_TURN, TASKS_OF_A_BATCH};
use crate::Timestamp;
use crate::run::rows::status::{BatchStatus, TaskStatus};
use crate::run::rows::{Batch, Head, StepRow, Task};
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::deliverable::deliverable;
use crate::run::turn::expiry::{expiry, last_step};
use crate::run::turn::reads::want_start;
use crate::run::turn::release::message_of;
use crate::run::values::present;

impl Batch {
    /// Returns true if the order of the ends of the tasks can decide the outcome.
    pub(super) fn is_ordered(&self, tx: &Transaction<'_>) -> bool {
        let is_late = self.deadline_at.is_some_and(|deadline| deadline < tx.now());
        !tx.reference_behavior && (is_late || self.fail_fast())
    }
}

/// The ends to take: those up to a time, or those before the end of a turn.
#[derive(Clone, Copy)]
pub(super) enum Until<'a> {
    Time(Timestamp),
    /// The end of a turn, and its agent, which orders ends at the same time.
    Turn(Timestamp, &'a str),
}

impl Until<'_> {
    fn includes(self, at: Timestamp, agent: &str) -> bool {
        match self {
            Self::Time(until) => at <= until,
            Self::Turn(until, of) => (at, agent) < (until, of),
        }
    }
}

/// The end of a task that the batch does not know.
struct TaskEnd {
    at: Timestamp,
    task: Task,
    event: TurnEnd,
    /// True if the turn is active although its time passed.
    is_active: bool,
}

/// Ends the tasks whose turns ended, or were due to end, until a time. It stops when that ends the batch.
pub(super) fn settle(tx: &mut Transaction<'_>, batch: &Batch, until: Until<'_>) -> Run<()> {
    let tasks = tx.list::<Task>("by_batch", &[&batch.batch_id], TASKS_OF_A_BATCH)?;
    let mut ends = Vec::new();
    for task in tasks.into_iter().filter(|task| task.status == TaskStatus::Dispatched) {
        let end = end_of(tx, task)?;
        ends.extend(end.filter(|end| until.includes(end.at, &end.task.agent_id)));
    }
    ends.sort_by(|a, b| (a.at, &a.task.agent_id).cmp(&(b.at, &b.task.agent_id)));
    for TaskEnd { task, mut event, is_active, .. } in ends {
        let Some(batch) = tx.get::<Batch>(&[&batch.batch_id])? else { return Ok(()) };
        if batch.status != BatchStatus::Running {
            return Ok(());
        }
        if is_active {
            // a worker that renews the turn meanwhile is a conflict
            tx.get::<Head>(&[&task.agent_id])?;
            stop_child(tx, &batch, &task)?;
        } else if let Some(output) = present(task.output_box_id.as_deref())
            && let Some(ids) = tx.box_cards(output)?
        {
            event.deliverable_card_id = deliverable(&tx.cards(&ids)?);
        }
        take_end(tx, batch, task, &event)?;
    }
    Ok(())
}

/// Returns the time at which the turn of a task ended, as its rows show it; `None` if they do not.
pub(super) fn time_of_end(tx: &mut Transaction<'_>, task: &Task) -> Run<Option<Timestamp>> {
    let turn = task.current_agent_turn_id.clone().unwrap_or_default();
    let of = [task.agent_id.as_str(), &turn];
    let steps = tx.list::<StepRow>("by_turn", &of, STEPS_OF_A_TURN)?;
    Ok(last_step(&steps).map(|(_, at)| at))
}

/// Returns the end of a task; `None` if its turn continues, or if the rows do not show its end.
fn end_of(tx: &mut Transaction<'_>, task: Task) -> Run<Option<TaskEnd>> {
    let Some(turn) = present(task.current_agent_turn_id.as_deref()).map(str::to_owned) else {
        return Ok(None);
    };
    let agent = task.agent_id.as_str();
    want_start(tx, &turn);
    tx.want_list::<StepRow>("by_turn", &[agent, &turn], STEPS_OF_A_TURN);
    // the heads of turns that go on can change meanwhile
    let Some(head) = tx.peek::<Head>(&[agent])? else { return Ok(None) };
    if head.active_agent_turn_id.as_deref() == Some(turn.as_str()) {
        let message = message_of(tx, agent, &turn)?;
        let Some(end) = expiry(tx, &head, message.as_ref()) else { return Ok(None) };
        let event = TurnEnd {
            agent_turn_id: turn,
            status: end.status.as_str().to_owned(),
            error: Some(end.error.to_owned()),
            ..TurnEnd::default()
        };
        return Ok(Some(TaskEnd { at: end.at, task, event, is_active: true }));
    }
    let steps = tx.list::<StepRow>("by_turn", &[agent, &turn], STEPS_OF_A_TURN)?;
    let Some((step, at)) = last_step(&steps) else { return Ok(None) };
    let event = TurnEnd {
        agent_turn_id: turn,
        status: step.outcome.clone().unwrap_or_default(),
        error: step.error.clone(),
        ..TurnEnd::default()
    };
    Ok(Some(TaskEnd { at, task, event, is_active: false }))
}
