//! Tasks are handed out.

use super::super::desk::{Desk, Run, present, text_of};
use super::super::dispatch::{self, Dispatch, Dispatched};
use super::super::follows;
use super::super::l0::{self, Join};
use super::super::message::{object, stamp};
use super::super::rows::{Batch, Task};
use super::super::trace;
use super::super::words::{BatchStatus, TaskStatus};
use super::create::BATCHES_OF_A_TURN;
use super::{
    BatchRequest, Stops, channel, count_down, finalise, want_answer, want_ending, want_stop,
};
use crate::value::json::{Json, Number};
use crate::value::str_map::StrMap;
use crate::{Error, Path};
use std::collections::BTreeMap;

/// What a dispatcher of the host's own said.
#[derive(Clone, Debug)]
pub(crate) struct Foreign {
    pub status: String,
    pub error_code: Option<String>,
    pub turn_epoch: Option<i64>,
}

/// Starts a batch: the join's request, then every task that is due.
pub(crate) fn activate(
    desk: &mut Desk<'_>,
    batch: Batch,
    tasks: Vec<Task>,
    foreign: Option<&[Foreign]>,
) -> Run<()> {
    let Some(depth) = batch.depth() else {
        let text = "a batch without `recursion_depth` cannot be started";
        return Err(Error::bad_request(text).at(Path::root().key("recursion_depth")).into());
    };
    want_tasks(desk, &tasks);
    want_ending(desk, &batch, Stops::Others);
    for task in tasks.iter().filter(|task| task.status == TaskStatus::Dispatched) {
        want_stop(desk, task);
    }
    let step = text_of(&batch.metadata, "parent_step_id");
    let join = Join {
        phase: "request".into(),
        project_id: desk.project(),
        channel_id: Some(channel(&batch)),
        source_agent_id: Some(batch.parent_agent_id.clone()),
        source_agent_turn_id: Some(batch.parent_agent_turn_id.clone()),
        source_step_id: step.clone(),
        target_agent_id: Some(batch.parent_agent_id.clone()),
        target_agent_turn_id: Some(batch.parent_agent_turn_id.clone()),
        correlation_id: Some(batch.batch_id.clone()),
        depth: Some(depth.into()),
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
    l0::join(desk, &join)?;
    let batches = BTreeMap::from([(batch.batch_id.clone(), batch)]);
    dispatch_tasks(desk, &batches, tasks, foreign)
}

/// Asks for everything that handing out these tasks looks at.
pub(crate) fn want_tasks(desk: &mut Desk<'_>, tasks: &[Task]) {
    for task in tasks {
        want_task(desk, Some(&task.agent_id), [&task.output_box_id, &task.context_box_id]);
    }
}

fn want_task(desk: &mut Desk<'_>, agent_id: Option<&str>, boxes: [&Option<String>; 2]) {
    for box_id in boxes {
        desk.want_box(box_id.as_deref());
    }
    if let Some(agent_id) = present(agent_id) {
        l0::want_promotion(desk, agent_id);
    }
}

/// Asks for everything that making and starting a batch looks at, before it is known whether it will
/// be made: a second read is left for queues in whose front nobody can run.
pub(crate) fn want_start(desk: &mut Desk<'_>, request: &BatchRequest) {
    want_answer(desk, &request.source_agent_id, &request.parent_tool_call_id);
    let of = [request.source_agent_id.as_str(), request.parent_agent_turn_id.as_str()];
    desk.want_list::<Batch>("by_parent", &of, BATCHES_OF_A_TURN);
    for spec in &request.tasks {
        want_task(desk, spec.agent_id.as_deref(), [&spec.output_box_id, &spec.context_box_id]);
    }
}

/// Hands out the tasks that are due, oldest first.
pub(crate) fn dispatch_due(
    desk: &mut Desk<'_>,
    limit: usize,
    foreign: Option<&[Foreign]>,
) -> Run<usize> {
    desk.want_list_with::<Task>("by_status", &["pending"], limit, follows::handed_out);
    let tasks = desk.list::<Task>("by_status", &["pending"], limit)?;
    let now = desk.now();
    let due: Vec<Task> = tasks
        .into_iter()
        .filter(|task| waits_to_be_handed_out(task) && task.next_retry_at <= now)
        .collect();
    for task in &due {
        desk.want::<Batch>(&[&task.batch_id]);
    }
    want_tasks(desk, &due);
    let mut batches = BTreeMap::new();
    for task in &due {
        if let Some(batch) = desk.get::<Batch>(&[&task.batch_id])? {
            batches.insert(batch.batch_id.clone(), batch);
        }
    }
    let mut counts: StrMap<usize> = StrMap::new();
    for task in &due {
        match counts.get_mut(&task.batch_id) {
            Some(count) => *count += 1,
            None => _ = counts.insert(task.batch_id.as_str(), 1),
        }
    }
    for batch in batches.values() {
        if batch.may_end(counts.get(&batch.batch_id).copied().unwrap_or_default()) {
            want_ending(desk, batch, Stops::Others);
        }
    }
    let count = due.len();
    dispatch_tasks(desk, &batches, due, foreign)?;
    Ok(count)
}

/// Hands out tasks, one after the other.
pub(crate) fn dispatch_tasks(
    desk: &mut Desk<'_>,
    batches: &BTreeMap<String, Batch>,
    tasks: Vec<Task>,
    foreign: Option<&[Foreign]>,
) -> Run<()> {
    let mut foreign = foreign.map(|answers| answers.iter().cycle_last());
    for task in tasks {
        let Some(batch) = batches.get(&task.batch_id) else { continue };
        // an earlier task may have ended the batch
        let Some(batch) = desk.get::<Batch>(&[&batch.batch_id])? else { continue };
        let Some(task) = desk.get::<Task>(&[&task.batch_task_id])? else { continue };
        if batch.status != BatchStatus::Running || !waits_to_be_handed_out(&task) {
            continue;
        }
        let answer = foreign.as_mut().and_then(Iterator::next);
        hand_out(desk, batch, task, answer)?;
    }
    Ok(())
}

/// True for a task that nobody has handed out, and that may be.
pub(crate) fn waits_to_be_handed_out(task: &Task) -> bool {
    task.status == TaskStatus::Pending && task.retryable != Some(false)
}

/// The answers in turn, the last one again and again.
trait CycleLast<'a> {
    fn cycle_last(self) -> Box<dyn Iterator<Item = &'a Foreign> + 'a>;
}

