//! Messages that are shown again and again.
//!
//! A card never changes, so what it becomes never does. A resident card is rendered once; showing
//! it the next time copies text.

use super::card::{Piece, lints, render_card};
use crate::json::{raw, to_text};
use crate::{Card, CardId, Liveness, Message, Path, Timestamp};
use serde::ser::{Error, Serialize, Serializer};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A message, and its JSON text once somebody asked for it. Clones share both.
///
/// ```
/// use tuckbox::Message;
/// use tuckbox::json::to_text;
/// use tuckbox::render::Shown;
///
/// let shown = Shown::from(Message::user("go"));
/// assert_eq!(shown.role, Message::user("").role);
/// assert_eq!(to_text(&shown)?, r#"{"role":"user","content":"go"}"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Shown(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    text: OnceLock<String>,
    /// Apart, since it is seldom looked at once there is text.
    message: Box<Message>,
}

impl Shown {
    /// The message itself.
    pub fn into_message(self) -> Message {
        match Arc::try_unwrap(self.0) {
            Ok(inner) => *inner.message,
            Err(shared) => Message::clone(&shared.message),
        }
    }
}

impl From<Message> for Shown {
    fn from(message: Message) -> Self {
        Self(Arc::new(Inner { text: OnceLock::new(), message: Box::new(message) }))
    }
}

impl Deref for Shown {
    type Target = Message;

    fn deref(&self) -> &Message {
        &self.0.message
    }
}

impl PartialEq for Shown {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl PartialEq<Message> for Shown {
    fn eq(&self, other: &Message) -> bool {
        **self == *other
    }
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return self.0.message.serialize(serializer);
        }
        let text = match self.0.text.get() {
            Some(text) => text,
            None => {
                let text = to_text(&*self.0.message).map_err(S::Error::custom)?;
                self.0.text.get_or_init(|| text)
            }
        };
        raw(text, serializer)
    }
}

/// A resident card, and what it becomes. The card itself lies apart: to show a thousand cards again
/// only these few fields of each are touched.
#[derive(Clone, Debug)]
pub(crate) struct KeptCard {
    card: Box<Card>,
    card_id: CardId,
    /// It was deleted, or will expire: only then the card says whether it lives.
    is_mortal: bool,
    /// Nothing where there is more to say about the card than its message.
    shown: OnceLock<Option<Shown>>,
}

impl KeptCard {
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

    /// Deletes the card, unless it is deleted already.
    pub fn delete(&mut self, at: Timestamp) {
        self.card.deleted_at.get_or_insert(at);
        self.is_mortal = true;
    }

    /// The message of a card that becomes one and needs no further word.
    pub fn shown(&self) -> Option<&Shown> {
        let make = || match render_card(&self.card) {
            Piece::Message(message) => {
                let mut said = Vec::new();
                lints(&self.card, &Path::root(), &mut said);
                said.is_empty().then(|| Shown::from(*message))
            }
            Piece::Tools(_) | Piece::CallRecord => None,
        };
        self.shown.get_or_init(make).as_ref()
    }
}

/// What a card becomes is known by the card.
impl PartialEq for KeptCard {
    fn eq(&self, other: &Self) -> bool {
        self.card == other.card
    }
}

impl From<Card> for KeptCard {
    fn from(card: Card) -> Self {
        Self {
            card_id: card.card_id.clone(),
            is_mortal: card.deleted_at.is_some() || card.expires_at.is_some(),
            card: Box::new(card),
            shown: OnceLock::new(),
        }
    }
}
