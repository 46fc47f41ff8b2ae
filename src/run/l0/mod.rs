//! The primitives: enqueue, report, join, cancel, wakeup, and the promotion of queued turns.

mod enqueue;
mod promote;
mod report;

pub(crate) use enqueue::enqueue;
pub(crate) use promote::{
    Lease, dispatch_next, lease, promote, queue, ring_promoted, trace_headers, want_promotion,
};
pub(crate) use report::{Join, join, report, tool_call};

use super::bugs::Bug;
use super::desk::{Desk, Run, present};
use super::message::object;
use super::rows::{Edge, Inbox, key_text};
use super::trace::{self, BadTrace, Trace};
use super::words::InboxStatus;
use crate::value::json::{Json, Object};
use serde::Serialize;

/// What a primitive answers.
///
/// Shown, as JSON, by the example of [`RunCall`](crate::run::RunCall).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// `accepted`, `busy`, `rejected` or `error`.
    pub status: &'static str,
    /// Why not, as a stable word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// What was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Object>,
}

impl Answer {
    pub(crate) fn accepted(payload: Option<Object>) -> Self {
        Self { status: "accepted", error_code: None, payload }
    }

    pub(crate) fn rejected(code: &str) -> Self {
        Self { status: "rejected", error_code: Some(code.to_owned()), payload: None }
    }

    pub(crate) fn violation() -> Self {
        Self::rejected("protocol_violation")
    }
}

/// Why a primitive refuses.
pub(crate) enum Refusal {
    Answer(Answer),
    Stop(super::desk::Stop),
}

impl From<super::desk::Stop> for Refusal {
    fn from(stop: super::desk::Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<BadTrace> for Refusal {
    fn from(BadTrace: BadTrace) -> Self {
        Self::Answer(Answer::violation())
    }
}

pub(crate) type Checked<T> = Result<T, Refusal>;

fn violation<T>() -> Checked<T> {
    Err(Refusal::Answer(Answer::violation()))
}

fn settled(checked: Checked<Answer>) -> Run<Answer> {
    match checked {
        Ok(answer) | Err(Refusal::Answer(answer)) => Ok(answer),
        Err(Refusal::Stop(stop)) => Err(stop),
    }
}

/// A message to an agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Send {
    pub project_id: String,
    pub channel_id: String,
    pub target_agent_id: String,
    pub target_agent_turn_id: Option<String>,
    pub message_type: String,
    pub payload: Json,
    pub mode: Option<String>,
    pub correlation_id: Option<String>,
    /// The depth, where the caller tells it beside the headers.
    pub depth: Option<Json>,
    pub headers: Object,
    pub trace_id: Option<String>,
    pub source_agent_id: Option<String>,
    pub source_agent_turn_id: Option<String>,
    pub source_step_id: Option<String>,
    pub parent_step_id: Option<String>,
    pub wakeup: bool,
}

impl Send {
    /// The row of the message that lies ready, as `enqueue` and `report` both write it.
    fn message(&self, correlation_id: &str, depth: i64, trace: &Trace) -> Inbox {
        Inbox {
            agent_id: self.target_agent_id.clone(),
            message_type: self.message_type.clone(),
            correlation_id: Some(correlation_id.to_owned()),
            recursion_depth: depth,
            traceparent: Some(trace.traceparent.clone()),
            tracestate: trace::header(&self.headers, "tracestate"),
            trace_id: Some(trace.trace_id.clone()),
            parent_step_id: self.parent_step_id.clone(),
            source_agent_id: self.source_agent_id.clone(),
            source_step_id: self.source_step_id.clone(),
            payload: self.payload.clone(),
            status: InboxStatus::Pending,
            ..Inbox::default()
        }
    }

    /// The edge from the sender to the agent, as `enqueue` and `report` both write it.
    fn edge(&self, correlation_id: &str, depth: i64, trace: &Trace) -> Edge {
        Edge {
            channel_id: Some(self.channel_id.clone()),
            source_agent_id: self.source_agent_id.clone(),
            source_agent_turn_id: self.source_agent_turn_id.clone(),
            source_step_id: self.source_step_id.clone(),
            target_agent_id: Some(self.target_agent_id.clone()),
            target_agent_turn_id: self.target_agent_turn_id.clone(),
            correlation_id: correlation_id.to_owned(),
            recursion_depth: Some(depth),
            trace_id: Some(trace.trace_id.clone()),
            parent_step_id: self.parent_step_id.clone(),
            ..Edge::default()
        }
    }
}

/// The depth of a call: its argument, else its header.
fn depth(desk: &Desk<'_>, argument: Option<&Json>, headers: &Object) -> Checked<i64> {
    let depth = match argument.filter(|depth| !depth.is_null()) {
        Some(Json::Number(number)) => number.whole().filter(|depth| *depth >= 0),
        Some(_) => None,
        None => trace::depth_of(headers),
    };
    let Some(depth) = depth else { return violation() };
    if depth >= desk.settings.max_recursion_depth {
        return Err(Refusal::Answer(Answer::rejected("recursion_depth_exceeded")));
    }
    Ok(depth)
}

/// The depth of the oldest request of a correlation.
pub(crate) fn request_depth(desk: &mut Desk<'_>, correlation_id: &str) -> Run<Option<Option<i64>>> {
    let edges = desk.list::<Edge>("by_correlation", &[correlation_id, "request"], 1)?;
    Ok(edges.first().map(|edge| edge.recursion_depth))
}

fn is_box_id(text: &str) -> bool {
    uuid::Uuid::parse_str(text).is_ok()
}

/// Puts an edge, unless there is one of its kind.
pub(crate) fn put_edge(desk: &mut Desk<'_>, edge: &Edge) -> Run<bool> {
    let of = [edge.correlation_id.as_str(), &edge.primitive, &edge.edge_phase];
    if !desk.list::<Edge>("by_primitive", &of, 1)?.is_empty() {
        return Ok(false);
    }
    desk.put(edge, "edge", "no edge of this kind")?;
    Ok(true)
}

/// Takes a queued turn back.
pub(crate) fn cancel(
    desk: &mut Desk<'_>,
    agent_id: &str,
    turn_id: &str,
    reason: Option<&str>,
    metadata: Option<&Object>,
) -> Run<Answer> {
    desk.want::<Inbox>(&[turn_id]);
    desk.want_list::<Inbox>("of_turn", &[turn_id], 4);
    let by_id = desk.get::<Inbox>(&[turn_id])?;
    let mut rows: Vec<Inbox> = by_id.into_iter().collect();
    if desk.settings.bug != Bug::CancelByInboxId {
        rows.extend(desk.list::<Inbox>("of_turn", &[turn_id], 4)?);
    }
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
        row.archived_at = Some(desk.now());
        desk.put(&row, "cancel", "status = queued")?;
    }
    Ok(Answer::accepted(Some(object! { "canceled" => canceled, "agent_turn_id" => turn_id })))
}

/// The number under a key of an object.
pub(crate) fn number_of(object: &Object, key: &str) -> Option<i64> {
    match object.get(key)? {
        Json::Number(number) => number.whole(),
        Json::String(text) => text.trim().parse().ok(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// The text of any value, as a column would hold it.
pub(crate) fn any_text(json: &Json) -> Option<String> {
    if json.is_null() { None } else { Some(key_text(json)) }
}
