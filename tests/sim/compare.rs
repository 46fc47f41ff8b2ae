//! Compares the rows with the model.

use super::failure::{Failure, failure};
use super::model::Model;
use super::view::View;
use std::collections::BTreeMap;

const INVARIANT: &str = "the rows are what the model has";

/// Compares what both have: queues in order, turns, epochs, open tool calls, batches and tasks.
pub(super) fn compare(view: &View, model: &Model) -> Result<(), Failure> {
    let mut queued: BTreeMap<&str, Vec<(i64, &str)>> = BTreeMap::new();
    for row in view.inbox.values() {
        if row.message_type == "turn" && row.status == "queued" {
            let turn = row.agent_turn_id.as_deref().unwrap_or_default();
            queued.entry(&row.agent_id).or_default().push((row.seq, turn));
        }
    }
    for (name, agent) in &model.agents {
        let mut found = queued.remove(name.as_str()).unwrap_or_default();
        found.sort_unstable();
        if found.iter().map(|(_, turn)| *turn).ne(agent.queue.iter().map(String::as_str)) {
            let found = format!("{name} queues {found:?}, the model has {:?}", agent.queue);
            return Err(failure(INVARIANT, found));
        }
        let Some(head) = view.head(name) else { continue };
        let waits = usize::try_from(head.waiting_tool_count).unwrap_or(usize::MAX);
        let rows =
            (head.active_agent_turn_id.as_deref(), head.status.as_str(), head.turn_epoch, waits);
        let expected = (agent.active.as_deref(), agent.state.word(), agent.epoch, agent.waits_for);
        if rows != expected {
            let found = format!("{name} is {rows:?}, the model has {expected:?}");
            return Err(failure(INVARIANT, found));
        }
    }
    if let Some((agent, turns)) = queued.into_iter().next() {
        return Err(failure(INVARIANT, format!("{agent} queues {turns:?}, the model has nothing")));
    }
    for batch in view.batches.values() {
        let ended = (batch.status != "running").then_some(batch.status.as_str());
        let expected = model.batches.get(&batch.batch_id);
        if expected.is_none_or(|expected| expected.outcome.as_deref() != ended) {
            let found = format!("{} is {ended:?}, the model has {expected:?}", batch.batch_id);
            return Err(failure(INVARIANT, found));
        }
    }
    for task in view.tasks.values() {
        let expected = model.tasks.get(&task.batch_task_id).map(|task| task.status.as_str());
        if expected != Some(task.status.as_str()) {
            let found =
                format!("{} is {}, the model has {expected:?}", task.batch_task_id, task.status);
            return Err(failure(INVARIANT, found));
        }
    }
    Ok(())
}
