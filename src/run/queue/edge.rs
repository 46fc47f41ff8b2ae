//! Edges: requests between agents and their answers.

use super::answer::{Answer, Checked, settled, violation};
use super::send::{Depth, depth};
use crate::run::rows::Edge;
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::present;
use crate::run::wire::trace;
use crate::run::wire::trace::BadTrace;
use crate::value::arguments::{Loose, OrNull, arguments};
use crate::value::json::Object;
use serde::Serialize;

/// Returns the depth of the oldest request of a correlation; the outer `None` if it has no request.
pub(crate) fn request_depth(
    tx: &mut Transaction<'_>,
    correlation_id: &str,
) -> Run<Option<Option<i64>>> {
    let edges = tx.list::<Edge>("by_correlation", &[correlation_id, "request"], 1)?;
    Ok(edges.first().map(|edge| edge.recursion_depth))
}

/// Writes an edge, unless one of its kind exists.
pub(crate) fn put_edge(tx: &mut Transaction<'_>, edge: &Edge) -> Run<bool> {
    let of = [edge.correlation_id.as_str(), &edge.primitive, &edge.edge_phase];
    if !tx.list::<Edge>("by_primitive", &of, 1)?.is_empty() {
        return Ok(false);
    }
    tx.put(edge, "edge", "no edge of this kind")?;
    Ok(true)
}

/// Returns the depth of the request of a tool call. Writes the request if its edge is lost: `lost` names
/// its agents, correlation and depth.
pub(crate) fn ensure_tool_call(tx: &mut Transaction<'_>, lost: Edge) -> Run<i64> {
    let depth = lost.recursion_depth.unwrap_or(0);
    let known = request_depth(tx, &lost.correlation_id)?;
    if known.is_none() {
        let edge = Edge {
            edge_id: tx.mint("edge_"),
            primitive: TOOL_CALL.into(),
            edge_phase: "request".into(),
            created_at: tx.now(),
            seq: tx.rank(),
            ..lost
        };
        put_edge(tx, &edge)?;
    }
    Ok(known.flatten().unwrap_or(depth))
}

/// The phase of a join.
type Phase = String;

shape! {
    /// The phase of a join.
    pub type Phase = Word<"request", "response">;
}

arguments! {
    /// An edge between two agents: who waits for whom, or who called which tool.
    ///
    /// The example of [`Join`] shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct NoteEdge {
        /// The id that a request and its response share.
        pub correlation_id: Loose<String> = String::new(),
        /// The channel of the edge.
        pub channel_id: Option<String>,
        /// The agent that asks.
        pub source_agent_id: Option<String>,
        /// The turn that asks.
        pub source_agent_turn_id: Option<String>,
        /// The step that asks.
        pub source_step_id: Option<String>,
        /// The agent that is asked.
        pub target_agent_id: Option<String>,
        /// The turn that is asked.
        pub target_agent_turn_id: Option<String>,
        /// The depth of the request. A request needs it; a response has that of its request.
        pub recursion_depth: Option<OrNull<Loose<Depth>>>,
        /// The trace of the edge.
        pub trace_id: Option<String>,
        /// The step that the edge belongs to.
        pub parent_step_id: Option<String>,
        /// More about the edge.
        pub metadata: Object = Object::default(),
    }

    /// Records who waits for whom, and the answer.
    ///
    /// ```
    /// use tuckbox::run::Join;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = Join::from_json(&json!({"phase": "request", "correlation_id": "j1", "recursion_depth": 0}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let noted = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value.payload().unwrap();
    /// assert_eq!(noted.correlation_id, "j1");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Join {
        /// `request` or `response`.
        pub phase: Loose<Phase> = String::new(),
        shared edge: NoteEdge,
        shared terms: RunTerms,
    }

    /// Records that an agent called a tool. The result of the call must have the same depth.
    ///
    /// The example of [`Join`] shows an edge.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct NoteToolCall {
        shared edge: NoteEdge,
        shared terms: RunTerms,
    }
}

