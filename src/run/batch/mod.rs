//! Batches: tasks that are handed out together and joined.

mod create;
mod dispatch;
mod reconcile;
pub(crate) mod result;

pub(crate) use create::{BatchRequest, TaskSpec, create};
pub(crate) use dispatch::{
    Foreign, activate, dispatch_due, dispatch_tasks, waits_to_be_handed_out, want_start, want_tasks,
};
pub(crate) use reconcile::reconcile_task;

use super::bugs::Bug;
use super::deliverable::tool_result;
use super::desk::{Desk, Run, card_text, present, text_of};
use super::follows::{Stops, TASKS_OF_A_BATCH, want_task_of, want_tasks_of};
use super::l0::{self, Join, Send, number_of};
use super::message::object;
use super::rows::{Batch, Edge, Inbox, Roster, Task};
use super::trace;
use super::words::{BatchStatus, TaskStatus};
use crate::value::card::{AfterExecution, Content, ToolResult};
use crate::value::json::Json;
use result::Told;

/// Who speaks for batches.
pub(crate) const MANAGER: &str = "sys.pmo.batch_manager";

/// A child ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChildEvent {
    pub agent_turn_id: String,
    pub status: String,
    pub output_box_id: Option<String>,
    pub deliverable_card_id: Option<String>,
    pub tool_result_card_id: Option<String>,
    pub error: Option<String>,
}

impl Batch {
    fn fail_fast(&self) -> bool {
        self.metadata.get("fail_fast").is_some_and(Json::is_truthy)
    }

    /// True when the next `ends` children that end may end the batch: only then are all of them read.
    fn may_end(&self, ends: usize) -> bool {
        let ends = i64::try_from(ends).unwrap_or(i64::MAX);
        self.open_count.is_none_or(|open| open <= ends) || self.fail_fast()
    }

    /// Whom the end of a child with this status may stop.
    fn stops(&self, status: TaskStatus) -> Stops {
        let fails = result::FAILED.contains(&status);
        if fails && self.open_count.is_none_or(|open| open > 1) {
            Stops::Others
        } else {
            Stops::Nobody
        }
    }

    fn depth(&self) -> Option<i64> {
        number_of(&self.metadata, "recursion_depth")
    }
}

/// Takes in that a child ended.
pub(crate) fn child_event(desk: &mut Desk<'_>, event: &ChildEvent) -> Run<bool> {
    want_task_of(desk, &event.agent_turn_id);
    desk.want_card(event.deliverable_card_id.as_deref());
    desk.want_card(event.tool_result_card_id.as_deref());
    let tasks = desk.list::<Task>("by_turn", &[&event.agent_turn_id], 1)?;
    let open = |task: &Task| !task.status.is_final();
    let Some(mut task) = tasks.into_iter().next().filter(open) else { return Ok(false) };
    let Some(mut batch) = desk.get::<Batch>(&[&task.batch_id])? else { return Ok(false) };
    let status = match TaskStatus::named(&event.status) {
        Some(status) if status.is_final() => status,
        Some(status) if desk.settings.bug == Bug::ChildEventNotFinal => status,
        // what says that a child is still at work is no end of it
        Some(TaskStatus::Pending | TaskStatus::Dispatched) => return Ok(false),
        Some(_) | None => TaskStatus::Failed,
    };
    if batch.may_end(1) {
        want_ending(desk, &batch, batch.stops(status));
    }
    let structured =
        text_of(&batch.metadata, "structured_output").as_deref() == Some("tool_result");
    let view = result::view(
        desk,
        event.deliverable_card_id.as_deref(),
        event.tool_result_card_id.as_deref(),
        structured,
    )?;
    let now = desk.now();
    task.status = status;
    task.retryable = Some(false);
    task.next_retry_at = now;
    if present(event.output_box_id.as_deref()).is_some() {
        task.output_box_id.clone_from(&event.output_box_id);
    }
    task.error_detail.clone_from(&event.error);
    task.metadata.insert("result_view".into(), Json::Object(view));
    task.updated_at = now;
    desk.put(&task, "child_event", "task pending or dispatched")?;
    count_down(desk, &mut batch, 1)?;
    finalise(desk, batch)?;
    Ok(true)
}

