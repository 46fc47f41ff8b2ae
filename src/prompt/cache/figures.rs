//! Tokens of prefixes: from the usage of earlier requests where it is known, else estimated.

use super::body::Parsed;
use super::policy::CacheRules;
use crate::value::Map;

/// What the session has shown about tokens so far.
pub(super) struct Scale {
    /// Estimates by the hash of a unit.
    estimates: Map<u64, u64>,
    /// Tokens of prefixes that a usage reported.
    pub anchors: Map<u64, u64>,
    /// Reported tokens for each estimated one.
    ratio: Option<f64>,
}

/// Tokens of each prefix of a request.
pub(super) struct Figures {
    /// Tokens of the prefix, and whether a usage reported them, by the number of units.
    tokens: Vec<(u64, bool)>,
    /// Estimated tokens of the whole request.
    pub estimate: u64,
}

impl Figures {
    pub fn at(&self, units: usize) -> u64 {
        self.tokens.get(units).map_or(0, |(tokens, _)| *tokens)
    }

    pub fn is_exact(&self, units: usize) -> bool {
        units == 0 || self.tokens.get(units).is_some_and(|(_, exact)| *exact)
    }

    pub fn total(&self) -> u64 {
        self.tokens.last().map_or(0, |(tokens, _)| *tokens)
    }
}

/// Estimates are made for OpenAI. Claude has more tokens for the same text.
const CLAUDE_RATIO: f64 = 1.2;

impl Scale {
    pub fn new() -> Self {
        Self { estimates: Map::default(), anchors: Map::default(), ratio: None }
    }

    /// Returns the tokens of all prefixes, each at most `total`.
    pub fn figures(
        &mut self,
        parsed: &Parsed<'_>,
        prefixes: &[u64],
        rules: &CacheRules,
        total: Option<u64>,
    ) -> Figures {
        let default = if rules.family == "anthropic" || rules.family == "bedrock" {
            CLAUDE_RATIO
        } else {
            1.0
        };
        let ratio = self.ratio.unwrap_or(default);
        let most = total.unwrap_or(u64::MAX);
        let mut tokens = Vec::with_capacity(parsed.units.len() + 1);
        tokens.push((0, true));
        let has_anchors = !self.anchors.is_empty();
        let (mut base, mut since, mut estimate) = (0_u64, 0_u64, 0_u64);
        for (at, unit) in parsed.units.iter().enumerate() {
            let known = || self.estimates.get(&unit.hash).copied();
            let own = unit.tokens.or_else(known).unwrap_or_else(|| {
                let own = unit.estimate();
                self.estimates.insert(unit.hash, own);
                own
            });
            estimate += own;
            since += own;
            let prefix = prefixes.get(at + 1).filter(|_| has_anchors);
            let anchor = prefix.and_then(|prefix| self.anchors.get(prefix));
            match anchor {
                Some(anchor) => {
                    (base, since) = (*anchor, 0);
                    tokens.push(((*anchor).min(most), *anchor <= most));
                }
                None => {
                    let more = (since as f64 * ratio).round() as u64;
                    tokens.push(((base + more).min(most), false));
                }
            }
        }
        if let (Some(total), Some(last)) = (total, tokens.last_mut()) {
            *last = (total, true);
        }
        Figures { tokens, estimate }
    }

    /// Learns from the reported tokens of a whole request.
    pub fn learn(&mut self, estimate: u64, total: u64) {
        if estimate > 0 && total > 0 {
            self.ratio = Some((total as f64 / estimate as f64).clamp(0.3, 4.0));
        }
    }
}
