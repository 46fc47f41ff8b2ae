//! Renders cards as messages for a model.
//!
//! **A card becomes one message, tool definitions, or nothing, and [`Rendered`] reports which.** The
//! role is `metadata.role`. Tool definitions are separate from the conversation. The record of a call
//! (`ToolCallContent`) is not shown, because the assistant's message has its `tool_calls`. Data becomes
//! JSON text with the keys in the order of the card.
//!
//! ```
//! use tuckbox::value::json::{Field, Json};
//! use tuckbox::render::{Became, render_cards};
//! use tuckbox::{Card, Env, Message, Timestamp};
//!
//! let mut minter = Env::new(Timestamp::from_millis(0), [0; 32]).minter();
//! let wire = Json::parse(r#"{"card_id": "c1", "metadata": {"role": "user"},
//!     "content": {"__type__": "JsonContent", "data": {"城市": ["北京", 1.50]}}}"#)?;
//! let card = Card::from_wire(&Field::root(&wire), &mut minter)?;
//!
//! let rendered = render_cards([&card]);
//! assert_eq!(rendered.messages, [Message::user(r#"{"城市": ["北京", 1.5]}"#)]);
//! assert_eq!(rendered.entries[0].became, Became::Message { position: 0 });
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod card;
mod entry;
mod lint;
mod reasoning;
mod rule;
mod showing;
#[cfg(test)]
mod tests;

pub use card::{MESSAGE_PARTS, Piece, render_card};
pub use entry::{Became, Entry, Hidden};
pub(crate) use entry::{lists, write_became, write_card_id};
pub use lint::RenderLint;
pub use reasoning::{REASONING, THINKING_BLOCKS};
pub use rule::{Render, Source};
pub(crate) use showing::Showing;

use crate::store::ResidentCard;
use crate::value::CachedMessage;
use crate::value::json::{Object, Raw};
use crate::{Card, CardId, Error, Lint, Path};
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// A list of rendered cards.
///
/// Shown by the example of [`render_cards`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rendered {
    /// The messages, in order.
    pub messages: Vec<CachedMessage>,
    /// The tool definitions of all cards, in order.
    pub tools: Vec<Object>,
    /// The result for every requested card, in order, including missing ones. In JSON, `source_card_ids`
    /// lists the cards before them.
    pub entries: Vec<Entry>,
    /// The warnings.
    pub lints: Vec<Lint>,
}

shape! {
    /// A list of rendered cards.
    pub struct Rendered {
        /// The messages, in order.
        pub messages: Vec<CachedMessage>,
        /// The tool definitions of all cards, in order.
        pub tools: Maybe<Vec<Object>>,
        /// Every requested card, in order, including missing ones.
        pub source_card_ids: Vec<CardId>,
        /// The result for each of them, in the same order.
        pub entries: Vec<Entry>,
    }
}

impl Serialize for Rendered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (ids, entries) = lists(
            &self.entries,
            96,
            |entry| &entry.card_id,
            |entry, out| write_became(entry.became, out),
        );
        let mut fields = serializer.serialize_struct("Rendered", 5)?;
        fields.serialize_field("messages", &self.messages)?;
        if !self.tools.is_empty() {
            fields.serialize_field("tools", &self.tools)?;
        }
        fields.serialize_field("source_card_ids", &Raw(&ids))?;
        fields.serialize_field("entries", &Raw(&entries))?;
        if !self.lints.is_empty() {
            fields.serialize_field("lints", &self.lints)?;
        }
        fields.end()
    }
}

/// Renders cards in order.
///
/// ```
/// use tuckbox::render::{RenderLint, render_cards};
/// # use tuckbox::{Card, json, value::json::Field};
/// let card = json!({"card_id": "c1", "metadata": {"role": "narrator"}, "content": {"__type__": "TextContent", "text": "Night."}});
/// let rendered = render_cards([&Card::from_row(&Field::root(&card))?]);
/// assert_eq!(rendered.messages.len(), 1);
/// assert_eq!(rendered.lints[0].code, RenderLint::UnknownRole);
/// assert_eq!(rendered.message_card_ids().next().unwrap(), "c1");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn render_cards<'a>(cards: impl IntoIterator<Item = &'a Card>) -> Rendered {
    let mut rendered = Rendered::default();
    for card in cards {
        rendered.push(card);
    }
    rendered
}

impl Rendered {
    /// Creates an empty list with capacity for a number of messages.
    pub(crate) fn with_capacity(cards: usize) -> Self {
        Self {
            messages: Vec::with_capacity(cards),
            entries: Vec::with_capacity(cards),
            ..Self::default()
        }
    }

    /// Renders and appends a card.
    pub fn push(&mut self, card: &Card) {
        let path = Path::root().key("card_ids").index(self.entries.len());
        let became = match render_card(card) {
            Piece::Message(message) => {
                self.messages.push(CachedMessage::from(*message));
                Became::Message { position: self.messages.len() - 1 }
            }
            Piece::Tools(tools) => {
                let first = self.tools.len();
                self.tools.extend_from_slice(tools);
                Became::Tools { first, count: tools.len() }
            }
            Piece::CallRecord => Became::Nothing { reason: Hidden::CallRecord },
        };
        card::lints(card, &path, &mut self.lints);
        self.enter(card.card_id.clone(), became);
    }

    /// Renders and appends a resident card. The caller passes the id, which saves a lookup.
    pub(crate) fn push_resident(&mut self, kept: &ResidentCard, card_id: &CardId) {
        let plain = |card: &Card| match render_card(card) {
            Piece::Message(message) => {
                let mut noted = Vec::new();
                card::lints(card, &Path::root(), &mut noted);
                noted.is_empty().then(|| CachedMessage::from(*message))
            }
            Piece::Tools(_) | Piece::CallRecord => None,
        };
        match kept.message(plain) {
            Some(message) => {
                self.messages.push(message.clone());
                let became = Became::Message { position: self.messages.len() - 1 };
                self.enter(card_id.clone(), became);
            }
            None => self.push(kept.card()),
        }
    }

    /// Appends an entry for a card that is not shown.
    pub(crate) fn push_missing(&mut self, card_id: CardId, reason: Hidden) {
        let path = Path::root().key("card_ids").index(self.entries.len());
        let word = match reason {
            Hidden::CallRecord => "not shown",
            Hidden::Absent => "not in this project",
            Hidden::Deleted => "deleted",
            Hidden::Expired => "expired",
            Hidden::Unreadable => "unreadable",
        };
        let message = format!("card `{card_id}` is {word} and the model will not see it");
        self.lints.push(Lint::new(RenderLint::MissingCard, path, message));
        self.enter(card_id, Became::Nothing { reason });
    }

    /// Appends an entry for a stored card whose content is invalid.
    pub(crate) fn push_unreadable(&mut self, card_id: CardId, why: &Error) {
        let path = Path::root().key("card_ids").index(self.entries.len());
        let message = format!("{}; the model will not see it", why.message());
        self.lints.push(
            Lint::new(RenderLint::UnreadableCard, path, message).about_card(card_id.as_str()),
        );
        self.enter(card_id, Became::Nothing { reason: Hidden::Unreadable });
    }

    /// Returns the card of each message, in the order of the messages.
    pub fn message_card_ids(&self) -> impl Iterator<Item = &CardId> {
        self.entries.iter().filter_map(|entry| match entry.became {
            Became::Message { .. } => Some(&entry.card_id),
            Became::Tools { .. } | Became::Nothing { .. } => None,
        })
    }

    fn enter(&mut self, card_id: CardId, became: Became) {
        self.entries.push(Entry { card_id, became });
    }
}
