//! A piece of work on a turn: what a worker receives, and what follows from it.

use super::reads::{ROWS_OF_A_TURN, want_finish};
use crate::run::queue::inbox;
use crate::run::rows::status::StepStatus;
use crate::run::rows::{Head, Inbox, Resumption, StepCard, StepRow};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present, text_of};
use crate::run::wire::events::Scope;
use crate::run::wire::trace::Headers;
use crate::value::arguments::{Loose, OrNull, arguments};
use crate::value::json::{Json, Object};
use serde::Serialize;

arguments! {
    /// A piece of work on a turn. The items of `claim_inbox` and the work that an operation queues have
    /// this form.
    ///
    /// The example of [`TurnStart`](crate::run::TurnStart) shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct TurnWork {
        /// The agent.
        pub agent_id: String,
        /// The turn.
        pub agent_turn_id: String,
        /// The epoch of the turn. Work with another epoch than the head changes nothing.
        pub turn_epoch: Loose<i64> = 0,
        /// The channel of the turn. That of the head by default.
        pub channel_id: Option<String>,
        /// The box of the profile.
        pub profile_box_id: Option<OrNull<String>>,
        /// The box of the context.
        pub context_box_id: Option<OrNull<String>>,
        /// The box for the output.
        pub output_box_id: Option<OrNull<String>>,
        /// The headers of the turn.
        pub headers: Headers = Headers::default(),
        /// The trace of the turn.
        pub trace_id: Option<OrNull<String>>,
        /// The step that the turn belongs to.
        pub parent_step_id: Option<OrNull<String>>,
        /// The step that runs.
        pub step_id: Option<String>,
        /// The number of steps before this one.
        pub step_count: i64 = 0,
        /// True for a further step of a turn.
        pub continuation: bool = false,
        /// The message of the work.
        pub inbox_id: Option<String>,
        /// Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start`
        /// consumes it only if the turn cannot start. The message of a released turn stays.
        pub consume: bool = false,
        /// The kind of the message. Operations ignore it.
        pub kind: Option<Json>,
        /// Values for the worker. Operations ignore them.
        pub runtime_config: Option<OrNull<Json>>,
        /// The result to resume with. Operations ignore it.
        pub resume: Option<Loose<CarriedReport>>,
    }
}

impl TurnWork {
    /// Returns the work on the turn of a head.
    pub(crate) fn of(head: &Head) -> Self {
        Self {
            agent_id: head.agent_id.clone(),
            agent_turn_id: head.active_agent_turn_id.clone().unwrap_or_default(),
            turn_epoch: head.turn_epoch,
            channel_id: head.active_channel_id.clone(),
            profile_box_id: head.profile_box_id.clone(),
            context_box_id: head.context_box_id.clone(),
            output_box_id: head.output_box_id.clone(),
            trace_id: head.trace_id.clone(),
            parent_step_id: head.parent_step_id.clone(),
            ..Self::default()
        }
    }
}

/// Work that follows from other work.
///
/// The example of [`TurnTools`](crate::run::TurnTools) shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueuedWork {
    /// The agent.
    pub agent_id: String,
    /// The turn.
    pub agent_turn_id: String,
    /// The epoch of the turn.
    pub turn_epoch: i64,
    /// Always true: the turn runs already.
    pub continuation: bool,
    /// The number of steps before this one.
    pub step_count: i64,
    /// The box for the output.
    pub output_box_id: Option<String>,
    /// A result to resume with, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<ToolReport>,
    /// A tool call to start, if its worker was lost before it started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<CallToStart>,
}

/// A tool call that a turn waits for and that no worker started.
///
/// The example of [`TakeUpResults`](crate::run::TakeUpResults) shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallToStart {
    /// The call.
    pub tool_call_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The step that made the call.
    pub step_id: String,
}

/// A report of a tool's result.
type ToolReport = Object;

/// A report that work carries and operations ignore.
type CarriedReport = Json;

shape! {
    pub type CarriedReport = ToolReport;

    /// A report of a tool's result: the call, the card of the result, and what follows.
    pub struct ToolReport {
        pub tool_call_id: String,
        pub tool_result_card_id: Maybe<Option<String>>,
        pub status: Maybe<Option<String>>,
        /// `suspend` to continue the turn, `terminate` to end it.
        pub after_execution: Maybe<Option<String>>,
        /// The step that made the call.
        pub step_id: Maybe<Option<String>>,
    }
}

