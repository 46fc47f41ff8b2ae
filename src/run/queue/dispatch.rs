//! The dispatch of a turn to an agent, with a box for its output.

use super::answer::Answer;
use super::boxes::{are_free, want_free};
use super::conversation::{self, message_id};
use super::enqueue::enqueue;
use super::promote::{is_box_id, want_promotion};
use super::send::SendMessage;
use crate::run::rows::Roster;
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{card_text, object, present};
use crate::run::wire::events::{Scope, state_event, worker_target};
use crate::run::wire::trace;
use crate::run::wire::trace::{Headers, Trace};
use crate::value::arguments::{Loose, arguments};
use crate::value::card::{Content, NewCard};
use crate::value::json::{Json, Object};
use serde::Serialize;

arguments! {
    /// A turn to dispatch.
    ///
    /// The example of [`Dispatch`] shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct DispatchTurn {
        /// The agent that gets the turn.
        pub agent_id: Loose<String> = String::new(),
        /// The box of its profile.
        pub profile_box_id: Loose<String> = String::new(),
        /// The box of its context. Not with an `instruction`.
        pub context_box_id: Option<Loose<String>>,
        /// The instruction. It becomes the context of the turn.
        pub instruction: Option<String>,
        /// The conversation of the `instruction`: any id. The context is then every earlier message
        /// and answer of the conversation. A new conversation begins with its first message. Its turns
        /// run one after the other.
        pub conversation: Option<String>,
        /// The box for its output. A new box by default. Not with a `conversation`.
        pub output_box_id: Option<String>,
        /// The channel of the turn.
        pub channel_id: String = "public".into(),
        /// The id of the turn. A new id by default.
        pub agent_turn_id: Option<String>,
        /// The headers of the turn. They must have a `CG-Recursion-Depth`.
        pub headers: Headers = Headers::default(),
        /// The trace. That of the headers, or a new one by default.
        pub trace_id: Option<String>,
        /// The turn that asks for this one.
        pub parent_agent_turn_id: Option<String>,
        /// The tool call that asks for this turn.
        pub parent_tool_call_id: Option<String>,
        /// The step that asks for this turn.
        pub parent_step_id: Option<String>,
        /// The agent that asks for this turn.
        pub source_agent_id: Option<String>,
        /// The name of the turn for people.
        pub display_name: Option<String>,
        /// Values for the worker that runs the turn.
        pub runtime_config: Option<Object>,
        /// True to send an event about the state of the agent.
        pub emit_state_event: bool = false,
        /// Must be true: the queue publishes every turn.
        pub publish_turn: bool = true,
    }

    /// Dispatches a turn with its boxes. A refusal writes nothing.
    ///
    /// ```
    /// use tuckbox::run::Dispatch;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = Dispatch::from_json(&json!({"agent_id": "ann", "profile_box_id": "pb", "context_box_id": ""}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let refused = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert_eq!(refused.error_code.as_deref(), Some("missing_context_box_id"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Dispatch {
        shared turn: DispatchTurn,
        shared terms: RunTerms,
    }
}

perform! {
    Dispatch -> Dispatched {
        |call, tx| match call.terms.lacks_project() {
            true => Ok(rejected("missing_project_id", None)),
            false => dispatch(tx, &call.turn),
        }
    }
}

/// The answer to a dispatch.
///
/// ```
/// use tuckbox::run::Dispatched;
/// use tuckbox::value::json::to_text;
///
/// // an answer of `dispatch`
/// let code = Some("worker_target_missing".into());
/// let refused = Dispatched { status: "error".into(), error_code: code, ..Dispatched::default() };
/// assert!(to_text(&refused)?.starts_with(r#"{"status":"error","error_code":"worker_target_missing""#));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Dispatched {
    /// `accepted`, `busy`, `rejected` or `error`.
    pub status: String,
    /// The stable code of a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_turn_id: Option<String>,
    /// The epoch of the turn; absent while another turn runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_epoch: Option<i64>,
    /// The box for the output of the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_box_id: Option<String>,
    /// The trace of the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// The context of the turn. Only `hand_out` returns it, because its recipe made the box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_box_id: Option<String>,
}

shape! {
    /// Why a dispatch is refused.
    #[serde(untagged)]
    pub enum DispatchRefusal {
        Primitive(crate::run::queue::answer::RunRefusal),
        Own(Word<
            "missing_project_id",
            "missing_agent_id",
            "missing_profile_box_id",
            "missing_context_box_id",
            "missing_channel_id",
            "missing_instruction",
            "instruction_with_box",
            "unknown_context_box",
            "worker_target_missing",
            "l0_required",
            "same_box",
            "box_in_use",
        >),
    }

    /// The outcome of a dispatch.
    #[serde(untagged)]
    pub enum Dispatched {
        Accepted {
            status: Word<"accepted">,
            agent_id: String,
            agent_turn_id: String,
            /// Absent while the turn waits for another turn.
            turn_epoch: Maybe<i64>,
            output_box_id: String,
            trace_id: String,
        },
        Refused {
            status: Word<"busy", "rejected", "error">,
            error_code: DispatchRefusal,
            agent_id: Maybe<String>,
            agent_turn_id: Maybe<String>,
            output_box_id: Maybe<String>,
            trace_id: Maybe<String>,
        },
    }
}

