//! What is to be sent, and what was.

use super::args::Args;
use super::desk::{Desk, Run};
use super::message::object;
use super::rows::Outgoing;
use crate::value::json::{Json, Object};

/// The messages that wait to be sent, the oldest first.
pub(super) fn outbox(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let limit = args.limit(desk, 100)?;
    let rows = desk.list::<Outgoing>("by_status", &["pending"], limit)?;
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

/// Takes messages away that were sent.
pub(super) fn mark_sent(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let list = args.0.required("message_ids")?;
    let ids = list.strings()?;
    desk.check_messages(ids.len(), &list.path())?;
    for id in &ids {
        desk.want::<Outgoing>(&[id]);
    }
    let mut count = 0_usize;
    for id in ids {
        if let Some(row) = desk.get::<Outgoing>(&[id])? {
            desk.delete(&row, "sent", "sent")?;
            count += 1;
        }
    }
    Ok(Json::Object(object! { "sent" => count }))
}
