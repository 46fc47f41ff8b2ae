//! The dispatch of tasks.

use super::answer::channel;
use super::end::{count_down, finalize};
use super::reads::{Stops, TASKS_OF_A_BATCH, dispatch_targets, want_ending, want_stop, want_tasks};
use crate::run::queue::dispatch::{DispatchTurn, Dispatched, dispatch};
use crate::run::queue::edge::{NoteEdge, join};
use crate::run::rows::status::{BatchStatus, TaskStatus};
use crate::run::rows::{Batch, Task};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present, text_of};
use crate::run::wire::events::stamp;
use crate::run::wire::trace;
use crate::value::arguments::{Loose, arguments};
use crate::value::json::{Json, Number, Object};
use crate::value::str_map::StrMap;
use crate::{Error, Path};
use std::collections::BTreeMap;

/// The status of a dispatch by the host.
type HostStatus = String;

shape! {
    /// The status of a dispatch by the host.
    pub type HostStatus = Word<"accepted", "busy", "rejected", "error">;
}

arguments! {
    /// The answer of a dispatcher of the host.
    ///
    /// The example of [`DispatchPending`] shows it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HostDispatch {
        /// `accepted`, `busy`, `rejected` or `error`.
        pub status: Loose<HostStatus>,
        /// The code of a refusal.
        pub error_code: Option<String>,
        /// The epoch of the turn.
        pub turn_epoch: Option<i64>,
    }

    /// The answers of a dispatcher of the host.
    ///
    /// The example of [`DispatchPending`] shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct HostDispatches {
        /// The answers, in the order of the tasks. The last one counts for all further tasks. By
        /// default the operation dispatches.
        pub dispatch_results: Option<Vec<HostDispatch>>,
    }

    /// Starts a batch: the join request, then every task.
    ///
    /// The example of [`DispatchPending`] shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ActivateBatch {
        /// The batch.
        pub batch_id: String,
        shared host: HostDispatches,
        shared terms: RunTerms,
    }

    /// Dispatches the tasks that are due.
    ///
    /// ```
    /// use tuckbox::run::DispatchPending;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = DispatchPending::from_json(&json!({"limit": 5,
    ///     "dispatch_results": [{"status": "busy", "error_code": "agent_busy"}]}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let done = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &MemoryStore::new())?;
    /// assert!(done.writes.is_empty(), "no task waits");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct DispatchPending {
        /// The maximum number of tasks. The setting `watchdog_limit` by default.
        pub limit: Option<usize>,
        shared host: HostDispatches,
        shared terms: RunTerms,
    }

    /// Dispatches one task. The answer is `false` when it is not due or its batch ended.
    ///
    /// The example of [`DispatchPending`] shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct DispatchTask {
        /// The task.
        pub batch_task_id: String,
        shared host: HostDispatches,
        shared terms: RunTerms,
    }
}

perform! {
    ActivateBatch -> () { |call, tx| call.run(tx) }
    DispatchPending -> () {
        |call, tx| {
            let usual = usize::try_from(tx.settings.watchdog_limit).unwrap_or(200);
            let limit = call.limit.unwrap_or(usual).min(tx.row_limit());
            dispatch_due(tx, limit, call.host.dispatch_results.as_deref())
        }
    }
    DispatchTask -> bool { |call, tx| call.run(tx) }
}

impl ActivateBatch {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<()> {
        let batch_id = self.batch_id.as_str();
        tx.want::<Batch>(&[batch_id]);
        let limit = TASKS_OF_A_BATCH;
        let reference = tx.reference_behavior;
        tx.want_list_with::<Task>("by_batch", &[batch_id], limit, || dispatch_targets(reference));
        let tasks = tx.list::<Task>("by_batch", &[batch_id], limit)?;
        let Some(found) = tx.get::<Batch>(&[batch_id])? else {
            let text = format!("batch `{batch_id}` does not exist");
            return Err(Error::not_found(text).at(Path::root().key("batch_id")).into());
        };
        activate(tx, found, tasks, self.host.dispatch_results.as_deref())
    }
}

