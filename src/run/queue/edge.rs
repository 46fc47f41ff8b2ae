//! Edges: requests between agents and their answers.

use super::answer::{Answer, Checked, settled, violation};
use super::send::depth;
use crate::run::rows::Edge;
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present};
use crate::run::wire::trace;
use crate::run::wire::trace::BadTrace;
use crate::value::json::{Json, Object};

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
            primitive: "tool_call".into(),
            edge_phase: "request".into(),
            created_at: tx.now(),
            seq: tx.rank(),
            ..lost
        };
        put_edge(tx, &edge)?;
    }
    Ok(known.flatten().unwrap_or(depth))
}

/// An edge of a join or a tool call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Join {
    pub phase: String,
    pub project_id: String,
    pub channel_id: Option<String>,
    pub source_agent_id: Option<String>,
    pub source_agent_turn_id: Option<String>,
    pub source_step_id: Option<String>,
    pub target_agent_id: Option<String>,
    pub target_agent_turn_id: Option<String>,
    pub correlation_id: Option<String>,
    pub depth: Option<Json>,
    pub trace_id: Option<String>,
    pub parent_step_id: Option<String>,
    pub metadata: Object,
}

/// Writes the request or the response of a join.
pub(crate) fn join(tx: &mut Transaction<'_>, join: &Join) -> Run<Answer> {
    settled(edge_checked(tx, join, "join"))
}

/// Writes the request of a tool call. The depth of its result must be the same.
pub(crate) fn tool_call(tx: &mut Transaction<'_>, call: &Join) -> Run<Answer> {
    let call = Join { phase: "request".into(), ..call.clone() };
    settled(edge_checked(tx, &call, "tool_call"))
}

fn edge_checked(tx: &mut Transaction<'_>, join: &Join, primitive: &str) -> Checked<Answer> {
    let Some(correlation_id) = present(join.correlation_id.as_deref()) else { return violation() };
    if join.project_id.is_empty() || !matches!(join.phase.as_str(), "request" | "response") {
        return violation();
    }
    tx.want_list::<Edge>("by_correlation", &[correlation_id, "request"], 1);
    tx.want_list::<Edge>("by_primitive", &[correlation_id, primitive, &join.phase], 1);
    let trace_id = match present(join.trace_id.as_deref()) {
        None => None,
        Some(text) => Some(trace::trace_id(text).ok_or(BadTrace)?),
    };
    let depth = edge_depth(tx, join, correlation_id)?;
    let edge = Edge {
        edge_id: tx.mint("edge_"),
        channel_id: join.channel_id.clone(),
        primitive: primitive.to_owned(),
        edge_phase: join.phase.clone(),
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
    Ok(Answer::accepted(Some(object! {
        "edge_id" => edge.edge_id,
        "correlation_id" => correlation_id,
        "trace_id" => trace_id,
    })))
}

/// Returns the depth of an edge, which must be that of its request.
fn edge_depth(tx: &mut Transaction<'_>, join: &Join, correlation_id: &str) -> Checked<Option<i64>> {
    let request = request_depth(tx, correlation_id)?;
    let given = join.depth.as_ref().filter(|depth| !depth.is_null());
    let given = match given {
        Some(_) => Some(depth(tx, given, &Object::default())?),
        None => None,
    };
    match (join.phase.as_str(), request, given) {
        ("request", _, None) | ("response", None, _) => violation(),
        (_, Some(Some(known)), Some(given)) if known != given => violation(),
        (_, Some(known), None) => Ok(known),
        (_, _, given) => Ok(given),
    }
}
