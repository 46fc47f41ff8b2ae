//! The effect of a result on its turn: the turn waits, continues or ends.

use super::check::Applicable;
use super::ledger::{Arrival, mark_applied};
use crate::run::queue::lease::raise_epoch;
use crate::run::queue::promote::dispatch_next;
use crate::run::rows::status::{HeadStatus, StepStatus, WaitStatus};
use crate::run::rows::{Head, StepCard, StepRow, Waiting};
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::deliverable;
use crate::run::turn::deliverable::{Fallback, pretty};
use crate::run::turn::finish::finish;
use crate::run::turn::reads::ROWS_OF_A_TURN;
use crate::run::turn::work::{QueuedWork, TurnWork, result_status};
use crate::run::values::{card_text, object, text_of};
use crate::run::wire::events::{Scope, TaskEnd, stamp, state_event, step_event, task_event};
use crate::value::card::{Card, Content};
use crate::value::json::{Json, Object};

/// A result that is being applied.
struct Application<'a> {
    work: TurnWork,
    head: Head,
    scope: Scope,
    arrival: &'a Arrival<'a>,
    card: Card,
    /// The step of the result.
    step: StepRow,
    output: String,
    new_cards: Vec<String>,
}

/// Applies a result, and returns the work that follows.
pub(super) fn apply(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    mut head: Head,
    arrival: &Arrival<'_>,
    result: Applicable,
) -> Run<Vec<QueuedWork>> {
    let Applicable { card, results } = result;
    let card_id = card_text(&card.card_id);
    let step_id = tx.mint("step_res_");
    let step = work.step_row(tx, &work.scope(&head), &step_id, StepStatus::Suspended);
    // a missing box is made again, so that the result is not lost
    let output = work.output_box(tx, &head)?;
    let work = TurnWork { output_box_id: Some(output.clone()), ..work.clone() };
    let new_cards = vec![card_id.clone()];
    if !tx.box_cards(&output)?.unwrap_or_default().contains(&card_id) {
        tx.append(&output, &new_cards)?;
    }
    let scope = work.scope(&head);
    step_event(tx, &scope, &step_id, "started", &[]);
    let open = put_applied(tx, &work, &arrival.call_id, &card_id)?;
    mark_applied(tx, &work, &arrival.call_id, &card_id)?;
    head.output_box_id = Some(output.clone());
    head.expecting_correlation_id = None;
    head.updated_at = tx.now();
    let applied = Application { work, head, scope, arrival, card, step, output, new_cards };
    if !open.is_empty() {
        return applied.wait(tx, open);
    }
    let ending = |card: &&StepCard| card.after_execution.as_deref() == Some("terminate");
    let mut ends: Vec<&StepCard> = results.iter().rev().filter(ending).collect();
    if ends.is_empty() {
        return applied.proceed(tx);
    }
    let failure = ends.iter().position(|card| result_status(card.status.as_deref()) != "success");
    let chosen = ends.swap_remove(failure.unwrap_or(0));
    applied.terminate(tx, chosen)?;
    Ok(Vec::new())
}

/// Marks the call as applied, and returns the calls that are still open.
fn put_applied(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    call_id: &str,
    card_id: &str,
) -> Run<Vec<String>> {
    let now = tx.now();
    let epoch = work.turn_epoch.to_string();
    let of = [work.agent_id.as_str(), work.agent_turn_id.as_str(), &epoch];
    let mut open = Vec::new();
    for mut row in tx.list::<Waiting>("by_turn", &of, ROWS_OF_A_TURN)? {
        if row.tool_call_id == call_id {
            row.wait_status = WaitStatus::Applied;
            row.tool_result_card_id = Some(card_id.to_owned());
            row.applied_at = Some(now);
            row.updated_at = now;
            tx.put(&row, "resume", "waiting")?;
        } else if matches!(row.wait_status, WaitStatus::Waiting | WaitStatus::Received) {
            open.push(row.tool_call_id);
        }
    }
    Ok(open)
}

