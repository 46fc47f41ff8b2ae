//! A card in memory with its rendered message.

use crate::value::CachedMessage;
use crate::value::card::{Card, Liveness};
use crate::value::id::CardId;
use crate::value::time::Timestamp;
use std::sync::OnceLock;

/// A card in memory with its rendered message.
///
/// The card itself is boxed, so that showing many cards again reads only these few fields.
#[derive(Clone, Debug)]
pub(crate) struct ResidentCard {
    card: Box<Card>,
    card_id: CardId,
    /// The time at which the card was read.
    pub(super) read_at: Timestamp,
    /// Whether the card is deleted or expires. Otherwise it is always live.
    needs_liveness_check: bool,
    is_contract: bool,
    /// The message; `None` if rendering the card has more results than a message.
    message: OnceLock<Option<CachedMessage>>,
}

impl ResidentCard {
    pub fn card(&self) -> &Card {
        &self.card
    }

    pub fn card_id(&self) -> &CardId {
        &self.card_id
    }

    /// Returns the state of the card at `now`; see [`Card::liveness`].
    pub fn liveness(&self, now: Timestamp) -> Liveness {
        if self.needs_liveness_check { self.card.liveness(now) } else { Liveness::Live }
    }

    /// Returns whether the card is a contract; see [`Card::is_contract`].
    pub fn is_contract(&self) -> bool {
        self.is_contract
    }

    /// Deletes the card, unless it is already deleted.
    pub fn delete(&mut self, at: Timestamp) {
        self.card.deleted_at.get_or_insert(at);
        self.needs_liveness_check = true;
    }

    /// Returns the message of a card that renders to exactly one message.
    ///
    /// Calls `make` at most once.
    pub fn message(
        &self,
        make: impl FnOnce(&Card) -> Option<CachedMessage>,
    ) -> Option<&CachedMessage> {
        self.message.get_or_init(|| make(&self.card)).as_ref()
    }
}

/// Compares the cards, which determine their messages.
impl PartialEq for ResidentCard {
    fn eq(&self, other: &Self) -> bool {
        self.card == other.card
    }
}

impl From<Card> for ResidentCard {
    fn from(card: Card) -> Self {
        Self {
            card_id: card.card_id.clone(),
            read_at: Timestamp::MIN,
            needs_liveness_check: card.deleted_at.is_some() || card.expires_at.is_some(),
            is_contract: card.is_contract(),
            card: Box::new(card),
            message: OnceLock::new(),
        }
    }
}
