//! The release of a turn: its worker stops, and another worker continues.

use super::finish::{StepEnd, end_step};
use super::reads::{ROWS_OF_A_TURN, start_of, want_open_calls, want_start};
use super::work::TurnWork;
use crate::Timestamp;
use crate::run::queue::lease::raise_epoch;
use crate::run::queue::promote::trace_headers;
use crate::run::rows::status::{HeadStatus, InboxStatus};
use crate::run::rows::{Head, Inbox, Queue, Resumption, Roster, StepRow, Waiting};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{number_of, object, present, text_of};
use crate::run::wire::events::{state_event, wakeup};
use crate::value::arguments::arguments;
use crate::value::json::Json;
use serde::Serialize;

arguments! {
    /// Releases a turn for another worker, at the next epoch and the same step.
    ///
    /// The example of [`TurnStart`](crate::run::TurnStart) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct TurnGiveBack {
        /// The content of the message. The operation ignores it.
        pub payload: Option<Json>,
        shared work: TurnWork,
        shared terms: RunTerms,
    }
}

perform! {
    TurnGiveBack -> GivenBack { |call, tx| release(tx, &call.work, Cause::GivenBack) }
}

/// Whether a turn waits for a worker again.
///
/// The example of [`TurnStart`](crate::run::TurnStart) shows a similar call.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GivenBack {
    /// False if the turn has another epoch, or no message that a worker can claim.
    pub given_back: bool,
    /// The new epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_epoch: Option<i64>,
}

shape! {
    /// Whether a turn waits for a worker again.
    #[serde(untagged)]
    pub enum GivenBack {
        Done { given_back: Word<true>, turn_epoch: i64 },
        Refused { given_back: Word<false> },
    }
}

/// Why a turn is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Its worker released it.
    GivenBack,
    /// Its worker did not renew the lease, which expired at this time. The number is that of the next
    /// attempt.
    LeaseExpired(i64, Timestamp),
}

impl Cause {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GivenBack => "given_back",
            Self::LeaseExpired(..) => "lease_expired",
        }
    }
}

/// The payload key of the number of the attempt, in the message of a turn.
const ATTEMPT: &str = "attempt";

/// The payload key of the time at which a turn lost its worker, in the message of a turn.
const RELEASED_AT: &str = "released_at";

/// Returns the time at which the message of a turn waited for another worker; `None` if no worker lost it.
pub(crate) fn released_at(message: &Inbox) -> Option<Timestamp> {
    let payload = message.payload.as_object().filter(|_| message.status == InboxStatus::Pending)?;
    Timestamp::parse(&text_of(payload, RELEASED_AT)?)
}

/// Returns the number of the attempt of a turn. The first is 1.
pub(crate) fn attempt_of(message: &Inbox) -> i64 {
    message.payload.as_object().and_then(|payload| number_of(payload, ATTEMPT)).unwrap_or(1)
}

/// Returns the message that started a turn.
pub(crate) fn message_of(tx: &mut Transaction<'_>, agent: &str, turn: &str) -> Run<Option<Inbox>> {
    let start = start_of(tx, turn)?;
    Ok(start.filter(|row| row.message_type == "turn" && row.agent_id == agent))
}

/// Releases a turn that runs, or that was claimed and not started. It waits for a worker at the next
/// epoch, with its message pending, at the step that the worker gave up. Its output stays.
pub(crate) fn release(tx: &mut Transaction<'_>, work: &TurnWork, cause: Cause) -> Run<GivenBack> {
    let (agent, turn) = (work.agent_id.as_str(), work.agent_turn_id.as_str());
    let step_id = work.step_id.clone().unwrap_or_default();
    tx.want::<Queue>(&[agent]);
    tx.want::<Roster>(&[agent]);
    tx.want::<StepRow>(&[agent, &step_id]);
    want_start(tx, turn);
    tx.want_list::<StepRow>("by_turn", &[agent, turn], 64);
    want_open_calls(tx, agent, turn, work.turn_epoch);
    let refused = GivenBack::default;
    let Some(mut head) = work.head(tx)? else { return Ok(refused()) };
    let guard = match head.status {
        HeadStatus::Running => "turn and epoch match, status = running",
        HeadStatus::Dispatched => "turn and epoch match, status = dispatched",
        HeadStatus::Idle | HeadStatus::Suspended => return Ok(refused()),
    };
    let Some(message) = message_of(tx, agent, turn)? else { return Ok(refused()) };
    delete_open_calls(tx, work)?;
    head.status = HeadStatus::Dispatched;
    head.rung_at = None;
    head.updated_at = tx.now();
    raise_epoch(tx, &mut head)?;
    tx.put(&head, "give_back", guard)?;
    let steps = tx.list::<StepRow>("by_turn", &[agent, turn], 64)?.len();
    let message = put_message(tx, work, &head, message, (steps, cause))?;
    end_step(tx, work, &step_id, StepEnd::Released(cause.as_str()))?;

    let released = TurnWork { turn_epoch: head.turn_epoch, ..work.clone() };
    let scope = released.scope(&head);
    state_event(tx, &scope, "dispatched", object! { "activity" => cause.as_str() });
    let extra = object! { "inbox_id" => message.inbox_id.as_str(), "reason" => cause.as_str() };
    let headers = trace_headers(message.traceparent.as_deref(), message.tracestate.as_deref());
    wakeup(tx, agent, &scope.channel_id, extra, Some(headers))?;
    Ok(GivenBack { given_back: true, turn_epoch: Some(head.turn_epoch) })
}

fn delete_open_calls(tx: &mut Transaction<'_>, work: &TurnWork) -> Run<()> {
    let epoch = work.turn_epoch.to_string();
    let of = [work.agent_id.as_str(), work.agent_turn_id.as_str(), &epoch];
    for row in tx.list::<Waiting>("by_turn", &of, ROWS_OF_A_TURN)? {
        tx.delete(&row, "give_back", "a call of a step that was given up")?;
    }
    for row in tx.list::<Resumption>("by_turn", &of, ROWS_OF_A_TURN)? {
        tx.delete(&row, "give_back", "a result for a step that was given up")?;
    }
    Ok(())
}

/// Makes the message of the turn pending again, at the new epoch.
fn put_message(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    head: &Head,
    mut message: Inbox,
    (steps, cause): (usize, Cause),
) -> Run<Inbox> {
    let mut payload = message.payload.as_object().cloned().unwrap_or_default();
    payload.insert("turn_epoch".into(), head.turn_epoch.into());
    payload.insert("step_count".into(), work.step_count.into());
    // a lost head with no more steps was dispatched
    payload.insert("released_steps".into(), steps.into());
    payload.remove(RELEASED_AT);
    if let Cause::LeaseExpired(attempt, at) = cause {
        payload.insert(ATTEMPT.into(), attempt.into());
        payload.insert(RELEASED_AT.into(), at.into());
    }
    if let Some(output) = present(head.output_box_id.as_deref()) {
        payload.insert("output_box_id".into(), output.into());
    }
    message.payload = Json::Object(payload);
    message.status = InboxStatus::Pending;
    message.processed_at = None;
    message.archived_at = None;
    tx.put(&message, "give_back", "the message of a released turn")?;
    Ok(message)
}
