//! Tokens of prefixes: from the usage of earlier requests where it is known, else estimated.

use super::body::Unit;
use super::policy::CacheRules;
use crate::value::Map;
use std::rc::Rc;

/// What the session has shown about tokens so far.
pub(super) struct Scale {
    /// Estimates by the hash of a unit.
    estimates: Map<u64, u64>,
    /// The tokens of prefixes that usages reported, in order. A later report replaces an earlier
    /// one.
    pub reports: Vec<Report>,
    /// Reported tokens for each estimated one.
    ratio: Option<f64>,
}

/// The reported tokens of a prefix.
pub(super) struct Report {
    pub units: usize,
    pub prefix: u64,
    pub tokens: u64,
}

/// Tokens of each prefix of a request.
pub(super) struct PrefixTokens {
    /// The estimated tokens of each prefix, by the number of units.
    sums: Rc<Vec<u64>>,
    /// The reported tokens of prefixes, by the number of units, in order.
    reports: Rc<Vec<(usize, u64)>>,
    /// The number of units.
    units: usize,
    ratio: f64,
    /// The reported tokens of the request.
    total: Option<u64>,
}

impl PrefixTokens {
    pub fn new(
        sums: Rc<Vec<u64>>,
        reports: Rc<Vec<(usize, u64)>>,
        units: usize,
        ratio: f64,
        total: Option<u64>,
    ) -> Self {
        Self { sums, reports, units, ratio, total }
    }

    pub fn at(&self, units: usize) -> u64 {
        self.find(units).map_or(0, |(tokens, _)| tokens)
    }

    pub fn is_exact(&self, units: usize) -> bool {
        units == 0 || self.find(units).is_some_and(|(_, exact)| exact)
    }

    pub fn total(&self) -> u64 {
        self.at(self.units)
    }

    /// Returns the estimated tokens of the whole request.
    pub fn estimate(&self) -> u64 {
        self.sum(self.units)
    }

    fn sum(&self, units: usize) -> u64 {
        self.sums.get(units).copied().unwrap_or_default()
    }

    /// Returns the tokens of a prefix, and whether a usage reported them.
    fn find(&self, units: usize) -> Option<(u64, bool)> {
        if units > self.units {
            return None;
        }
        if let Some(total) = self.total.filter(|_| units == self.units) {
            return Some((total, true));
        }
        if units == 0 {
            return Some((0, true));
        }
        let most = self.total.unwrap_or(u64::MAX);
        let earlier = self.reports.partition_point(|(at, _)| *at <= units);
        let report = earlier.checked_sub(1).and_then(|at| self.reports.get(at)).copied();
        let (from, base) = report.unwrap_or_default();
        if from == units {
            return Some((base.min(most), base <= most));
        }
        let more = ((self.sum(units) - self.sum(from)) as f64 * self.ratio).round() as u64;
        Some(((base + more).min(most), false))
    }
}

/// Estimates are made for OpenAI. Claude has more tokens for the same text.
const CLAUDE_RATIO: f64 = 1.2;

impl Scale {
    pub fn new() -> Self {
        Self { estimates: Map::default(), reports: Vec::new(), ratio: None }
    }

    /// Estimates a unit. Equal units are estimated once.
    pub fn estimate(&mut self, unit: &Unit<'_>) -> u64 {
        let known = || self.estimates.get(&unit.hash).copied();
        unit.tokens.or_else(known).unwrap_or_else(|| {
            let own = unit.estimate();
            self.estimates.insert(unit.hash, own);
            own
        })
    }

    /// Returns the reported tokens for each estimated one.
    pub fn ratio(&self, rules: &CacheRules) -> f64 {
        let is_claude = rules.family == "anthropic" || rules.family == "bedrock";
        self.ratio.unwrap_or(if is_claude { CLAUDE_RATIO } else { 1.0 })
    }

    /// Updates the ratio from the reported tokens of a whole request.
    pub fn learn(&mut self, estimate: u64, total: u64) {
        if estimate > 0 && total > 0 {
            self.ratio = Some((total as f64 / estimate as f64).clamp(0.3, 4.0));
        }
    }
}