impl<'a> CycleLast<'a> for std::slice::Iter<'a, Foreign> {
    fn cycle_last(self) -> Box<dyn Iterator<Item = &'a Foreign> + 'a> {
        let last = self.as_slice().last();
        Box::new(self.chain(std::iter::repeat(last).flatten()))
    }
}

fn hand_out(
    desk: &mut Desk<'_>,
    mut batch: Batch,
    mut task: Task,
    foreign: Option<&Foreign>,
) -> Run<()> {
    let now = desk.now();
    let depth = batch.depth().unwrap_or(0);
    let output = match present(task.output_box_id.as_deref()).map(str::to_owned) {
        Some(id) if desk.has_box(&id)? => id,
        Some(_) | None => desk.new_box(),
    };
    let turn_id = desk.mint("turn_");
    let trace_id = desk.hex();
    let child = trace::new_span(desk, trace_id);
    task.attempt_count += 1;
    task.output_box_id = Some(output.clone());
    task.updated_at = now;
    let mut headers = object! {
        "traceparent" => child.traceparent.as_str(),
        "CG-Recursion-Depth" => (depth + 1).to_string(),
    };
    task.metadata.insert("child_trace_id".into(), child.trace_id.as_str().into());
    task.metadata.insert("child_traceparent".into(), child.traceparent.as_str().into());
    task.metadata.insert("parent_trace_id".into(), text_of(&batch.metadata, "trace_id").into());
    let traceparent = text_of(&batch.metadata, "parent_traceparent");
    task.metadata.insert("parent_traceparent".into(), traceparent.clone().into());
    if let Some(traceparent) = traceparent {
        headers.insert("CG-Parent-Traceparent".into(), traceparent.into());
    }
    let args =
        task.metadata.get("task_args").and_then(Json::as_object).cloned().unwrap_or_default();
    let config = task.metadata.get("runtime_config").and_then(Json::as_object).cloned();
    let answer = match foreign {
        Some(foreign) => Dispatched {
            status: foreign.status.clone(),
            error_code: foreign.error_code.clone(),
            turn_epoch: foreign.turn_epoch,
            ..Dispatched::default()
        },
        None => {
            let call = Dispatch {
                project_id: desk.project(),
                channel_id: channel(&batch),
                agent_id: task.agent_id.clone(),
                profile_box_id: task.profile_box_id.clone(),
                context_box_id: task.context_box_id.clone(),
                output_box_id: Some(output),
                agent_turn_id: Some(turn_id.clone()),
                headers,
                trace_id: Some(child.trace_id.clone()),
                parent_agent_turn_id: Some(batch.parent_agent_turn_id.clone()),
                parent_tool_call_id: Some(batch.parent_tool_call_id.clone()),
                parent_step_id: text_of(&batch.metadata, "parent_step_id"),
                source_agent_id: None,
                display_name: text_of(&args, "label").or_else(|| text_of(&args, "profile_name")),
                runtime_config: config,
                emit_state_event: true,
                publish_turn: true,
            };
            dispatch::dispatch(desk, &call)?
        }
    };
    let code = answer.error_code.clone();
    let told = |task: &mut Task| {
        task.metadata.insert("dispatch_status".into(), answer.status.as_str().into());
        task.metadata.insert("dispatch_error_code".into(), code.clone().into());
        task.metadata.insert("dispatch_attempt_count".into(), task.attempt_count.into());
    };
    if answer.status == "accepted" {
        task.status = TaskStatus::Dispatched;
        task.current_agent_turn_id = Some(turn_id);
        task.current_turn_epoch = answer.turn_epoch;
        return desk.put(&task, "dispatch_task", "status = pending, batch running");
    }
    let again = answer.status == "busy" || code.as_deref() == Some("internal_error");
    if again && task.attempt_count < desk.settings.dispatch_attempts {
        let power = u32::try_from(task.attempt_count - 1).unwrap_or(0).min(16);
        let delay =
            desk.settings.dispatch_retry_seconds.saturating_mul(2_i64.saturating_pow(power));
        let delay = delay.min(desk.settings.dispatch_retry_max_seconds);
        task.current_agent_turn_id = None;
        task.next_retry_at = now.plus_seconds(delay);
        told(&mut task);
        task.metadata.insert("dispatch_retry_scheduled_at".into(), stamp(now).into());
        #[allow(clippy::cast_precision_loss)]
        let seconds = Number::from_f64(delay as f64).map_or(Json::Null, Json::Number);
        task.metadata.insert("dispatch_next_retry_delay_seconds".into(), seconds);
        return desk.put(&task, "dispatch_task", "busy, tries left");
    }
    task.status = TaskStatus::Failed;
    task.retryable = Some(false);
    task.next_retry_at = now;
    task.current_agent_turn_id = Some(turn_id);
    told(&mut task);
    task.metadata.insert("dispatch_failed_at".into(), stamp(now).into());
    task.error_detail = Some(if again {
        task.metadata.insert("dispatch_retry_exhausted".into(), true.into());
        "dispatch_retry_exhausted".to_owned()
    } else {
        match &code {
            Some(code) => format!("dispatch_{}:{code}", answer.status),
            None => format!("dispatch_{}", answer.status),
        }
    });
    desk.put(&task, "dispatch_task", "refused")?;
    count_down(desk, &mut batch, 1)?;
    finalise(desk, batch)
}
