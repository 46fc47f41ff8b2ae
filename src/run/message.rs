//! Messages to send: subjects, payloads and headers.

use super::desk::{Desk, Run, present};
use super::rows::Roster;
use crate::Timestamp;
use crate::value::find::replaced;
use crate::value::json::{Json, Object};
use serde::Serialize;

/// One message, as it will be sent once the batch is committed.
///
/// Shown, as JSON, by the example of [`RunCall`](crate::run::RunCall).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {
    /// Where it goes.
    pub subject: String,
    /// What it says.
    pub payload: Json,
    /// Its headers; absent when it has none.
    pub headers: Option<Object>,
    /// True for a message that nobody stores.
    pub core: bool,
}

/// An object from pairs.
macro_rules! object {
    ($($key:literal => $value:expr),* $(,)?) => {{
        #[allow(unused_mut)]
        let mut object = $crate::value::json::Object::default();
        $(object.insert($key.to_owned(), $crate::value::json::Json::from($value));)*
        object
    }};
}
pub(crate) use object;

/// What a turn's events carry: who, where, and the headers of the work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub agent_id: String,
    pub agent_turn_id: String,
    pub turn_epoch: i64,
    pub channel_id: String,
    pub output_box_id: Option<String>,
    pub headers: Object,
}

fn subject(project: &str, channel: &str, tail: &str) -> String {
    format!("cg.v1r3.{project}.{channel}.{tail}")
}

fn event(desk: &mut Desk<'_>, scope: &Scope, kind: &str, payload: Object, headers: Option<Object>) {
    let tail = format!("evt.agent.{}.{kind}", scope.agent_id);
    let subject = subject(&desk.project(), &scope.channel_id, &tail);
    let headers = headers.or_else(|| Some(scope.headers.clone()));
    desk.send(Message { subject, payload: Json::Object(payload), headers, core: false });
}

/// The state of a turn changed.
pub(crate) fn state_event(desk: &mut Desk<'_>, scope: &Scope, status: &str, metadata: Object) {
    let now = desk.now();
    let payload = object! {
        "agent_id" => scope.agent_id.as_str(),
        "agent_turn_id" => scope.agent_turn_id.as_str(),
        "status" => status,
        "turn_epoch" => scope.turn_epoch,
        "updated_at" => stamp(now),
        "output_box_id" => scope.output_box_id.clone(),
        "metadata" => metadata,
    };
    event(desk, scope, "state", payload, None);
}

/// A step began or ended.
pub(crate) fn step_event(
    desk: &mut Desk<'_>,
    scope: &Scope,
    step_id: &str,
    phase: &str,
    new_card_ids: &[String],
) {
    let payload = object! {
        "agent_turn_id" => scope.agent_turn_id.as_str(),
        "step_id" => step_id,
        "phase" => phase,
        "metadata" => Object::default(),
        "new_card_ids" => new_card_ids.to_vec(),
    };
    event(desk, scope, "step", payload, None);
}

/// How a turn ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskEnd {
    pub status: String,
    pub deliverable_card_id: Option<String>,
    pub tool_result_card_id: Option<String>,
    pub error: Option<String>,
    pub error_code: Option<String>,
    pub timed: bool,
}

/// A turn ended.
pub(crate) fn task_event(
    desk: &mut Desk<'_>,
    scope: &Scope,
    end: &TaskEnd,
    headers: Option<Object>,
) {
    let stats = if end.timed {
        object! { "duration_ms" => 0_i64 }
    } else {
        Object::default()
    };
    let payload = object! {
        "agent_turn_id" => scope.agent_turn_id.as_str(),
        "status" => end.status.as_str(),
        "output_box_id" => scope.output_box_id.clone(),
        "deliverable_card_id" => end.deliverable_card_id.clone(),
        "tool_result_card_id" => end.tool_result_card_id.clone(),
        "output_box" => Json::Null,
        "error" => end.error.clone(),
        "error_code" => end.error_code.clone(),
        "stats" => stats,
    };
    event(desk, scope, "task", payload, headers);
}

/// A message of an agent's inbox left the state of being worked on.
pub(crate) fn inbox_progress(
    desk: &mut Desk<'_>,
    channel_id: &str,
    agent_id: &str,
    inbox_id: &str,
    status: &str,
    reason: &str,
) {
    let payload = object! {
        "project_id" => desk.project(),
        "agent_id" => agent_id,
        "status" => status,
        "inbox_id" => inbox_id,
        "reason" => reason,
    };
    let tail = format!("evt.agent.{agent_id}.inbox_progress");
    let subject = subject(&desk.project(), channel_id, &tail);
    desk.send(Message { subject, payload: Json::Object(payload), headers: None, core: true });
}

/// The doorbell of an agent; nothing when nobody is known to run it.
pub(crate) fn wakeup(
    desk: &mut Desk<'_>,
    agent_id: &str,
    channel_id: &str,
    extra: Object,
    headers: Option<Object>,
) -> Run<()> {
    let Some(target) = worker_target(desk, agent_id)? else { return Ok(()) };
    let mut payload = object! { "agent_id" => agent_id };
    payload.extend(extra);
    let tail = format!("cmd.agent.{target}.wakeup");
    let subject = subject(&desk.project(), channel_id, &tail);
    desk.send(Message { subject, payload: Json::Object(payload), headers, core: false });
    Ok(())
}

/// The kind of worker that runs an agent.
pub(crate) fn worker_target(desk: &mut Desk<'_>, agent_id: &str) -> Run<Option<String>> {
    let roster = desk.get::<Roster>(&[agent_id])?;
    let target = roster.and_then(|roster| roster.worker_target);
    Ok(present(target.as_deref().map(str::trim)).map(str::to_owned))
}

/// A moment as the messages write it: without a fraction where there is none.
pub(crate) fn stamp(at: Timestamp) -> String {
    replaced(&at.to_string(), ".000Z", "Z")
}
