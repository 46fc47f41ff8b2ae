//! The messages that wait to be sent.

use crate::run::args::Args;
use crate::run::rows::Outgoing;
use crate::run::transaction::{Run, Transaction};
use crate::run::values::object;
use crate::value::json::{Json, Object};

/// Returns the messages that wait to be sent, the oldest first.
pub(in crate::run) fn outbox(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let limit = args.limit(tx, 100)?;
    let rows = tx.list::<Outgoing>("by_status", &["pending"], limit)?;
    let message = |row: Outgoing| {
        object! {
            "message_id" => row.message_id,
            "subject" => row.subject,
            "payload" => row.payload,
            "headers" => row.headers.map(Json::Object),
            "core" => row.core.unwrap_or(false),
        }
    };
    let messages: Vec<Object> = rows.into_iter().map(message).collect();
    Ok(Json::Object(object! { "messages" => messages }))
}

/// Deletes messages that were sent.
pub(in crate::run) fn mark_sent(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let list = args.0.required("message_ids")?;
    let ids = list.strings()?;
    tx.check_messages(ids.len(), &list.path())?;
    for id in &ids {
        tx.want::<Outgoing>(&[id]);
    }
    let mut count = 0_usize;
    for id in ids {
        if let Some(row) = tx.get::<Outgoing>(&[id])? {
            tx.delete(&row, "sent", "sent")?;
            count += 1;
        }
    }
    Ok(Json::Object(object! { "sent" => count }))
}
