//! What the requests on one path share: the hashes and the tokens of its prefixes. A request that
//! extends another one adds only what is new.

use super::body::{Parameter, Parsed, Region};
use super::changes::parameters_before;
use super::hash::Hash;
use super::policy::{CacheMode, CacheRules};
use super::prefix_tokens::{PrefixTokens, Scale};
use super::prefixes::Prefixes;
use super::units::Units;
use std::rc::Rc;

/// A path, from the first unit to the last one of the longest request on it.
pub(super) struct Track<'a> {
    units: Units<'a>,
    seeds: [u64; 3],
    hashes: Rc<Vec<u64>>,
    /// The estimated tokens of each prefix.
    sums: Rc<Vec<u64>>,
    /// The reported tokens of prefixes, by the number of units, in order.
    reports: Rc<Vec<(usize, u64)>>,
    /// The number of reports of the session that were compared with the path.
    read: usize,
}

impl<'a> Track<'a> {
    /// Returns the hashes that distinguish equal units: those of the cache and of the parameters before
    /// each region.
    pub fn seeds(parsed: &Parsed<'_>, rules: &CacheRules, cache: u64) -> [u64; 3] {
        let mut seed = Hash::new();
        seed.number(cache);
        if rules.family == "openai" {
            seed.number(parsed.parameter(Parameter::ServiceTier));
        }
        // a key helps routing, and separates the caches of later models
        if rules.mode == CacheMode::Breakpoints || rules.family == "mistral" {
            seed.number(parsed.parameter(Parameter::CacheKey));
        }
        seed.number(parameters_before(Region::Tools, parsed, rules));
        let [system, messages] =
            [Region::System, Region::Messages].map(|each| parameters_before(each, parsed, rules));
        [seed.finish(), system, messages]
    }

    pub fn new(parsed: &Parsed<'a>, seeds: [u64; 3], scale: &mut Scale) -> Self {
        let units = parsed.units.whole();
        let [mut hash, system, messages] = seeds;
        let mut hashes = Vec::with_capacity(units.len() + 1);
        let mut sums = Vec::with_capacity(units.len() + 1);
        let (mut item, mut sum, mut is_before) = (None, 0, true);
        hashes.push(hash);
        sums.push(sum);
        for (at, unit) in units.iter().enumerate() {
            if at == parsed.tools {
                hash = Hash::join(hash, system);
            }
            if is_before && unit.region == Region::Messages {
                is_before = false;
                hash = Hash::join(hash, messages);
            }
            if item != Some((unit.region, unit.item)) {
                item = Some((unit.region, unit.item));
                hash = Hash::join(hash, 1);
            }
            hash = Hash::join(hash, unit.hash);
            hashes.push(hash);
            sum += scale.estimate(unit);
            sums.push(sum);
        }
        let (hashes, sums) = (Rc::new(hashes), Rc::new(sums));
        Self { units, seeds, hashes, sums, reports: Rc::default(), read: 0 }
    }

    /// Returns true for the track of these units.
    pub fn is_of(&self, units: &Units<'a>, seeds: [u64; 3]) -> bool {
        self.units.shares(units) && self.seeds == seeds
    }

    pub fn prefixes(&self, units: usize) -> Prefixes {
        Prefixes::new(Rc::clone(&self.hashes), units)
    }

    /// Returns the tokens of all prefixes of a request, each at most `total`.
    pub fn prefix_tokens(
        &mut self,
        units: usize,
        scale: &Scale,
        rules: &CacheRules,
        total: Option<u64>,
    ) -> PrefixTokens {
        let new = scale.reports.get(self.read..).unwrap_or_default();
        self.read = scale.reports.len();
        for report in
            new.iter().filter(|report| self.hashes.get(report.units) == Some(&report.prefix))
        {
            let reports = Rc::make_mut(&mut self.reports);
            match reports.binary_search_by_key(&report.units, |(units, _)| *units) {
                Ok(at) => {
                    if let Some((_, tokens)) = reports.get_mut(at) {
                        *tokens = report.tokens;
                    }
                }
                Err(at) => reports.insert(at, (report.units, report.tokens)),
            }
        }
        PrefixTokens::new(
            Rc::clone(&self.sums),
            Rc::clone(&self.reports),
            units,
            scale.ratio(rules),
            total,
        )
    }
}
