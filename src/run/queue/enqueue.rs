//! Sending a message to an agent.

use super::answer::{Answer, Checked, Refusal, Refused, rejected, settled, violation};
use super::boxes::want_free;
use super::edge::{put_edge, request_depth};
use super::lease::{LeaseRequest, lease};
use super::promote::{is_box_id, missing_keys, next_seq, promote, wake_promoted, want_promotion};
use super::send::{SendMessage, Sent, depth};
use crate::run::rows::status::InboxStatus;
use crate::run::rows::{Edge, Inbox, Roster};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present, text_of};
use crate::run::wire::events::wakeup;
use crate::run::wire::trace;
use crate::run::wire::trace::Trace;
use crate::value::arguments::arguments;
use crate::value::json::{Json, Object};

arguments! {
    /// Sends a message to an agent. A turn waits in the queue until the agent is idle; other messages
    /// wait in the inbox.
    ///
    /// ```
    /// use tuckbox::run::{Accepted, Answer, Enqueue};
    /// use tuckbox::store::{MemoryStore, Snapshot, table};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let mut store = MemoryStore::new();
    /// let row = json!({"agent_id": "a1", "worker_target": "generic"});
    /// store.project("demo").add_row(&table::PROJECT_AGENTS, row.as_object().unwrap().clone());
    ///
    /// let mut call = Enqueue::from_json(&json!({"target_agent_id": "a1", "message_type": "note",
    ///     "payload": {"text": "hi"}, "headers": {"CG-Recursion-Depth": "0"}}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let sent = rule::preview(&call, &mut Snapshot::new("demo".into()), &env, &store)?;
    /// // the message, its edge and its wakeup
    /// assert_eq!(sent.writes.rows.len(), 3);
    /// let Answer::Accepted { status: Accepted::Accepted, payload } = sent.value else { panic!() };
    /// assert!(payload.inbox_id.starts_with("inbox_"));
    ///
    /// call.message.target_agent_id.clear();
    /// let refused = rule::preview(&call, &mut Snapshot::new("demo".into()), &env, &store)?;
    /// let Answer::Refused(refused) = refused.value else { panic!() };
    /// assert_eq!(refused.error_code, "protocol_violation");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Enqueue {
        /// `call`, the only mode.
        pub enqueue_mode: Option<String>,
        shared message: SendMessage,
        shared terms: RunTerms,
    }
}

perform! {
    Enqueue -> Answer<Sent> { |call, tx| call.run(tx) }
}

impl Enqueue {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<Answer<Sent>> {
        let mode = present(self.enqueue_mode.as_deref());
        if self.terms.lacks_project() || mode.is_some_and(|mode| mode != "call") {
            return Ok(Answer::violation());
        }
        enqueue(tx, &self.message)
    }
}

/// Sends a message to an agent.
pub(crate) fn enqueue(tx: &mut Transaction<'_>, send: &SendMessage) -> Run<Answer<Sent>> {
    settled(enqueue_checked(tx, send))
}

/// A message with its ids.
struct Message<'a> {
    send: &'a SendMessage,
    payload: Object,
    is_turn: bool,
    /// True for a turn and for a `ui_action`, which leases the agent at once.
    needs_agent: bool,
    turn_id: Option<String>,
    inbox_id: String,
    depth: i64,
    /// The trace of the caller.
    incoming: Trace,
}

fn enqueue_checked(tx: &mut Transaction<'_>, send: &SendMessage) -> Checked<Sent> {
    let mut message = read_message(tx, send)?;
    want(tx, &message);
    check(tx, &message)?;
    let existing = duplicate(tx, &message)?;
    if existing.as_ref().is_some_and(|existing| !message.repeats(existing)) {
        return rejected("conflict");
    }
    let mut sent = Sent {
        inbox_id: message.inbox_id.clone(),
        correlation_id: message.inbox_id.clone(),
        trace_id: message.incoming.trace_id.clone(),
        agent_turn_id: message.turn_id.clone(),
        turn_epoch: None,
    };
    let row_trace = trace::new_span(tx, message.incoming.trace_id.clone());
    if message.needs_agent && !message.is_turn && existing.is_none() {
        let epoch = lease_now(tx, &message)?;
        message.payload.insert("turn_epoch".into(), epoch.into());
        sent.turn_epoch = Some(epoch);
    }
    if existing.is_none() {
        put_message(tx, &message, &row_trace)?;
    }
    if send.wakeup
        && let Some(epoch) = wake(tx, &message, &row_trace)?
    {
        sent.turn_epoch = Some(epoch);
    }
    Ok(sent)
}

