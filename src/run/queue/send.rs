//! A message to an agent, as `enqueue` and `report` receive it.

use super::answer::{Checked, rejected, violation};
use crate::run::rows::status::InboxStatus;
use crate::run::rows::{Edge, Inbox};
use crate::run::transaction::Transaction;
use crate::run::values::present;
use crate::run::wire::trace;
use crate::run::wire::trace::{Headers, Trace};
use crate::value::arguments::{Loose, arguments};
use crate::value::json::{Json, Object};
use serde::Serialize;

/// An object. An operation refuses any other value.
type Payload = Json;

/// The depth of a call below the first one. An operation refuses what is not a whole number from 0.
pub(super) type Depth = Json;

shape! {
    pub type Payload = Object;
    pub type Depth = u64;
}

arguments! {
    /// A message to an agent.
    ///
    /// The example of [`Enqueue`](crate::run::Enqueue) shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct SendMessage {
        /// The agent that receives the message.
        pub target_agent_id: Loose<String> = String::new(),
        /// `turn`, `ui_action`, `tool_result`, `timeout`, `stop`, or a type of the host.
        pub message_type: Loose<String> = String::new(),
        /// The content of the message.
        pub payload: Loose<Payload> = Payload::default(),
        /// The channel of the message.
        pub channel_id: String = "public".into(),
        /// The turn of the receiver that the message is for.
        pub target_agent_turn_id: Option<String>,
        /// The id under which the message is sent once.
        pub correlation_id: Option<String>,
        /// The depth of the call. `CG-Recursion-Depth` of the headers by default.
        pub recursion_depth: Option<Loose<Depth>>,
        /// The headers of the message.
        pub headers: Headers = Headers::default(),
        /// The trace. That of the headers, or a new one by default.
        pub trace_id: Option<String>,
        /// The agent that sends the message.
        pub source_agent_id: Option<String>,
        /// The turn that sends the message.
        pub source_agent_turn_id: Option<String>,
        /// The step that sends the message.
        pub source_step_id: Option<String>,
        /// The step that the work of the message belongs to.
        pub parent_step_id: Option<String>,
        /// False to send no wakeup.
        pub wakeup: bool = true,
    }
}

/// A message in an inbox.
///
/// The example of [`Enqueue`](crate::run::Enqueue) shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sent {
    /// The id of the message.
    pub inbox_id: String,
    /// The id under which the message is sent once.
    pub correlation_id: String,
    /// The trace of the message.
    pub trace_id: String,
    /// The turn, for a `turn` or a `ui_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_turn_id: Option<String>,
    /// The epoch of the turn; absent while it waits for another turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_epoch: Option<i64>,
}

impl SendMessage {
    /// Returns true if a text that every message needs is missing.
    pub(super) fn lacks_text(&self) -> bool {
        let texts = [&self.channel_id, &self.target_agent_id, &self.message_type];
        texts.into_iter().any(String::is_empty)
    }

    /// Returns the correlation of a message that has every text it needs.
    pub(crate) fn correlation(&self) -> Option<&str> {
        present(self.correlation_id.as_deref()).filter(|_| !self.lacks_text())
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
