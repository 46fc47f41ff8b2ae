//! The ledger of results that arrived.

use crate::Timestamp;
use crate::run::rows::Resumption;
use crate::run::rows::status::LedgerStatus;
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::work::{TurnWork, note_result};
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
    /// Reads a report. A card id of blanks counts as missing.
    pub fn of(payload: &'a Object) -> Self {
        let card_id = text_of(payload, "tool_result_card_id");
        Self {
            payload,
            call_id: text_of(payload, "tool_call_id").unwrap_or_default(),
            card_id: card_id.filter(|card_id| !card_id.trim().is_empty()),
            step_id: text_of(payload, "step_id"),
        }
    }
}

/// Writes that a result arrived.
pub(super) fn note(tx: &mut Transaction<'_>, work: &TurnWork, arrival: &Arrival<'_>) -> Run<()> {
    let Some(card_id) = arrival.card_id.as_deref() else { return Ok(()) };
    if arrival.call_id.is_empty() || ledger(tx, work, &arrival.call_id, card_id)?.is_some() {
        return Ok(());
    }
    note_result(tx, work, &arrival.call_id, card_id, arrival.payload)
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

/// Changes the row of a result, unless it was settled in another way before.
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
    // a settled result can only be settled in the same way again
    let settled = match before {
        LedgerStatus::Pending | LedgerStatus::Processing => false,
        LedgerStatus::Applied | LedgerStatus::Dropped => row.status != before,
    };
    if settled {
        return Ok(());
    }
    tx.put(&row, "resume", "a result that was not settled")
}

/// Marks a result as applied.
pub(super) fn mark_applied(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    call_id: &str,
    card_id: &str,
) -> Run<()> {
    mark(tx, work, call_id, card_id, |row, _| {
        row.status = LedgerStatus::Applied;
        row.last_error = None;
    })
}
