//! An agent's worker takes its messages and gives them back.

use super::desk::{Desk, Run, text_of};
use super::l0::number_of;
use super::message::{inbox_progress, object, worker_target};
use super::rows::{Head, Inbox};
use super::words::{HeadStatus, InboxStatus};
use crate::value::json::{Json, Object};

/// True when a worker that serves `targets` runs the agent; one that names none runs all.
pub(crate) fn serves(desk: &mut Desk<'_>, agent: &str, targets: Option<&[String]>) -> Run<bool> {
    let Some(targets) = targets else { return Ok(true) };
    let target = worker_target(desk, agent)?;
    Ok(target.is_some_and(|target| targets.contains(&target)))
}

/// Takes up to `limit` messages of an agent, if its kind of worker is among `targets`. The answer is
/// the work in them.
pub(crate) fn claim(
    desk: &mut Desk<'_>,
    agent: &str,
    limit: usize,
    targets: Option<&[String]>,
) -> Run<Vec<Object>> {
    desk.want::<Head>(&[agent]);
    desk.want_list::<Inbox>("in_order", &[agent, "pending"], limit);
    if !serves(desk, agent, targets)? {
        return Ok(Vec::new());
    }
    let rows = desk.list::<Inbox>("in_order", &[agent, "pending"], limit)?;
    let mut head = desk.peek::<Head>(&[agent])?;
    let mut items = Vec::new();
    for mut row in rows {
        let now = desk.now();
        row.status = InboxStatus::Processing;
        row.processed_at = row.processed_at.or(Some(now));
        match item(desk, &row, head.as_mut())? {
            Some(item) => {
                desk.put(&row, "claim", "status = pending")?;
                items.push(item);
            }
            None => {
                row.status = InboxStatus::Error;
                row.archived_at = Some(now);
                desk.put(&row, "claim", "a message that nobody can work on")?;
                let channel = channel_of(&row, head.as_ref());
                inbox_progress(
                    desk,
                    &channel,
                    agent,
                    &row.inbox_id,
                    "error",
                    "inbox_status_update",
                );
            }
        }
    }
    Ok(items)
}

fn channel_of(row: &Inbox, head: Option<&Head>) -> String {
    let own = row.payload.as_object().and_then(|payload| text_of(payload, "channel_id"));
    own.or_else(|| head.and_then(|head| head.active_channel_id.clone()))
        .unwrap_or_else(|| "public".to_owned())
}

fn item(desk: &mut Desk<'_>, row: &Inbox, head: Option<&mut Head>) -> Run<Option<Object>> {
    let Some(payload) = row.payload.as_object() else { return Ok(None) };
    let turn = text_of(payload, "agent_turn_id");
    let epoch = number_of(payload, "turn_epoch");
    let agent = text_of(payload, "agent_id");
    let (Some(turn), Some(epoch), Some(_)) = (turn, epoch, agent) else { return Ok(None) };
    let mut headers = object! { "CG-Recursion-Depth" => row.recursion_depth.to_string() };
    if let Some(traceparent) = &row.traceparent {
        headers.insert("traceparent".into(), traceparent.as_str().into());
    }
    if let Some(tracestate) = &row.tracestate {
        headers.insert("tracestate".into(), tracestate.as_str().into());
    }
    let mut item = object! {
        "inbox_id" => row.inbox_id.as_str(),
        "agent_id" => row.agent_id.as_str(),
        "agent_turn_id" => turn.as_str(),
        "turn_epoch" => epoch,
        "channel_id" => channel_of(row, head.as_deref()),
        "headers" => headers,
        "trace_id" => row.trace_id.clone(),
        "parent_step_id" => text_of(payload, "parent_step_id").or_else(|| row.parent_step_id.clone()),
    };
    match row.message_type.as_str() {
        "turn" => {
            if epoch <= 0 {
                return Ok(None);
            }
            item.insert("kind".into(), "turn".into());
            for key in ["profile_box_id", "context_box_id", "output_box_id", "runtime_config"] {
                item.insert(key.to_owned(), payload.get(key).cloned().unwrap_or_default());
            }
            // a turn that was given back goes on where it was
            if let Some(steps) = payload.get("step_count") {
                item.insert("step_count".into(), steps.clone());
            }
            if let Some(head) = head
                && head.active_agent_turn_id.as_deref() == Some(&*turn)
                && head.turn_epoch == epoch
                && head.status == HeadStatus::Dispatched
            {
                head.active_recursion_depth = row.recursion_depth;
                head.updated_at = desk.now();
                desk.put(head, "claim", "turn and epoch match")?;
            }
        }
        "tool_result" | "timeout" | "stop" => {
            let kind = if row.message_type == "stop" { "stop" } else { "resume" };
            item.insert("kind".into(), kind.into());
            item.insert("payload".into(), Json::Object(payload.clone()));
            if let Some(head) = head {
                item.insert("profile_box_id".into(), head.profile_box_id.clone().into());
                item.insert("context_box_id".into(), head.context_box_id.clone().into());
                item.insert("output_box_id".into(), head.output_box_id.clone().into());
                item.insert("parent_step_id".into(), head.parent_step_id.clone().into());
                item.insert(
                    "trace_id".into(),
                    head.trace_id.clone().or(row.trace_id.clone()).into(),
                );
            }
        }
        _ => return Ok(None),
    }
    Ok(Some(item))
}

/// Moves a message on, if it stands where it is expected.
pub(crate) fn set_status(
    desk: &mut Desk<'_>,
    inbox_id: &str,
    status: InboxStatus,
    expected: Option<InboxStatus>,
) -> Run<bool> {
    let Some(mut row) = desk.get::<Inbox>(&[inbox_id])? else { return Ok(false) };
    if expected.is_some_and(|expected| row.status != expected) {
        return Ok(false);
    }
    let now = desk.now();
    row.status = status;
    match status {
        InboxStatus::Pending => {
            row.processed_at = None;
            row.archived_at = None;
        }
        InboxStatus::Processing => row.processed_at = row.processed_at.or(Some(now)),
        InboxStatus::Consumed | InboxStatus::Error | InboxStatus::Skipped => {
            row.archived_at = row.archived_at.or(Some(now));
        }
        InboxStatus::Queued | InboxStatus::Deferred => {}
    }
    desk.put(&row, "inbox_status", "status as expected")?;
    Ok(true)
}

/// The epoch that a message speaks of.
pub(crate) fn epoch_of(desk: &mut Desk<'_>, inbox_id: &str) -> Run<Option<i64>> {
    let row = desk.get::<Inbox>(&[inbox_id])?;
    let payload = row.as_ref().and_then(|row| row.payload.as_object());
    Ok(payload.and_then(|payload| number_of(payload, "turn_epoch")))
}

/// A message was worked on.
pub(crate) fn consume(desk: &mut Desk<'_>, inbox_id: &str, channel: Option<&str>) -> Run<bool> {
    let Some(row) = desk.get::<Inbox>(&[inbox_id])? else { return Ok(false) };
    let moved = set_status(desk, inbox_id, InboxStatus::Consumed, Some(InboxStatus::Processing))?;
    if moved {
        let channel = channel.map_or_else(|| channel_of(&row, None), str::to_owned);
        inbox_progress(desk, &channel, &row.agent_id, inbox_id, "consumed", "worker_consumed");
    }
    Ok(moved)
}
