//! The cancelation of a queued turn.

use super::answer::Answer;
use crate::run::rows::Inbox;
use crate::run::rows::status::InboxStatus;
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present};
use crate::value::json::{Json, Object};

/// Cancels a turn that is still queued.
pub(crate) fn cancel(
    tx: &mut Transaction<'_>,
    agent_id: &str,
    turn_id: &str,
    reason: Option<&str>,
    metadata: Option<&Object>,
) -> Run<Answer> {
    tx.want::<Inbox>(&[turn_id]);
    tx.want_list::<Inbox>("of_turn", &[turn_id], 4);
    let by_id = tx.get::<Inbox>(&[turn_id])?;
    let mut rows: Vec<Inbox> = by_id.into_iter().collect();
    rows.extend(tx.list::<Inbox>("of_turn", &[turn_id], 4)?);
    let queued = rows.into_iter().find(|row| {
        row.agent_id == agent_id && row.message_type == "turn" && row.status == InboxStatus::Queued
    });
    let canceled = queued.is_some();
    if let Some(mut row) = queued {
        let mut payload = row.payload.as_object().cloned().unwrap_or_default();
        let reason = present(reason).unwrap_or("canceled");
        payload.insert("cancel_reason".into(), reason.into());
        if let Some(metadata) = metadata.filter(|metadata| !metadata.is_empty()) {
            payload.insert("cancel_metadata".into(), Json::Object(metadata.clone()));
        }
        row.payload = Json::Object(payload);
        row.status = InboxStatus::Skipped;
        row.archived_at = Some(tx.now());
        tx.put(&row, "cancel", "status = queued")?;
    }
    Ok(Answer::accepted(Some(object! { "canceled" => canceled, "agent_turn_id" => turn_id })))
}
