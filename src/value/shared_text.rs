//! Shared, immutable text.

use crate::value::json::{plain, plain_length};
use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// Immutable text with cached facts. Clones share the text and the facts.
///
/// ```
/// use tuckbox::value::message::SharedText;
///
/// let words = SharedText::from("hello");
/// assert_eq!(words.len(), 5);
/// assert_eq!(words.clone(), words);
/// ```
#[derive(Clone)]
pub struct SharedText(Arc<Inner>);

struct Inner {
    text: String,
    estimate: OnceLock<u64>,
    /// Whether the text needs no escapes.
    is_plain: OnceLock<bool>,
}

impl SharedText {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Returns the estimate of its tokens, computed by `make` on the first call.
    pub(crate) fn estimate(&self, make: impl FnOnce(&str) -> u64) -> u64 {
        *self.0.estimate.get_or_init(|| make(&self.0.text))
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> Self {
        Self(Arc::new(Inner { text, estimate: OnceLock::new(), is_plain: OnceLock::new() }))
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.as_str() == other.as_str()
    }
}

impl Eq for SharedText {}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Serialize for SharedText {
    /// Writes the text. Most text needs no escapes; the check runs once.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Inner { text, is_plain, .. } = &*self.0;
        let is_plain = || *is_plain.get_or_init(|| plain_length(text.as_bytes()) == text.len());
        if !serializer.is_human_readable() && is_plain() {
            return plain(text, serializer);
        }
        serializer.serialize_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::to_text;

    #[test]
    fn text_is_written_the_same_every_time() {
        for given in ["", "plain", "a \"word\"\n", "😀\u{1}"] {
            let text = SharedText::from(given);
            for _ in 0..3 {
                assert_eq!(to_text(&text).unwrap(), to_text(given).unwrap());
            }
        }
    }
}