impl Application<'_> {
    /// Keeps the turn suspended until the other calls have results.
    fn wait(mut self, tx: &mut Transaction<'_>, mut open: Vec<String>) -> Run<Vec<QueuedWork>> {
        open.sort_unstable();
        let deadline = tx.now().plus_seconds(tx.settings.suspend_timeout_seconds);
        self.head.waiting_tool_count = i64::try_from(open.len()).unwrap_or(i64::MAX);
        self.head.resume_deadline = Some(deadline);
        tx.put(&self.head, "resume", "status = suspended, calls still open")?;
        tx.put(&self.step, "resume", "status = suspended, calls still open")?;
        let metadata = object! {
            "activity" => "awaiting_tool_result",
            "waiting_tool_count" => open.len(),
            "waiting_tool_call_ids" => open,
            "resume_deadline" => stamp(deadline),
        };
        state_event(tx, &self.scope, "suspended", metadata);
        step_event(tx, &self.scope, &self.step.step_id, "completed", &self.new_cards);
        Ok(Vec::new())
    }

    /// Continues the turn at the next epoch.
    fn proceed(mut self, tx: &mut Transaction<'_>) -> Run<Vec<QueuedWork>> {
        let mut head = self.head;
        head.status = HeadStatus::Running;
        head.waiting_tool_count = 0;
        head.resume_deadline = None;
        raise_epoch(tx, &mut head)?;
        tx.put(&head, "resume", "status = suspended, the last call answered")?;
        tx.put(&self.step, "resume", "status = suspended, the last call answered")?;
        step_event(tx, &self.scope, &self.step.step_id, "completed", &self.new_cards);
        self.scope.turn_epoch = head.turn_epoch;
        state_event(tx, &self.scope, "running", object! { "activity" => "thinking" });
        let of = [self.work.agent_id.as_str(), self.work.agent_turn_id.as_str()];
        let steps = tx.list::<StepRow>("by_turn", &of, 64)?;
        let counted = |step: &&StepRow| {
            step.step_id.starts_with("step_")
                && !step.step_id.starts_with("step_res_")
                && !step.step_id.starts_with("step_reap_")
        };
        let count = i64::try_from(steps.iter().filter(counted).count()).unwrap_or(0);
        Ok(vec![self.work.next(head.turn_epoch, count, Some(&self.output))])
    }

    /// Ends the turn with the result of this card.
    fn terminate(mut self, tx: &mut Transaction<'_>, chosen: &StepCard) -> Run<()> {
        let status = result_status(chosen.status.as_deref()).to_owned();
        let success = status == "success";
        let ending = tx.card(&chosen.card_id)?.unwrap_or_else(|| self.card.clone());
        let error = (!success).then(|| error_of(&ending).unwrap_or_else(|| status.clone()));
        let delivered = self.deliver(tx, &ending, &status)?;
        let guard = "a result that ends the turn";
        finish(tx, &self.head, false, Some(&self.output), "resume", guard)?;
        self.step.status = if success { StepStatus::Completed } else { StepStatus::Failed };
        self.step.error.clone_from(&error);
        self.step.ended_at = Some(tx.now());
        self.step.outcome = Some(status.clone());
        tx.put(&self.step, "resume", guard)?;
        let metadata = match &error {
            Some(error) if !success => object! { "error" => error.as_str() },
            Some(_) | None => Object::default(),
        };
        state_event(tx, &self.scope, "idle", metadata);
        let phase = if success { "completed" } else { "failed" };
        step_event(tx, &self.scope, &self.step.step_id, phase, &self.new_cards);
        let end = TaskEnd {
            status,
            deliverable_card_id: Some(delivered),
            tool_result_card_id: Some(card_text(&self.card.card_id)),
            error,
            ..TaskEnd::default()
        };
        task_event(tx, &self.scope, &end, None);
        dispatch_next(tx, &self.work.agent_id, "agent_idle")
    }

    /// Returns the deliverable of the turn, and makes one from the result that ends it if it has none.
    fn deliver(&mut self, tx: &mut Transaction<'_>, ending: &Card, status: &str) -> Run<String> {
        let ids = tx.box_cards(&self.output)?.unwrap_or_default();
        let cards = tx.cards(&ids)?;
        if let Some(card) = deliverable::deliverable(&cards) {
            return Ok(card);
        }
        let reported = text_of(self.arrival.payload, "status");
        let reported = result_status(reported.as_deref());
        let thought = match &ending.content {
            Content::ToolResult(result) => match &result.result {
                Json::String(text) => text.clone(),
                Json::Null => String::new(),
                other => pretty(other),
            },
            other => other.text_view(),
        };
        let mut metadata = self.work.card_metadata(Some(&self.step.step_id));
        metadata.insert("terminated_by_tool".into(), true.into());
        let fallback = Fallback {
            source: "agent_worker.resume_effects.ensure_terminated_deliverable",
            author_id: &self.work.agent_id,
            headline: "Result (turn terminated by tool).",
            reason: &format!("tool_terminated:{reported}"),
            terminal_status: status,
            partial: status != "success",
            thought,
            tool_results: 1,
            diagnostics: object! {
                "task_status" => status,
                "tool_call_id" => self.arrival.call_id.as_str(),
                "resume_status" => reported,
            },
            metadata,
        };
        let made = deliverable::append_fallback(tx, &self.output, fallback)?;
        self.new_cards.push(made.clone());
        Ok(made)
    }
}

/// Returns the error of a result: its message or code, or what its value reports.
fn error_of(card: &Card) -> Option<String> {
    let Content::ToolResult(result) = &card.content else { return None };
    let first = |object: &Object, keys: &[&str]| keys.iter().find_map(|key| text_of(object, key));
    let error = result.error.as_ref().and_then(|error| first(error, &["message", "code"]));
    let keys = ["error_message", "error", "error_code"];
    error.or_else(|| first(result.result.as_object()?, &keys))
}
