//! A turn that waits for the results of its tools.

use super::reads::ROWS_OF_A_TURN;
use super::tools::ToolCall;
use super::work::{QueuedWork, TurnWork, resume_from_card, resume_item, resume_payload};
use crate::run::rows::status::{HeadStatus, LedgerStatus, StepStatus};
use crate::run::rows::{Head, Resumption, StepRow, Waiting};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present};
use crate::run::wire::events::{stamp, state_event, step_event};
use crate::value::str_map::StrMap;

/// A call that a turn waits for.
pub(super) struct WaitedCall {
    pub id: String,
    pub name: String,
    pub step_id: String,
}

/// Writes the calls that a turn waits for, and deletes those that it waited for before.
pub(super) fn put_waiting(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    calls: &[WaitedCall],
    (rule, guard): (&'static str, &str),
) -> Run<()> {
    let epoch = work.turn_epoch.to_string();
    let of = [work.agent_id.as_str(), work.agent_turn_id.as_str(), &epoch];
    let ids: StrMap<()> = calls.iter().map(|call| (call.id.as_str(), ())).collect();
    for row in tx.list::<Waiting>("by_turn", &of, ROWS_OF_A_TURN)? {
        if !ids.contains_key(row.tool_call_id.as_str()) {
            tx.delete(&row, rule, "replaced")?;
        }
    }
    let now = tx.now();
    for call in calls {
        let row = Waiting {
            agent_id: work.agent_id.clone(),
            agent_turn_id: work.agent_turn_id.clone(),
            turn_epoch: work.turn_epoch,
            step_id: call.step_id.clone(),
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            created_at: now,
            updated_at: now,
            seq: tx.rank(),
            ..Waiting::default()
        };
        tx.put(&row, rule, guard)?;
    }
    Ok(())
}

/// Suspends a turn until its calls have results. Returns the work for results that are already there.
pub(super) fn suspend(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    mut head: Head,
    step_id: &str,
    calls: &[&ToolCall],
    new_cards: &[String],
    longest_wait: i64,
) -> Run<Vec<QueuedWork>> {
    let scope = work.scope(&head);
    let wait = tx.settings.suspend_timeout_seconds.max(longest_wait);
    let deadline = tx.now().plus_seconds(wait);
    let guard = "status = running";
    let waited = |call: &&ToolCall| WaitedCall {
        id: call.id.clone(),
        name: present(Some(&call.name)).unwrap_or("unknown").to_owned(),
        step_id: step_id.to_owned(),
    };
    let waits: Vec<WaitedCall> = calls.iter().map(waited).collect();
    put_waiting(tx, work, &waits, ("suspend", guard))?;
    head.status = HeadStatus::Suspended;
    head.waiting_tool_count = i64::try_from(calls.len()).unwrap_or(i64::MAX);
    head.resume_deadline = Some(deadline);
    head.expecting_correlation_id = None;
    tx.put(&head, "suspend", guard)?;
    if let Some(mut step) = tx.peek::<StepRow>(&[&work.agent_id, step_id])? {
        step.status = StepStatus::Suspended;
        tx.put(&step, "suspend", "the step that waits")?;
    }
    let ids: Vec<String> = calls.iter().map(|call| call.id.clone()).collect();
    let metadata = object! {
        "activity" => "awaiting_tool_result",
        "waiting_tool_count" => ids.len(),
        "waiting_tool_call_ids" => ids.clone(),
        "resume_deadline" => stamp(deadline),
    };
    state_event(tx, &scope, "suspended", metadata);
    step_event(tx, &scope, step_id, "completed", new_cards);
    early_results(tx, work, step_id, &ids)
}

/// Returns the work for results that arrived before the turn waited for them.
fn early_results(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    step_id: &str,
    ids: &[String],
) -> Run<Vec<QueuedWork>> {
    let now = tx.now();
    let epoch = work.turn_epoch.to_string();
    let of = [work.agent_id.as_str(), work.agent_turn_id.as_str(), &epoch];
    let mut items = Vec::new();
    let mut claimed = Vec::new();
    for mut row in tx.list::<Resumption>("by_turn", &of, ROWS_OF_A_TURN)? {
        if row.status != LedgerStatus::Pending || row.next_retry_at > now {
            continue;
        }
        row.status = LedgerStatus::Processing;
        row.lease_owner = Some(format!(
            "react-suspend:{}:{}:{}:{}:{step_id}",
            tx.project(),
            work.agent_id,
            work.agent_turn_id,
            work.turn_epoch
        ));
        row.lease_expires_at = Some(now.plus_seconds(tx.settings.suspend_timeout_seconds));
        row.updated_at = now;
        tx.put(&row, "suspend", "a result that came early")?;
        items.push(resume_item(work, resume_payload(&row, Some(step_id))));
        claimed.push((row.tool_call_id, row.tool_result_card_id));
    }
    for id in ids {
        items.extend(resume_from_card(tx, work, id, step_id, &claimed)?);
    }
    Ok(items)
}
