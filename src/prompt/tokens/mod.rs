//! The number of tokens of a string, and an account of the tokens of a payload.
//!
//! **Every token of a payload is in exactly one bucket**: a card, a layer or a message, the tool
//! definitions, or the framing that a provider puts around them. It is also in exactly one section:
//! system prompt, tools, media, messages or framing. Every count states whether it is exact or
//! estimated. [`Counter`] is a trait. The built-in [`Estimate`] needs no vocabulary. A host can pass
//! its own exact counter, or [the counts](Counted) of one.
//!
//! ```
//! use tuckbox::Message;
//! use tuckbox::prompt::provider::{Options, Prompt, Provider, payload};
//! use tuckbox::prompt::tokens::{BucketKind, Estimate, account};
//!
//! let prompt = Prompt::new(vec![Message::system("Be brief."), Message::user("Hello there")]);
//! let payload = payload(&prompt, Provider::OpenaiChat, &Options::model("m"))?;
//! let account = account(&payload, &Estimate);
//! assert_eq!(account.buckets.iter().map(|bucket| bucket.tokens).sum::<u64>(), account.tokens);
//! assert_eq!(account.buckets[1].kind, BucketKind::Message { position: 1 });
//! assert_eq!(account.buckets[1].tokens, 2);
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod account;
mod automaton;
mod calibration;
mod counted;
mod estimate;
mod framing;
mod han;
mod leaves;
mod pretokens;
mod rule;
#[cfg(test)]
mod tests;

pub use account::{
    Account, Bucket, BucketKind, MessageCost, Section, SectionKind, ToolCost, account,
};
pub(crate) use account::{turn_framing, turns_total};
pub use calibration::{Calibration, CalibrationRow};
pub use counted::{Counted, texts};
pub(crate) use estimate::estimate_by_table;
pub use estimate::{Estimate, Scaled};
pub use framing::Framing;
pub(crate) use framing::Held;
use leaves::turn_leaves;
pub(crate) use leaves::{Leaf, LeafKind, Owner, leaves};
pub use rule::{CountTokens, CounterInput, HostCounts, TokenTexts};

use crate::value::message::SharedText;
use serde::Serialize;

/// Counts the tokens of a string.
///
/// ```
/// use tuckbox::prompt::tokens::{Counter, TokenCount};
///
/// /// A tokenizer of the host: one token for each word.
/// struct Words;
///
/// impl Counter for Words {
///     fn count(&self, text: &str) -> u64 {
///         text.split_whitespace().count() as u64
///     }
///     fn exact(&self) -> bool {
///         true
///     }
/// }
/// assert_eq!(Words.token_count("notice in calendar days"), TokenCount { tokens: 4, exact: true });
/// ```
pub trait Counter {
    /// Returns the number of tokens of `text`.
    fn count(&self, text: &str) -> u64;
    /// Returns true if counts are exact.
    fn exact(&self) -> bool;
    /// Returns the count of a string, and whether it is exact.
    fn token_count(&self, text: &str) -> TokenCount {
        TokenCount { tokens: self.count(text), exact: self.exact() }
    }
    /// Returns the cost of framing, from an estimate of it.
    fn marks(&self, estimated: u64) -> u64 {
        estimated
    }
    /// Returns the count that this counter caches with the text. `None` if it caches none.
    fn recall(&self, _words: &SharedText) -> Option<TokenCount> {
        None
    }
}

/// A number of tokens, exact or estimated.
///
/// Shown by the example of [`Counter`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TokenCount {
    /// The number.
    pub tokens: u64,
    /// True if the number is exact.
    pub exact: bool,
}

impl TokenCount {
    /// Zero, which is exact.
    pub const ZERO: Self = Self { tokens: 0, exact: true };

    /// Returns an estimate.
    pub const fn estimated(tokens: u64) -> Self {
        Self { tokens, exact: false }
    }
}

/// A sum is exact if all of its parts are.
impl std::ops::AddAssign for TokenCount {
    fn add_assign(&mut self, other: Self) {
        self.tokens += other.tokens;
        self.exact &= other.exact;
    }
}
