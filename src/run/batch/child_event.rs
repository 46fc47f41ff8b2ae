//! The end of a child.

use super::end::{count_down, finalize};
use super::reads::{want_ending, want_task_of};
use super::result;
use crate::run::rows::status::TaskStatus;
use crate::run::rows::{Batch, Task};
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
