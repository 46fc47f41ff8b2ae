//! The end of a turn.

use super::deliverable::{self, Fallback, make};
use super::reads::ROWS_OF_A_TURN;
use super::work::TurnWork;
use crate::run::queue::lease::{queue_row, raise_epoch};
use crate::run::queue::promote::dispatch_next;
use crate::run::rows::status::{HeadStatus, StepStatus};
use crate::run::rows::{Head, Pointers, Resumption, StepRow, Waiting};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{card_text, object, present};
use crate::run::wire::events::{Scope, TaskEnd, state_event, step_event, task_event};
use crate::value::card::{Content, NewCard};
use crate::value::json::{Json, Object};

/// Frees a head: deletes the open calls of its turn, and notes its last output.
pub(crate) fn finish(
    tx: &mut Transaction<'_>,
    head: &Head,
    raise: bool,
    last_output: Option<&str>,
    rule: &'static str,
    guard: &str,
) -> Run<Head> {
    let epoch = head.turn_epoch.to_string();
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    let agent = head.agent_id.clone();
    for row in tx.list::<Waiting>("by_turn", &[&agent, &turn, &epoch], ROWS_OF_A_TURN)? {
        tx.delete(&row, rule, "a call of a turn that ended")?;
    }
    for row in tx.list::<Resumption>("by_turn", &[&agent, &turn, &epoch], ROWS_OF_A_TURN)? {
        tx.delete(&row, rule, "a result for a turn that ended")?;
    }
    let mut free = Head {
        status: HeadStatus::Idle,
        active_agent_turn_id: None,
        active_channel_id: None,
        parent_step_id: None,
        trace_id: None,
        context_box_id: None,
        output_box_id: None,
        expecting_correlation_id: None,
        resume_deadline: None,
        rung_at: None,
        active_recursion_depth: 0,
        waiting_tool_count: 0,
        updated_at: tx.now(),
        ..head.clone()
    };
    if raise {
        raise_epoch(tx, &mut free)?;
    }
    tx.put(&free, rule, guard)?;
    let mut queue = queue_row(tx, &agent)?;
    if queue.status.is_some() {
        queue.active_agent_turn_id = None;
        queue.output_box_id = None;
        queue.channel_id = None;
        queue.status = None;
        tx.put(&queue, rule, "no turn is active")?;
    }
    if let Some(last) = present(last_output) {
        let pointers = tx.get::<Pointers>(&[&agent])?;
        let mut pointers =
            pointers.unwrap_or_else(|| Pointers { agent_id: agent.clone(), ..Pointers::default() });
        pointers.last_output_box_id = Some(last.to_owned());
        pointers.updated_at = tx.now();
        tx.put(&pointers, rule, "the output of the last turn")?;
    }
    Ok(free)
}

/// How a call ends its turn.
pub(crate) struct End {
    pub rule: &'static str,
    pub source: &'static str,
    pub status: &'static str,
    pub error: Option<String>,
    pub code: Option<String>,
    pub raise: bool,
    pub new_cards: Vec<String>,
    /// The card that the turn delivered. The output box is searched by default.
    pub delivered: Option<String>,
    /// The epoch of a turn that a command stopped.
    pub stop: Option<i64>,
}

impl End {
    /// The source of the deliverable of a turn that its own worker ends.
    const WORKER: &str = "agent_worker.react_step.ensure_terminal_deliverable";

    /// The successful end of a turn.
    pub fn success(new_cards: Vec<String>) -> Self {
        Self {
            rule: "complete",
            source: Self::WORKER,
            status: "success",
            error: None,
            code: None,
            raise: false,
            new_cards,
            delivered: None,
            stop: None,
        }
    }

    /// The end of a turn with an error.
    pub fn failure(error: &str, code: Option<&str>, new_cards: Vec<String>) -> Self {
        Self {
            rule: "fail",
            status: "failed",
            error: Some(error.to_owned()),
            code: code.map(str::to_owned),
            ..Self::success(new_cards)
        }
    }

    fn is_partial(&self) -> bool {
        self.status != "success"
    }

    fn reason(&self) -> &str {
        self.error.as_deref().unwrap_or("completed_without_explicit_deliverable")
    }
}

