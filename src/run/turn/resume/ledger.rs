//! The ledger of results that arrived.

use crate::Timestamp;
use crate::run::rows::Resumption;
use crate::run::rows::status::LedgerStatus;
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::work::TurnWork;
use crate::run::values::text_of;
use crate::value::json::Object;

/// A result that arrived.
pub(super) struct Arrival<'a> {
    pub payload: &'a Object,
    pub call_id: String,
    pub card_id: Option<String>,
    /// The step of the call, if the sender names it.
    pub step_id: Option<String>,
}

impl<'a> Arrival<'a> {
    pub fn of(payload: &'a Object) -> Self {
        Self {
            payload,
            call_id: text_of(payload, "tool_call_id").unwrap_or_default(),
            card_id: text_of(payload, "tool_result_card_id"),
            step_id: text_of(payload, "step_id"),
        }
    }
}

/// Writes that a result arrived.
pub(super) fn note(tx: &mut Transaction<'_>, work: &TurnWork, arrival: &Arrival<'_>) -> Run<()> {
    let Some(card_id) = arrival.card_id.as_deref() else { return Ok(()) };
    if ledger(tx, work, &arrival.call_id, card_id)?.is_some() {
        return Ok(());
    }
    let now = tx.now();
    let row = Resumption {
        agent_id: work.agent_id.clone(),
        agent_turn_id: work.agent_turn_id.clone(),
        turn_epoch: work.turn_epoch,
        tool_call_id: arrival.call_id.clone(),
        tool_result_card_id: card_id.to_owned(),
        next_retry_at: now,
        payload: arrival.payload.clone(),
        created_at: now,
        updated_at: now,
        ..Resumption::default()
    };
    tx.put(&row, "resume", "a result that was not seen before")
}

fn ledger(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    call_id: &str,
    card_id: &str,
) -> Run<Option<Resumption>> {
    let epoch = work.turn_epoch.to_string();
    tx.get::<Resumption>(&[&work.agent_id, &work.agent_turn_id, &epoch, call_id, card_id])
}

/// Changes the row of a result, unless it was settled before.
pub(super) fn mark(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    call_id: &str,
    card_id: &str,
    change: impl FnOnce(&mut Resumption, Timestamp),
) -> Run<()> {
    let Some(mut row) = ledger(tx, work, call_id, card_id)? else { return Ok(()) };
    let before = row.status;
    let now = tx.now();
    row.updated_at = now;
    row.lease_owner = None;
    row.lease_expires_at = None;
    change(&mut row, now);
    // an applied result stays applied; a dropped result can only be dropped again
    let settled = match before {
        LedgerStatus::Pending | LedgerStatus::Processing => false,
        LedgerStatus::Applied => true,
        LedgerStatus::Dropped => row.status != LedgerStatus::Dropped,
    };
    if settled {
        return Ok(());
    }
    tx.put(&row, "resume", "a result that was not settled")
}
