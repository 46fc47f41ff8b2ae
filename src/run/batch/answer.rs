//! The answer of a batch to its parent.

use super::result::{self, TaskOutcome};
use crate::run::queue::edge::{NoteEdge, ensure_tool_call, join};
use crate::run::queue::report::report;
use crate::run::queue::send::SendMessage;
use crate::run::rows::status::BatchStatus;
use crate::run::rows::{Batch, Edge, Task};
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::deliverable::tool_result;
use crate::run::values::{card_text, object, present, text_of};
use crate::run::wire::trace;
use crate::value::card::{AfterExecution, Content, ToolResult};
use crate::value::json::{Json, Object};

/// The sender of messages of a batch.
pub(super) const MANAGER: &str = "sys.pmo.batch_manager";

/// Returns the channel of a batch.
pub(super) fn channel(batch: &Batch) -> String {
    present(batch.parent_channel_id.as_deref()).unwrap_or("public").to_owned()
}

/// What the answer takes from the metadata of its batch.
struct Parent {
    step_id: Option<String>,
    trace_id: Option<String>,
    tool_name: String,
    after: AfterExecution,
    /// A value of `parent_after_execution` that is not valid.
    invalid_after: Option<String>,
}

impl Parent {
    fn of(batch: &Batch) -> Self {
        let after = text_of(&batch.metadata, "parent_after_execution");
        let (valid, invalid_after) = match after.as_deref() {
            Some("terminate") => (AfterExecution::Terminate, None),
            Some("suspend") | None => (AfterExecution::Suspend, None),
            Some(_) => (AfterExecution::Suspend, after),
        };
        let trace_id = text_of(&batch.metadata, "trace_id");
        Self {
            step_id: text_of(&batch.metadata, "parent_step_id"),
            trace_id: trace_id.and_then(|id| trace::trace_id(&id)),
            tool_name: text_of(&batch.metadata, "tool_name").unwrap_or_else(|| "fork_join".into()),
            after: valid,
            invalid_after,
        }
    }

    /// Returns the status of the result card.
    fn status(&self, batch: &Batch) -> &'static str {
        if self.invalid_after.is_some() { "failed" } else { batch.status.as_str() }
    }

    fn error(&self, batch: &Batch) -> Option<Object> {
        if let Some(after) = &self.invalid_after {
            return Some(object! {
                "code" => "invalid_after_execution",
                "message" => format!("invalid after_execution='{after}'"),
                "detail" => object! { "after_execution" => after.as_str() },
                "source" => "worker",
            });
        }
        let status = batch.status.as_str();
        (batch.status != BatchStatus::Success).then(|| {
            object! {
                "code" => "batch_failed",
                "message" => format!("batch finished with status={status}"),
                "detail" => object! { "batch_id" => batch.batch_id.as_str(), "status" => status },
                "source" => "worker",
            }
        })
    }
}

/// Answers the parent of a batch that ended: result card, response of the join, tool result.
pub(super) fn answer_parent(tx: &mut Transaction<'_>, batch: &Batch, tasks: &[Task]) -> Run<()> {
    let parent = Parent::of(batch);
    let card_id = result_card(tx, batch, tasks, &parent)?;
    let response = NoteEdge {
        channel_id: Some(channel(batch)),
        source_agent_id: Some(MANAGER.into()),
        target_agent_id: Some(batch.parent_agent_id.clone()),
        target_agent_turn_id: Some(batch.parent_agent_turn_id.clone()),
        correlation_id: batch.batch_id.clone(),
        recursion_depth: batch.depth().map(Json::from),
        trace_id: parent.trace_id.clone(),
        parent_step_id: parent.step_id.clone(),
        metadata: object! {
            "batch_id" => batch.batch_id.as_str(),
            "status" => batch.status.as_str(),
            "task_count" => tasks.len(),
            "tool_name" => parent.tool_name.as_str(),
        },
        ..NoteEdge::default()
    };
    join(tx, "response", &response)?;
    send_result(tx, batch, &parent, &card_id)
}

fn result_card(
    tx: &mut Transaction<'_>,
    batch: &Batch,
    tasks: &[Task],
    parent: &Parent,
) -> Run<String> {
    let outcomes: Vec<TaskOutcome> = tasks.iter().map(TaskOutcome::of).collect();
    let content = Content::ToolResult(ToolResult {
        status: parent.status(batch).to_owned(),
        after_execution: parent.after,
        result: result::build(batch.status.as_str(), &outcomes),
        error: parent.error(batch),
    });
    let lineage = text_of(&batch.metadata, "lineage_parent_step_id");
    let lineage = lineage.or_else(|| parent.step_id.clone());
    let mut metadata = object! { "agent_turn_id" => batch.parent_agent_turn_id.as_str() };
    for (key, value) in
        [("step_id", &parent.step_id), ("parent_step_id", &lineage), ("trace_id", &parent.trace_id)]
    {
        if let Some(value) = value {
            metadata.insert(key.to_owned(), value.as_str().into());
        }
    }
    let call = batch.parent_tool_call_id.as_str();
    let card = tool_result(tx, MANAGER, call, &parent.tool_name, content, metadata)?;
    Ok(card_text(&card.card_id))
}

/// Sends the tool result. The batch itself proves the request if its edge is lost.
fn send_result(tx: &mut Transaction<'_>, batch: &Batch, parent: &Parent, card_id: &str) -> Run<()> {
    let call = batch.parent_tool_call_id.as_str();
    let depth = ensure_tool_call(
        tx,
        Edge {
            channel_id: Some(channel(batch)),
            target_agent_id: Some(batch.parent_agent_id.clone()),
            target_agent_turn_id: Some(batch.parent_agent_turn_id.clone()),
            correlation_id: call.to_owned(),
            recursion_depth: Some(batch.depth().unwrap_or(0)),
            trace_id: parent.trace_id.clone(),
            ..Edge::default()
        },
    )?;
    let headers = trace::watchdog_headers(tx, parent.trace_id.as_deref(), depth);
    let payload = object! {
        "tool_call_id" => call,
        "agent_turn_id" => batch.parent_agent_turn_id.as_str(),
        "turn_epoch" => batch.parent_turn_epoch,
        "after_execution" => parent.after.as_str(),
        "status" => parent.status(batch),
        "tool_result_card_id" => card_id,
        "agent_id" => batch.parent_agent_id.as_str(),
        "step_id" => parent.step_id.clone(),
    };
    let send = SendMessage {
        channel_id: channel(batch),
        target_agent_id: batch.parent_agent_id.clone(),
        message_type: "tool_result".into(),
        payload: Json::Object(payload),
        correlation_id: Some(call.to_owned()),
        headers: headers.into(),
        source_agent_id: Some(MANAGER.into()),
        parent_step_id: parent.step_id.clone(),
        wakeup: true,
        ..SendMessage::default()
    };
    report(tx, &send)?;
    Ok(())
}
