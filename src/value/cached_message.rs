//! Messages with a cache of their JSON text.
//!
//! Cards are immutable, so the message of a card never changes. A resident card is rendered once;
//! later renders copy the cached text.

use super::json::{raw, to_text};
use super::message::Message;
use serde::ser::{Error, Serialize, Serializer};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A message with a cache of its JSON text. Clones share both.
///
/// ```
/// use tuckbox::Message;
/// use tuckbox::value::json::to_text;
/// use tuckbox::value::CachedMessage;
///
/// let cached = CachedMessage::from(Message::user("go"));
/// assert_eq!(cached.role, Message::user("").role);
/// assert_eq!(to_text(&cached)?, r#"{"role":"user","content":"go"}"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CachedMessage(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    text: OnceLock<String>,
    bytes: usize,
    /// Boxed, because readers rarely use it once the text is cached.
    message: Box<Message>,
}

impl CachedMessage {
    /// Returns the approximate length of the message in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// Returns the message itself.
    pub(crate) fn into_message(self) -> Message {
        match Arc::try_unwrap(self.0) {
            Ok(inner) => *inner.message,
            Err(shared) => Message::clone(&shared.message),
        }
    }
}

impl From<Message> for CachedMessage {
    fn from(message: Message) -> Self {
        let bytes = message.weight();
        Self(Arc::new(Inner { text: OnceLock::new(), bytes, message: Box::new(message) }))
    }
}

impl Deref for CachedMessage {
    type Target = Message;

    fn deref(&self) -> &Message {
        &self.0.message
    }
}

impl PartialEq for CachedMessage {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl PartialEq<Message> for CachedMessage {
    fn eq(&self, other: &Message) -> bool {
        **self == *other
    }
}

shape! {
    pub type CachedMessage = Message;
}

impl Serialize for CachedMessage {
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
