//! Sending a message to an agent.

use super::promote::{Lease, lease, next_seq, promote, ring_promoted, want_promotion};
use super::{
    Answer, Checked, Refusal, Send, depth, is_box_id, put_edge, request_depth, settled, violation,
};
use crate::run::bugs::Bug;
use crate::run::desk::{Desk, Run, present, text_of};
use crate::run::message::{object, wakeup};
use crate::run::rows::{Edge, Inbox, Roster};
use crate::run::trace;
use crate::run::words::InboxStatus;
use crate::value::json::{Json, Object};

/// Sends a message to an agent: a turn is queued, everything else lies ready.
pub(crate) fn enqueue(desk: &mut Desk<'_>, send: &Send) -> Run<Answer> {
    settled(enqueue_checked(desk, send))
}

fn enqueue_checked(desk: &mut Desk<'_>, send: &Send) -> Checked<Answer> {
    if present(send.mode.as_deref()).is_some_and(|mode| mode != "call") {
        return violation();
    }
    for text in [&send.project_id, &send.channel_id, &send.target_agent_id, &send.message_type] {
        if text.is_empty() {
            return violation();
        }
    }
    let Json::Object(payload) = &send.payload else { return violation() };
    let mut payload = payload.clone();
    let incoming = trace::ensure(desk, &send.headers, send.trace_id.as_deref())?;
    let depth = depth(desk, send.depth.as_ref(), &send.headers)?;
    let is_turn = send.message_type == "turn";
    let is_action = send.message_type == "ui_action";
    let agent = send.target_agent_id.as_str();

    let turn_id = (is_turn || is_action).then(|| {
        text_of(&payload, "agent_turn_id")
            .or_else(|| present(send.target_agent_turn_id.as_deref()).map(str::to_owned))
            .unwrap_or_else(|| desk.mint("turn_"))
    });
    if let Some(turn_id) = &turn_id {
        payload.insert("agent_turn_id".into(), turn_id.as_str().into());
    }
    let given = present(send.correlation_id.as_deref()).map(str::to_owned);
    let inbox_id = given
        .clone()
        .or_else(|| turn_id.clone().filter(|_| is_turn))
        .unwrap_or_else(|| desk.mint("inbox_"));
    let correlation_id = inbox_id.clone();

    // everything that is needed, in one go
    desk.want_list::<Edge>("by_correlation", &[&correlation_id, "request"], 1);
    desk.want_list::<Edge>("by_primitive", &[&correlation_id, "enqueue", "request"], 1);
    desk.want::<Inbox>(&[&inbox_id]);
    desk.want_list::<Inbox>("by_correlation", &[&send.message_type, &correlation_id], 1);
    desk.want::<Roster>(&[agent]);
    if is_turn || is_action {
        want_promotion(desk, agent);
    }

    if given.is_some() || is_turn {
        let known = request_depth(desk, &correlation_id)?;
        if known.flatten().is_some_and(|known| known != depth) {
            return violation();
        }
    }
    for key in ["profile_box_id", "context_box_id", "output_box_id"] {
        let text = text_of(&payload, key).filter(|_| is_turn || is_action);
        if text.is_some_and(|text| !is_box_id(&text)) {
            return Err(Refusal::Answer(Answer::rejected("invalid_box_id")));
        }
    }
    if (is_turn || is_action) && desk.get::<Roster>(&[agent])?.is_none() {
        return Err(Refusal::Answer(Answer::rejected("unknown_agent")));
    }

    let there = duplicate(desk, send, &inbox_id, &correlation_id)?;
    if let Some(there) = &there
        && !same_message(there, send, &payload)
    {
        return Err(Refusal::Answer(Answer::rejected("conflict")));
    }
    let mut answer = object! {
        "inbox_id" => inbox_id.as_str(),
        "correlation_id" => correlation_id.as_str(),
        "trace_id" => incoming.trace_id.as_str(),
    };
    if let Some(turn_id) = &turn_id {
        answer.insert("agent_turn_id".into(), turn_id.as_str().into());
    }
    let row_trace = trace::new_span(desk, incoming.trace_id.clone());

    if is_action && there.is_none() {
        let given = Lease {
            agent_id: agent.to_owned(),
            agent_turn_id: turn_id.clone().unwrap_or_default(),
            channel_id: Some(send.channel_id.clone()),
            profile_box_id: text_of(&payload, "profile_box_id"),
            context_box_id: text_of(&payload, "context_box_id"),
            output_box_id: text_of(&payload, "output_box_id"),
            parent_step_id: send.parent_step_id.clone(),
            trace_id: Some(incoming.trace_id.clone()),
            depth,
        };
        let Some(epoch) = lease(desk, &given)? else {
            let busy =
                Answer { status: "busy", error_code: Some("agent_busy".into()), payload: None };
            return Err(Refusal::Answer(busy));
        };
        payload.insert("turn_epoch".into(), epoch.into());
        answer.insert("turn_epoch".into(), epoch.into());
    }
    let bug = desk.settings.bug;
    if there.is_none() || (bug == Bug::DuplicateRunsAgain && is_turn) {
        let inbox_id = if there.is_some() { desk.mint("inbox_") } else { inbox_id.clone() };
        let seq = if is_turn { next_seq(desk, agent)? } else { desk.rank() };
        let row = Inbox {
            inbox_id: inbox_id.clone(),
            enqueue_mode: Some("call".into()),
            payload: Json::Object(payload.clone()),
            status: if is_turn { InboxStatus::Queued } else { InboxStatus::Pending },
            created_at: desk.now(),
            seq,
            agent_turn_id: turn_id.clone(),
            ..send.message(&correlation_id, depth, &row_trace)
        };
        desk.put(&row, "enqueue", "no message of this id")?;
        let edge = Edge {
            edge_id: desk.mint("edge_"),
            primitive: "enqueue".into(),
            edge_phase: "request".into(),
            target_agent_turn_id: turn_id.clone(),
            enqueue_mode: Some("call".into()),
            metadata: object! {
                "message_type" => send.message_type.as_str(),
                "enqueue_mode" => "call",
                "inbox_id" => inbox_id.as_str(),
                "recursion_depth" => depth,
            },
            created_at: desk.now(),
            seq: desk.rank(),
            ..send.edge(&correlation_id, depth, &row_trace)
        };
        put_edge(desk, &edge)?;
    }
    if !send.wakeup {
        return Ok(Answer::accepted(Some(answer)));
    }
    if is_turn {
        if let Some(promoted) = promote(desk, agent)? {
            if Some(&promoted.agent_turn_id) == turn_id.as_ref() {
                answer.insert("turn_epoch".into(), promoted.turn_epoch.into());
            }
            ring_promoted(desk, agent, &promoted, "dispatch_next", None)?;
        }
    } else {
        let mut headers = send.headers.clone();
        headers.insert("traceparent".into(), row_trace.traceparent.into());
        wakeup(desk, agent, &send.channel_id, Object::default(), Some(headers))?;
    }
    Ok(Answer::accepted(Some(answer)))
}

/// A message that was sent already under this id or this correlation.
fn duplicate(
    desk: &mut Desk<'_>,
    send: &Send,
    inbox_id: &str,
    correlation_id: &str,
) -> Run<Option<Inbox>> {
    if let Some(row) = desk.get::<Inbox>(&[inbox_id])? {
        return Ok(Some(row));
    }
    let rows = desk.list::<Inbox>("by_correlation", &[&send.message_type, correlation_id], 1)?;
    Ok(rows.into_iter().next())
}

/// True when a message says the same as one that is there: what was added to it since does not
/// count.
fn same_message(there: &Inbox, send: &Send, payload: &Object) -> bool {
    let same = |(key, value): (&String, &Json)| {
        key == "turn_epoch" || there.payload.get(key).is_some_and(|known| known.same_value(value))
    };
    there.agent_id == send.target_agent_id
        && there.message_type == send.message_type
        && payload.iter().all(same)
}
