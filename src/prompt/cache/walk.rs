//! The walk over the requests of a session, oldest first.

use super::answer::{Cause, RequestCache};
use super::body::Parsed;
use super::changes::{changes, common};
use super::checks::{below, between, is_below, refusals};
use super::entries::{Entry, marks, positions, reach};
use super::given::{End, Given, Past};
use super::hash::Hash;
use super::money::{Money, own_cache};
use super::policy::{CacheMode, CacheRules, Surface};
use super::prefix_tokens::{PrefixTokens, Scale};
use super::prefixes::Prefixes;
use super::remember::{MAX_RECENT, Own};
use super::same_model::{SameModel, same_model};
use super::step::Step;
use super::track::Track;
use crate::prompt::provider::ModelPrice;
use crate::value::Map;
use crate::value::json::Json;
use std::collections::VecDeque;

pub(super) struct Walk<'a, 'm> {
    provider: &'a str,
    pub(super) money: &'m Money<'m>,
    /// The host's own table of models.
    models: &'m Json,
    /// The first model and the first scopes that a request named.
    first_model: Option<&'a str>,
    first_scope: [Option<u64>; 2],
    pub(super) entries: Map<u64, Entry>,
    /// The whole prefix of each request.
    pub(super) ends: Map<u64, End>,
    pub(super) scale: Scale,
    /// The latest requests, the newest last.
    pub(super) recent: VecDeque<Past<'a>>,
    /// The paths of the latest requests, the one used last at the end.
    tracks: VecDeque<Track<'a>>,
    pub(super) index: usize,
    /// The model and the surface of the last request, their rules and prices.
    model: Option<(Option<&'a str>, Surface)>,
    pub rules: CacheRules,
    pub(super) price: Option<ModelPrice>,
}

/// The request that another one is compared with.
enum Base<'p, 'a> {
    Nothing,
    Past(&'p Past<'a>),
    /// A request that is extended, but too old to be kept.
    End(End),
}

impl<'a, 'm> Walk<'a, 'm> {
    pub fn new(provider: &'a str, money: &'m Money<'m>, models: &'m Json) -> Self {
        let rules = CacheRules::of(provider, None);
        Self {
            provider,
            money,
            models,
            first_model: None,
            first_scope: [None; 2],
            entries: Map::default(),
            ends: Map::default(),
            scale: Scale::new(),
            recent: VecDeque::new(),
            tracks: VecDeque::new(),
            index: 0,
            model: None,
            price: money.price(&rules, None),
            rules,
        }
    }

    /// Takes what a request does not name from the request before.
    fn inherit(&self, given: &mut Given<'a>) {
        if let Some(past) = self.recent.back() {
            given.model = given.model.or(past.given.model);
            for (own, known) in given.scope.iter_mut().zip(past.given.scope) {
                *own = own.or(known);
            }
        }
        // other platforms ignore automatic caching; a log without settings does not have the marks
        if given.surface != Surface::Direct && !given.lacks("settings") {
            given.parsed.automatic = None;
        }
    }

    /// Sets the rules of a model.
    fn set_rules(&mut self, model: Option<&'a str>, surface: Surface) {
        if self.model == Some((model, surface)) {
            return;
        }
        self.model = Some((model, surface));
        self.rules = CacheRules::on(self.provider, model, surface);
        self.price = self.money.price(&self.rules, model);
        if let Some(own) = own_cache(self.models, self.rules.family, model) {
            self.rules.minimum = own.least_tokens.or(self.rules.minimum);
            self.rules.step = own.step.or(self.rules.step);
        }
    }

    /// Returns the name of the cache that a request uses: 0 for the first one, and until a request
    /// names another model or scope.
    fn cache_of(&mut self, given: &Given<'a>) -> u64 {
        let mut hash = Hash::new();
        let first = *self.first_model.get_or_insert(given.model.unwrap_or_default());
        let model = given.model.unwrap_or(first);
        if !first.is_empty() && same_model(first, model) != SameModel::Yes {
            hash.text(model);
        }
        if first.is_empty() {
            self.first_model = given.model;
        }
        for (first, own) in self.first_scope.iter_mut().zip(given.scope) {
            *first = first.or(own);
            hash.number(own.filter(|own| *first != Some(*own)).unwrap_or(0));
        }
        hash.finish()
    }

