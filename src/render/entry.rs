//! What became of each card. There are as many entries as cards, so they are written in few steps.

use crate::CardId;
use crate::value::json::{CLOSE, QUOTE, raw, write_inside, write_string, write_whole};
use serde::{Serialize, Serializer};

/// What one card became.
///
/// Shown by the example of [`Render`](super::Render).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The card.
    pub card_id: CardId,
    /// What it became.
    pub became: Became,
}

/// What a card became.
///
/// Shown by the examples of the [module](super) and of [`Render`](super::Render).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Became {
    /// The message at this position.
    Message {
        /// In [`Rendered::messages`](super::Rendered::messages).
        position: usize,
    },
    /// Tool definitions.
    Tools {
        /// The position of the first in [`Rendered::tools`](super::Rendered::tools).
        first: usize,
        /// How many.
        count: usize,
    },
    /// Nothing that a model sees.
    Nothing {
        /// Why.
        reason: Hidden,
    },
}

/// Why a card is not seen.
///
/// Shown by the example of [`Render`](super::Render).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hidden {
    /// It records a call; the assistant's message holds the call itself.
    CallRecord,
    /// The card does not exist in this project.
    Absent,
    /// It was deleted.
    Deleted,
    /// Its time is over.
    Expired,
    /// It is there, and what it holds cannot be read.
    Unreadable,
}

impl Hidden {
    /// The reason of this name on the wire.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = [Self::CallRecord, Self::Absent, Self::Deleted, Self::Expired, Self::Unreadable];
        all.into_iter().find(|reason| reason.as_str() == name)
    }

    /// The name on the wire.
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
    /// What one card became: a message, tool definitions, or nothing that a model sees.
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

/// The cards of a list, and what became of each: two lists as JSON text, the second with about `room`
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

/// Opens an entry: whose it is.
pub(crate) fn write_card_id(card_id: &CardId, out: &mut String) {
    out.push_str(r#"{"card_id":"#);
    write_string(card_id.as_str(), out);
}

/// Closes an entry: what the card became.
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