/// Notes in the batch that tasks ended: whoever ends another one at the same time notices.
fn count_down(desk: &mut Desk<'_>, batch: &mut Batch, ended: i64) -> Run<()> {
    if desk.settings.bug == Bug::ChildEventIgnoresBatch {
        return Ok(());
    }
    batch.open_count = batch.open_count.map(|open| (open - ended).max(0));
    batch.events = Some(batch.events.unwrap_or(0) + 1);
    desk.put(batch, "child_event", "one task less")
}

/// Asks for everything that the end of a batch looks at.
fn want_ending(desk: &mut Desk<'_>, batch: &Batch, stops: Stops) {
    want_tasks_of(desk, &batch.batch_id, stops);
    for primitive in [("join", "request"), ("join", "response")] {
        desk.want_list::<Edge>("by_primitive", &[&batch.batch_id, primitive.0, primitive.1], 1);
    }
    desk.want_list::<Edge>("by_correlation", &[&batch.batch_id, "request"], 1);
    want_answer(desk, &batch.parent_agent_id, &batch.parent_tool_call_id);
}

/// Asks for everything that the answer to a parent looks at.
fn want_answer(desk: &mut Desk<'_>, parent: &str, call: &str) {
    desk.want::<Roster>(&[parent]);
    desk.want_list::<Edge>("by_correlation", &[call, "request"], 1);
    desk.want_list::<Edge>("by_primitive", &[call, "tool_call", "request"], 1);
    desk.want_list::<Edge>("by_primitive", &[call, "report", "response"], 1);
    desk.want_list::<Inbox>("by_correlation", &["tool_result", call], 1);
}

/// Ends a batch whose tasks allow it.
pub(crate) fn finalise(desk: &mut Desk<'_>, batch: Batch) -> Run<()> {
    if batch.status != BatchStatus::Running && desk.settings.bug != Bug::JoinTwice {
        return Ok(());
    }
    let waits = batch.open_count.is_some_and(|open| open > 0);
    if waits && !batch.fail_fast() {
        return Ok(());
    }
    want_ending(desk, &batch, Stops::Others);
    let tasks = desk.list::<Task>("by_batch", &[&batch.batch_id], TASKS_OF_A_BATCH)?;
    let statuses: Vec<TaskStatus> = tasks.iter().map(|task| task.status).collect();
    let fail_fast = batch.fail_fast() && desk.settings.bug != Bug::FailFastWaits;
    match result::verdict(fail_fast, batch.task_count, &statuses) {
        Some(status) => {
            let early = fail_fast && statuses.iter().any(|status| result::FAILED.contains(status));
            end(desk, batch, tasks, status, if early { "fail_fast" } else { "tasks" })
        }
        None => Ok(()),
    }
}

/// Ends a batch whose time is over. One whose tasks are all done ends as they did.
pub(crate) fn deadline(desk: &mut Desk<'_>, batch_id: &str) -> Run<bool> {
    desk.want::<Batch>(&[batch_id]);
    desk.want_list::<Task>("by_batch", &[batch_id], TASKS_OF_A_BATCH);
    let Some(batch) = desk.get::<Batch>(&[batch_id])? else { return Ok(false) };
    let due = batch.deadline_at.is_some_and(|deadline| deadline < desk.now());
    if batch.status != BatchStatus::Running || !due {
        return Ok(false);
    }
    want_ending(desk, &batch, Stops::Others);
    let tasks = desk.list::<Task>("by_batch", &[batch_id], TASKS_OF_A_BATCH)?;
    let statuses: Vec<TaskStatus> = tasks.iter().map(|task| task.status).collect();
    let done = result::verdict(false, batch.task_count.max(1), &statuses);
    end(desk, batch, tasks, done.unwrap_or(BatchStatus::Timeout), "deadline")?;
    Ok(true)
}

/// Ends a batch: stops what still runs, answers the parent. Everything in one batch of writes.
fn end(
    desk: &mut Desk<'_>,
    mut batch: Batch,
    mut tasks: Vec<Task>,
    status: BatchStatus,
    why: &str,
) -> Run<()> {
    let now = desk.now();
    let spare = desk.settings.bug == Bug::DeadlineStopsNobody && why == "deadline";
    let mut ended = 0;
    for task in tasks.iter().filter(|task| !task.status.is_final()) {
        want_stop(desk, task);
    }
    for task in &mut tasks {
        if task.status.is_final() {
            continue;
        }
        if task.status == TaskStatus::Dispatched && !spare {
            stop_child(desk, &batch, task)?;
        }
        task.status = TaskStatus::Canceled;
        task.updated_at = now;
        desk.put(task, "end_batch", "task pending or dispatched")?;
        ended += 1;
    }
    batch.open_count = batch.open_count.map(|open| (open - ended).max(0));
    batch.status = status;
    batch.updated_at = now;
    let guard = match why {
        "deadline" => "status = running, deadline passed",
        "fail_fast" => "status = running, a task failed",
        _ => "status = running, every task ended",
    };
    desk.put(&batch, "end_batch", guard)?;
    resume_parent(desk, &batch, &tasks)
}