    /// Returns the request that shares the longest prefix with one; of several the latest.
    fn base(&self, prefixes: &Prefixes) -> Base<'_, 'a> {
        let Some(previous) = self.recent.back() else { return Base::Nothing };
        let same = |past: &Past<'a>| past.prefixes.common(prefixes);
        let shared = same(previous);
        if shared == previous.prefixes.len() {
            return Base::Past(previous);
        }
        // an equal model alone is no prefix
        let (mut base, mut longest) = (Base::Past(previous), shared.max(1));
        for past in self.recent.iter().rev().skip(1) {
            let shared = same(past);
            if shared > longest {
                (base, longest) = (Base::Past(past), shared);
            }
        }
        let ended = prefixes.iter().enumerate().skip(longest).rev();
        let mut ended = ended.filter_map(|(_, prefix)| self.ends.get(prefix));
        match ended.find(|end| end.cached > 0) {
            Some(end) => Base::End(*end),
            None => base,
        }
    }

    /// Returns the prefixes of a request and their tokens.
    fn measure(
        &mut self,
        parsed: &Parsed<'a>,
        rules: &CacheRules,
        cache: u64,
        total: Option<u64>,
    ) -> (Prefixes, PrefixTokens) {
        let seeds = Track::seeds(parsed, rules, cache);
        let known = self.tracks.iter().position(|track| track.is_of(&parsed.units, seeds));
        let known = known.and_then(|at| self.tracks.remove(at));
        let mut track = known.unwrap_or_else(|| Track::new(parsed, seeds, &mut self.scale));
        let units = parsed.units.len();
        let prefix_tokens = track.prefix_tokens(units, &self.scale, rules, total);
        let prefixes = track.prefixes(units);
        if self.tracks.len() == MAX_RECENT {
            self.tracks.pop_front();
        }
        self.tracks.push_back(track);
        (prefixes, prefix_tokens)
    }

    /// Returns the number of units at the start that an earlier request has too.
    fn shared(&self, parsed: &Parsed<'a>, rules: &CacheRules) -> usize {
        let earlier = self.recent.iter().rev();
        let kept = if rules.mode == CacheMode::Units { self.recent.len() } else { 0 };
        let lengths =
            earlier.take(kept).map(|past| common(&past.given.parsed.units, &parsed.units));
        lengths.max().unwrap_or(0)
    }

    /// Explains the next request.
    pub fn next(&mut self, mut given: Given<'a>) -> RequestCache {
        self.inherit(&mut given);
        self.set_rules(given.model, given.surface);
        let rules = self.rules;
        let cache = self.cache_of(&given);
        let total = given.usage.map(|usage| usage.total());
        let (prefixes, prefix_tokens) = self.measure(&given.parsed, &rules, cache, total);
        let marks = marks(&given.parsed, &rules);
        let shared = self.shared(&given.parsed, &rules);
        let positions = positions(&given.parsed, &rules, &marks, shared);
        let is_below = is_below(&rules, &prefix_tokens, &positions, &given);
        let end = given.parsed.units.len();

        let mut found = Vec::new();
        refusals(&given, &rules, &marks, &mut found);
        let is_refused = found.iter().any(|each| each.cause.refuses());
        let base = self.base(&prefixes);
        let (index, potential, last) = match &base {
            Base::Nothing => (None, 0, None),
            Base::End(end) => (Some(end.index), end.cached, end.last),
            Base::Past(past) => (Some(past.index), past.cached, past.last),
        };
        let mut limit = end;
        if let Base::Past(past) = &base {
            let content = changes(&past.given, &given, &rules);
            let stripped = content.iter().find(|each| each.cause == Cause::ThinkingStripped);
            limit = stripped.map_or(end, |each| each.kept);
            between(past, &given, &rules, &mut found);
            // a read shows that neither was too short
            let is_read = given.usage.is_some_and(|usage| usage.read > 0);
            if is_below.is_some() || past.is_below.is_some() && !is_read {
                let tokens = prefix_tokens.at(positions.end(&rules, end));
                found.push(below(&rules, tokens, past, is_below));
            }
            found.extend(content);
        }
        let reached = reach(&self.entries, &prefixes, &positions, given.at, limit);
        let step = Step {
            given: &given,
            rules: &rules,
            prefix_tokens: &prefix_tokens,
            positions: &positions,
            reached: &reached,
            marks: &marks,
            past: self.recent.back(),
            base: index,
            potential,
            last: last.and_then(|prefix| self.entries.get(&prefix)).copied(),
        };
        let verdict = step.decide(&mut found);
        let answer = self.answer(&step, verdict, found);
        match is_refused {
            // nothing is read or written: the next request is compared with the one before
            true if !self.recent.is_empty() => {}
            _ => {
                let live = reached.live;
                let own = Own { prefix_tokens, positions, is_below, is_refused };
                self.remember(given, rules, prefixes, marks.len(), live, &own);
            }
        }
        self.index += 1;
        answer
    }
}
