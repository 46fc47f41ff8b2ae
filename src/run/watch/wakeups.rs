//! Wakeups that are repeated: for turns that no worker starts, and for messages that no worker claims.

use crate::run::rows::status::{HeadStatus, InboxStatus};
use crate::run::rows::{Head, Inbox, Roster};
use crate::run::settings::older;
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present, text_of};
use crate::run::wire::events::{stamp, wakeup};
use crate::run::wire::trace;
use crate::value::arguments::arguments;
use crate::value::json::{Json, Object};

arguments! {
    /// Sends the wakeup of a dispatched turn again.
    ///
    /// The example of [`ListDue`](crate::run::ListDue) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RingAgain {
        /// The agent.
        pub agent_id: String,
        shared terms: RunTerms,
    }

    /// Sends the wakeup of an unclaimed message again.
    ///
    /// The example of [`ListDue`](crate::run::ListDue) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PokeInbox {
        /// The message.
        pub inbox_id: String,
        shared terms: RunTerms,
    }
}

perform! {
    RingAgain -> bool { |call, tx| wake_again(tx, &call.agent_id) }
    PokeInbox -> bool { |call, tx| poke(tx, &call.inbox_id) }
}

/// Sends another wakeup for a turn that was dispatched and not started. The turn does not become younger.
fn wake_again(tx: &mut Transaction<'_>, agent: &str) -> Run<bool> {
    let head = tx.get::<Head>(&[agent])?;
    let Some(mut head) = head.filter(|head| head.status == HeadStatus::Dispatched) else {
        return Ok(false);
    };
    let (now, after) = (tx.now(), tx.settings.dispatched_retry_seconds);
    let since = head.rung_at.unwrap_or(head.updated_at).max(head.updated_at);
    let turn = present(head.active_agent_turn_id.as_deref()).map(str::to_owned);
    let channel = present(head.active_channel_id.as_deref()).map(str::to_owned);
    let (Some(turn), Some(channel)) = (turn, channel) else { return Ok(false) };
    if !older(since, now, after) {
        return Ok(false);
    }
    let headers =
        trace::watchdog_headers(tx, head.trace_id.as_deref(), head.active_recursion_depth);
    let extra = object! { "agent_turn_id" => turn.as_str() };
    wakeup(tx, agent, &channel, extra, Some(headers))?;
    head.rung_at = Some(now);
    tx.put(&head, "ring", "status = dispatched, not started")?;
    Ok(true)
}

/// Sends a wakeup for a message that no worker claimed. Skips a message that has no channel for too long.
fn poke(tx: &mut Transaction<'_>, inbox_id: &str) -> Run<bool> {
    let Some(row) = tx.get::<Inbox>(&[inbox_id])? else { return Ok(false) };
    tx.want::<Head>(&[&row.agent_id]);
    tx.want::<Roster>(&[&row.agent_id]);
    let (now, after) = (tx.now(), tx.settings.pending_wakeup_seconds);
    if after == 0 || row.status != InboxStatus::Pending || !older(row.created_at, now, after) {
        return Ok(false);
    }
    let payload = row.payload.as_object().cloned().unwrap_or_default();
    let own = text_of(&payload, "channel_id").filter(|_| row.message_type == "turn");
    let channel = match own {
        Some(channel) => Some(channel),
        None => tx.peek::<Head>(&[&row.agent_id])?.and_then(|head| head.active_channel_id),
    };
    let Some(channel) = channel.filter(|channel| !channel.is_empty()) else {
        if older(row.created_at, now, tx.settings.pending_skip_seconds) {
            skip(tx, row, payload)?;
        }
        return Ok(true);
    };
    let headers = poke_headers(tx, &row);
    let extra = object! { "agent_turn_id" => text_of(&payload, "agent_turn_id") };
    wakeup(tx, &row.agent_id, &channel, extra, Some(headers))?;
    Ok(true)
}

fn skip(tx: &mut Transaction<'_>, mut row: Inbox, mut payload: Object) -> Run<()> {
    let now = tx.now();
    payload.insert("watchdog_error".into(), "missing_channel".into());
    payload.insert("watchdog_at".into(), stamp(now).into());
    row.payload = Json::Object(payload);
    row.status = InboxStatus::Skipped;
    row.archived_at = Some(now);
    tx.put(&row, "poke", "no channel for too long")
}

/// Returns the headers of a message, or new ones if its trace is invalid.
fn poke_headers(tx: &mut Transaction<'_>, row: &Inbox) -> Object {
    let given = row.traceparent.clone().map(|traceparent| object! { "traceparent" => traceparent });
    let kept = given.and_then(|headers| trace::ensure(tx, &headers, None).ok());
    let mut headers = match kept {
        Some(kept) => object! {
            "traceparent" => kept.traceparent,
            "CG-Recursion-Depth" => row.recursion_depth.to_string(),
        },
        None => trace::watchdog_headers(tx, row.trace_id.as_deref(), row.recursion_depth),
    };
    if let Some(tracestate) = &row.tracestate {
        headers.insert("tracestate".into(), tracestate.as_str().into());
    }
    headers
}
