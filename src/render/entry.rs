//! The result for each card. There are as many entries as cards, so writing one takes few steps.

use crate::CardId;
use crate::value::json::{CLOSE, QUOTE, raw, write_inside, write_string, write_whole};
use serde::{Serialize, Serializer};

/// The result for a card.
///
/// Shown by the example of [`Render`](super::Render).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The card.
    pub card_id: CardId,
    /// The result.
    pub became: Became,
}

/// The result for a card.
///
/// Shown by the examples of the [module](super) and of [`Render`](super::Render).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Became {
    /// The message at this position.
    Message {
        /// The position in [`Rendered::messages`](super::Rendered::messages).
        position: usize,
    },
    /// Tool definitions.
    Tools {
        /// The position of the first in [`Rendered::tools`](super::Rendered::tools).
        first: usize,
        /// The number of definitions.
        count: usize,
    },
    /// Nothing: a model does not see the card.
    Nothing {
        /// The reason.
        reason: Hidden,
    },
}

/// The reason why a card is not in the messages.
///
/// Shown by the example of [`Render`](super::Render).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hidden {
    /// It is the record of a call. The assistant's message has the call itself.
    CallRecord,
    /// The card does not exist in this project.
    Absent,
    /// It was deleted.
    Deleted,
    /// It expired.
    Expired,
    /// The store has the card, but its content is invalid.
    Unreadable,
}

impl Hidden {
    /// Returns the reason with a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = [Self::CallRecord, Self::Absent, Self::Deleted, Self::Expired, Self::Unreadable];
        all.into_iter().find(|reason| reason.as_str() == name)
    }

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CallRecord => "call_record",
            Self::Absent => "absent",
            Self::Deleted => "deleted",
            Self::Expired => "expired",
            Self::Unreadable => "unreadable",
        }
    }
}

impl Serialize for Hidden {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

shape! {
    /// The result for a card: a message, tool definitions, or nothing that a model sees.
    pub struct Entry {
        pub card_id: CardId,
        #[serde(flatten)]
        pub became: Became,
    }

    #[serde(tag = "became", rename_all = "snake_case")]
    pub enum Became {
        Message { position: usize },
        Tools { first: usize, count: usize },
        Nothing { reason: Hidden },
    }

    #[serde(rename_all = "snake_case")]
    pub enum Hidden {
        CallRecord,
        Absent,
        Deleted,
        Expired,
        Unreadable,
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::new();
        write_card_id(&self.card_id, &mut text);
        write_became(self.became, &mut text);
        raw(&text, serializer)
    }
}

/// The cards of a list and the result for each, as two lists of JSON text. The second has about `room`
/// bytes for each card. An id is in both lists and is escaped once.
pub(crate) fn lists<T>(
    entries: &[T],
    room: usize,
    card_id: impl Fn(&T) -> &CardId,
    write_rest: impl Fn(&T, &mut String),
) -> (String, String) {
    let mut ids = String::with_capacity(entries.len() * 40);
    let mut out = String::with_capacity(entries.len() * room);
    for entry in entries {
        let is_first = ids.is_empty();
        ids.push_str(if is_first { "[\"" } else { ",\"" });
        let start = ids.len();
        write_inside(card_id(entry).as_str(), &mut ids);
        ids.push(QUOTE);
        out.push_str(if is_first { r#"[{"card_id":""# } else { r#",{"card_id":""# });
        out.push_str(ids.get(start..).unwrap_or_default());
        write_rest(entry, &mut out);
    }
    for list in [&mut ids, &mut out] {
        list.push_str(if list.is_empty() { "[]" } else { "]" });
    }
    (ids, out)
}

/// Starts an entry with its card.
pub(crate) fn write_card_id(card_id: &CardId, out: &mut String) {
    out.push_str(r#"{"card_id":"#);
    write_string(card_id.as_str(), out);
}

/// Ends an entry with the result.
pub(crate) fn write_became(became: Became, out: &mut String) {
    match became {
        Became::Message { position } => {
            out.push_str(r#","became":"message","position":"#);
            write_whole(position, out);
            out.push(CLOSE);
        }
        Became::Tools { first, count } => {
            out.push_str(r#","became":"tools","first":"#);
            write_whole(first, out);
            out.push_str(r#","count":"#);
            write_whole(count, out);
            out.push(CLOSE);
        }
        Became::Nothing { reason } => {
            out.push_str(r#","became":"nothing","reason":""#);
            out.push_str(reason.as_str());
            out.push_str(r#""}"#);
        }
    }
}
