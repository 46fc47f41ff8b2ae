//! Lost heads, abandoned messages, and results that no worker applied.

use super::timeouts::force_end;
use crate::run::queue::inbox::{ForWorkers, serves};
use crate::run::queue::lease::queue_row;
use crate::run::queue::promote::want_promotion;
use crate::run::rows::status::{HeadStatus, InboxStatus, LedgerStatus, WaitStatus};
use crate::run::rows::{Head, Inbox, Resumption, StepCard, Waiting};
use crate::run::settings::older;
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::reads::{ROWS_OF_A_TURN, want_lost_turn, want_turn};
use crate::run::turn::work::{
    Queued, QueuedWork, TurnWork, card_payload, resume_item, resume_payload,
};
use crate::value::arguments::arguments;
use crate::value::json::Object;

arguments! {
    /// Rebuilds a lost head at an epoch above all earlier ones.
    ///
    /// The example of [`ListDue`](crate::run::ListDue) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReclaimAgent {
        /// The agent.
        pub agent_id: String,
        shared terms: RunTerms,
    }

    /// Releases a message that a worker claimed and did not finish.
    ///
    /// The example of [`ListDue`](crate::run::ListDue) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RequeueInbox {
        /// The message.
        pub inbox_id: String,
        shared terms: RunTerms,
    }

    /// Claims results that wait for a suspended turn.
    ///
    /// The example of [`ListDue`](crate::run::ListDue) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct TakeUpResults {
        /// The agent.
        pub agent_id: String,
        /// The name of the claimant.
        pub owner: String = "agent-worker:1".into(),
        shared workers: ForWorkers,
        shared terms: RunTerms,
    }
}

perform! {
    ReclaimAgent -> bool { |call, tx| reclaim(tx, &call.agent_id) }
    RequeueInbox -> bool { |call, tx| requeue(tx, &call.inbox_id) }
    TakeUpResults -> Queued {
        |call, tx| {
            want_turn(tx, &call.agent_id);
            if !serves(tx, &call.agent_id, call.workers.worker_targets.as_deref())? {
                return Ok(Queued { queued: Vec::new() });
            }
            Ok(Queued { queued: take_up(tx, &call.agent_id, &call.owner)? })
        }
    }
}

/// Rebuilds a lost head at an epoch above all earlier ones, and ends the turn that it held. A worker of
/// that turn can no longer write.
fn reclaim(tx: &mut Transaction<'_>, agent: &str) -> Run<bool> {
    want_lost_turn(tx, agent);
    want_promotion(tx, agent);
    if tx.get::<Head>(&[agent])?.is_some() {
        return Ok(false);
    }
    let queue = queue_row(tx, agent)?;
    let Some(turn) = queue.active_agent_turn_id.clone() else { return Ok(false) };
    let head = Head {
        agent_id: agent.to_owned(),
        status: HeadStatus::Running,
        active_agent_turn_id: Some(turn),
        active_channel_id: queue.channel_id.clone(),
        output_box_id: queue.output_box_id.clone(),
        turn_epoch: queue.last_epoch,
        ..Head::default()
    };
    force_end(tx, &head, "state_lost", "failed")?;
    Ok(true)
}

/// Returns a message to its inbox if a worker claimed it and did not finish.
fn requeue(tx: &mut Transaction<'_>, inbox_id: &str) -> Run<bool> {
    let Some(mut row) = tx.get::<Inbox>(&[inbox_id])? else { return Ok(false) };
    let limit = tx.settings.processing_timeout_seconds;
    let stale = row.processed_at.is_some_and(|at| older(at, tx.now(), limit));
    if row.status != InboxStatus::Processing || !stale {
        return Ok(false);
    }
    row.status = InboxStatus::Pending;
    row.processed_at = None;
    row.archived_at = None;
    tx.put(&row, "requeue", "processed for too long")?;
    Ok(true)
}

/// Returns the work for results of a suspended turn: those that are due for a retry, or cards without a
/// report.
fn take_up(tx: &mut Transaction<'_>, agent: &str, owner: &str) -> Run<Vec<QueuedWork>> {
    want_turn(tx, agent);
    let head = tx.get::<Head>(&[agent])?;
    let Some(head) = head.filter(|head| head.status == HeadStatus::Suspended) else {
        return Ok(Vec::new());
    };
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    let epoch = head.turn_epoch.to_string();
    let of = [agent, turn.as_str(), &epoch];
    let waiting = tx.list::<Waiting>("by_turn", &of, ROWS_OF_A_TURN)?;
    let open: Vec<&Waiting> = waiting
        .iter()
        .filter(|row| matches!(row.wait_status, WaitStatus::Waiting | WaitStatus::Received))
        .collect();
    if open.is_empty() {
        return Ok(Vec::new());
    }
    for row in &open {
        tx.want_list::<StepCard>("by_call", &[&row.tool_call_id], 16);
    }
    let work = work_of(&head);
    let mut items = Vec::new();
    let now = tx.now();
    let mut leased = false;
    for mut row in tx.list::<Resumption>("by_turn", &of, ROWS_OF_A_TURN)? {
        match row.status {
            LedgerStatus::Pending if row.next_retry_at <= now => {}
            LedgerStatus::Processing => {
                leased = true;
                continue;
            }
            LedgerStatus::Pending | LedgerStatus::Applied | LedgerStatus::Dropped => continue,
        }
        row.status = LedgerStatus::Processing;
        row.lease_owner = Some(owner.to_owned());
        row.lease_expires_at = Some(now.plus_seconds(tx.settings.resume_lease_seconds));
        row.updated_at = now;
        tx.put(&row, "take_up", "due to be tried again")?;
        items.push(resume_item(&work, resume_payload(&row.payload)));
    }
    if items.is_empty() && !leased {
        for row in open {
            let cards = tx.list::<StepCard>("by_call", &[&row.tool_call_id], 16)?;
            let fits = |card: &&StepCard| card.card_type == "tool.result";
            if let Some(card) = cards.iter().find(fits) {
                items.push(resume_item(&work, card_payload(card, &row.tool_call_id)));
            }
        }
    }
    Ok(items)
}

/// Returns the work on the turn of a head.
fn work_of(head: &Head) -> TurnWork {
    let mut headers = Object::default();
    if let Some(trace_id) = &head.trace_id {
        headers.insert("trace_id".into(), trace_id.as_str().into());
    }
    TurnWork {
        agent_id: head.agent_id.clone(),
        agent_turn_id: head.active_agent_turn_id.clone().unwrap_or_default(),
        turn_epoch: head.turn_epoch,
        channel_id: head.active_channel_id.clone(),
        profile_box_id: head.profile_box_id.clone(),
        context_box_id: head.context_box_id.clone(),
        output_box_id: head.output_box_id.clone(),
        trace_id: head.trace_id.clone(),
        parent_step_id: head.parent_step_id.clone(),
        headers: headers.into(),
        ..TurnWork::default()
    }
}