/// Checks the arguments, and makes the ids that the caller omits.
fn read_message<'a>(tx: &mut Transaction<'_>, send: &'a SendMessage) -> Checked<Message<'a>> {
    if send.lacks_text() {
        return violation();
    }
    let Json::Object(payload) = &send.payload else { return violation() };
    let mut payload = payload.clone();
    let incoming = trace::ensure(tx, &send.headers, send.trace_id.as_deref())?;
    let depth = depth(tx, send.recursion_depth.as_ref(), &send.headers)?;
    let is_turn = send.message_type == "turn";
    let needs_agent = is_turn || send.message_type == "ui_action";
    let turn_id = needs_agent.then(|| {
        text_of(&payload, "agent_turn_id")
            .or_else(|| present(send.target_agent_turn_id.as_deref()).map(str::to_owned))
            .unwrap_or_else(|| tx.mint("turn_"))
    });
    if let Some(turn_id) = &turn_id {
        payload.insert("agent_turn_id".into(), turn_id.as_str().into());
    }
    let inbox_id = present(send.correlation_id.as_deref())
        .map(str::to_owned)
        .or_else(|| turn_id.clone().filter(|_| is_turn))
        .unwrap_or_else(|| tx.mint("inbox_"));
    Ok(Message { send, payload, is_turn, needs_agent, turn_id, inbox_id, depth, incoming })
}

/// Requests everything that the call reads.
fn want(tx: &mut Transaction<'_>, message: &Message<'_>) {
    let (send, id) = (message.send, message.inbox_id.as_str());
    tx.want_list::<Edge>("by_correlation", &[id, "request"], 1);
    tx.want_list::<Edge>("by_primitive", &[id, "enqueue", "request"], 1);
    tx.want::<Inbox>(&[id]);
    tx.want_list::<Inbox>("by_correlation", &[&send.message_type, id], 1);
    tx.want::<Roster>(&[&send.target_agent_id]);
    if message.needs_agent {
        want_promotion(tx, &send.target_agent_id);
        let text = |key| text_of(&message.payload, key);
        want_free(tx, text("context_box_id").as_deref(), text("output_box_id").as_deref());
    }
}

/// Checks the depth, the boxes and the agent of a message.
fn check(tx: &mut Transaction<'_>, message: &Message<'_>) -> Checked<()> {
    if present(message.send.correlation_id.as_deref()).is_some() || message.is_turn {
        let known = request_depth(tx, &message.inbox_id)?;
        if known.flatten().is_some_and(|known| known != message.depth) {
            return violation();
        }
    }
    if !message.needs_agent {
        return Ok(());
    }
    for key in ["profile_box_id", "context_box_id", "output_box_id"] {
        if text_of(&message.payload, key).is_some_and(|text| !is_box_id(tx, &text)) {
            return rejected("invalid_box_id");
        }
    }
    if tx.get::<Roster>(&[&message.send.target_agent_id])?.is_none() {
        return rejected("unknown_agent");
    }
    // such a turn can never run: its message would become an error
    if message.is_turn && !tx.reference_behavior {
        let payload = Json::Object(message.payload.clone());
        if !missing_keys(tx, &payload).is_empty() {
            return rejected("missing_required_fields");
        }
    }
    Ok(())
}

