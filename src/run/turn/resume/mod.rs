//! Results that arrive for a suspended turn.

mod apply;
mod check;
mod ledger;

use super::deliverable::{FailedResult, failed_result};
use super::finish::finish;
use super::reads::{want_call, want_finish, want_output};
use super::work::{Queued, QueuedWork, TurnWork};
use crate::run::queue::promote::dispatch_next;
use crate::run::rows::status::{LedgerStatus, StepStatus};
use crate::run::rows::{Head, Resumption, StepCard, StepRow};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{card_text, object, present};
use crate::run::wire::events::{TaskEnd, state_event, step_event, task_event};
use crate::value::arguments::{Loose, arguments};
use crate::value::card::AfterExecution;
use crate::value::json::Object;
use check::{Refusal, check};
use ledger::{Arrival, mark, mark_applied, note};

/// A report of a tool's result, and other members of its message.
type ResumePayload = Object;

shape! {
    /// A report of a tool's result, and other members of its message.
    pub struct ResumePayload {
        pub tool_call_id: String,
        pub tool_result_card_id: Maybe<Option<String>>,
        pub status: Maybe<Option<String>>,
        /// `suspend` to continue the turn, `terminate` to end it.
        pub after_execution: Maybe<Option<String>>,
        /// The step that made the call.
        pub step_id: Maybe<Option<String>>,
        #[serde(flatten)]
        pub more: Object,
    }
}

arguments! {
    /// Applies a tool result to the turn that waits for it.
    ///
    /// The example of [`TurnTools`](crate::run::TurnTools) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Resume {
        /// The report of the result.
        pub payload: Loose<ResumePayload> = Object::default(),
        shared work: TurnWork,
        shared terms: RunTerms,
    }
}

perform! {
    Resume -> Queued {
        |call, tx| {
            let queued = call.work.perform(tx, |tx, work| resume(tx, work, &call.payload))?;
            Ok(Queued { queued })
        }
    }
}

/// Applies a result to the turn that waits for it. Returns the work that follows.
fn resume(tx: &mut Transaction<'_>, work: &TurnWork, payload: &Object) -> Run<Vec<QueuedWork>> {
    let arrival = Arrival::of(payload);
    want(tx, work, &arrival);
    let head = tx.get::<Head>(&[&work.agent_id])?;
    // epochs start at 1: no turn waits for a result without an epoch
    if work.turn_epoch <= 0 {
        return Ok(Vec::new());
    }
    note(tx, work, &arrival)?;
    match (check(tx, work, head.as_ref(), &arrival)?, head) {
        (Ok(result), Some(head)) => apply::apply(tx, work, head, &arrival, result),
        (Ok(_), None) => Ok(Vec::new()),
        (Err(refusal), head) => {
            refuse(tx, work, head.as_ref(), &arrival, refusal)?;
            Ok(Vec::new())
        }
    }
}

/// Requests everything that a result reads.
fn want(tx: &mut Transaction<'_>, work: &TurnWork, arrival: &Arrival<'_>) {
    let (agent, turn) = (work.agent_id.as_str(), work.agent_turn_id.as_str());
    let epoch = work.turn_epoch.to_string();
    want_finish(tx, agent, turn, work.turn_epoch, work.output_box_id.as_deref());
    tx.want_card(arrival.card_id.as_deref());
    want_output(tx, agent);
    want_call(tx, &[agent, turn, &epoch, &arrival.call_id]);
    tx.want_list::<StepRow>("by_turn", &[agent, turn], 64);
    if let Some(card_id) = &arrival.card_id {
        tx.want::<Resumption>(&[agent, turn, &epoch, &arrival.call_id, card_id]);
    }
    if let Some(step_id) = &arrival.step_id {
        tx.want_list::<StepCard>("by_step", &[step_id], 64);
    }
}

/// Notes why a result cannot be applied; a wrong result ends the turn.
fn refuse(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    head: Option<&Head>,
    arrival: &Arrival<'_>,
    refusal: Refusal,
) -> Run<()> {
    let card_id = arrival.card_id.as_deref().unwrap_or_default();
    match refusal {
        Refusal::Retry(millis, why) => mark(tx, work, &arrival.call_id, card_id, |row, now| {
            row.status = LedgerStatus::Pending;
            row.attempt_count += 1;
            row.next_retry_at = crate::Timestamp::from_millis(now.as_millis() + millis);
            row.last_error = Some(why.to_owned());
        }),
        Refusal::Dropped(why) => mark(tx, work, &arrival.call_id, card_id, |row, _| {
            row.status = LedgerStatus::Dropped;
            row.last_error = Some(why);
        }),
        Refusal::Applied => mark_applied(tx, work, &arrival.call_id, card_id),
        Refusal::Fails { code, message } => match head {
            Some(head) => fail(tx, work, head, &arrival.call_id, code, &message),
            None => Ok(()),
        },
    }
}

/// Ends a turn whose result is wrong.
fn fail(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    head: &Head,
    call_id: &str,
    code: &str,
    message: &str,
) -> Run<()> {
    // the error needs a box: a missing one is made again
    let output = TurnWork { output_box_id: None, ..work.clone() }.output_box(tx, head)?;
    let work = &TurnWork { output_box_id: Some(output.clone()), ..work.clone() };
    let scope = work.scope(head);
    let step_id = tx.mint("step_res_");
    step_event(tx, &scope, &step_id, "started", &[]);
    let failed = FailedResult {
        author_id: &work.agent_id,
        tool_call_id: present(Some(call_id)).unwrap_or("unknown"),
        function_name: "resume_handler",
        status: "failed",
        after: AfterExecution::Terminate,
        error: object! { "code" => code, "source" => "worker", "message" => message },
        metadata: work.card_metadata(Some(&step_id)),
    };
    let card = card_text(&failed_result(tx, failed)?.card_id);
    tx.append(&output, std::slice::from_ref(&card))?;
    finish(tx, head, false, Some(&output), "resume", "a result that is wrong")?;
    let step = StepRow {
        error: Some(message.to_owned()),
        ended_at: Some(tx.now()),
        outcome: Some("failed".into()),
        ..work.step_row(tx, &scope, &step_id, StepStatus::Failed)
    };
    tx.put(&step, "resume", "a result that is wrong")?;
    state_event(tx, &scope, "idle", object! { "error" => message });
    step_event(tx, &scope, &step_id, "failed", std::slice::from_ref(&card));
    let end = TaskEnd {
        status: "failed".into(),
        tool_result_card_id: Some(card),
        error: Some(message.to_owned()),
        ..TaskEnd::default()
    };
    task_event(tx, &scope, &end, None);
    dispatch_next(tx, &work.agent_id, "agent_idle")
}
