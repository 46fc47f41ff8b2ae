//! The end of a child.

use super::end::{count_down, end_at_deadline, finalize};
use super::reads::{STEPS_OF_A_TURN, Stops, want_ending, want_task_of};
use super::result;
use super::settle::{Until, settle, time_of_end};
use crate::run::rows::status::TaskStatus;
use crate::run::rows::{Batch, StepRow, Task};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{present, text_of};
use crate::value::arguments::{Loose, OrNull, arguments};
use crate::value::json::Json;

arguments! {
    /// The end of the turn of a task.
    ///
    /// The example of [`ChildEvent`] shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct TurnEnd {
        /// The turn.
        pub agent_turn_id: String,
        /// The status of the turn. An unknown status counts as `failed`.
        pub status: Loose<String> = String::new(),
        /// The box with the output of the turn.
        pub output_box_id: Option<OrNull<String>>,
        /// The card that the turn delivered.
        pub deliverable_card_id: Option<OrNull<String>>,
        /// The card of the tool result that ended the turn.
        pub tool_result_card_id: Option<OrNull<String>>,
        /// The error of the turn.
        pub error: Option<OrNull<String>>,
    }

    /// Records that the turn of a task ended.
    ///
    /// ```
    /// use tuckbox::run::ChildEvent;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = ChildEvent::from_json(&json!({"agent_turn_id": "t1", "status": "success"}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// assert!(!rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value, "no task has this turn");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ChildEvent {
        shared end: TurnEnd,
        shared terms: RunTerms,
    }
}

perform! {
    ChildEvent -> bool { |call, tx| child_event(tx, &call.end) }
}

/// Ends the task of a child. Returns false if no open task belongs to the turn.
pub(crate) fn child_event(tx: &mut Transaction<'_>, event: &TurnEnd) -> Run<bool> {
    want_task_of(tx, &event.agent_turn_id);
    tx.want_card(event.deliverable_card_id.as_deref());
    tx.want_card(event.tool_result_card_id.as_deref());
    let tasks = tx.list::<Task>("by_turn", &[&event.agent_turn_id], 1)?;
    let open = |task: &Task| !task.status.is_final();
    let Some(task) = tasks.into_iter().next().filter(open) else { return Ok(false) };
    let Some(batch) = tx.get::<Batch>(&[&task.batch_id])? else { return Ok(false) };
    let Some(status) = status_of(event) else { return Ok(false) };
    if batch.is_ordered(tx) {
        want_ending(tx, &batch, Stops::Ordered);
        return in_order(tx, batch, &task, event);
    }
    if batch.may_end(1) {
        want_ending(tx, &batch, batch.stops(status));
    }
    take_end(tx, batch, task, event)?;
    Ok(true)
}

/// Returns the final status of a task; `None` if its turn continues.
fn status_of(event: &TurnEnd) -> Option<TaskStatus> {
    match TaskStatus::named(&event.status) {
        Some(status) if status.is_final() => Some(status),
        Some(TaskStatus::Pending | TaskStatus::Dispatched) => None,
        Some(_) | None => Some(TaskStatus::Failed),
    }
}

/// Ends a task after all that ended before it. A task that ended after the deadline of its batch is
/// canceled.
fn in_order(tx: &mut Transaction<'_>, batch: Batch, task: &Task, event: &TurnEnd) -> Run<bool> {
    tx.want_list::<StepRow>("by_turn", &[&task.agent_id, &event.agent_turn_id], STEPS_OF_A_TURN);
    let at = time_of_end(tx, task)?.unwrap_or(tx.now());
    if batch.deadline_at.is_some_and(|deadline| deadline < at) {
        end_at_deadline(tx, batch)?;
        return Ok(true);
    }
    if batch.fail_fast() {
        settle(tx, &batch, Until::Turn(at, &task.agent_id))?;
    }
    // an earlier end can have ended the batch
    let Some(batch) = tx.get::<Batch>(&[&task.batch_id])? else { return Ok(true) };
    let task = tx.get::<Task>(&[&task.batch_task_id])?.filter(|task| !task.status.is_final());
    if let Some(task) = task {
        take_end(tx, batch, task, event)?;
    }
    Ok(true)
}

/// Writes the end of an open task, and ends its batch if that was the last.
pub(super) fn take_end(
    tx: &mut Transaction<'_>,
    mut batch: Batch,
    mut task: Task,
    event: &TurnEnd,
) -> Run<()> {
    let Some(status) = status_of(event) else { return Ok(()) };
    let structured =
        text_of(&batch.metadata, "structured_output").as_deref() == Some("tool_result");
    let view = result::view(
        tx,
        event.deliverable_card_id.as_deref(),
        event.tool_result_card_id.as_deref(),
        structured,
    )?;
    let now = tx.now();
    task.status = status;
    task.retryable = Some(false);
    task.next_retry_at = now;
    if present(event.output_box_id.as_deref()).is_some() {
        task.output_box_id.clone_from(&event.output_box_id);
    }
    task.error_detail.clone_from(&event.error);
    task.metadata.insert("result_view".into(), Json::Object(view));
    task.updated_at = now;
    tx.put(&task, "child_event", "task pending or dispatched")?;
    count_down(tx, &mut batch, 1)?;
    finalize(tx, batch)
}
