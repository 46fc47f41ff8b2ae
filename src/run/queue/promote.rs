//! The promotion of queued turns.

use super::boxes::{free_targets, want_free};
use super::conversation;
use super::lease::{LeaseRequest, lease, queue_row};
use crate::run::rows::status::InboxStatus;
use crate::run::rows::{Head, Inbox, Queue, Roster};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, text_of};
use crate::run::wire::events::wakeup;
use crate::store::KeyPart::Inside;
use crate::value::json::{Json, Object};
use serde::Serialize;

/// How many messages of a queue are read first: the first one can nearly always run.
pub(crate) const FRONT: usize = 2;

/// Returns the next place in the queue of an agent.
pub(super) fn next_seq(tx: &mut Transaction<'_>, agent_id: &str) -> Run<i64> {
    let rank = tx.rank();
    let mut queue = queue_row(tx, agent_id)?;
    queue.last_seq = queue.last_seq.saturating_add(1).max(rank);
    tx.put(&queue, "enqueue", "place in the queue")?;
    Ok(queue.last_seq)
}

/// A queued turn that its agent was given.
///
/// The example of [`Wakeup`](crate::run::Wakeup) shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Promoted {
    /// The message of the turn.
    pub inbox_id: String,
    /// The turn.
    pub agent_turn_id: String,
    /// The epoch of the turn.
    pub turn_epoch: i64,
    /// The channel of the turn.
    pub channel_id: String,
    /// The span of its message.
    pub traceparent: Option<String>,
    /// The state of its trace.
    pub tracestate: Option<String>,
    /// The trace.
    pub trace_id: Option<String>,
    /// The depth of the turn below the first one.
    pub recursion_depth: i64,
}

/// Requests everything that a promotion reads.
pub(crate) fn want_promotion(tx: &mut Transaction<'_>, agent_id: &str) {
    tx.want::<Head>(&[agent_id]);
    tx.want::<Queue>(&[agent_id]);
    tx.want::<Roster>(&[agent_id]);
    let of = [agent_id, "queued", "turn"];
    tx.want_list::<Inbox>("queue", &of, FRONT);
    // the next round requests the turns that use the boxes of the front, and the rest of the queue
    // if no turn at the front can run
    let Some(front) = tx.known_list::<Inbox>("queue", &of, FRONT) else { return };
    for row in &front {
        let text = |key| row.payload.as_object().and_then(|payload| text_of(payload, key));
        want_free(tx, text("context_box_id").as_deref(), text("output_box_id").as_deref());
    }
    if front.len() == FRONT && front.iter().all(|row| !missing_keys(tx, &row.payload).is_empty()) {
        let search = queue_search(tx);
        let boxes = ["context_box_id", "output_box_id"].map(|key| Inside("payload", key));
        let targets = free_targets(tx.reference_behavior, boxes);
        tx.want_list_with::<Inbox>("queue", &of, search, || targets);
    }
}

/// Returns how many messages of a queue are read if none at the front can run.
fn queue_search(tx: &Transaction<'_>) -> usize {
    let max = tx.row_limit();
    usize::try_from(tx.settings.queue_search).unwrap_or(1).min(max).max(FRONT)
}

/// Returns true for the text of a box id.
pub(super) fn is_box_id(tx: &Transaction<'_>, text: &str) -> bool {
    !tx.reference_behavior || uuid::Uuid::parse_str(text).is_ok()
}

