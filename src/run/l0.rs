//! The primitives: enqueue, report, join, cancel, wakeup, and the promotion of queued turns.

use super::bugs::Bug;
use super::desk::{Desk, Run, present, text_of};
use super::message::{object, wakeup};
use super::rows::{Edge, Head, Inbox, Queue, Roster, key_text};
use super::trace::{self, BadTrace};
use super::words::{HeadStatus, InboxStatus};
use crate::value::json::{Json, Object};
use serde::Serialize;

/// What a primitive answers.
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
        let lease = Lease {
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
        let Some(epoch) = self::lease(desk, &lease)? else {
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
            agent_id: agent.to_owned(),
            message_type: send.message_type.clone(),
            enqueue_mode: Some("call".into()),
            correlation_id: Some(correlation_id.clone()),
            recursion_depth: depth,
            traceparent: Some(row_trace.traceparent.clone()),
            tracestate: trace::header(&send.headers, "tracestate"),
            trace_id: Some(incoming.trace_id.clone()),
            parent_step_id: send.parent_step_id.clone(),
            source_agent_id: send.source_agent_id.clone(),
            source_step_id: send.source_step_id.clone(),
            payload: Json::Object(payload.clone()),
            status: if is_turn { InboxStatus::Queued } else { InboxStatus::Pending },
            created_at: desk.now(),
            seq,
            agent_turn_id: turn_id.clone(),
            ..Inbox::default()
        };
        desk.put(&row, "enqueue", "no message of this id")?;
        let edge = Edge {
            edge_id: desk.mint("edge_"),
            channel_id: Some(send.channel_id.clone()),
            primitive: "enqueue".into(),
            edge_phase: "request".into(),
            source_agent_id: send.source_agent_id.clone(),
            source_agent_turn_id: send.source_agent_turn_id.clone(),
            source_step_id: send.source_step_id.clone(),
            target_agent_id: Some(agent.to_owned()),
            target_agent_turn_id: turn_id.clone(),
            correlation_id: correlation_id.clone(),
            enqueue_mode: Some("call".into()),
            recursion_depth: Some(depth),
            trace_id: Some(incoming.trace_id.clone()),
            parent_step_id: send.parent_step_id.clone(),
            metadata: object! {
                "message_type" => send.message_type.as_str(),
                "enqueue_mode" => "call",
                "inbox_id" => inbox_id.as_str(),
                "recursion_depth" => depth,
            },
            created_at: desk.now(),
            seq: desk.rank(),
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

/// Puts an edge, unless there is one of its kind.
pub(crate) fn put_edge(desk: &mut Desk<'_>, edge: &Edge) -> Run<bool> {
    let of = [edge.correlation_id.as_str(), &edge.primitive, &edge.edge_phase];
    if !desk.list::<Edge>("by_primitive", &of, 1)?.is_empty() {
        return Ok(false);
    }
    desk.put(edge, "edge", "no edge of this kind")?;
    Ok(true)
}

/// The next place in an agent's queue.
fn next_seq(desk: &mut Desk<'_>, agent_id: &str) -> Run<i64> {
    let rank = desk.rank();
    let mut queue = queue(desk, agent_id)?;
    queue.last_seq = queue.last_seq.saturating_add(1).max(rank);
    if desk.settings.bug != Bug::EnqueueIgnoresQueue {
        desk.put(&queue, "enqueue", "place in the queue")?;
    }
    Ok(queue.last_seq)
}

pub(crate) fn queue(desk: &mut Desk<'_>, agent_id: &str) -> Run<Queue> {
    let queue = desk.get::<Queue>(&[agent_id])?;
    Ok(queue.unwrap_or_else(|| Queue { agent_id: agent_id.to_owned(), ..Queue::default() }))
}

/// What a lease gives the head.
pub(crate) struct Lease {
    pub agent_id: String,
    pub agent_turn_id: String,
    pub channel_id: Option<String>,
    pub profile_box_id: Option<String>,
    pub context_box_id: Option<String>,
    pub output_box_id: Option<String>,
    pub parent_step_id: Option<String>,
    pub trace_id: Option<String>,
    pub depth: i64,
}

/// Gives an idle agent a turn: the new epoch, or nothing when it has one already.
pub(crate) fn lease(desk: &mut Desk<'_>, lease: &Lease) -> Run<Option<i64>> {
    desk.want::<Queue>(&[&lease.agent_id]);
    let head = desk.get::<Head>(&[&lease.agent_id])?;
    let mut queue = queue(desk, &lease.agent_id)?;
    if head.is_none() && queue.status.is_some() {
        // its head is lost, its turn is not: a watchdog ends it first
        return Ok(None);
    }
    let mut head =
        head.unwrap_or_else(|| Head { agent_id: lease.agent_id.clone(), ..Head::default() });
    if head.status != HeadStatus::Idle {
        return Ok(None);
    }
    let seen = if desk.settings.bug == Bug::RebuiltHeadFromZero { 0 } else { queue.last_epoch };
    let epoch = head.turn_epoch.max(seen).saturating_add(1);
    head.status = HeadStatus::Dispatched;
    head.turn_epoch = epoch;
    head.active_agent_turn_id = Some(lease.agent_turn_id.clone());
    head.active_recursion_depth = lease.depth;
    head.parent_step_id = lease.parent_step_id.clone();
    head.trace_id = lease.trace_id.clone();
    for (to, from) in [
        (&mut head.active_channel_id, &lease.channel_id),
        (&mut head.profile_box_id, &lease.profile_box_id),
        (&mut head.context_box_id, &lease.context_box_id),
        (&mut head.output_box_id, &lease.output_box_id),
    ] {
        if present(from.as_deref()).is_some() {
            to.clone_from(from);
        }
    }
    head.waiting_tool_count = 0;
    head.resume_deadline = None;
    head.rung_at = None;
    head.updated_at = desk.now();
    desk.put(&head, "lease", "status = idle")?;
    queue.last_epoch = queue.last_epoch.max(epoch);
    queue.active_agent_turn_id.clone_from(&head.active_agent_turn_id);
    queue.output_box_id.clone_from(&head.output_box_id);
    queue.channel_id.clone_from(&head.active_channel_id);
    queue.status = Some("active".into());
    desk.put(&queue, "lease", "epoch above every one seen")?;
    Ok(Some(epoch))
}

/// A turn that was promoted.
#[derive(Clone, Debug)]
pub(crate) struct Promoted {
    pub inbox_id: String,
    pub agent_turn_id: String,
    pub turn_epoch: i64,
    pub channel_id: String,
    pub traceparent: Option<String>,
    pub tracestate: Option<String>,
    pub trace_id: Option<String>,
    pub recursion_depth: i64,
}

impl Promoted {
    pub fn to_object(&self) -> Object {
        object! {
            "inbox_id" => self.inbox_id.as_str(),
            "agent_turn_id" => self.agent_turn_id.as_str(),
            "turn_epoch" => self.turn_epoch,
            "channel_id" => self.channel_id.as_str(),
            "traceparent" => self.traceparent.clone(),
            "tracestate" => self.tracestate.clone(),
            "trace_id" => self.trace_id.clone(),
            "recursion_depth" => self.recursion_depth,
        }
    }
}

/// Asks for everything that a promotion looks at.
pub(crate) fn want_promotion(desk: &mut Desk<'_>, agent_id: &str) {
    desk.want::<Head>(&[agent_id]);
    desk.want::<Queue>(&[agent_id]);
    desk.want::<Roster>(&[agent_id]);
    desk.want_list::<Inbox>("queue", &[agent_id, "queued", "turn"], FRONT);
}

/// How many messages of a queue are read at first: nearly always the first one can run.
const FRONT: usize = 2;

/// Gives an idle agent the first of its queued turns that can run. Those before it that cannot are
/// put aside as errors, also when the agent is busy.
pub(crate) fn promote(desk: &mut Desk<'_>, agent_id: &str) -> Run<Option<Promoted>> {
    want_promotion(desk, agent_id);
    let search = usize::try_from(desk.settings.queue_search).unwrap_or(1).max(FRONT);
    let mut aside = 0;
    for limit in [FRONT, search] {
        let rows = desk.list::<Inbox>("queue", &[agent_id, "queued", "turn"], limit)?;
        let is_whole = rows.len() < limit;
        // the queue's row is written by every enqueue: relying on it is relying on the whole queue
        queue(desk, agent_id)?;
        match promote_first(desk, agent_id, rows, &mut aside)? {
            Search::Over(promoted) => return Ok(promoted),
            Search::AllAside if is_whole => return Ok(None),
            Search::AllAside => {}
        }
    }
    Ok(None)
}

/// How a search in the front of a queue ended.
enum Search {
    /// A turn was promoted, or none may be.
    Over(Option<Promoted>),
    /// None of the rows could run.
    AllAside,
}

fn promote_first(
    desk: &mut Desk<'_>,
    agent_id: &str,
    mut rows: Vec<Inbox>,
    aside: &mut usize,
) -> Run<Search> {
    let bug = desk.settings.bug;
    if bug == Bug::LifoPromotion {
        rows.reverse();
    }
    for mut row in rows {
        if bug == Bug::FiveInvalidBlock && *aside >= 5 {
            return Ok(Search::Over(None));
        }
        let payload = row.payload.as_object().cloned().unwrap_or_default();
        let mut missing = Vec::new();
        let mut take = |key: &'static str, box_id: bool| {
            let text = text_of(&payload, key);
            let usable =
                text.filter(|text| !box_id || is_box_id(text) || bug == Bug::PoisonBlocksQueue);
            if usable.is_none() {
                missing.push(key);
            }
            usable.unwrap_or_default()
        };
        let channel_id = take("channel_id", false);
        let profile_box_id = take("profile_box_id", true);
        let context_box_id = take("context_box_id", true);
        let output_box_id = take("output_box_id", true);
        if bug == Bug::PoisonBlocksQueue && !is_box_id(&profile_box_id) && missing.is_empty() {
            return Ok(Search::Over(None));
        }
        let turn_id = text_of(&payload, "agent_turn_id")
            .or_else(|| row.correlation_id.clone().filter(|id| !id.is_empty()))
            .unwrap_or_else(|| row.inbox_id.clone());
        if !missing.is_empty() {
            let mut payload = payload;
            payload.insert("dispatch_error".into(), "missing_required_fields".into());
            payload.insert("missing".into(), missing.into_iter().collect());
            row.payload = Json::Object(payload);
            row.status = InboxStatus::Error;
            row.archived_at = Some(desk.now());
            desk.put(&row, "promote", "a turn that cannot run")?;
            *aside += 1;
            continue;
        }
        let lease = Lease {
            agent_id: agent_id.to_owned(),
            agent_turn_id: turn_id.clone(),
            channel_id: Some(channel_id.clone()),
            profile_box_id: Some(profile_box_id),
            context_box_id: Some(context_box_id),
            output_box_id: Some(output_box_id),
            parent_step_id: row.parent_step_id.clone(),
            trace_id: row.trace_id.clone(),
            depth: row.recursion_depth,
        };
        let Some(turn_epoch) = self::lease(desk, &lease)? else { return Ok(Search::Over(None)) };
        let mut payload = payload;
        payload.insert("turn_epoch".into(), turn_epoch.into());
        payload.insert("agent_turn_id".into(), turn_id.as_str().into());
        row.payload = Json::Object(payload);
        row.status = InboxStatus::Pending;
        row.processed_at = None;
        row.archived_at = None;
        row.agent_turn_id = Some(turn_id.clone());
        desk.put(&row, "promote", "first queued turn of an idle agent")?;
        return Ok(Search::Over(Some(Promoted {
            inbox_id: row.inbox_id,
            agent_turn_id: turn_id,
            turn_epoch,
            channel_id,
            traceparent: row.traceparent,
            tracestate: row.tracestate,
            trace_id: row.trace_id,
            recursion_depth: row.recursion_depth,
        })));
    }
    Ok(Search::AllAside)
}

/// The headers of a doorbell: the trace of the message that it rings for.
pub(crate) fn trace_headers(traceparent: Option<&str>, tracestate: Option<&str>) -> Object {
    let given = [("traceparent", traceparent), ("tracestate", tracestate)];
    given.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?.into()))).collect()
}