impl DispatchTask {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<bool> {
        let reference = tx.reference_behavior;
        tx.want_with::<Task>(&[&self.batch_task_id], || dispatch_targets(reference));
        let Some(task) = tx.get::<Task>(&[&self.batch_task_id])? else { return Ok(false) };
        tx.want::<Batch>(&[&task.batch_id]);
        want_tasks(tx, std::slice::from_ref(&task));
        let due = task.next_retry_at <= tx.now() && can_dispatch(&task);
        let found = tx.get::<Batch>(&[&task.batch_id])?;
        let Some(found) = found.filter(|batch| due && batch.status == BatchStatus::Running) else {
            return Ok(false);
        };
        let batches = BTreeMap::from([(found.batch_id.clone(), found)]);
        dispatch_tasks(tx, &batches, vec![task], self.host.dispatch_results.as_deref())?;
        Ok(true)
    }
}

/// Starts a batch: writes the request of the join, then dispatches the tasks.
pub(crate) fn activate(
    tx: &mut Transaction<'_>,
    batch: Batch,
    tasks: Vec<Task>,
    host: Option<&[HostDispatch]>,
) -> Run<()> {
    let Some(depth) = batch.depth() else {
        let text = "a batch without `recursion_depth` cannot start";
        return Err(Error::bad_request(text).at(Path::root().key("recursion_depth")).into());
    };
    want_tasks(tx, &tasks);
    want_ending(tx, &batch, Stops::Others);
    for task in tasks.iter().filter(|task| task.status == TaskStatus::Dispatched) {
        want_stop(tx, task);
    }
    let step = text_of(&batch.metadata, "parent_step_id");
    let request = NoteEdge {
        channel_id: Some(channel(&batch)),
        source_agent_id: Some(batch.parent_agent_id.clone()),
        source_agent_turn_id: Some(batch.parent_agent_turn_id.clone()),
        source_step_id: step.clone(),
        target_agent_id: Some(batch.parent_agent_id.clone()),
        target_agent_turn_id: Some(batch.parent_agent_turn_id.clone()),
        correlation_id: batch.batch_id.clone(),
        recursion_depth: Some(depth.into()),
        trace_id: text_of(&batch.metadata, "trace_id"),
        parent_step_id: step,
        metadata: object! {
            "batch_id" => batch.batch_id.as_str(),
            "task_count" => batch.task_count,
            "fail_fast" => batch.fail_fast(),
            "deadline_at" => batch.deadline_at.map(stamp),
            "tool_name" => "fork_join",
        },
    };
    join(tx, "request", &request)?;
    let batches = BTreeMap::from([(batch.batch_id.clone(), batch)]);
    dispatch_tasks(tx, &batches, tasks, host)
}

/// Dispatches the tasks that are due, the oldest first.
fn dispatch_due(tx: &mut Transaction<'_>, limit: usize, host: Option<&[HostDispatch]>) -> Run<()> {
    let reference = tx.reference_behavior;
    tx.want_list_with::<Task>("by_status", &["pending"], limit, || dispatch_targets(reference));
    let tasks = tx.list::<Task>("by_status", &["pending"], limit)?;
    let now = tx.now();
    let due: Vec<Task> =
        tasks.into_iter().filter(|task| can_dispatch(task) && task.next_retry_at <= now).collect();
    for task in &due {
        tx.want::<Batch>(&[&task.batch_id]);
    }
    want_tasks(tx, &due);
    let mut batches = BTreeMap::new();
    let mut counts: StrMap<usize> = StrMap::new();
    for task in &due {
        if let Some(batch) = tx.get::<Batch>(&[&task.batch_id])? {
            batches.insert(batch.batch_id.clone(), batch);
        }
        match counts.get_mut(&task.batch_id) {
            Some(count) => *count += 1,
            None => _ = counts.insert(task.batch_id.as_str(), 1),
        }
    }
    for batch in batches.values() {
        if batch.may_end(counts.get(&batch.batch_id).copied().unwrap_or_default()) {
            want_ending(tx, batch, Stops::Others);
        }
    }
    dispatch_tasks(tx, &batches, due, host)
}

