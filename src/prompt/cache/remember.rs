//! What the walk keeps of a request.

use super::entries::{Entry, Positions, State};
use super::given::{End, Given, Past, tier_and_key};
use super::policy::{CacheMode, CacheRules, Lifetime};
use super::prefix_tokens::{PrefixTokens, Report};
use super::prefixes::Prefixes;
use super::walk::Walk;

/// The number of requests that are kept whole: enough for a few agents that alternate.
pub(super) const MAX_RECENT: usize = 8;

/// What a request shows without the ones before it.
pub(super) struct Own {
    pub prefix_tokens: PrefixTokens,
    pub positions: Positions,
    /// Whether the request is shorter than the provider caches: see [`Past::is_below`].
    pub is_below: Option<bool>,
    /// True if the provider refuses the request.
    pub is_refused: bool,
}

impl<'a> Walk<'a, '_> {
    /// Keeps a request: its entries, its tokens and its content. `live` is the length of the prefix that
    /// it reads.
    pub(super) fn remember(
        &mut self,
        given: Given<'a>,
        rules: CacheRules,
        prefixes: Prefixes,
        marks: usize,
        live: usize,
        own: &Own,
    ) {
        let end = given.parsed.units.len();
        let last = self.write_entries(&given, &rules, &prefixes, own);
        // a read renews the entry
        if live > 0
            && let Some(prefix) = prefixes.get(live)
            && let Some(entry) = self.entries.get_mut(prefix)
            && given.at.is_some()
        {
            entry.used_at = given.at;
        }
        let cached = self.cached(&given, &rules, &prefixes, own, last.is_some());
        let index = self.index;
        if let Some(prefix) = prefixes.last() {
            self.ends.insert(*prefix, End { index, cached, last });
        }
        if self.recent.len() == MAX_RECENT {
            self.recent.pop_front();
        }
        let (tier, key) = tier_and_key(&given.parsed);
        self.recent.push_back(Past {
            given,
            index,
            rules,
            tier,
            key,
            marks,
            prefixes,
            last,
            cached,
            marked: own.prefix_tokens.at(own.positions.end(&rules, end)),
            is_below: own.is_below,
        });
    }

    /// Writes the entries of a request. Returns the prefix of the last one.
    fn write_entries(
        &mut self,
        given: &Given<'a>,
        rules: &CacheRules,
        prefixes: &[u64],
        Own { prefix_tokens, positions, is_below, is_refused }: &Own,
    ) -> Option<u64> {
        let is_marked = matches!(rules.mode, CacheMode::Marked | CacheMode::Breakpoints);
        // a usage without reads and writes shows that nothing was written
        let wrote_nothing = *is_refused
            || rules.mode == CacheMode::Marked
                && given.usage.is_some_and(|usage| usage.read + usage.write == 0);
        if wrote_nothing {
            return None;
        }
        let minimum = rules.minimum.unwrap_or(0);
        let mut last = None;
        for (at, lifetime) in &positions.writes {
            let Some(prefix) = prefixes.get(*at) else { continue };
            if is_marked && is_below.is_some() && prefix_tokens.at(*at) < minimum {
                continue;
            }
            self.write(*prefix, *lifetime, given);
            last = Some(*prefix);
        }
        last
    }

    /// Returns the tokens that the cache has of a request. Learns from its usage.
    fn cached(
        &mut self,
        given: &Given<'a>,
        rules: &CacheRules,
        prefixes: &[u64],
        Own { prefix_tokens, positions, .. }: &Own,
        has_entry: bool,
    ) -> u64 {
        let estimated = match rules.mode {
            CacheMode::Marked | CacheMode::Breakpoints if has_entry => {
                prefix_tokens.at(positions.written)
            }
            CacheMode::Prefix | CacheMode::Units => prefix_tokens.total(),
            CacheMode::Marked | CacheMode::Breakpoints | CacheMode::Unknown => 0,
        };
        let Some(usage) = given.usage else { return estimated };
        if given.lacking().is_empty() {
            self.scale.learn(prefix_tokens.estimate(), usage.total());
        }
        let stated = usage.read + usage.write;
        let is_stated = match rules.mode {
            CacheMode::Marked => stated > 0,
            // a usage without writes does not state the size of the entry
            CacheMode::Breakpoints => usage.write > 0,
            CacheMode::Prefix | CacheMode::Units | CacheMode::Unknown => false,
        };
        let mut report = |units: usize, tokens| {
            if let Some(prefix) = prefixes.get(units).copied() {
                self.scale.reports.push(Report { units, prefix, tokens });
            }
        };
        if is_stated {
            report(positions.written, stated);
        }
        let end = given.parsed.units.len();
        if positions.written != end || !is_stated {
            report(end, usage.total());
        }
        if is_stated { stated } else { estimated }
    }

    fn write(&mut self, prefix: u64, lifetime: Lifetime, given: &Given<'a>) {
        let known = self.entries.get(&prefix).copied();
        let is_live = known.is_some_and(|entry| entry.state(given.at) == State::Live);
        let is_waiting = known.is_some_and(|entry| entry.state(given.at) == State::NotYet);
        let readable_at = match known {
            Some(entry) if is_live => entry.readable_at,
            // of two requests that write it the first answer counts
            Some(entry) if is_waiting => {
                let times = [entry.readable_at, given.first_token_at];
                times.into_iter().flatten().min()
            }
            Some(_) | None => given.first_token_at,
        };
        // what is read is not written again, so it keeps its lifetime
        let lifetime = known.filter(|_| is_live).map_or(lifetime, |entry| entry.lifetime);
        self.entries.insert(prefix, Entry { used_at: given.at, readable_at, lifetime });
    }
}
