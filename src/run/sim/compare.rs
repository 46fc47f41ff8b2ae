//! The rows beside what the model has.

use super::failure::{Failure, failure};
use super::model::Model;
use super::view::View;
use crate::run::words::{BatchStatus, InboxStatus};
use std::collections::BTreeMap;

const LAW: &str = "the rows are what the model has";

/// Compares everything that both know: queues in order, turns, epochs, calls that are waited for,
/// batches and tasks.
pub(super) fn compare(view: &View, model: &Model) -> Result<(), Failure> {
    let mut queued: BTreeMap<&str, Vec<(i64, &str)>> = BTreeMap::new();
    for row in view.inbox.values() {
        if row.message_type == "turn" && row.status == InboxStatus::Queued {
            let turn = row.agent_turn_id.as_deref().unwrap_or_default();
            queued.entry(&row.agent_id).or_default().push((row.seq, turn));
        }
    }
    for (name, agent) in &model.agents {
        let mut found = queued.remove(name.as_str()).unwrap_or_default();
        found.sort_unstable();
        if found.iter().map(|(_, turn)| *turn).ne(agent.queue.iter().map(String::as_str)) {
            let found = format!("{name} queues {found:?}, the model has {:?}", agent.queue);
            return Err(failure(LAW, found));
        }
        let Some(head) = view.head(name) else { continue };
        let waits = usize::try_from(head.waiting_tool_count).unwrap_or(usize::MAX);
        let rows =
            (head.active_agent_turn_id.as_deref(), head.status.as_str(), head.turn_epoch, waits);
        let told = (agent.active.as_deref(), agent.state.word(), agent.epoch, agent.waits_for);
        if rows != told {
            return Err(failure(LAW, format!("{name} is {rows:?}, the model has {told:?}")));
        }
    }
    if let Some((agent, turns)) = queued.into_iter().next() {
        return Err(failure(LAW, format!("{agent} queues {turns:?}, the model has nothing")));
    }
    for batch in view.batches.values() {
        let ended = (batch.status != BatchStatus::Running).then(|| batch.status.as_str());
        let told = model.batches.get(&batch.batch_id);
        if told.is_none_or(|told| told.outcome.as_deref() != ended) {
            let found = format!("{} is {ended:?}, the model has {told:?}", batch.batch_id);
            return Err(failure(LAW, found));
        }
    }
    for task in view.tasks.values() {
        let told = model.tasks.get(&task.batch_task_id).map(|task| task.status.as_str());
        if told != Some(task.status.as_str()) {
            let status = task.status.as_str();
            let found = format!("{} is {status}, the model has {told:?}", task.batch_task_id);
            return Err(failure(LAW, found));
        }
    }
    Ok(())
}