fn want_stop(desk: &mut Desk<'_>, task: &Task) {
    let Some(turn) = task.current_agent_turn_id.as_deref() else { return };
    desk.want_list::<Inbox>("of_turn", &[turn], 4);
    desk.want::<Inbox>(&[turn]);
    desk.want_list::<Edge>("by_correlation", &[turn, "request"], 1);
    desk.want_list::<Edge>("by_primitive", &[turn, "report", "response"], 1);
    desk.want_list::<Inbox>("by_correlation", &["stop", turn], 1);
    desk.want::<Roster>(&[&task.agent_id]);
}

/// Stops a child: takes its turn back while it is queued, else tells its worker.
fn stop_child(desk: &mut Desk<'_>, batch: &Batch, task: &Task) -> Run<()> {
    let Some(turn) = present(task.current_agent_turn_id.as_deref()) else { return Ok(()) };
    let mut epoch = task.current_turn_epoch;
    if epoch.is_none() {
        let reason = Some("batch_terminated");
        let metadata = object! {
            "batch_id" => batch.batch_id.as_str(), "batch_task_id" => task.batch_task_id.as_str(),
        };
        let answer = l0::cancel(desk, &task.agent_id, turn, reason, Some(&metadata))?;
        let payload = answer.payload.unwrap_or_default();
        if payload.get("canceled").and_then(Json::as_bool) == Some(true) {
            return Ok(());
        }
        let rows = desk.list::<Inbox>("of_turn", &[turn], 4)?;
        let payload = rows.iter().find(|row| row.message_type == "turn").map(|row| &row.payload);
        epoch =
            payload.and_then(Json::as_object).and_then(|payload| number_of(payload, "turn_epoch"));
        if epoch.is_none() {
            return Ok(());
        }
    }
    let known = l0::request_depth(desk, turn)?.flatten();
    let own = known.or_else(|| batch.depth().map(|depth| depth + 1)).unwrap_or(1);
    let parents = batch.depth().unwrap_or(0);
    let depth = if desk.settings.bug == Bug::StopWithParentDepth { parents } else { own };
    let payload = object! {
        "agent_id" => task.agent_id.as_str(),
        "agent_turn_id" => turn,
        "turn_epoch" => epoch,
        "reason" => "batch_terminated",
    };
    let trace_id = text_of(&batch.metadata, "trace_id").and_then(|id| trace::trace_id(&id));
    let headers = trace::watchdog_headers(desk, trace_id.as_deref(), depth);
    let send = Send {
        project_id: desk.project(),
        channel_id: channel(batch),
        target_agent_id: task.agent_id.clone(),
        message_type: "stop".into(),
        payload: Json::Object(payload),
        correlation_id: Some(turn.to_owned()),
        headers,
        source_agent_id: Some(MANAGER.into()),
        wakeup: true,
        ..Send::default()
    };
    l0::report(desk, &send)?;
    Ok(())
}

fn channel(batch: &Batch) -> String {
    present(batch.parent_channel_id.as_deref()).unwrap_or("public").to_owned()
}