fn rejected(code: &str, trace_id: Option<&str>) -> Dispatched {
    Dispatched {
        status: "rejected".into(),
        error_code: Some(code.to_owned()),
        trace_id: trace_id.map(str::to_owned),
        ..Dispatched::default()
    }
}

/// Dispatches a turn. Nothing is written unless it is accepted.
pub(crate) fn dispatch(tx: &mut Transaction<'_>, call: &DispatchTurn) -> Run<Dispatched> {
    let trace = match check(tx, call) {
        Ok(trace) => trace,
        Err((code, trace_id)) => return Ok(rejected(code, trace_id.as_deref())),
    };
    let context = present(call.conversation.as_deref()).or(present(call.context_box_id.as_deref()));
    tx.want_box(call.output_box_id.as_deref());
    tx.want_box(context);
    tx.want::<Roster>(&[&call.agent_id]);
    want_promotion(tx, &call.agent_id);
    want_free(tx, context, call.output_box_id.as_deref());
    let existing = match present(call.output_box_id.as_deref()) {
        Some(box_id) => tx.has_box(box_id)?.then(|| box_id.to_owned()),
        None => None,
    };
    if worker_target(tx, &call.agent_id)?.is_none() {
        return Ok(Dispatched {
            status: "error".into(),
            error_code: Some("worker_target_missing".into()),
            agent_id: Some(call.agent_id.clone()),
            output_box_id: existing,
            trace_id: Some(trace.trace_id),
            ..Dispatched::default()
        });
    }
    if present(call.instruction.as_deref()).is_none() && !tx.has_box(context.unwrap_or_default())? {
        return Ok(Dispatched {
            agent_id: Some(call.agent_id.clone()),
            ..rejected("unknown_context_box", Some(&trace.trace_id))
        });
    }
    if !are_free(tx, &call.agent_id, context, existing.as_deref())? {
        return Ok(Dispatched {
            agent_id: Some(call.agent_id.clone()),
            ..rejected("box_in_use", Some(&trace.trace_id))
        });
    }
    let output_box_id = existing.unwrap_or_else(|| tx.new_box());
    let turn_id = match present(call.agent_turn_id.as_deref()) {
        Some(turn_id) => turn_id.to_owned(),
        None => tx.mint("turn_"),
    };
    let context = make_context(tx, call, &output_box_id)?;
    send_turn(tx, call, trace, turn_id, output_box_id, context)
}

/// The context of a turn.
struct TurnContext {
    context_box_id: String,
    /// The message of a conversation. It enters the conversation when the turn is promoted.
    message_id: Option<String>,
}

/// Makes the context of a turn with an instruction.
fn make_context(
    tx: &mut Transaction<'_>,
    call: &DispatchTurn,
    output_box_id: &str,
) -> Run<TurnContext> {
    let Some(instruction) = present(call.instruction.as_deref()) else {
        return Ok(TurnContext {
            context_box_id: call.context_box_id.clone().unwrap_or_default(),
            message_id: None,
        });
    };
    let author_id = present(call.source_agent_id.as_deref()).unwrap_or("user");
    let metadata = object! { "role" => "user" };
    let content = Content::text(instruction);
    let new = NewCard { metadata, ..NewCard::new("task.instruction", author_id, content) };
    if let Some(box_id) = present(call.conversation.as_deref()) {
        let message_id = message_id(output_box_id);
        tx.make_card_as(message_id.as_str().into(), new)?;
        tx.ensure_box(box_id)?;
        return Ok(TurnContext { context_box_id: box_id.to_owned(), message_id: Some(message_id) });
    }
    let card = card_text(&tx.make_card(new)?.card_id);
    let context_box_id = tx.new_box();
    tx.append(&context_box_id, &[card])?;
    Ok(TurnContext { context_box_id, message_id: None })
}

