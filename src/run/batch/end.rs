//! The end of a batch.

use super::answer::{MANAGER, answer_parent, channel};
use super::reads::{Stops, TASKS_OF_A_BATCH, want_ending, want_stop, want_tasks_of};
use super::result;
use super::settle::{Until, settle};
use crate::run::queue::cancel::cancel;
use crate::run::queue::edge::request_depth;
use crate::run::queue::report::report;
use crate::run::queue::send::SendMessage;
use crate::run::rows::status::{BatchStatus, TaskStatus};
use crate::run::rows::{Batch, Task};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::reads::start_of;
use crate::run::values::{number_of, object, present, text_of};
use crate::run::wire::trace;
use crate::value::arguments::arguments;
use crate::value::json::Json;

impl Batch {
    pub(super) fn fail_fast(&self) -> bool {
        self.metadata.get("fail_fast").is_some_and(Json::is_truthy)
    }

    /// Returns true if the next `ends` children that end can end the batch. Only then are all tasks read.
    pub(super) fn may_end(&self, ends: usize) -> bool {
        let ends = i64::try_from(ends).unwrap_or(i64::MAX);
        self.open_count.is_none_or(|open| open <= ends) || self.fail_fast()
    }

    /// Returns the tasks that the end of a child with this status can stop.
    pub(super) fn stops(&self, status: TaskStatus) -> Stops {
        let fails = result::FAILED.contains(&status);
        if fails && self.open_count.is_none_or(|open| open > 1) {
            Stops::Others
        } else {
            Stops::None
        }
    }

    pub(super) fn depth(&self) -> Option<i64> {
        number_of(&self.metadata, "recursion_depth")
    }
}

/// Counts tasks that ended in the batch row, so that two ends at the same time conflict.
pub(super) fn count_down(tx: &mut Transaction<'_>, batch: &mut Batch, ended: i64) -> Run<()> {
    batch.open_count = batch.open_count.map(|open| (open - ended).max(0));
    batch.events = Some(batch.events.unwrap_or(0) + 1);
    tx.put(batch, "child_event", "one task less")
}

/// Ends a batch if its tasks allow it.
pub(crate) fn finalize(tx: &mut Transaction<'_>, batch: Batch) -> Run<()> {
    if batch.status != BatchStatus::Running {
        return Ok(());
    }
    let fail_fast = batch.fail_fast();
    if batch.open_count.is_some_and(|open| open > 0) && !fail_fast {
        return Ok(());
    }
    want_ending(tx, &batch, Stops::Others);
    let tasks = tx.list::<Task>("by_batch", &[&batch.batch_id], TASKS_OF_A_BATCH)?;
    let statuses: Vec<TaskStatus> = tasks.iter().map(|task| task.status).collect();
    let Some(status) = result::verdict(fail_fast, batch.task_count, &statuses) else {
        return Ok(());
    };
    let early = fail_fast && statuses.iter().any(|status| result::FAILED.contains(status));
    let reason = if early { EndReason::FailFast } else { EndReason::Tasks };
    end(tx, batch, tasks, status, reason)
}

arguments! {
    /// Ends a batch whose tasks or deadline allow it. The answer is `false` for a missing batch.
    ///
    /// The example of [`ChildEvent`](crate::run::ChildEvent) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct EndBatch {
        /// The batch.
        pub batch_id: String,
        shared terms: RunTerms,
    }
}

perform! {
    EndBatch -> bool { |call, tx| call.run(tx) }
}

impl EndBatch {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<bool> {
        if deadline(tx, &self.batch_id)? {
            return Ok(true);
        }
        match tx.get::<Batch>(&[&self.batch_id])? {
            Some(found) => finalize(tx, found).map(|()| true),
            None => Ok(false),
        }
    }
}

/// Ends a batch whose deadline passed.
fn deadline(tx: &mut Transaction<'_>, batch_id: &str) -> Run<bool> {
    tx.want::<Batch>(&[batch_id]);
    want_tasks_of(tx, batch_id, if tx.reference_behavior { Stops::None } else { Stops::Ordered });
    let Some(batch) = tx.get::<Batch>(&[batch_id])? else { return Ok(false) };
    let due = batch.deadline_at.is_some_and(|deadline| deadline < tx.now());
    if batch.status != BatchStatus::Running || !due {
        return Ok(false);
    }
    end_at_deadline(tx, batch)?;
    Ok(true)
}

