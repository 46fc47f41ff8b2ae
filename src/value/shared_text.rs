//! What is said, kept once.

use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A text that is shown and counted again and again. It never changes: clones share it, and the
/// estimate of its tokens once somebody asked.
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
}

impl SharedText {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// The estimate of its tokens, made the first time.
    pub(crate) fn estimate(&self, make: impl FnOnce(&str) -> u64) -> u64 {
        *self.0.estimate.get_or_init(|| make(&self.0.text))
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> Self {
        Self(Arc::new(Inner { text, estimate: OnceLock::new() }))
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
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}