/// Returns the payload keys that a turn lacks to run.
pub(super) fn missing_keys(tx: &Transaction<'_>, payload: &Json) -> Vec<&'static str> {
    let fits = |key: &str, is_box: bool| {
        let text = payload.as_object().and_then(|payload| text_of(payload, key));
        text.is_some_and(|text| !is_box || is_box_id(tx, &text))
    };
    let needed = [
        ("channel_id", false),
        ("profile_box_id", true),
        ("context_box_id", true),
        ("output_box_id", true),
    ];
    needed.into_iter().filter(|(key, is_box)| !fits(key, *is_box)).map(|(key, _)| key).collect()
}

/// Leases an idle agent to the first of its queued turns that can run. Turns before it that cannot run
/// become errors, also if the agent is busy.
pub(crate) fn promote(tx: &mut Transaction<'_>, agent_id: &str) -> Run<Option<Promoted>> {
    want_promotion(tx, agent_id);
    let search = queue_search(tx);
    for limit in [FRONT, search] {
        let rows = tx.list::<Inbox>("queue", &[agent_id, "queued", "turn"], limit)?;
        let is_whole = rows.len() < limit;
        // every enqueue writes the queue row, so the call relies on the whole queue
        queue_row(tx, agent_id)?;
        for row in rows {
            match promote_row(tx, agent_id, row)? {
                Attempt::CannotRun => {}
                Attempt::Busy => return Ok(None),
                Attempt::Promoted(promoted) => return Ok(Some(promoted)),
            }
        }
        if is_whole {
            return Ok(None);
        }
    }
    Ok(None)
}

/// The result of an attempt to promote a turn.
enum Attempt {
    /// The turn lacks what it needs.
    CannotRun,
    /// The agent has a turn.
    Busy,
    Promoted(Promoted),
}

fn promote_row(tx: &mut Transaction<'_>, agent_id: &str, mut row: Inbox) -> Run<Attempt> {
    let mut payload = row.payload.as_object().cloned().unwrap_or_default();
    let missing = missing_keys(tx, &row.payload);
    if !missing.is_empty() {
        payload.insert("dispatch_error".into(), "missing_required_fields".into());
        payload.insert("missing".into(), missing.into_iter().collect());
        row.payload = Json::Object(payload);
        row.status = InboxStatus::Error;
        row.archived_at = Some(tx.now());
        tx.put(&row, "promote", "a turn that cannot run")?;
        return Ok(Attempt::CannotRun);
    }
    let turn_id = text_of(&payload, "agent_turn_id")
        .or_else(|| row.correlation_id.clone().filter(|id| !id.is_empty()))
        .unwrap_or_else(|| row.inbox_id.clone());
    let channel_id = text_of(&payload, "channel_id").unwrap_or_default();
    let request = LeaseRequest {
        agent_id: agent_id.to_owned(),
        agent_turn_id: turn_id.clone(),
        active_channel_id: Some(channel_id.clone()),
        profile_box_id: text_of(&payload, "profile_box_id"),
        context_box_id: text_of(&payload, "context_box_id"),
        output_box_id: text_of(&payload, "output_box_id"),
        parent_step_id: row.parent_step_id.clone(),
        trace_id: row.trace_id.clone(),
        active_recursion_depth: row.recursion_depth,
    };
    let is_free = conversation::is_free(tx, &payload)?;
    let epoch = if is_free { lease(tx, &request)? } else { None };
    let Some(turn_epoch) = epoch else {
        // rely on the row: a cancelation would put another turn first
        tx.get::<Inbox>(&[&row.inbox_id])?;
        return Ok(Attempt::Busy);
    };
    conversation::enter(tx, &payload)?;
    payload.insert("turn_epoch".into(), turn_epoch.into());
    payload.insert("agent_turn_id".into(), turn_id.as_str().into());
    row.payload = Json::Object(payload);
    row.status = InboxStatus::Pending;
    row.processed_at = None;
    row.archived_at = None;
    row.agent_turn_id = Some(turn_id.clone());
    tx.put(&row, "promote", "first queued turn of an idle agent")?;
    Ok(Attempt::Promoted(Promoted {
        inbox_id: row.inbox_id,
        agent_turn_id: turn_id,
        turn_epoch,
        channel_id,
        traceparent: row.traceparent,
        tracestate: row.tracestate,
        trace_id: row.trace_id,
        recursion_depth: row.recursion_depth,
    }))
}

/// Returns the headers of a wakeup: the trace of its message.
pub(crate) fn trace_headers(traceparent: Option<&str>, tracestate: Option<&str>) -> Object {
    let given = [("traceparent", traceparent), ("tracestate", tracestate)];
    given.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?.into()))).collect()
}

/// Sends the wakeup for a promoted turn.
pub(crate) fn wake_promoted(
    tx: &mut Transaction<'_>,
    agent_id: &str,
    promoted: &Promoted,
    reason: &str,
    metadata: Option<Object>,
) -> Run<()> {
    let mut extra = object! { "inbox_id" => promoted.inbox_id.as_str(), "reason" => reason };
    if let Some(metadata) = metadata {
        extra.insert("metadata".into(), Json::Object(metadata));
    }
    let headers = trace_headers(promoted.traceparent.as_deref(), promoted.tracestate.as_deref());
    wakeup(tx, agent_id, &promoted.channel_id, extra, Some(headers))
}

/// Promotes the next turn of an agent that became idle, and sends its wakeup.
pub(crate) fn dispatch_next(tx: &mut Transaction<'_>, agent_id: &str, reason: &str) -> Run<()> {
    if let Some(promoted) = promote(tx, agent_id)? {
        wake_promoted(tx, agent_id, &promoted, reason, None)?;
    }
    Ok(())
}
