//! Whether a result can be applied.

use super::ledger::Arrival;
use crate::run::rows::status::{HeadStatus, WaitStatus};
use crate::run::rows::{Head, Resumption, StepCard, Waiting};
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::deliverable::index_card;
use crate::run::turn::work::TurnWork;
use crate::run::values::{key_text, present};
use crate::value::card::Card;
use crate::value::json::Json;

/// Why a result cannot be applied.
pub(super) enum Refusal {
    /// It is tried again after this many milliseconds.
    Retry(i64, &'static str),
    /// It is dropped.
    Dropped(String),
    /// It was applied before.
    Applied,
    /// The turn fails.
    Fails { code: &'static str, message: String },
}

impl Refusal {
    fn fails(code: &'static str, message: &str) -> Self {
        Self::Fails { code, message: message.to_owned() }
    }
}

/// A result that can be applied.
pub(super) struct Applicable {
    pub card: Card,
    /// The cards of all results of its step.
    pub results: Vec<StepCard>,
}

type Checked<T> = Run<Result<T, Refusal>>;

/// Checks the head, the payload, the card, the step and the waiting row, in this order.
pub(super) fn check(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    head: Option<&Head>,
    arrival: &Arrival<'_>,
) -> Checked<Applicable> {
    let Some(head) = head else { return Ok(Err(Refusal::Retry(2000, "state_not_found"))) };
    if let Some(refusal) = refuse_state(work, head).or_else(|| refuse_payload(arrival)) {
        return Ok(Err(refusal));
    }
    let card_id = arrival.card_id.as_deref().unwrap_or_default();
    let Some(card) = find_card(tx, arrival, card_id)? else {
        return Ok(Err(Refusal::Retry(1500, "tool_result_card_not_found")));
    };
    let step_id = match step_of(&card, arrival) {
        Ok(step_id) => step_id,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let known = tx.list::<StepCard>("by_step", &[&step_id], 64)?;
    want_ending(tx, work, head, &known, &arrival.call_id);
    if let Some(refusal) = refuse_thought(&known) {
        return Ok(Err(refusal));
    }
    if let Some(refusal) = refuse_waiting(tx, work, arrival)? {
        return Ok(Err(refusal));
    }
    oldest(tx, arrival, card, known).map(Ok)
}

fn refuse_state(work: &TurnWork, head: &Head) -> Option<Refusal> {
    if !work.holds(head) {
        return Some(Refusal::Dropped("turn_guard_mismatch".into()));
    }
    match head.status {
        HeadStatus::Running => Some(Refusal::Retry(1000, "turn_running_not_suspended")),
        HeadStatus::Idle | HeadStatus::Dispatched => {
            Some(Refusal::Dropped(format!("invalid_state:{}", head.status.as_str())))
        }
        HeadStatus::Suspended => None,
    }
}

fn refuse_payload(arrival: &Arrival<'_>) -> Option<Refusal> {
    if arrival.payload.contains_key("result") {
        let message = "resume payload contains forbidden field 'result'";
        return Some(Refusal::fails("invalid_payload", message));
    }
    if arrival.card_id.is_none() {
        return Some(Refusal::fails("missing_tool_result_card", "missing tool_result_card_id"));
    }
    let after = arrival.payload.get("after_execution").unwrap_or(&Json::Null);
    if matches!(after.as_str(), Some("suspend" | "terminate")) {
        return None;
    }
    let shown = if after.is_null() { "None".to_owned() } else { format!("'{}'", key_text(after)) };
    let message = format!("invalid after_execution={shown}");
    Some(Refusal::fails("invalid_after_execution", &message))
}

/// Returns the card of a result: the one that it names, or that of its call in its step.
fn find_card(tx: &mut Transaction<'_>, arrival: &Arrival<'_>, card_id: &str) -> Run<Option<Card>> {
    let card = tx.card(card_id)?;
    let Some(step_id) = arrival.step_id.as_deref().filter(|_| card.is_none()) else {
        return Ok(card);
    };
    let known = tx.list::<StepCard>("by_step", &[step_id], 64)?;
    let of_call = |known: &&StepCard| {
        known.card_type == "tool.result" && known.tool_call_id.as_deref() == Some(&arrival.call_id)
    };
    match known.iter().find(of_call) {
        Some(known) => tx.card(&known.card_id),
        None => Ok(None),
    }
}

/// Returns the step of a card that holds the result of this call.
fn step_of(card: &Card, arrival: &Arrival<'_>) -> Result<String, Refusal> {
    if card.card_type() != Some("tool.result") {
        let message = "tool_result card has invalid type";
        return Err(Refusal::fails("invalid_tool_result_type", message));
    }
    let in_metadata = card.metadata.get("tool_call_id").and_then(Json::as_str);
    let of_call = card.tool_call_id.as_deref().or(in_metadata) == Some(&arrival.call_id);
    if !of_call && !arrival.call_id.is_empty() {
        return Err(Refusal::fails("tool_call_id_mismatch", "tool_call_id mismatch"));
    }
    let step_id = present(card.metadata.get("step_id").and_then(Json::as_str));
    step_id
        .map(str::to_owned)
        .ok_or_else(|| Refusal::fails("missing_step_id", "tool.result missing step_id"))
}

fn refuse_thought(known: &[StepCard]) -> Option<Refusal> {
    let Some(thought) = known.iter().rfind(|card| card.card_type == "agent.thought") else {
        let message = "agent.thought not found for turn";
        return Some(Refusal::fails("missing_agent_thought", message));
    };
    (thought.calls != Some(true))
        .then(|| Refusal::fails("missing_tool_calls", "no tool_calls found in thought"))
}

fn refuse_waiting(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    arrival: &Arrival<'_>,
) -> Run<Option<Refusal>> {
    let epoch = work.turn_epoch.to_string();
    let key = [work.agent_id.as_str(), work.agent_turn_id.as_str(), &epoch, &arrival.call_id];
    let Some(waiting) = tx.get::<Waiting>(&key)? else {
        return Ok(Some(Refusal::Dropped("tool_call_not_waiting".into())));
    };
    Ok(match waiting.wait_status {
        WaitStatus::Waiting | WaitStatus::Received => None,
        WaitStatus::Applied | WaitStatus::Expired | WaitStatus::Dropped => Some(Refusal::Applied),
    })
}

/// Chooses the oldest result of the call, and indexes the card if it is not known.
fn oldest(
    tx: &mut Transaction<'_>,
    arrival: &Arrival<'_>,
    card: Card,
    known: Vec<StepCard>,
) -> Run<Applicable> {
    let mut results: Vec<StepCard> =
        known.into_iter().filter(|card| card.card_type == "tool.result").collect();
    let of_call = |known: &&StepCard| known.tool_call_id.as_deref() == Some(&arrival.call_id);
    let card = match results.iter().find(of_call) {
        Some(oldest) if oldest.card_id != card.card_id.as_str() => {
            tx.card(&oldest.card_id)?.unwrap_or(card)
        }
        Some(_) => card,
        None => {
            index_card(tx, &card)?;
            results.extend(tx.get::<StepCard>(&[card.card_id.as_str()])?);
            card
        }
    };
    Ok(Applicable { card, results })
}

/// Requests the cards that the end of the turn reads, if a result of the step can end it.
fn want_ending(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    head: &Head,
    known: &[StepCard],
    call_id: &str,
) {
    let results = known.iter().filter(|card| card.card_type == "tool.result");
    let epoch = work.turn_epoch.to_string();
    let mut ends = false;
    for card in results {
        let ending = card.after_execution.as_deref() == Some("terminate");
        let of_call = card.tool_call_id.as_deref() == Some(call_id);
        if ending || of_call {
            tx.want_card(Some(&card.card_id));
        }
        if of_call {
            let of = [work.agent_id.as_str(), &work.agent_turn_id, &epoch, call_id, &card.card_id];
            tx.want::<Resumption>(&of);
        }
        ends |= ending;
    }
    let output = present(work.output_box_id.as_deref()).or(head.output_box_id.as_deref());
    if ends {
        tx.want_cards_of(output);
    }
}
