//! Lints: findings that do not fail a call. Each has a stable code, a path and a message.
//!
//! If a reference system silently ignores or coerces a value, this crate returns the same result
//! with a lint.
//!
//! ```
//! use tuckbox::prompt::PromptLint;
//! use tuckbox::{Lint, Path};
//!
//! let lint = Lint::new(PromptLint::BlankQuery, Path::root().key("query"), "the query is blank");
//! assert_eq!(lint.to_string(), "blank_query at `query`: the query is blank");
//! assert_eq!(lint.code, PromptLint::BlankQuery);
//! ```
//!
//! Every group declares its codes as an enum, such as [`PackLint`](crate::pack::PackLint).
//! `docs/reference/errors-and-lints.md` lists all codes.

use crate::Path;
use serde::Serialize;
use std::fmt;

/// A lint code that a group declares. Codes are stable, in snake_case, and part of the wire format.
///
/// ```
/// use tuckbox::pack::PackLint;
/// use tuckbox::rule::lint::LintCode;
///
/// let code = LintCode::from(PackLint::TruthyText);
/// assert_eq!(code.as_str(), "truthy_text");
/// assert_eq!(code, PackLint::TruthyText);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct LintCode(&'static str);

impl LintCode {
    /// Creates a code. Only the macro of declared codes calls it.
    pub(crate) const fn declared(code: &'static str) -> Self {
        Self(code)
    }

    /// Returns the code as on the wire.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for LintCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for LintCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

impl PartialEq<&str> for LintCode {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

/// Declares the codes of a group's lints.
macro_rules! lint_codes {
    ($(#[$attribute:meta])* $vis:vis enum $codes:ident { $($all:tt)+ }) => {
        crate::value::code::codes! { $(#[$attribute])* $vis enum $codes { $($all)+ } }
        crate::rule::lint::as_lint_code! { $codes }
    };
}

/// Converts an enum of codes to lint codes.
macro_rules! as_lint_code {
    ($codes:ident) => {
        impl From<$codes> for crate::rule::lint::LintCode {
            fn from(code: $codes) -> Self {
                Self::declared(code.as_str())
            }
        }

        impl PartialEq<$codes> for crate::rule::lint::LintCode {
            fn eq(&self, other: &$codes) -> bool {
                self.as_str() == other.as_str()
            }
        }
    };
}

pub(crate) use {as_lint_code, lint_codes};

/// A finding about a value of the caller.
///
/// ```
/// use tuckbox::pack::PackLint;
/// use tuckbox::{Lint, Path};
///
/// let lint = Lint::new(PackLint::InheritedCardExpired, Path::root().key("boxes").index(0), "card `n1` has expired");
/// assert_eq!(lint.about_card("n1").card_id.as_deref(), Some("n1"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lint {
    /// The code.
    pub code: LintCode,
    /// The path of the value.
    pub path: Path,
    /// One sentence for users, in the style of an error message.
    pub message: String,
    /// The card that the lint is about, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<String>,
}

impl Lint {
    /// Creates a lint about the value at `path`.
    pub fn new(code: impl Into<LintCode>, path: Path, message: impl Into<String>) -> Self {
        Self { code: code.into(), path, message: message.into(), card_id: None }
    }

    /// Returns the lint with the card that it is about.
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