/// Dispatches tasks in order.
fn dispatch_tasks(
    tx: &mut Transaction<'_>,
    batches: &BTreeMap<String, Batch>,
    tasks: Vec<Task>,
    host: Option<&[HostDispatch]>,
) -> Run<()> {
    let mut next = 0;
    for task in tasks {
        let Some(batch) = batches.get(&task.batch_id) else { continue };
        // an earlier task may have ended the batch
        let Some(batch) = tx.get::<Batch>(&[&batch.batch_id])? else { continue };
        let Some(task) = tx.get::<Task>(&[&task.batch_task_id])? else { continue };
        if batch.status != BatchStatus::Running || !can_dispatch(&task) {
            continue;
        }
        // the last answer of the host counts for all further tasks
        let answer = host.and_then(|answers| answers.get(next).or(answers.last()));
        next += 1;
        dispatch_task(tx, batch, task, answer)?;
    }
    Ok(())
}

/// Returns true if a task waits for its dispatch.
pub(crate) fn can_dispatch(task: &Task) -> bool {
    task.status == TaskStatus::Pending && task.retryable != Some(false)
}

fn dispatch_task(
    tx: &mut Transaction<'_>,
    batch: Batch,
    mut task: Task,
    host: Option<&HostDispatch>,
) -> Run<()> {
    let output = match present(task.output_box_id.as_deref()).map(str::to_owned) {
        Some(id) if tx.has_box(&id)? => id,
        Some(_) | None => tx.new_box(),
    };
    let turn_id = tx.mint("turn_");
    task.attempt_count += 1;
    task.output_box_id = Some(output);
    task.updated_at = tx.now();
    let (trace_id, headers) = child_headers(tx, &batch, &mut task);
    let answer = match host {
        Some(host) => Dispatched {
            status: host.status.clone(),
            error_code: host.error_code.clone(),
            turn_epoch: host.turn_epoch,
            ..Dispatched::default()
        },
        None => {
            let turn = child_turn(&batch, &task, &turn_id, trace_id, headers);
            dispatch(tx, &turn)?
        }
    };
    if answer.status == "accepted" {
        task.status = TaskStatus::Dispatched;
        task.current_agent_turn_id = Some(turn_id);
        task.current_turn_epoch = answer.turn_epoch;
        return tx.put(&task, "dispatch_task", "status = pending, batch running");
    }
    let code = answer.error_code.as_deref();
    let again = answer.status == "busy" || code == Some("internal_error");
    if again && task.attempt_count < tx.settings.dispatch_attempts {
        return retry_later(tx, task, &answer);
    }
    fail_task(tx, batch, task, turn_id, &answer, again)
}

/// Makes the trace of a child, and notes it in the task. Returns the trace id and the headers.
fn child_headers(tx: &mut Transaction<'_>, batch: &Batch, task: &mut Task) -> (String, Object) {
    let trace_id = tx.hex();
    let child = trace::new_span(tx, trace_id);
    let mut headers = object! {
        "traceparent" => child.traceparent.as_str(),
        "CG-Recursion-Depth" => (batch.depth().unwrap_or(0) + 1).to_string(),
    };
    task.metadata.insert("child_trace_id".into(), child.trace_id.as_str().into());
    task.metadata.insert("child_traceparent".into(), child.traceparent.as_str().into());
    task.metadata.insert("parent_trace_id".into(), text_of(&batch.metadata, "trace_id").into());
    let traceparent = text_of(&batch.metadata, "parent_traceparent");
    task.metadata.insert("parent_traceparent".into(), traceparent.clone().into());
    if let Some(traceparent) = traceparent {
        headers.insert("CG-Parent-Traceparent".into(), traceparent.into());
    }
    (child.trace_id, headers)
}

