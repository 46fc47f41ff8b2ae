//! A lint is what a rule noticed and did not refuse: a stable code, the path of the value, a sentence.
//!
//! Where a recorded system quietly ignores or coerces a value, the result here is the same, and a
//! lint says so.
//!
//! ```
//! use tuckbox::{Lint, Path};
//!
//! let lint = Lint::new("blank_query", Path::root().key("query"), "the query is blank");
//! assert_eq!(lint.to_string(), "blank_query at `query`: the query is blank");
//! ```

use crate::Path;
use serde::Serialize;
use std::fmt;

/// One remark about the caller's value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lint {
    /// What it is about. Stable, snake_case, part of the wire format.
    pub code: &'static str,
    /// Where the value is.
    pub path: Path,
    /// One sentence for a person, in the style of an error message.
    pub message: String,
    /// The card it is about, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<String>,
}

impl Lint {
    /// A remark about the value at `path`.
    pub fn new(code: &'static str, path: Path, message: impl Into<String>) -> Self {
        Self { code, path, message: message.into(), card_id: None }
    }

    /// The same remark, about a card.
    #[must_use]
    pub fn about_card(mut self, card_id: impl Into<String>) -> Self {
        self.card_id = Some(card_id.into());
        self
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at `{}`: {}", self.code, self.path, self.message)
    }
}
