//! A card that is kept in memory, with the message it becomes.

use crate::value::CachedMessage;
use crate::value::card::{Card, Liveness};
use crate::value::id::CardId;
use crate::value::time::Timestamp;
use std::sync::OnceLock;

/// A resident card, and what it becomes. The card itself lies apart: to show a thousand cards again
/// only these few fields of each are touched.
#[derive(Clone, Debug)]
pub(crate) struct ResidentCard {
    card: Box<Card>,
    card_id: CardId,
    /// When it was read.
    pub(super) read_at: Timestamp,
    /// It was deleted, or will expire: only then the card says whether it lives.
    is_mortal: bool,
    is_contract: bool,
    /// Nothing where there is more to say about the card than its message.
    message: OnceLock<Option<CachedMessage>>,
}

impl ResidentCard {
    pub fn card(&self) -> &Card {
        &self.card
    }

    pub fn card_id(&self) -> &CardId {
        &self.card_id
    }

    /// As [`Card::liveness`].
    pub fn liveness(&self, now: Timestamp) -> Liveness {
        if self.is_mortal { self.card.liveness(now) } else { Liveness::Live }
    }

    /// As [`Card::is_contract`].
    pub fn is_contract(&self) -> bool {
        self.is_contract
    }

    /// Deletes the card, unless it is deleted already.
    pub fn delete(&mut self, at: Timestamp) {
        self.card.deleted_at.get_or_insert(at);
        self.is_mortal = true;
    }

    /// The message of a card that becomes one and needs no further word; `make` is asked once.
    pub fn message(
        &self,
        make: impl FnOnce(&Card) -> Option<CachedMessage>,
    ) -> Option<&CachedMessage> {
        self.message.get_or_init(|| make(&self.card)).as_ref()
    }
}

/// What a card becomes is known by the card.
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
            is_mortal: card.deleted_at.is_some() || card.expires_at.is_some(),
            is_contract: card.is_contract(),
            card: Box::new(card),
            message: OnceLock::new(),
        }
    }
}
