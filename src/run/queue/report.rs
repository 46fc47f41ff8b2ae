//! The answer to a request of an agent.

use super::answer::{Answer, Checked, rejected, settled, violation};
use super::edge::{put_edge, request_depth};
use super::send::{SendMessage, Sent, depth};
use crate::run::rows::{Edge, Inbox, Roster};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, text_of};
use crate::run::wire::events::wakeup;
use crate::run::wire::trace;
use crate::run::wire::trace::Trace;
use crate::value::arguments::arguments;
use crate::value::json::{Json, Object};

arguments! {
    /// Reports a result to the agent that asked for it. `correlation_id` is that of the request.
    ///
    /// The example of [`Enqueue`](crate::run::Enqueue) shows a message.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Report {
        shared message: SendMessage,
        shared terms: RunTerms,
    }
}

perform! {
    Report -> Answer<Sent> {
        |call, tx| match call.terms.lacks_project() {
            true => Ok(Answer::violation()),
            false => report(tx, &call.message),
        }
    }
}

/// Sends the answer to a request of an agent.
pub(crate) fn report(tx: &mut Transaction<'_>, send: &SendMessage) -> Run<Answer<Sent>> {
    settled(report_checked(tx, send, Object::default()))
}

/// Sends the answer to a request of an agent. Its wakeup has `extra`.
pub(crate) fn report_with(
    tx: &mut Transaction<'_>,
    send: &SendMessage,
    extra: Object,
) -> Run<Answer<Sent>> {
    settled(report_checked(tx, send, extra))
}

/// Requests what the answer to a request reads.
pub(crate) fn want_report(tx: &mut Transaction<'_>, send: &SendMessage, correlation_id: &str) {
    tx.want_list::<Edge>("by_correlation", &[correlation_id, "request"], 1);
    tx.want_list::<Edge>("by_primitive", &[correlation_id, "report", "response"], 1);
    tx.want_list::<Inbox>("by_correlation", &[&send.message_type, correlation_id], 1);
    tx.want::<Roster>(&[&send.target_agent_id]);
}

/// Returns the row of an answer that was sent before; refuses another answer to the same request.
pub(crate) fn sent_before(
    tx: &mut Transaction<'_>,
    send: &SendMessage,
    correlation_id: &str,
) -> Checked<Option<Inbox>> {
    let mut rows = tx.list::<Inbox>("by_correlation", &[&send.message_type, correlation_id], 1)?;
    let Some(row) = rows.pop() else { return Ok(None) };
    if row.agent_id != send.target_agent_id || !row.payload.same_value(&send.payload) {
        return rejected("conflict");
    }
    Ok(Some(row))
}

/// Sends the answer to a request of an agent, unless it is refused. Its wakeup has `extra`.
pub(crate) fn report_checked(
    tx: &mut Transaction<'_>,
    send: &SendMessage,
    extra: Object,
) -> Checked<Sent> {
    let Some(correlation_id) = send.correlation() else { return violation() };
    let Json::Object(payload) = &send.payload else { return violation() };
    let incoming = trace::ensure(tx, &send.headers, send.trace_id.as_deref())?;
    let depth = depth(tx, send.recursion_depth.as_ref(), &send.headers)?;
    let agent = send.target_agent_id.as_str();
    want_report(tx, send, correlation_id);

    let request = request_depth(tx, correlation_id)?;
    let answers = matches!(send.message_type.as_str(), "tool_result" | "timeout");
    match request {
        None if answers => return violation(),
        Some(known) if known.is_some_and(|known| known != depth) => return violation(),
        None | Some(_) => {}
    }
    let row_trace = trace::new_span(tx, incoming.trace_id.clone());
    let inbox_id = match sent_before(tx, send, correlation_id)? {
        Some(row) => row.inbox_id,
        None => {
            let turn = text_of(payload, "agent_turn_id");
            put_report(tx, send, correlation_id, depth, &row_trace, turn)?
        }
    };
    if send.wakeup {
        let mut headers = send.headers.0.clone();
        headers.insert("traceparent".into(), row_trace.traceparent.into());
        wakeup(tx, agent, &send.channel_id, extra, Some(headers))?;
    }
    Ok(Sent {
        inbox_id,
        correlation_id: correlation_id.to_owned(),
        trace_id: incoming.trace_id,
        agent_turn_id: None,
        turn_epoch: None,
    })
}

/// Writes the row of an answer and its edge, and returns the id of the row.
fn put_report(
    tx: &mut Transaction<'_>,
    send: &SendMessage,
    correlation_id: &str,
    depth: i64,
    trace: &Trace,
    agent_turn_id: Option<String>,
) -> Run<String> {
    let row = Inbox {
        inbox_id: tx.mint("inbox_"),
        created_at: tx.now(),
        seq: tx.rank(),
        agent_turn_id,
        ..send.message(correlation_id, depth, trace)
    };
    tx.put(&row, "report", "a request of this correlation and depth")?;
    let edge = Edge {
        edge_id: tx.mint("edge_"),
        primitive: "report".into(),
        edge_phase: "response".into(),
        metadata: object! {
            "message_type" => send.message_type.as_str(),
            "inbox_id" => row.inbox_id.as_str(),
            "recursion_depth" => depth,
        },
        created_at: tx.now(),
        seq: tx.rank(),
        ..send.edge(correlation_id, depth, trace)
    };
    put_edge(tx, &edge)?;
    Ok(row.inbox_id)
}