/// Checks what needs no read, and returns the trace of the call. `Err` is the code of a refusal, and the
/// trace id.
fn check(
    tx: &mut Transaction<'_>,
    call: &DispatchTurn,
) -> Result<Trace, (&'static str, Option<String>)> {
    let needed = [
        (present(Some(&call.agent_id)), "missing_agent_id"),
        (present(Some(&call.profile_box_id)), "missing_profile_box_id"),
        (
            present(call.context_box_id.as_deref()).or(present(call.instruction.as_deref())),
            match present(call.conversation.as_deref()) {
                Some(_) => "missing_instruction",
                None => "missing_context_box_id",
            },
        ),
    ];
    if let Some((_, code)) = needed.into_iter().find(|(value, _)| value.is_none()) {
        return Err((code, None));
    }
    if !call.publish_turn {
        return Err(("l0_required", None));
    }
    let given = present(call.trace_id.as_deref());
    let Ok(trace) = trace::ensure(tx, &call.headers, given) else {
        return Err(("protocol_violation", given.map(str::to_owned)));
    };
    let refused = |code| Err((code, Some(trace.trace_id.clone())));
    let Some(depth) = trace::depth_of(&call.headers) else { return refused("protocol_violation") };
    if depth >= tx.settings.max_recursion_depth {
        return refused("recursion_depth_exceeded");
    }
    if call.channel_id.trim().is_empty() {
        return refused("missing_channel_id");
    }
    let output = present(call.output_box_id.as_deref());
    let conversation = present(call.conversation.as_deref());
    let context = present(call.context_box_id.as_deref());
    let has_instruction = present(call.instruction.as_deref()).is_some();
    if has_instruction && (context.is_some() || (conversation.is_some() && output.is_some())) {
        return refused("instruction_with_box");
    }
    if conversation.is_some() && !has_instruction {
        return refused("missing_instruction");
    }
    let named = [conversation, context, output].into_iter().flatten();
    let mut boxes = [&*call.profile_box_id].into_iter().chain(named);
    if boxes.any(|text| !is_box_id(tx, text)) {
        return refused("invalid_box_id");
    }
    if output.is_some() && output == context && !tx.reference_behavior {
        return refused("same_box");
    }
    Ok(trace)
}

/// Enqueues the turn, and answers with its epoch.
fn send_turn(
    tx: &mut Transaction<'_>,
    call: &DispatchTurn,
    trace: Trace,
    turn_id: String,
    output_box_id: String,
    context: TurnContext,
) -> Run<Dispatched> {
    let mut headers = call.headers.0.clone();
    headers.insert("traceparent".into(), trace.traceparent.as_str().into());
    let send = SendMessage {
        channel_id: call.channel_id.clone(),
        target_agent_id: call.agent_id.clone(),
        message_type: "turn".into(),
        payload: Json::Object(payload(call, &trace.trace_id, &turn_id, &output_box_id, &context)),
        headers: headers.clone().into(),
        source_agent_id: call.source_agent_id.clone(),
        source_agent_turn_id: call.parent_agent_turn_id.clone(),
        source_step_id: call.parent_step_id.clone(),
        parent_step_id: call.parent_step_id.clone(),
        wakeup: true,
        ..SendMessage::default()
    };
    let (status, error_code, epoch) = match enqueue(tx, &send)? {
        Answer::Accepted { payload, .. } => ("accepted", None, payload.turn_epoch),
        Answer::Refused(refused) => (refused.status, Some(refused.error_code.to_owned()), None),
    };
    if let Some(turn_epoch) = epoch.filter(|_| call.emit_state_event) {
        let scope = Scope {
            agent_id: call.agent_id.clone(),
            agent_turn_id: turn_id.clone(),
            turn_epoch,
            channel_id: call.channel_id.clone(),
            output_box_id: Some(output_box_id.clone()),
            headers,
        };
        state_event(tx, &scope, "dispatched", Object::default());
    }
    Ok(Dispatched {
        status: status.to_owned(),
        error_code,
        agent_id: Some(call.agent_id.clone()),
        agent_turn_id: Some(turn_id),
        turn_epoch: epoch,
        output_box_id: Some(output_box_id),
        trace_id: Some(trace.trace_id),
        context_box_id: None,
    })
}

fn payload(
    call: &DispatchTurn,
    trace_id: &str,
    turn_id: &str,
    output_box_id: &str,
    context: &TurnContext,
) -> Object {
    let mut payload = object! {
        "agent_id" => call.agent_id.as_str(),
        "channel_id" => call.channel_id.as_str(),
        "profile_box_id" => call.profile_box_id.as_str(),
        "context_box_id" => context.context_box_id.as_str(),
        "output_box_id" => output_box_id,
        "runtime_config" => call.runtime_config.clone().unwrap_or_default(),
    };
    let optional = [
        ("parent_agent_turn_id", call.parent_agent_turn_id.as_deref()),
        ("parent_tool_call_id", call.parent_tool_call_id.as_deref()),
        ("parent_step_id", call.parent_step_id.as_deref()),
        ("trace_id", Some(trace_id)),
        ("display_name", call.display_name.as_deref()),
        ("agent_turn_id", Some(turn_id)),
        (conversation::CARD, context.message_id.as_deref()),
    ];
    for (key, value) in optional {
        if let Some(value) = present(value) {
            payload.insert(key.to_owned(), value.into());
        }
    }
    payload
}