/// Ends a turn: writes its deliverable, frees the head, sends the events and promotes the next turn.
pub(crate) fn end_turn(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    head: &Head,
    step_id: &str,
    mut end: End,
) -> Run<()> {
    let scope = work.scope(head);
    let output = present(work.output_box_id.as_deref()).map(str::to_owned);
    let delivered = match (end.delivered.take(), &output) {
        (Some(card), _) => Some(card),
        (None, Some(output)) => deliver(tx, work, step_id, output, &mut end)?,
        (None, None) => None,
    };
    if let Some(card) = delivered.as_ref().filter(|card| !end.new_cards.contains(card)) {
        end.new_cards.push(card.clone());
    }
    finish(tx, head, end.raise, output.as_deref(), end.rule, "turn and epoch match")?;
    end_step(tx, work, step_id, StepEnd::Turn(end.status, end.error.as_deref()))?;
    send_end(tx, &scope, step_id, delivered, end);
    dispatch_next(tx, &work.agent_id, "agent_idle")
}

/// Returns the deliverable of a turn, and makes one if the turn has none.
fn deliver(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    step_id: &str,
    output: &str,
    end: &mut End,
) -> Run<Option<String>> {
    let Some(card_ids) = tx.box_cards(output)? else { return Ok(None) };
    let cards = tx.cards(&card_ids)?;
    let reason = end.reason().to_owned();
    if let Some(epoch) = end.stop {
        let data = object! { "error" => reason.as_str(), "status" => "failed" };
        let mut metadata = work.card_metadata(Some(step_id));
        metadata.insert("role".into(), "system".into());
        metadata.insert("resume_turn_epoch".into(), epoch.into());
        let content = Content::json(Json::Object(data))?;
        let new = NewCard { metadata, ..NewCard::new("agent.error", "system_pmo", content) };
        let card = card_text(&make(tx, new)?.card_id);
        tx.append(output, std::slice::from_ref(&card))?;
        end.new_cards.push(card);
    }
    if let Some(card) = deliverable::deliverable(&cards) {
        return Ok(Some(card));
    }
    let (thought, tool_results) = deliverable::summary(&cards);
    let mut metadata = work.card_metadata(Some(step_id));
    match end.stop {
        Some(epoch) => {
            metadata.insert("stop_reason".into(), reason.as_str().into());
            metadata.insert("resume_turn_epoch".into(), epoch.into());
        }
        None => drop(metadata.insert("terminal_reason".into(), reason.as_str().into())),
    }
    let partial = end.is_partial();
    let fallback = Fallback {
        source: end.source,
        author_id: &work.agent_id,
        headline: deliverable::headline(partial),
        reason: &reason,
        terminal_status: if partial { "failed" } else { "success" },
        partial,
        thought,
        tool_results,
        diagnostics: Object::default(),
        metadata,
    };
    deliverable::append_fallback(tx, output, fallback).map(Some)
}

fn send_end(
    tx: &mut Transaction<'_>,
    scope: &Scope,
    step_id: &str,
    delivered: Option<String>,
    end: End,
) {
    let partial = end.is_partial();
    let metadata = match &end.error {
        Some(error) if partial => object! { "error" => error.as_str() },
        Some(_) | None => Object::default(),
    };
    state_event(tx, scope, "idle", metadata);
    let phase = if partial { "failed" } else { "completed" };
    step_event(tx, scope, step_id, phase, &end.new_cards);
    let task = TaskEnd {
        status: end.status.to_owned(),
        deliverable_card_id: delivered,
        error: end.error,
        error_code: end.code,
        timed: !partial,
        ..TaskEnd::default()
    };
    task_event(tx, scope, &task, None);
}

/// How a step ends.
pub(crate) enum StepEnd<'a> {
    /// The turn continues with its next step.
    Next,
    /// The turn was released, for this reason.
    Released(&'a str),
    /// The turn ends with this status and error.
    Turn(&'a str, Option<&'a str>),
}

/// Ends a step.
pub(crate) fn end_step(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    step_id: &str,
    end: StepEnd<'_>,
) -> Run<()> {
    if let Some(mut step) = tx.peek::<StepRow>(&[&work.agent_id, step_id])? {
        let (success, error) = match end {
            StepEnd::Next => (true, None),
            StepEnd::Released(reason) => (false, Some(reason)),
            StepEnd::Turn(status, error) => {
                step.outcome = Some(status.to_owned());
                (status == "success", error)
            }
        };
        step.status = if success { StepStatus::Completed } else { StepStatus::Failed };
        step.error = error.filter(|_| !success).map(str::to_owned);
        step.ended_at = Some(tx.now());
        tx.put(&step, "step", "the step of a turn that ended")?;
    }
    Ok(())
}
