//! An entry: what one context sends to a model, one line for each position.

use crate::value::hex::hex;
use sha2::{Digest, Sha256};

/// The number of hexadecimal digits of a hash.
const HASH_DIGITS: usize = 12;

/// The excerpt of text that looks like a secret.
pub(super) const SECRET: &str = "[secret]";

/// An entry of a lockfile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    /// The recorded request or the test that the entry comes from. Missing for the config.
    pub from: Option<String>,
    pub provider: String,
    pub model: Option<String>,
    /// The parameters in the order of their names.
    pub parameters: Vec<Parameter>,
    pub tools: Vec<Tool>,
    pub positions: Vec<Position>,
    /// Lints and conversion changes, in order.
    pub findings: Vec<Finding>,
    /// The tokens of the prefix that a cache can reuse.
    pub prefix: u64,
}

/// A parameter of a request. The value is JSON, `#` and a hash, or `~`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub name: String,
    pub value: String,
}

/// A tool definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tool {
    pub name: String,
    pub tokens: u64,
    /// The hash of everything but the schema.
    pub hash: String,
    pub schema: String,
    pub mark: Option<Mark>,
}

/// A mark of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Default,
    Hour,
}

impl Mark {
    pub const ALL: [(&'static str, Self); 2] = [("cache", Self::Default), ("cache_1h", Self::Hour)];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "cache",
            Self::Hour => "cache_1h",
        }
    }
}

/// A list of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    System,
    Messages,
}

/// One position: a block of the system prompt or of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub list: List,
    /// True if it starts another message of the same role as the position before it.
    pub is_another: bool,
    pub kind: String,
    pub role: String,
    pub content: Content,
    pub cause: String,
    pub mark: Option<Mark>,
    pub excerpt: Option<String>,
}

impl Position {
    /// Returns true if reports and caches can have the text: it is not redacted, and has no secret.
    pub fn is_shown(&self) -> bool {
        self.excerpt.as_deref().is_some_and(|excerpt| excerpt != SECRET)
    }
}

/// The content of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Content that must stay the same.
    Fixed { tokens: u64, hash: String },
    /// Content that can change, within a range of tokens.
    Volatile { least: u64, most: u64 },
}

impl Content {
    /// Returns the range of a volatile position with so many tokens.
    pub fn volatile(tokens: u64) -> Self {
        Self::Volatile { least: tokens / 2, most: (tokens * 2).max(8) }
    }

    /// Returns the tokens that are locked: those of fixed content.
    pub fn tokens(&self) -> u64 {
        match self {
            Self::Fixed { tokens, .. } => *tokens,
            Self::Volatile { .. } => 0,
        }
    }

    pub fn is_volatile(&self) -> bool {
        matches!(self, Self::Volatile { .. })
    }
}

/// A lint or a conversion change, and how often it occurs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    pub kind: FindingKind,
    pub code: String,
    pub count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FindingKind {
    Lint,
    Loss,
}

impl FindingKind {
    pub const ALL: [(&'static str, Self); 2] = [("lint", Self::Lint), ("loss", Self::Loss)];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lint => "lint",
            Self::Loss => "loss",
        }
    }
}

/// The locked tokens of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub tools: u64,
    pub system: u64,
    pub messages: u64,
}

impl Totals {
    pub fn all(self) -> u64 {
        self.tools + self.system + self.messages
    }
}

impl Entry {
    pub fn totals(&self) -> Totals {
        let of = |list: List| {
            let positions = self.positions.iter().filter(|position| position.list == list);
            positions.map(|position| position.content.tokens()).sum()
        };
        Totals {
            tools: self.tools.iter().map(|tool| tool.tokens).sum(),
            system: of(List::System),
            messages: of(List::Messages),
        }
    }

    pub fn is_volatile(&self) -> bool {
        self.positions.iter().any(|position| position.content.is_volatile())
    }

    /// Returns the name of a position: its list and its number in the list.
    pub fn slot(&self, at: usize) -> String {
        let Some(position) = self.positions.get(at) else { return "/end".to_owned() };
        let before = self.positions.iter().take(at).filter(|each| each.list == position.list);
        position.list.slot(before.count())
    }
}

impl List {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Messages => "message",
        }
    }

    pub fn slot(self, number: usize) -> String {
        match self {
            Self::System => format!("/system/{number}"),
            Self::Messages => format!("/messages/{number}"),
        }
    }
}

/// Returns a short hash that is the same on every system.
pub(super) fn short_hash(text: &str) -> String {
    let mut digits = hex(&Sha256::digest(text.as_bytes()));
    digits.truncate(HASH_DIGITS);
    digits
}

/// Returns true for the form of a short hash.
pub(super) fn is_hash(text: &str) -> bool {
    text.len() == HASH_DIGITS
        && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
