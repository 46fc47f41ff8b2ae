//! The dispatcher: a turn for an agent, with a box to write to.

use super::desk::{Desk, Run, present};
use super::l0::{self, Send};
use super::message::{Scope, object, state_event, worker_target};
use super::rows::Roster;
use super::trace;
use crate::value::json::{Json, Object};
use serde::Serialize;

/// Who is to do what, with which boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dispatch {
    pub project_id: String,
    pub channel_id: String,
    pub agent_id: String,
    pub profile_box_id: Option<String>,
    pub context_box_id: Option<String>,
    pub output_box_id: Option<String>,
    pub agent_turn_id: Option<String>,
    pub headers: Object,
    pub trace_id: Option<String>,
    pub parent_agent_turn_id: Option<String>,
    pub parent_tool_call_id: Option<String>,
    pub parent_step_id: Option<String>,
    pub source_agent_id: Option<String>,
    pub display_name: Option<String>,
    pub runtime_config: Option<Object>,
    pub emit_state_event: bool,
    /// False for turns that somebody else publishes, which nobody may.
    pub publish_turn: bool,
}

/// What became of a dispatch.
///
/// ```
/// use tuckbox::run::Dispatched;
/// use tuckbox::value::json::to_text;
///
/// // as `dispatch` answers it
/// let code = Some("worker_target_missing".into());
/// let refused = Dispatched { status: "error".into(), error_code: code, ..Dispatched::default() };
/// assert!(to_text(&refused)?.starts_with(r#"{"status":"error","error_code":"worker_target_missing""#));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Dispatched {
    /// `accepted`, `busy`, `rejected` or `error`.
    pub status: String,
    /// Why not, as a stable word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// Who will do it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// In which turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_turn_id: Option<String>,
    /// At which epoch; absent for a turn that waits behind another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_epoch: Option<i64>,
    /// What the turn writes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_box_id: Option<String>,
    /// The trace it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
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
pub(crate) fn dispatch(desk: &mut Desk<'_>, call: &Dispatch) -> Run<Dispatched> {
    let checks = [
        (present(Some(&call.project_id)), "missing_project_id"),
        (present(Some(&call.agent_id)), "missing_agent_id"),
        (present(call.profile_box_id.as_deref()), "missing_profile_box_id"),
        (present(call.context_box_id.as_deref()), "missing_context_box_id"),
    ];
    for (value, code) in checks {
        if value.is_none() {
            return Ok(rejected(code, None));
        }
    }
    if !call.publish_turn {
        return Ok(rejected("l0_required", None));
    }
    let given = present(call.trace_id.as_deref());
    let Ok(incoming) = trace::ensure(desk, &call.headers, given) else {
        return Ok(rejected("protocol_violation", given));
    };
    let trace_id = incoming.trace_id.clone();
    let Some(depth) = trace::depth_of(&call.headers) else {
        return Ok(rejected("protocol_violation", Some(&trace_id)));
    };
    if depth >= desk.settings.max_recursion_depth {
        return Ok(rejected("recursion_depth_exceeded", Some(&trace_id)));
    }
    if present(Some(call.channel_id.trim())).is_none() {
        return Ok(rejected("missing_channel_id", Some(&trace_id)));
    }
    for box_id in [&call.profile_box_id, &call.context_box_id, &call.output_box_id] {
        let text = present(box_id.as_deref());
        if text.is_some_and(|text| uuid::Uuid::parse_str(text).is_err()) {
            return Ok(rejected("invalid_box_id", Some(&trace_id)));
        }
    }
    desk.want_box(call.output_box_id.as_deref());
    desk.want_box(call.context_box_id.as_deref());
    desk.want::<Roster>(&[&call.agent_id]);
    l0::want_promotion(desk, &call.agent_id);
    let known = match present(call.output_box_id.as_deref()) {
        Some(box_id) => desk.has_box(box_id)?.then(|| box_id.to_owned()),
        None => None,
    };
    if worker_target(desk, &call.agent_id)?.is_none() {
        return Ok(Dispatched {
            status: "error".into(),
            error_code: Some("worker_target_missing".into()),
            agent_id: Some(call.agent_id.clone()),
            output_box_id: known,
            trace_id: Some(trace_id),
            ..Dispatched::default()
        });
    }
    let context = call.context_box_id.clone().unwrap_or_default();
    if !desk.has_box(&context)? {
        return Ok(Dispatched {
            agent_id: Some(call.agent_id.clone()),
            ..rejected("unknown_context_box", Some(&trace_id))
        });
    }
    let output_box_id = known.unwrap_or_else(|| desk.new_box());
    let turn_id = match present(call.agent_turn_id.as_deref()) {
        Some(turn_id) => turn_id.to_owned(),
        None => desk.mint("turn_"),
    };
    let mut payload = object! {
        "agent_id" => call.agent_id.as_str(),
        "channel_id" => call.channel_id.as_str(),
        "profile_box_id" => call.profile_box_id.clone(),
        "context_box_id" => call.context_box_id.clone(),
        "output_box_id" => output_box_id.as_str(),
        "runtime_config" => call.runtime_config.clone().unwrap_or_default(),
    };
    let parts = [
        ("parent_agent_turn_id", &call.parent_agent_turn_id),
        ("parent_tool_call_id", &call.parent_tool_call_id),
        ("parent_step_id", &call.parent_step_id),
        ("trace_id", &Some(trace_id.clone())),
        ("display_name", &call.display_name),
        ("agent_turn_id", &Some(turn_id.clone())),
    ];
    for (key, value) in parts {
        if let Some(value) = present(value.as_deref()) {
            payload.insert(key.to_owned(), value.into());
        }
    }
    let mut headers = call.headers.clone();
    headers.insert("traceparent".into(), incoming.traceparent.as_str().into());
    let send = Send {
        project_id: call.project_id.clone(),
        channel_id: call.channel_id.clone(),
        target_agent_id: call.agent_id.clone(),
        message_type: "turn".into(),
        payload: Json::Object(payload),
        headers: headers.clone(),
        source_agent_id: call.source_agent_id.clone(),
        source_agent_turn_id: call.parent_agent_turn_id.clone(),
        source_step_id: call.parent_step_id.clone(),
        parent_step_id: call.parent_step_id.clone(),
        wakeup: true,
        ..Send::default()
    };
    let answer = l0::enqueue(desk, &send)?;
    let epoch = answer.payload.as_ref().and_then(|payload| l0::number_of(payload, "turn_epoch"));
    if let Some(turn_epoch) = epoch.filter(|_| call.emit_state_event) {
        let scope = Scope {
            agent_id: call.agent_id.clone(),
            agent_turn_id: turn_id.clone(),
            turn_epoch,
            channel_id: call.channel_id.clone(),
            output_box_id: Some(output_box_id.clone()),
            headers,
        };
        state_event(desk, &scope, "dispatched", Object::default());
    }
    Ok(Dispatched {
        status: answer.status.to_owned(),
        error_code: answer.error_code,
        agent_id: Some(call.agent_id.clone()),
        agent_turn_id: Some(turn_id),
        turn_epoch: epoch,
        output_box_id: Some(output_box_id),
        trace_id: Some(trace_id),
    })
}