/// Answers the parent: the result card, the join's response, the tool result.
fn resume_parent(desk: &mut Desk<'_>, batch: &Batch, tasks: &[Task]) -> Run<()> {
    let status = batch.status.as_str();
    let told: Vec<Told> = tasks.iter().map(Told::of).collect();
    let after = text_of(&batch.metadata, "parent_after_execution");
    let known = after.as_deref().is_none_or(|after| matches!(after, "suspend" | "terminate"));
    let wrong = after.clone().filter(|_| !known);
    let after = match after.as_deref() {
        Some("terminate") => AfterExecution::Terminate,
        Some(_) | None => AfterExecution::Suspend,
    };
    let error = (batch.status != BatchStatus::Success).then(|| {
        object! {
            "code" => "batch_failed",
            "message" => format!("batch finished with status={status}"),
            "detail" => object! { "batch_id" => batch.batch_id.as_str(), "status" => status },
            "source" => "worker",
        }
    });
    let result = result::build(status, &told);
    let error = match &wrong {
        Some(after) => Some(object! {
            "code" => "invalid_after_execution",
            "message" => format!("invalid after_execution='{after}'"),
            "detail" => object! { "after_execution" => after.as_str() },
            "source" => "worker",
        }),
        None => error,
    };
    let told_status = if wrong.is_some() { "failed" } else { status };
    let content = Content::ToolResult(ToolResult {
        status: told_status.to_owned(),
        after_execution: after,
        result,
        error,
    });
    let parent_step = text_of(&batch.metadata, "parent_step_id");
    let lineage =
        text_of(&batch.metadata, "lineage_parent_step_id").or_else(|| parent_step.clone());
    let trace_id = text_of(&batch.metadata, "trace_id").and_then(|id| trace::trace_id(&id));
    let mut metadata = object! { "agent_turn_id" => batch.parent_agent_turn_id.as_str() };
    for (key, value) in
        [("step_id", &parent_step), ("parent_step_id", &lineage), ("trace_id", &trace_id)]
    {
        if let Some(value) = value {
            metadata.insert(key.to_owned(), value.as_str().into());
        }
    }
    let tool = text_of(&batch.metadata, "tool_name").unwrap_or_else(|| "fork_join".into());
    let call = batch.parent_tool_call_id.as_str();
    let card = tool_result(desk, MANAGER, call, &tool, content, metadata)?;

    let join = Join {
        phase: "response".into(),
        project_id: desk.project(),
        channel_id: Some(channel(batch)),
        source_agent_id: Some(MANAGER.into()),
        target_agent_id: Some(batch.parent_agent_id.clone()),
        target_agent_turn_id: Some(batch.parent_agent_turn_id.clone()),
        correlation_id: Some(batch.batch_id.clone()),
        depth: batch.depth().map(Json::from),
        trace_id: trace_id.clone(),
        parent_step_id: parent_step.clone(),
        metadata: object! {
            "batch_id" => batch.batch_id.as_str(),
            "status" => status,
            "task_count" => tasks.len(),
            "tool_name" => tool.as_str(),
        },
        ..Join::default()
    };
    l0::join(desk, &join)?;
    if desk.settings.bug == Bug::ParentNotResumed {
        return Ok(());
    }
    let depth = batch.depth().unwrap_or(0);
    // the batch is the request: where its edge is gone, the answer still goes out
    let known = l0::request_depth(desk, call)?;
    if known.is_none() {
        let edge = Edge {
            edge_id: desk.mint("edge_"),
            channel_id: Some(channel(batch)),
            primitive: "tool_call".into(),
            edge_phase: "request".into(),
            target_agent_id: Some(batch.parent_agent_id.clone()),
            target_agent_turn_id: Some(batch.parent_agent_turn_id.clone()),
            correlation_id: call.to_owned(),
            recursion_depth: Some(depth),
            trace_id: trace_id.clone(),
            created_at: desk.now(),
            seq: desk.rank(),
            ..Edge::default()
        };
        l0::put_edge(desk, &edge)?;
    }
    let depth = known.flatten().unwrap_or(depth);
    let headers = trace::watchdog_headers(desk, trace_id.as_deref(), depth);
    let payload = object! {
        "tool_call_id" => call,
        "agent_turn_id" => batch.parent_agent_turn_id.as_str(),
        "turn_epoch" => batch.parent_turn_epoch,
        "after_execution" => after.as_str(),
        "status" => told_status,
        "tool_result_card_id" => card_text(&card.card_id),
        "agent_id" => batch.parent_agent_id.as_str(),
        "step_id" => parent_step.clone(),
    };
    let send = Send {
        project_id: desk.project(),
        channel_id: channel(batch),
        target_agent_id: batch.parent_agent_id.clone(),
        message_type: "tool_result".into(),
        payload: Json::Object(payload),
        correlation_id: Some(call.to_owned()),
        headers,
        source_agent_id: Some(MANAGER.into()),
        parent_step_id: parent_step,
        wakeup: true,
        ..Send::default()
    };
    l0::report(desk, &send)?;
    Ok(())
}
