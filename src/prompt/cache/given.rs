//! The requests of a session, and what is kept of them.

use super::answer::RecordedTokens;
use super::body::{Parameter, Parsed};
use super::policy::{CacheRules, Surface};
use super::prefixes::Prefixes;
use crate::value::json::Json;

/// A request of the session, as the caller passes it.
pub(super) struct Given<'a> {
    pub parsed: Parsed<'a>,
    pub model: Option<&'a str>,
    pub at: Option<i64>,
    pub first_token_at: Option<i64>,
    pub usage: Option<RecordedTokens>,
    /// Why the usage cannot be used.
    pub contradiction: Option<String>,
    /// The organization or workspace, and the surface, as hashes.
    pub scope: [Option<u64>; 2],
    pub surface: Surface,
    pub diagnostics: Option<&'a Json>,
    pub id: Option<&'a str>,
    /// Regions that the caller reports as missing in the log.
    pub lacks: Vec<&'static str>,
}

impl Given<'_> {
    /// Returns the regions that the log does not have. Messages that call tools which the body does not
    /// define show that its tools are missing.
    pub fn lacking(&self) -> Vec<&'static str> {
        let mut lacks = self.lacks.clone();
        if self.parsed.lacks_tools && !lacks.contains(&"tools") {
            lacks.push("tools");
        }
        lacks
    }

    /// Returns true if the caller reports a region as missing.
    pub fn lacks(&self, region: &str) -> bool {
        self.lacks.contains(&region)
    }
}

/// What a later request needs to know about an earlier one.
pub(super) struct Past<'a> {
    pub given: Given<'a>,
    pub index: usize,
    pub rules: CacheRules,
    pub tier: u64,
    pub key: u64,
    pub marks: usize,
    /// The hash of each prefix.
    pub prefixes: Prefixes,
    /// The end of the last entry: its prefix and its tokens.
    pub last: Option<u64>,
    pub cached: u64,
    /// The tokens up to the last position that it asked to write.
    pub marked: u64,
    /// Whether it was too short, and whether that is sure.
    pub is_below: Option<bool>,
}

/// The end of an earlier request.
#[derive(Clone, Copy)]
pub(super) struct End {
    pub index: usize,
    /// The tokens that it left in the cache.
    pub cached: u64,
    /// The prefix of its last entry.
    pub last: Option<u64>,
}

/// Returns the parameters of a request that name its cache.
pub(super) fn tier_and_key(parsed: &Parsed<'_>) -> (u64, u64) {
    (parsed.parameter(Parameter::ServiceTier), parsed.parameter(Parameter::CacheKey))
}
