//! Answers to what an agent asked for, and who waits for whom.

use super::{Answer, Checked, Refusal, Send, depth, put_edge, request_depth, settled, violation};
use crate::run::desk::{Desk, Run, present, text_of};
use crate::run::message::{object, wakeup};
use crate::run::rows::{Edge, Inbox, Roster};
use crate::run::trace::{self, BadTrace};
use crate::value::json::{Json, Object};

/// Reports to an agent: the answer to something it asked for.
pub(crate) fn report(desk: &mut Desk<'_>, send: &Send) -> Run<Answer> {
    settled(report_checked(desk, send))
}

fn report_checked(desk: &mut Desk<'_>, send: &Send) -> Checked<Answer> {
    for text in [&send.project_id, &send.channel_id, &send.target_agent_id, &send.message_type] {
        if text.is_empty() {
            return violation();
        }
    }
    let Some(correlation_id) = present(send.correlation_id.as_deref()) else { return violation() };
    let Json::Object(payload) = &send.payload else { return violation() };
    let incoming = trace::ensure(desk, &send.headers, send.trace_id.as_deref())?;
    let depth = depth(desk, send.depth.as_ref(), &send.headers)?;
    let agent = send.target_agent_id.as_str();
    desk.want_list::<Edge>("by_correlation", &[correlation_id, "request"], 1);
    desk.want_list::<Edge>("by_primitive", &[correlation_id, "report", "response"], 1);
    desk.want_list::<Inbox>("by_correlation", &[&send.message_type, correlation_id], 1);
    desk.want::<Roster>(&[agent]);

    let request = request_depth(desk, correlation_id)?;
    let answers = matches!(send.message_type.as_str(), "tool_result" | "timeout");
    match request {
        None if answers => return violation(),
        Some(known) if known.is_some_and(|known| known != depth) => return violation(),
        None | Some(_) => {}
    }
    let row_trace = trace::new_span(desk, incoming.trace_id.clone());
    let there = desk.list::<Inbox>("by_correlation", &[&send.message_type, correlation_id], 1)?;
    let inbox_id = match there.first() {
        Some(there) if there.agent_id == agent && there.payload.same_value(&send.payload) => {
            there.inbox_id.clone()
        }
        Some(_) => return Err(Refusal::Answer(Answer::rejected("conflict"))),
        None => {
            let row = Inbox {
                inbox_id: desk.mint("inbox_"),
                created_at: desk.now(),
                seq: desk.rank(),
                agent_turn_id: text_of(payload, "agent_turn_id"),
                ..send.message(correlation_id, depth, &row_trace)
            };
            desk.put(&row, "report", "a request of this correlation and depth")?;
            let edge = Edge {
                edge_id: desk.mint("edge_"),
                primitive: "report".into(),
                edge_phase: "response".into(),
                metadata: object! {
                    "message_type" => send.message_type.as_str(),
                    "inbox_id" => row.inbox_id.as_str(),
                    "recursion_depth" => depth,
                },
                created_at: desk.now(),
                seq: desk.rank(),
                ..send.edge(correlation_id, depth, &row_trace)
            };
            put_edge(desk, &edge)?;
            row.inbox_id
        }
    };
    if send.wakeup {
        let mut headers = send.headers.clone();
        headers.insert("traceparent".into(), row_trace.traceparent.into());
        wakeup(desk, agent, &send.channel_id, Object::default(), Some(headers))?;
    }
    Ok(Answer::accepted(Some(object! {
        "inbox_id" => inbox_id,
        "correlation_id" => correlation_id,
        "trace_id" => incoming.trace_id,
    })))
}

/// A join: who waits for whom, and the answer.
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

/// Writes the edge of a join.
pub(crate) fn join(desk: &mut Desk<'_>, join: &Join) -> Run<Answer> {
    settled(edge_checked(desk, join, "join"))
}

fn edge_checked(desk: &mut Desk<'_>, join: &Join, primitive: &str) -> Checked<Answer> {
    let Some(correlation_id) = present(join.correlation_id.as_deref()) else { return violation() };
    if join.project_id.is_empty() || !matches!(join.phase.as_str(), "request" | "response") {
        return violation();
    }
    desk.want_list::<Edge>("by_correlation", &[correlation_id, "request"], 1);
    desk.want_list::<Edge>("by_primitive", &[correlation_id, primitive, &join.phase], 1);
    let given = join.depth.as_ref().filter(|depth| !depth.is_null());
    let trace_id = match present(join.trace_id.as_deref()) {
        None => None,
        Some(text) => Some(trace::trace_id(text).ok_or(BadTrace)?),
    };
    let request = request_depth(desk, correlation_id)?;
    let depth = match given {
        Some(_) => Some(depth(desk, given, &Object::default())?),
        None => None,
    };
    let depth = match (join.phase.as_str(), request, depth) {
        ("request", _, None) | ("response", None, _) => return violation(),
        (_, Some(Some(known)), Some(depth)) if known != depth => return violation(),
        (_, Some(known), None) => known,
        (_, _, depth) => depth,
    };
    let edge = Edge {
        edge_id: desk.mint("edge_"),
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
        created_at: desk.now(),
        seq: desk.rank(),
        ..Edge::default()
    };
    put_edge(desk, &edge)?;
    Ok(Answer::accepted(Some(object! {
        "edge_id" => edge.edge_id,
        "correlation_id" => correlation_id,
        "trace_id" => trace_id,
    })))
}

/// Notes that an agent called a tool: what its result will be measured by.
pub(crate) fn tool_call(desk: &mut Desk<'_>, call: &Join) -> Run<Answer> {
    let call = Join { phase: "request".into(), ..call.clone() };
    settled(edge_checked(desk, &call, "tool_call"))
}