/// Leases the agent for a `ui_action`, and returns the epoch.
fn lease_now(tx: &mut Transaction<'_>, message: &Message<'_>) -> Checked<i64> {
    let (send, payload) = (message.send, &message.payload);
    let request = LeaseRequest {
        agent_id: send.target_agent_id.clone(),
        agent_turn_id: message.turn_id.clone().unwrap_or_default(),
        active_channel_id: Some(send.channel_id.clone()),
        profile_box_id: text_of(payload, "profile_box_id"),
        context_box_id: text_of(payload, "context_box_id"),
        output_box_id: text_of(payload, "output_box_id"),
        parent_step_id: send.parent_step_id.clone(),
        trace_id: Some(message.incoming.trace_id.clone()),
        active_recursion_depth: message.depth,
    };
    lease(tx, &request)?.ok_or(Refusal::Answer(Refused::BUSY))
}

/// Writes the row of a message and its edge.
fn put_message(tx: &mut Transaction<'_>, message: &Message<'_>, row_trace: &Trace) -> Run<()> {
    let send = message.send;
    let seq = match message.is_turn {
        true => next_seq(tx, &send.target_agent_id)?,
        false => tx.rank(),
    };
    let row = Inbox {
        inbox_id: message.inbox_id.clone(),
        enqueue_mode: Some("call".into()),
        payload: Json::Object(message.payload.clone()),
        status: if message.is_turn { InboxStatus::Queued } else { InboxStatus::Pending },
        created_at: tx.now(),
        seq,
        agent_turn_id: message.turn_id.clone(),
        ..send.message(&message.inbox_id, message.depth, row_trace)
    };
    tx.put(&row, "enqueue", "no message of this id")?;
    let edge = Edge {
        edge_id: tx.mint("edge_"),
        primitive: "enqueue".into(),
        edge_phase: "request".into(),
        target_agent_turn_id: message.turn_id.clone(),
        enqueue_mode: Some("call".into()),
        metadata: object! {
            "message_type" => send.message_type.as_str(),
            "enqueue_mode" => "call",
            "inbox_id" => message.inbox_id.as_str(),
            "recursion_depth" => message.depth,
        },
        created_at: tx.now(),
        seq: tx.rank(),
        ..send.edge(&message.inbox_id, message.depth, row_trace)
    };
    put_edge(tx, &edge)?;
    Ok(())
}

/// Promotes the next turn, or wakes the worker of the agent. Returns the epoch of this turn, if it was
/// promoted.
fn wake(tx: &mut Transaction<'_>, message: &Message<'_>, row_trace: &Trace) -> Run<Option<i64>> {
    let agent = message.send.target_agent_id.as_str();
    if !message.is_turn {
        let mut headers = message.send.headers.0.clone();
        headers.insert("traceparent".into(), row_trace.traceparent.as_str().into());
        wakeup(tx, agent, &message.send.channel_id, Object::default(), Some(headers))?;
        return Ok(None);
    }
    let Some(promoted) = promote(tx, agent)? else { return Ok(None) };
    wake_promoted(tx, agent, &promoted, "dispatch_next", None)?;
    let is_this = Some(&promoted.agent_turn_id) == message.turn_id.as_ref();
    Ok(is_this.then_some(promoted.turn_epoch))
}

/// Returns the message that was already sent under this id or this correlation.
fn duplicate(tx: &mut Transaction<'_>, message: &Message<'_>) -> Run<Option<Inbox>> {
    let id = message.inbox_id.as_str();
    if let Some(row) = tx.get::<Inbox>(&[id])? {
        return Ok(Some(row));
    }
    let rows = tx.list::<Inbox>("by_correlation", &[&message.send.message_type, id], 1)?;
    Ok(rows.into_iter().next())
}

impl Message<'_> {
    /// Returns true if this message repeats an existing one. Keys that the rules added do not count.
    fn repeats(&self, existing: &Inbox) -> bool {
        let same = |(key, value): (&String, &Json)| {
            key == "turn_epoch"
                || existing.payload.get(key).is_some_and(|known| known.same_value(value))
        };
        existing.agent_id == self.send.target_agent_id
            && existing.message_type == self.send.message_type
            && self.payload.iter().all(same)
    }
}