/// Returns the turn of a task.
fn child_turn(
    batch: &Batch,
    task: &Task,
    turn_id: &str,
    trace_id: String,
    headers: Object,
) -> DispatchTurn {
    let args = task.metadata.get("task_args").and_then(Json::as_object);
    let label =
        args.and_then(|args| text_of(args, "label").or_else(|| text_of(args, "profile_name")));
    DispatchTurn {
        channel_id: channel(batch),
        agent_id: task.agent_id.clone(),
        profile_box_id: task.profile_box_id.clone().unwrap_or_default(),
        context_box_id: task.context_box_id.clone(),
        instruction: None,
        conversation: None,
        output_box_id: task.output_box_id.clone(),
        agent_turn_id: Some(turn_id.to_owned()),
        headers: headers.into(),
        trace_id: Some(trace_id),
        parent_agent_turn_id: Some(batch.parent_agent_turn_id.clone()),
        parent_tool_call_id: Some(batch.parent_tool_call_id.clone()),
        parent_step_id: text_of(&batch.metadata, "parent_step_id"),
        source_agent_id: None,
        display_name: label,
        runtime_config: task.metadata.get("runtime_config").and_then(Json::as_object).cloned(),
        emit_state_event: true,
        publish_turn: true,
    }
}

/// Notes the answer to a dispatch in its task.
fn note_answer(task: &mut Task, answer: &Dispatched) {
    task.metadata.insert("dispatch_status".into(), answer.status.as_str().into());
    task.metadata.insert("dispatch_error_code".into(), answer.error_code.clone().into());
    task.metadata.insert("dispatch_attempt_count".into(), task.attempt_count.into());
}

/// Leaves a task pending; the delay doubles with each attempt.
fn retry_later(tx: &mut Transaction<'_>, mut task: Task, answer: &Dispatched) -> Run<()> {
    let (now, settings) = (tx.now(), tx.settings);
    let power = u32::try_from(task.attempt_count - 1).unwrap_or(0).min(16);
    let delay = settings.dispatch_retry_seconds.saturating_mul(2_i64.saturating_pow(power));
    let delay = delay.min(settings.dispatch_retry_max_seconds);
    task.current_agent_turn_id = None;
    task.next_retry_at = now.plus_seconds(delay);
    note_answer(&mut task, answer);
    task.metadata.insert("dispatch_retry_scheduled_at".into(), stamp(now).into());
    #[allow(clippy::cast_precision_loss)]
    let seconds = Number::from_f64(delay as f64).map_or(Json::Null, Json::Number);
    task.metadata.insert("dispatch_next_retry_delay_seconds".into(), seconds);
    tx.put(&task, "dispatch_task", "busy, tries left")
}

/// Fails a task that was refused; `exhausted` if it was refused too often.
fn fail_task(
    tx: &mut Transaction<'_>,
    mut batch: Batch,
    mut task: Task,
    turn_id: String,
    answer: &Dispatched,
    exhausted: bool,
) -> Run<()> {
    let now = tx.now();
    task.status = TaskStatus::Failed;
    task.retryable = Some(false);
    task.next_retry_at = now;
    task.current_agent_turn_id = Some(turn_id);
    note_answer(&mut task, answer);
    task.metadata.insert("dispatch_failed_at".into(), stamp(now).into());
    task.error_detail = Some(if exhausted {
        task.metadata.insert("dispatch_retry_exhausted".into(), true.into());
        "dispatch_retry_exhausted".to_owned()
    } else {
        match &answer.error_code {
            Some(code) => format!("dispatch_{}:{code}", answer.status),
            None => format!("dispatch_{}", answer.status),
        }
    });
    tx.put(&task, "dispatch_task", "refused")?;
    count_down(tx, &mut batch, 1)?;
    finalize(tx, batch)
}
