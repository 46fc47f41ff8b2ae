//! Conversations: turns that share one history.
//!
//! A conversation is a box. It is the context of each of its turns. When a turn is promoted, its
//! message enters the box, after the output of the turn before. So a message that waits in a queue is
//! not in the history of the turns before it.

use crate::rule::box_turns::{ALL, FIRST};
use crate::run::rows::status::HeadStatus;
use crate::run::rows::{BoxTurn, Head};
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::deliverable::is_fallback;
use crate::run::values::{card_text, text_of};
use crate::value::card::Card;
use crate::value::json::Object;

/// The key of a turn's message in its payload.
pub(super) const CARD: &str = "conversation_card_id";

/// The start of a message's card id. The rest is the output box of its turn.
const MESSAGE: &str = "said_";

/// Returns the card id of the message whose turn has this output box.
pub(super) fn message_id(output_box_id: &str) -> String {
    format!("{MESSAGE}{output_box_id}")
}

/// The message of a turn and its conversation.
struct Entry {
    card_id: String,
    box_id: String,
}

impl Entry {
    fn of(payload: &Object) -> Option<Self> {
        let card_id = text_of(payload, CARD)?;
        Some(Self { card_id, box_id: text_of(payload, "context_box_id")? })
    }
}

/// Returns true if no other turn of the conversation runs. The commit depends on it.
pub(super) fn is_free(tx: &mut Transaction<'_>, payload: &Object) -> Run<bool> {
    let Some(entry) = Entry::of(payload) else { return Ok(true) };
    tx.want::<BoxTurn>(&[&entry.box_id]);
    tx.want_list::<Head>("by_context", &[&entry.box_id], FIRST);
    tx.want_box(Some(&entry.box_id));
    tx.peek::<BoxTurn>(&[&entry.box_id])?;
    let mut heads = tx.list::<Head>("by_context", &[&entry.box_id], FIRST)?;
    if heads.len() >= FIRST {
        heads = tx.list::<Head>("by_context", &[&entry.box_id], ALL)?;
    }
    Ok(heads.iter().all(|head| head.status == HeadStatus::Idle))
}

/// Appends the output of the turn before and the message of a turn to their conversation.
pub(super) fn enter(tx: &mut Transaction<'_>, payload: &Object) -> Run<()> {
    let Some(entry) = Entry::of(payload) else { return Ok(()) };
    let known = tx.box_cards(&entry.box_id)?.unwrap_or_default();
    if known.contains(&entry.card_id) {
        return Ok(());
    }
    let mut added = match known.iter().rev().find_map(|card_id| card_id.strip_prefix(MESSAGE)) {
        Some(output) => output_of(tx, output, &known)?,
        None => Vec::new(),
    };
    added.push(entry.card_id);
    tx.append(&entry.box_id, &added)
}

/// Returns the cards of an output box that belong to the history. Returns none if the history has a
/// part of them: it is a fork then.
fn output_of(tx: &mut Transaction<'_>, output: &str, known: &[String]) -> Run<Vec<String>> {
    let card_ids = tx.box_cards(output)?.unwrap_or_default();
    if card_ids.iter().any(|card_id| known.contains(card_id)) {
        return Ok(Vec::new());
    }
    let cards = tx.cards(&card_ids)?;
    Ok(cards.iter().filter(|card| is_readable(card)).map(|card| card_text(&card.card_id)).collect())
}

/// Returns true for a card that a later turn of the conversation reads. Errors and deliverables that
/// the rules write are for people and batches.
fn is_readable(card: &Card) -> bool {
    match card.card_type() {
        Some("agent.error") => false,
        Some("task.deliverable") => !is_fallback(card),
        _ => true,
    }
}