/// Rings for a turn that was promoted.
pub(crate) fn ring_promoted(
    desk: &mut Desk<'_>,
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
    let channel = promoted.channel_id.clone();
    wakeup(desk, agent_id, &channel, extra, Some(headers))
}

/// Promotes the next turn of an agent that became idle, and rings for it.
pub(crate) fn dispatch_next(desk: &mut Desk<'_>, agent_id: &str, reason: &str) -> Run<()> {
    if desk.settings.bug == Bug::FinishWithoutPromotion {
        return Ok(());
    }
    if let Some(promoted) = promote(desk, agent_id)? {
        ring_promoted(desk, agent_id, &promoted, reason, None)?;
    }
    Ok(())
}

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
                agent_id: agent.to_owned(),
                message_type: send.message_type.clone(),
                correlation_id: Some(correlation_id.to_owned()),
                recursion_depth: depth,
                traceparent: Some(row_trace.traceparent.clone()),
                tracestate: trace::header(&send.headers, "tracestate"),
                trace_id: Some(incoming.trace_id.clone()),
                parent_step_id: send.parent_step_id.clone(),
                source_agent_id: send.source_agent_id.clone(),
                source_step_id: send.source_step_id.clone(),
                payload: send.payload.clone(),
                status: InboxStatus::Pending,
                created_at: desk.now(),
                seq: desk.rank(),
                agent_turn_id: text_of(payload, "agent_turn_id"),
                ..Inbox::default()
            };
            desk.put(&row, "report", "a request of this correlation and depth")?;
            let edge = Edge {
                edge_id: desk.mint("edge_"),
                channel_id: Some(send.channel_id.clone()),
                primitive: "report".into(),
                edge_phase: "response".into(),
                source_agent_id: send.source_agent_id.clone(),
                source_agent_turn_id: send.source_agent_turn_id.clone(),
                source_step_id: send.source_step_id.clone(),
                target_agent_id: Some(agent.to_owned()),
                target_agent_turn_id: send.target_agent_turn_id.clone(),
                correlation_id: correlation_id.to_owned(),
                recursion_depth: Some(depth),
                trace_id: Some(incoming.trace_id.clone()),
                parent_step_id: send.parent_step_id.clone(),
                metadata: object! {
                    "message_type" => send.message_type.as_str(),
                    "inbox_id" => row.inbox_id.as_str(),
                    "recursion_depth" => depth,
                },
                created_at: desk.now(),
                seq: desk.rank(),
                ..Edge::default()
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
