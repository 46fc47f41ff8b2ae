//! The end of a child.

use super::end::{count_down, finalize};
use super::reads::{want_ending, want_task_of};
use super::result;
use crate::run::rows::status::TaskStatus;
use crate::run::rows::{Batch, Task};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{present, text_of};
use crate::value::json::Json;

/// The end of a child's turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChildEvent {
    pub agent_turn_id: String,
    pub status: String,
    pub output_box_id: Option<String>,
    pub deliverable_card_id: Option<String>,
    pub tool_result_card_id: Option<String>,
    pub error: Option<String>,
}

/// Ends the task of a child. Returns false if no open task belongs to the turn.
pub(crate) fn child_event(tx: &mut Transaction<'_>, event: &ChildEvent) -> Run<bool> {
    want_task_of(tx, &event.agent_turn_id);
    tx.want_card(event.deliverable_card_id.as_deref());
    tx.want_card(event.tool_result_card_id.as_deref());
    let tasks = tx.list::<Task>("by_turn", &[&event.agent_turn_id], 1)?;
    let open = |task: &Task| !task.status.is_final();
    let Some(mut task) = tasks.into_iter().next().filter(open) else { return Ok(false) };
    let Some(mut batch) = tx.get::<Batch>(&[&task.batch_id])? else { return Ok(false) };
    let status = match TaskStatus::named(&event.status) {
        Some(status) if status.is_final() => status,
        // the child still runs
        Some(TaskStatus::Pending | TaskStatus::Dispatched) => return Ok(false),
        Some(_) | None => TaskStatus::Failed,
    };
    if batch.may_end(1) {
        want_ending(tx, &batch, batch.stops(status));
    }
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
    finalize(tx, batch)?;
    Ok(true)
}
