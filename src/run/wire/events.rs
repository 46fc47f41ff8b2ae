//! Events and wakeups: subjects, payloads and headers.

use crate::Timestamp;
use crate::run::rows::Roster;
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present};
use crate::run::wire::message::Message;
use crate::value::find::replace;
use crate::value::json::{Json, Object};

/// What the events of a turn have in common.
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

fn event(
    tx: &mut Transaction<'_>,
    scope: &Scope,
    kind: &str,
    payload: Object,
    headers: Option<Object>,
) {
    let tail = format!("evt.agent.{}.{kind}", scope.agent_id);
    let subject = subject(&tx.project(), &scope.channel_id, &tail);
    let headers = headers.or_else(|| Some(scope.headers.clone()));
    tx.send(Message { subject, payload: Json::Object(payload), headers, core: false });
}

/// Sends the state of a turn.
pub(crate) fn state_event(tx: &mut Transaction<'_>, scope: &Scope, status: &str, metadata: Object) {
    let now = tx.now();
    let payload = object! {
        "agent_id" => scope.agent_id.as_str(),
        "agent_turn_id" => scope.agent_turn_id.as_str(),
        "status" => status,
        "turn_epoch" => scope.turn_epoch,
        "updated_at" => stamp(now),
        "output_box_id" => scope.output_box_id.clone(),
        "metadata" => metadata,
    };
    event(tx, scope, "state", payload, None);
}

/// Sends the start or the end of a step.
pub(crate) fn step_event(
    tx: &mut Transaction<'_>,
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
    event(tx, scope, "step", payload, None);
}

/// The end of a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskEnd {
    pub status: String,
    pub deliverable_card_id: Option<String>,
    pub tool_result_card_id: Option<String>,
    pub error: Option<String>,
    pub error_code: Option<String>,
    pub timed: bool,
}

/// Sends the end of a turn.
pub(crate) fn task_event(
    tx: &mut Transaction<'_>,
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
    event(tx, scope, "task", payload, headers);
}

/// Sends that a worker finished a message of an inbox.
pub(crate) fn inbox_progress(
    tx: &mut Transaction<'_>,
    channel_id: &str,
    agent_id: &str,
    inbox_id: &str,
    status: &str,
    reason: &str,
) {
    let payload = object! {
        "project_id" => tx.project(),
        "agent_id" => agent_id,
        "status" => status,
        "inbox_id" => inbox_id,
        "reason" => reason,
    };
    let tail = format!("evt.agent.{agent_id}.inbox_progress");
    let subject = subject(&tx.project(), channel_id, &tail);
    tx.send(Message { subject, payload: Json::Object(payload), headers: None, core: true });
}

/// Sends the wakeup of an agent; does nothing for an agent without a worker target.
pub(crate) fn wakeup(
    tx: &mut Transaction<'_>,
    agent_id: &str,
    channel_id: &str,
    extra: Object,
    headers: Option<Object>,
) -> Run<()> {
    let Some(target) = worker_target(tx, agent_id)? else { return Ok(()) };
    let mut payload = object! { "agent_id" => agent_id };
    payload.extend(extra);
    let tail = format!("cmd.agent.{target}.wakeup");
    let subject = subject(&tx.project(), channel_id, &tail);
    tx.send(Message { subject, payload: Json::Object(payload), headers, core: false });
    Ok(())
}

/// Returns the kind of worker that runs an agent.
pub(crate) fn worker_target(tx: &mut Transaction<'_>, agent_id: &str) -> Run<Option<String>> {
    let roster = tx.get::<Roster>(&[agent_id])?;
    let target = roster.and_then(|roster| roster.worker_target);
    Ok(present(target.as_deref().map(str::trim)).map(str::to_owned))
}

/// Returns a time as messages write it: without a fraction of zero.
pub(crate) fn stamp(at: Timestamp) -> String {
    replace(&at.to_string(), ".000Z", "Z")
}