/// An edge that was recorded.
///
/// The example of [`Join`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Noted {
    /// The id of the edge.
    pub edge_id: String,
    /// The id that a request and its response share.
    pub correlation_id: String,
    /// The trace of the edge.
    pub trace_id: Option<String>,
}

perform! {
    Join -> Answer<Noted> {
        |call, tx| match call.terms.lacks_project() {
            true => Ok(Answer::violation()),
            false => join(tx, &call.phase, &call.edge),
        }
    }
    NoteToolCall -> Answer<Noted> {
        |call, tx| match call.terms.lacks_project() {
            true => Ok(Answer::violation()),
            false => settled(note_tool_call(tx, &call.edge)),
        }
    }
}

/// Requests what the note of a tool call reads.
pub(crate) fn want_tool_call(tx: &mut Transaction<'_>, correlation_id: &str) {
    want_edge(tx, correlation_id, TOOL_CALL, "request");
}

/// Notes a tool call, unless it is noted.
pub(crate) fn note_tool_call(tx: &mut Transaction<'_>, edge: &NoteEdge) -> Checked<Noted> {
    edge_checked(tx, edge, TOOL_CALL, "request")
}

const TOOL_CALL: &str = "tool_call";

fn want_edge(tx: &mut Transaction<'_>, correlation_id: &str, primitive: &str, phase: &str) {
    tx.want_list::<Edge>("by_correlation", &[correlation_id, "request"], 1);
    tx.want_list::<Edge>("by_primitive", &[correlation_id, primitive, phase], 1);
}

/// Writes the request or the response of a join.
pub(crate) fn join(tx: &mut Transaction<'_>, phase: &str, edge: &NoteEdge) -> Run<Answer<Noted>> {
    settled(edge_checked(tx, edge, "join", phase))
}

fn edge_checked(
    tx: &mut Transaction<'_>,
    join: &NoteEdge,
    primitive: &str,
    phase: &str,
) -> Checked<Noted> {
    let Some(correlation_id) = present(Some(&join.correlation_id)) else { return violation() };
    if !matches!(phase, "request" | "response") {
        return violation();
    }
    want_edge(tx, correlation_id, primitive, phase);
    let trace_id = match present(join.trace_id.as_deref()) {
        None => None,
        Some(text) => Some(trace::trace_id(text).ok_or(BadTrace)?),
    };
    let depth = edge_depth(tx, join, phase)?;
    let edge = Edge {
        edge_id: tx.mint("edge_"),
        channel_id: join.channel_id.clone(),
        primitive: primitive.to_owned(),
        edge_phase: phase.to_owned(),
        source_agent_id: join.source_agent_id.clone(),
        source_agent_turn_id: join.source_agent_turn_id.clone(),
        source_step_id: join.source_step_id.clone(),
        target_agent_id: join.target_agent_id.clone(),
        target_agent_turn_id: join.target_agent_turn_id.clone(),
        correlation_id: correlation_id.to_owned(),
        recursion_depth: depth,
        trace_id: trace_id.clone(),
        parent_step_id: join.parent_step_id.clone(),
        metadata: join.metadata.clone(),
        created_at: tx.now(),
        seq: tx.rank(),
        ..Edge::default()
    };
    put_edge(tx, &edge)?;
    Ok(Noted { edge_id: edge.edge_id, correlation_id: correlation_id.to_owned(), trace_id })
}

/// Returns the depth of an edge, which must be that of its request.
fn edge_depth(tx: &mut Transaction<'_>, join: &NoteEdge, phase: &str) -> Checked<Option<i64>> {
    let request = request_depth(tx, &join.correlation_id)?;
    let given = join.recursion_depth.as_ref().filter(|depth| !depth.is_null());
    let given = match given {
        Some(_) => Some(depth(tx, given, &Object::default())?),
        None => None,
    };
    match (phase, request, given) {
        ("request", _, None) | ("response", None, _) => violation(),
        (_, Some(Some(known)), Some(given)) if known != given => violation(),
        (_, Some(known), None) => Ok(known),
        (_, _, given) => Ok(given),
    }
}