/// The work that follows from a call.
///
/// The example of [`TakeUpResults`](crate::run::TakeUpResults) shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Queued {
    /// The work, in order.
    pub queued: Vec<QueuedWork>,
}

/// Whether a call ended a turn.
///
/// The example of [`TurnComplete`](crate::run::TurnComplete) shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ended {
    /// False if the turn has another epoch, or ended before.
    pub ended: bool,
}

impl TurnWork {
    /// Works on a turn, and consumes the message of the work regardless of the outcome.
    pub(super) fn perform<T>(
        &self,
        tx: &mut Transaction<'_>,
        perform: impl FnOnce(&mut Transaction<'_>, &Self) -> Run<T>,
    ) -> Run<T> {
        self.want_message(tx);
        let done = perform(tx, self)?;
        self.consume(tx)?;
        Ok(done)
    }

    /// Returns the message that the same commit consumes.
    fn consumed(&self) -> Option<&str> {
        self.inbox_id.as_deref().filter(|_| self.consume)
    }

    pub(crate) fn scope(&self, head: &Head) -> Scope {
        let channel = present(self.channel_id.as_deref())
            .or(head.active_channel_id.as_deref())
            .unwrap_or("public");
        Scope {
            agent_id: self.agent_id.clone(),
            agent_turn_id: self.agent_turn_id.clone(),
            turn_epoch: self.turn_epoch,
            channel_id: channel.to_owned(),
            output_box_id: self.output_box_id.clone(),
            headers: self.headers.0.clone(),
        }
    }

    /// Returns the metadata of a card of this turn.
    pub(crate) fn card_metadata(&self, step_id: Option<&str>) -> Object {
        let mut metadata = object! { "agent_turn_id" => self.agent_turn_id.as_str() };
        let parts = [
            ("step_id", step_id),
            ("trace_id", self.trace_id.as_deref()),
            ("parent_step_id", self.parent_step_id.as_deref()),
        ];
        for (key, value) in parts {
            if let Some(value) = present(value) {
                metadata.insert(key.to_owned(), value.into());
            }
        }
        metadata
    }

    pub(crate) fn step_row(
        &self,
        tx: &Transaction<'_>,
        scope: &Scope,
        step_id: &str,
        status: StepStatus,
    ) -> StepRow {
        StepRow {
            agent_id: self.agent_id.clone(),
            step_id: step_id.to_owned(),
            agent_turn_id: self.agent_turn_id.clone(),
            channel_id: Some(scope.channel_id.clone()),
            parent_step_id: self.parent_step_id.clone(),
            trace_id: self.trace_id.clone(),
            status,
            profile_box_id: self.profile_box_id.clone(),
            context_box_id: self.context_box_id.clone(),
            output_box_id: self.output_box_id.clone(),
            started_at: tx.now(),
            ..StepRow::default()
        }
    }

    /// Returns the head, if turn and epoch match.
    pub(crate) fn head(&self, tx: &mut Transaction<'_>) -> Run<Option<Head>> {
        let head = tx.get::<Head>(&[&self.agent_id])?;
        Ok(head.filter(|head| self.holds(head)))
    }

    /// Returns true if turn and epoch are those of the head.
    pub(crate) fn holds(&self, head: &Head) -> bool {
        head.active_agent_turn_id.as_deref() == Some(self.agent_turn_id.as_str())
            && head.turn_epoch == self.turn_epoch
    }

    /// Returns the output box: the one of this work, of the head, or a new one if that does not exist.
    pub(crate) fn output_box(&self, tx: &mut Transaction<'_>, head: &Head) -> Run<String> {
        let named = present(self.output_box_id.as_deref()).or(head.output_box_id.as_deref());
        match present(named).map(str::to_owned) {
            Some(named) if tx.has_box(&named)? => Ok(named),
            Some(_) | None => Ok(tx.new_box()),
        }
    }

    /// Requests everything that the end of this turn reads.
    pub(crate) fn want_end(&self, tx: &mut Transaction<'_>) {
        let output = self.output_box_id.as_deref();
        want_finish(tx, &self.agent_id, &self.agent_turn_id, self.turn_epoch, output);
    }

    /// Requests the message to consume.
    pub(crate) fn want_message(&self, tx: &mut Transaction<'_>) {
        if let Some(inbox_id) = self.consumed() {
            tx.want::<Inbox>(&[inbox_id]);
        }
    }

    /// Consumes the message of this work, regardless of the outcome. The message of a released turn has
    /// another epoch and belongs to another worker.
    pub(crate) fn consume(&self, tx: &mut Transaction<'_>) -> Run<()> {
        let Some(inbox_id) = self.consumed() else { return Ok(()) };
        if inbox::epoch_of(tx, inbox_id)? == Some(self.turn_epoch) {
            inbox::consume(tx, inbox_id, self.channel_id.as_deref())?;
        }
        Ok(())
    }

    /// Returns the next piece of work on the same turn.
    pub(crate) fn next(
        &self,
        turn_epoch: i64,
        step_count: i64,
        output: Option<&str>,
    ) -> QueuedWork {
        QueuedWork {
            agent_id: self.agent_id.clone(),
            agent_turn_id: self.agent_turn_id.clone(),
            turn_epoch,
            continuation: true,
            step_count,
            output_box_id: output.map(str::to_owned),
            resume: None,
            start: None,
        }
    }
}

/// Returns the work that resumes a turn with a result.
pub(crate) fn resume_item(work: &TurnWork, resume: Object) -> QueuedWork {
    let item = work.next(work.turn_epoch, 0, work.output_box_id.as_deref());
    QueuedWork { resume: Some(resume), ..item }
}

/// Returns the status of a result. An unknown one counts as `failed`.
pub(crate) fn result_status(status: Option<&str>) -> &str {
    match status {
        Some(known @ ("success" | "failed" | "canceled" | "timeout" | "partial")) => known,
        Some(_) | None => "failed",
    }
}

fn after_execution(given: Option<&str>) -> &str {
    given.filter(|given| matches!(*given, "suspend" | "terminate")).unwrap_or("suspend")
}

/// Describes a result of the ledger, for a call of `step_id` if the report does not name its step.
pub(crate) fn resume_payload(row: &Resumption, step_id: Option<&str>) -> Object {
    let text = |key: &str| text_of(&row.payload, key);
    object! {
        "tool_call_id" => row.tool_call_id.as_str(),
        "status" => result_status(text("status").as_deref()),
        "after_execution" => after_execution(text("after_execution").as_deref()),
        "tool_result_card_id" => row.tool_result_card_id.as_str(),
        "step_id" => text("step_id").or_else(|| step_id.map(str::to_owned)),
    }
}

/// Returns the work for the oldest result of a call that has a card, and notes the result. A pair of
/// call and card in `known` has work already.
pub(crate) fn resume_from_card(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    tool_call_id: &str,
    step_id: &str,
    known: &[(String, String)],
) -> Run<Option<QueuedWork>> {
    let cards = tx.list::<StepCard>("by_call", &[tool_call_id], 16)?;
    let card = cards.iter().find(|card| card.card_type == "tool.result");
    let Some(card) = card
        .filter(|card| !known.iter().any(|(call, of)| call == tool_call_id && *of == card.card_id))
    else {
        return Ok(None);
    };
    let payload = object! {
        "tool_call_id" => tool_call_id,
        "status" => result_status(card.status.as_deref()),
        "after_execution" => after_execution(card.after_execution.as_deref()),
        "tool_result_card_id" => card.card_id.as_str(),
        "step_id" => step_id,
    };
    let epoch = work.turn_epoch.to_string();
    let of = [work.agent_id.as_str(), &work.agent_turn_id, &epoch];
    let rows = tx.list::<Resumption>("by_turn", &of, ROWS_OF_A_TURN)?;
    let same = |row: &Resumption| {
        row.tool_call_id == tool_call_id && row.tool_result_card_id == card.card_id
    };
    if !rows.iter().any(same) {
        note_result(tx, work, tool_call_id, &card.card_id, &payload)?;
    }
    Ok(Some(resume_item(work, payload)))
}

/// Notes a result that the ledger does not have.
pub(crate) fn note_result(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    tool_call_id: &str,
    card_id: &str,
    payload: &Object,
) -> Run<()> {
    let now = tx.now();
    let row = Resumption {
        agent_id: work.agent_id.clone(),
        agent_turn_id: work.agent_turn_id.clone(),
        turn_epoch: work.turn_epoch,
        tool_call_id: tool_call_id.to_owned(),
        tool_result_card_id: card_id.to_owned(),
        next_retry_at: now,
        payload: payload.clone(),
        created_at: now,
        updated_at: now,
        ..Resumption::default()
    };
    tx.put(&row, "resume", "a result that was not seen before")
}
