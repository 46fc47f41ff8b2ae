//! A message to an agent, as `enqueue` and `report` receive it.

use super::answer::{Checked, rejected, violation};
use crate::run::rows::status::InboxStatus;
use crate::run::rows::{Edge, Inbox};
use crate::run::transaction::Transaction;
use crate::run::wire::trace;
use crate::run::wire::trace::Trace;
use crate::value::json::{Json, Object};

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
    /// The depth, if the caller states it outside of the headers.
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
    /// Returns true if a text that every message needs is missing.
    pub(super) fn lacks_text(&self) -> bool {
        let texts = [&self.project_id, &self.channel_id, &self.target_agent_id, &self.message_type];
        texts.into_iter().any(String::is_empty)
    }

    /// Returns the row of the message.
    pub(super) fn message(&self, correlation_id: &str, depth: i64, trace: &Trace) -> Inbox {
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

    /// Returns the edge from the sender to the agent.
    pub(super) fn edge(&self, correlation_id: &str, depth: i64, trace: &Trace) -> Edge {
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

/// Returns the depth of a call: its argument, or its header.
pub(super) fn depth(
    tx: &Transaction<'_>,
    argument: Option<&Json>,
    headers: &Object,
) -> Checked<i64> {
    let depth = match argument.filter(|depth| !depth.is_null()) {
        Some(Json::Number(number)) => number.whole().filter(|depth| *depth >= 0),
        Some(_) => None,
        None => trace::depth_of(headers),
    };
    let Some(depth) = depth else { return violation() };
    if depth >= tx.settings.max_recursion_depth {
        return rejected("recursion_depth_exceeded");
    }
    Ok(depth)
}