/// Ends a batch at its deadline: the tasks that ended until then keep their outcome. If every task ended,
/// their statuses decide.
pub(super) fn end_at_deadline(tx: &mut Transaction<'_>, batch: Batch) -> Run<()> {
    want_ending(tx, &batch, Stops::Others);
    if let Some(deadline) = batch.deadline_at.filter(|_| !tx.reference_behavior) {
        settle(tx, &batch, Until::Time(deadline))?;
    }
    let running = |batch: &Batch| batch.status == BatchStatus::Running;
    let Some(batch) = tx.get::<Batch>(&[&batch.batch_id])?.filter(running) else { return Ok(()) };
    let tasks = tx.list::<Task>("by_batch", &[&batch.batch_id], TASKS_OF_A_BATCH)?;
    let statuses: Vec<TaskStatus> = tasks.iter().map(|task| task.status).collect();
    let done = result::verdict(false, batch.task_count.max(1), &statuses);
    end(tx, batch, tasks, done.unwrap_or(BatchStatus::Timeout), EndReason::Deadline)
}

/// Why a batch ends.
#[derive(Clone, Copy, PartialEq)]
enum EndReason {
    Deadline,
    FailFast,
    Tasks,
}

impl EndReason {
    const fn guard(self) -> &'static str {
        match self {
            Self::Deadline => "status = running, deadline passed",
            Self::FailFast => "status = running, a task failed",
            Self::Tasks => "status = running, every task ended",
        }
    }
}

/// Ends a batch: stops the open tasks and answers the parent, in one commit.
fn end(
    tx: &mut Transaction<'_>,
    mut batch: Batch,
    mut tasks: Vec<Task>,
    status: BatchStatus,
    reason: EndReason,
) -> Run<()> {
    let now = tx.now();
    let mut ended = 0;
    for task in tasks.iter().filter(|task| !task.status.is_final()) {
        want_stop(tx, task);
    }
    for task in tasks.iter_mut().filter(|task| !task.status.is_final()) {
        if task.status == TaskStatus::Dispatched {
            stop_child(tx, &batch, task)?;
        }
        task.status = TaskStatus::Canceled;
        task.updated_at = now;
        tx.put(task, "end_batch", "task pending or dispatched")?;
        ended += 1;
    }
    batch.open_count = batch.open_count.map(|open| (open - ended).max(0));
    batch.status = status;
    batch.updated_at = now;
    tx.put(&batch, "end_batch", reason.guard())?;
    answer_parent(tx, &batch, &tasks)
}

/// Stops a child: cancels its turn if it is queued, or sends a stop to its worker.
pub(super) fn stop_child(tx: &mut Transaction<'_>, batch: &Batch, task: &Task) -> Run<()> {
    let Some(turn) = present(task.current_agent_turn_id.as_deref()) else { return Ok(()) };
    let epoch = match task.current_turn_epoch {
        Some(epoch) => epoch,
        None => match cancel_child(tx, batch, task, turn)? {
            Some(epoch) => epoch,
            None => return Ok(()),
        },
    };
    let known = request_depth(tx, turn)?.flatten();
    let depth = known.or_else(|| batch.depth().map(|depth| depth + 1)).unwrap_or(1);
    let payload = object! {
        "agent_id" => task.agent_id.as_str(),
        "agent_turn_id" => turn,
        "turn_epoch" => epoch,
        "reason" => "batch_terminated",
    };
    let trace_id = text_of(&batch.metadata, "trace_id").and_then(|id| trace::trace_id(&id));
    let headers = trace::watchdog_headers(tx, trace_id.as_deref(), depth);
    let send = SendMessage {
        channel_id: channel(batch),
        target_agent_id: task.agent_id.clone(),
        message_type: "stop".into(),
        payload: Json::Object(payload),
        correlation_id: Some(turn.to_owned()),
        headers: headers.into(),
        source_agent_id: Some(MANAGER.into()),
        wakeup: true,
        ..SendMessage::default()
    };
    report(tx, &send)?;
    Ok(())
}

/// Cancels the turn of a task without an epoch. Returns the epoch if the turn was promoted.
fn cancel_child(
    tx: &mut Transaction<'_>,
    batch: &Batch,
    task: &Task,
    turn: &str,
) -> Run<Option<i64>> {
    let metadata = object! { "batch_id" => batch.batch_id.as_str() };
    if cancel(tx, &task.agent_id, turn, Some("batch_terminated"), Some(&metadata))? {
        return Ok(None);
    }
    let start = start_of(tx, turn)?.filter(|row| row.message_type == "turn");
    let payload = start.as_ref().and_then(|row| row.payload.as_object());
    Ok(payload.and_then(|payload| number_of(payload, "turn_epoch")))
}
