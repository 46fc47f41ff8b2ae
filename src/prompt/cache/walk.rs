//! The walk over the requests of a session, oldest first.

use super::answer::{
    AlsoCause, CachePlace, CachePrice, CacheTtl, Cause, ExpectedTokens, RecordedTokens,
    RequestCache,
};
use super::body::{Parameter, Parsed, Region, Ttl};
use super::changes::{Found, changes, has_regions};
use super::checks::{below, between, is_below, is_soon, is_sure_minimum, prefixes, refusals};
use super::entries::{Entry, Mark, Positions, Reach, State, marks, positions, reach};
use super::figures::{Figures, Scale};
use super::hash::Hash;
use super::money::{Money, own_cache};
use super::policy::{CacheMode, CacheRules, Lifetime, Surface};
use super::same_model::{SameModel, same_model};
use super::usage::{Diagnosis, diagnose};
use crate::prompt::provider::ModelPrice;
use crate::value::Map;
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
    /// Regions that the log does not have.
    pub lacks: Vec<&'static str>,
}

/// What a later request needs to know about an earlier one.
pub(super) struct Past<'a> {
    pub given: Given<'a>,
    pub index: usize,
    pub rules: CacheRules,
    pub tier: u64,
    pub key: u64,
    pub marks: usize,
    /// The end of the last entry: its prefix and its tokens.
    pub last: Option<u64>,
    pub cached: u64,
    /// The tokens up to the last position that it asked to write.
    pub marked: u64,
    /// Whether it was too short, and whether that is sure.
    pub is_below: Option<bool>,
}

pub(super) struct Walk<'a, 'm> {
    provider: &'a str,
    money: &'m Money<'m>,
    /// The host's own table of models.
    models: &'m Json,
    /// The first model and the first scopes that a request named.
    first_model: Option<&'a str>,
    first_scope: [Option<u64>; 2],
    entries: Map<u64, Entry>,
    /// The whole prefix of each request, and its index and cached tokens.
    ends: Map<u64, (usize, u64)>,
    scale: Scale,
    previous: Option<Past<'a>>,
    index: usize,
    /// The model and the surface of the last request, their rules and prices.
    model: Option<(Option<&'a str>, Surface)>,
    pub rules: CacheRules,
    price: Option<ModelPrice>,
}

/// The findings about one request.
struct Verdict {
    cause: Cause,
    region: Region,
    at: CachePlace,
    sure: bool,
    reason: Option<String>,
    kept: usize,
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
            previous: None,
            index: 0,
            model: None,
            price: money.price(&rules, None),
            rules,
        }
    }

    /// Takes what a request does not name from the request before.
    fn inherit(&self, given: &mut Given<'a>) {
        if let Some(past) = &self.previous {
            given.model = given.model.or(past.given.model);
            for (own, known) in given.scope.iter_mut().zip(past.given.scope) {
                *own = own.or(known);
            }
        }
        // other platforms ignore automatic caching; a log without settings does not have the marks
        if given.surface != Surface::Direct && !given.lacks.contains(&"settings") {
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

    /// Explains the next request.
    pub fn next(&mut self, mut given: Given<'a>) -> RequestCache {
        self.inherit(&mut given);
        self.set_rules(given.model, given.surface);
        let rules = self.rules;
        let cache = self.cache_of(&given);
        let prefixes = prefixes(&given, &rules, cache);
        let total = given.usage.map(|usage| usage.total());
        let figures = self.scale.figures(&given.parsed, &prefixes, &rules, total);
        let marks = marks(&given.parsed);
        let shared = self.previous.as_ref().map_or(0, |past| {
            super::changes::common(&past.given.parsed.units, &given.parsed.units)
        });
        let positions = positions(&given.parsed, &rules, &marks, shared);
        let is_below = is_below(&rules, &figures, &positions, &given);
        let now = given.at;
        let end = given.parsed.units.len();

        let mut found = Vec::new();
        refusals(&given.parsed, &rules, &marks, &mut found);
        let is_refused = found.iter().any(|each| each.cause.refuses());
        let mut base = self.previous.as_ref().map(|past| past.index);
        let mut potential = 0;
        let reached;
        if let Some(past) = &self.previous {
            potential = past.cached;
            let content = changes(&past.given.parsed, &given.parsed, &rules);
            let stripped = content.iter().find(|each| each.cause == Cause::ThinkingStripped);
            let limit = stripped.map_or(end, |each| each.kept);
            reached = reach(&self.entries, &prefixes, &positions, now, limit);
            let ancestor = self.ancestor(&prefixes).filter(|(index, cached)| {
                *index != past.index && *cached > 0 && figures.at(reached.live) >= *cached
            });
            if let Some((index, cached)) = ancestor.filter(|_| found.is_empty()) {
                base = Some(index);
                potential = cached;
            } else {
                between(past, &given, &rules, &mut found);
                if is_below.is_some() || past.is_below.is_some() {
                    let tokens = figures.at(positions.end(&rules, end));
                    found.push(below(&rules, tokens, past, is_below));
                }
                found.extend(content);
            }
        } else {
            reached = reach(&self.entries, &prefixes, &positions, now, end);
        }
        let verdict =
            self.decide(&given, &rules, &mut found, &reached, &figures, &positions, potential);
        let answer = self.answer(
            &given, &rules, verdict, found, &reached, &figures, &positions, potential, base, &marks,
        );
        match is_refused {
            // nothing is read or written: the next request is compared with the one before
            true if self.previous.is_some() => {}
            _ => self.remember(
                given, rules, &prefixes, figures, &positions, &marks, &reached, is_below,
                is_refused,
            ),
        }
        self.index += 1;
        answer
    }

    /// Returns the latest request that this one extends.
    fn ancestor(&self, prefixes: &[u64]) -> Option<(usize, u64)> {
        prefixes.iter().rev().find_map(|prefix| self.ends.get(prefix)).copied()
    }

    #[allow(clippy::too_many_arguments, reason = "the state of one step")]
    fn decide(
        &self,
        given: &Given<'a>,
        rules: &CacheRules,
        found: &mut Vec<Found>,
        reached: &Reach,
        figures: &Figures,
        positions: &Positions,
        potential: u64,
    ) -> Verdict {
        let verdict = |cause: Cause, sure, reason: Option<&str>| Verdict {
            cause,
            region: cause.region(),
            at: CachePlace::default(),
            sure,
            reason: reason.map(str::to_owned),
            kept: reached.live,
        };
        let Some(past) = &self.previous else { return verdict(Cause::First, true, None) };
        if let Some(reason) = &given.contradiction {
            found.clear();
            return verdict(Cause::Unknown, false, Some(reason));
        }
        // in another order nothing that differs from the request before is shown
        let is_backwards = given.at.zip(past.given.at).is_some_and(|(now, then)| now < then);
        if is_backwards && !found.is_empty() {
            found.retain(|each| each.cause.is_of_one_request());
            if found.is_empty() {
                let mut unknown =
                    verdict(Cause::Unknown, false, Some("the times of the requests run backwards"));
                unknown.region = Region::Time;
                return unknown;
            }
        }
        let recorded = given.usage;
        // 9 to 11: the entry exists, and is out of reach or out of time
        let timed = self.timed(given, rules, reached, figures, positions);
        found.extend(timed);
        let reads_all =
            recorded.is_some_and(|usage| potential > 0 && usage.read * 10 >= potential * 9);
        // a usage that reads everything shows that time, settings and marks lost nothing
        if reads_all && found.iter().all(|each| !each.cause.is_of_content()) {
            found.clear();
        }
        if !found.is_empty() {
            let first = found.remove(0);
            let documented = !matches!(rules.family, "google" | "mistral" | "unknown");
            let sure = first.sure && documented && given.lacks.is_empty();
            let reason = match (&first, documented) {
                (_, false) => Some("the provider does not document this rule"),
                (Found { cause: Cause::Expired, sure: false, .. }, _) => {
                    Some("the provider may keep entries longer")
                }
                (_, _) if !given.lacks.is_empty() => Some("the log does not have all regions"),
                (_, _) => None,
            };
            return Verdict {
                cause: first.cause,
                region: first.cause.region(),
                at: first.at,
                sure,
                reason: reason.map(str::to_owned),
                kept: first.kept,
            };
        }
        // 12: the request extends an earlier one
        if let Some(Json::Object(_)) = given.diagnostics {
            match given.diagnostics.map(diagnose) {
                Some(Diagnosis::Miss(cause)) if !reads_all => {
                    let mut said =
                        verdict(cause, true, Some("the diagnostics of the provider report it"));
                    said.kept = 0;
                    return said;
                }
                Some(Diagnosis::Hit) => return verdict(Cause::Appended, true, None),
                Some(_) | None => {}
            }
        }
        let lacks = !given.lacks.is_empty();
        let lacking = || format!("the log does not have: {}", given.lacks.join(", "));
        let state = reached.any.map(|(_, entry)| entry.state(given.at));
        let changed = |each| past.given.parsed.parameter(each) != given.parsed.parameter(each);
        // OpenAI documents only the choices that keep the prefix
        let undocumented = changed(Parameter::Undocumented)
            || rules.family == "openai" && changed(Parameter::ToolChoice)
            || past.given.parsed.cached_content != given.parsed.cached_content;
        let expected = figures.at(reached.live);
        let is_marked = matches!(rules.mode, CacheMode::Marked | CacheMode::Breakpoints);
        let is_close = recorded.is_some_and(|usage| {
            let part = if figures.is_exact(reached.live) { 9 } else { 5 };
            usage.read * 10 >= expected * part
        });
        if reads_all || is_close && expected > 0 {
            return verdict(Cause::Appended, recorded.is_some(), None);
        }
        if undocumented {
            return verdict(
                Cause::Unknown,
                false,
                Some("the provider does not document what this parameter changes"),
            );
        }
        if rules.mode == CacheMode::Unknown {
            return verdict(
                Cause::Unknown,
                false,
                Some("no cache rules are documented for this provider and model"),
            );
        }
        if given.parsed.previous_response.is_some() {
            let is_known = given.parsed.previous_response == past.given.id;
            return match (is_known, recorded) {
                (true, None) => {
                    verdict(Cause::Appended, false, Some("the provider stores the conversation"))
                }
                (_, _) => {
                    verdict(Cause::Unknown, false, Some("the provider stores the conversation"))
                }
            };
        }
        if let Some(State::Unknown(reason)) = state
            && (recorded.is_some() || reason == "the lifetime is not documented")
        {
            let mut unknown = verdict(Cause::Unknown, false, Some(reason));
            unknown.region = Region::Time;
            unknown.at.found = reached.any.and_then(|(_, entry)| entry.idle(given.at));
            return unknown;
        }
        if recorded.is_some() && lacks {
            let mut unknown = verdict(Cause::Unknown, false, None);
            unknown.reason = Some(lacking());
            return unknown;
        }
        match recorded {
            // entries need not exist: a request before may have written nothing
            _ if expected == 0 && (recorded.is_some() || is_marked) => {
                verdict(Cause::Unknown, false, Some("the request before left no entry to read"))
            }
            Some(_) if is_soon(reached, given) => verdict(
                Cause::NotYetWritten,
                false,
                Some("the answer of the request before may not have begun"),
            ),
            Some(_) => verdict(
                Cause::UnexplainedMiss,
                false,
                Some(
                    "eviction, overflow to another machine, or a change outside of the log is possible",
                ),
            ),
            None => {
                let is_live = state == Some(State::Live) && !is_soon(reached, given);
                let is_large = is_sure_minimum(rules, figures, reached.live);
                let sure = rules.guaranteed && is_live && is_large && !lacks;
                let reason = match (lacks, state) {
                    (true, _) => Some(lacking()),
                    (false, Some(State::Unknown(reason))) => Some(reason.to_owned()),
                    (false, _) if !rules.guaranteed => {
                        Some("the provider does not guarantee a read".to_owned())
                    }
                    (false, _) if !is_live => {
                        Some("the answer of the request before may not have begun".to_owned())
                    }
                    (false, _) if !is_large => Some("the minimum may not be reached".to_owned()),
                    (false, _) => None,
                };
                let mut appended = verdict(Cause::Appended, sure, None);
                appended.reason = reason;
                appended
            }
        }
    }

    /// Causes 9 to 11.
    fn timed(
        &self,
        given: &Given<'a>,
        rules: &CacheRules,
        reached: &Reach,
        figures: &Figures,
        positions: &Positions,
    ) -> Option<Found> {
        let any = reached.any.map_or(0, |(at, _)| at);
        if reached.moved > 0 && figures.at(reached.moved) > figures.at(reached.live.max(any)) {
            let mut found = Found::new(Cause::LookbackExceeded, reached.live);
            found.at.change = Some("mark_moved");
            let unit = given.parsed.units.get(reached.moved - 1);
            found.at.message =
                unit.filter(|unit| unit.region == Region::Messages).map(|unit| unit.item);
            return Some(found);
        }
        if reached.beyond > any && figures.at(reached.beyond) > figures.at(reached.live) {
            let mut found = Found::new(Cause::LookbackExceeded, reached.live);
            let unit = given.parsed.units.get(reached.beyond - 1);
            found.at.message =
                unit.filter(|unit| unit.region == Region::Messages).map(|unit| unit.item);
            let distance = positions.distances.iter().find(|(at, _)| *at == reached.beyond);
            let between = positions.beyond.iter().filter(|at| **at > reached.beyond).count();
            found.at.found = Some(distance.map_or(between, |(_, distance)| *distance) as u64);
            found.at.limit = rules.lookback.map(|limit| limit as u64);
            return Some(found);
        }
        let (_, entry) = reached.any.filter(|(at, _)| *at > reached.live)?;
        let idle = entry.idle(given.at);
        match entry.state(given.at) {
            State::Expired { sure } => {
                let mut found = Found::new(Cause::Expired, reached.live);
                found.sure = sure;
                found.at.found = idle;
                found.at.limit = if sure { entry.lifetime.most } else { entry.lifetime.least };
                Some(found)
            }
            State::NotYet => {
                let mut found = Found::new(Cause::NotYetWritten, reached.live);
                found.sure = has_regions(rules);
                found.at.found = idle;
                Some(found)
            }
            State::Live | State::Unknown(_) => None,
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the state of one step")]
    fn answer(
        &self,
        given: &Given<'a>,
        rules: &CacheRules,
        verdict: Verdict,
        also: Vec<Found>,
        reached: &Reach,
        figures: &Figures,
        positions: &Positions,
        potential: u64,
        base: Option<usize>,
        marks: &[Mark],
    ) -> RequestCache {
        let total = figures.total();
        let is_refused = verdict.cause.refuses();
        let mut read = if is_refused { 0 } else { figures.at(reached.live) };
        if given.parsed.previous_response.is_some() && verdict.cause == Cause::Appended {
            read = potential.min(total);
        }
        if rules.mode == CacheMode::Prefix
            && let Some(step) = rules.step
        {
            read = read / step * step;
        }
        let is_small = rules.minimum.is_some_and(|minimum| read < minimum);
        if is_small && !figures.is_exact(reached.live) && rules.family != "google" {
            read = 0;
        }
        let written = figures.at(positions.written);
        let is_written = rules.minimum.is_none_or(|minimum| written >= minimum) && !is_refused;
        let write = if is_written { written.saturating_sub(read) } else { 0 };
        let hour = marks.iter().rfind(|(_, ttl)| *ttl == Ttl::Hour);
        let expected = ExpectedTokens {
            read,
            write,
            write_1h: hour.map(|(at, _)| figures.at(*at).saturating_sub(read).min(write)),
            fresh: total.saturating_sub(read + write),
            exact: figures.is_exact(reached.live) && given.usage.is_some(),
        };
        let actual = given.usage.map_or(read, |usage| usage.read);
        let is_hit = matches!(verdict.cause, Cause::First | Cause::Appended);
        let held = potential.min(total);
        // a shorter prefix was never in the cache
        let is_held = super::checks::minimum(rules).is_none_or(|minimum| held >= minimum);
        let lost = if is_hit || !is_held { 0 } else { held.saturating_sub(actual) };
        let price = self.price(rules, &expected, given.usage, lost, total, marks);
        let also = also.into_iter().map(|found| AlsoCause {
            cause: found.cause,
            region: found.cause.region(),
            lost_tokens: potential.min(total).saturating_sub(figures.at(found.kept)),
            rule: found.cause.rule(rules.family, rules.rule),
            at: found.at,
        });
        RequestCache {
            cause: verdict.cause,
            also: also.collect(),
            region: verdict.region,
            fix: verdict.cause.fix(rules.family, &verdict.at),
            rule: verdict.cause.rule(rules.family, rules.rule),
            at: verdict.at,
            sure: verdict.sure,
            reason: verdict.reason,
            compared_with: base,
            expected,
            recorded: given.usage,
            lost_tokens: lost,
            ttl: self.ttl(given, rules, reached, positions),
            price,
        }
    }

    fn ttl(
        &self,
        given: &Given<'a>,
        rules: &CacheRules,
        reached: &Reach,
        positions: &Positions,
    ) -> CacheTtl {
        let past = self.previous.as_ref().and_then(|past| self.entries.get(&past.last?));
        let entry = reached.any.map(|(_, entry)| entry).or(past.copied());
        let written = positions.writes.last().map(|(_, lifetime)| *lifetime);
        let lifetime = entry.map(|entry| entry.lifetime).or(written).unwrap_or(rules.lifetime);
        let seconds =
            if rules.guaranteed { lifetime.most } else { lifetime.least.or(lifetime.most) };
        let idle = entry.and_then(|entry| entry.idle(given.at));
        CacheTtl {
            seconds,
            left_seconds: seconds.zip(idle).map(|(seconds, idle)| seconds.saturating_sub(idle)),
            idle_seconds: idle,
            from: match (seconds, rules.guaranteed) {
                (None, _) => "not documented",
                (Some(_), true) => "start of the last request that wrote or read the entry",
                (Some(_), false) => "last request that wrote or read the entry",
            },
        }
    }

    fn price(
        &self,
        rules: &CacheRules,
        expected: &ExpectedTokens,
        recorded: Option<RecordedTokens>,
        lost: u64,
        total: u64,
        marks: &[Mark],
    ) -> CachePrice {
        let times = self.money.multiples(rules, self.price.as_ref(), total);
        let is_hour = |(_, ttl): &Mark| *ttl == Ttl::Hour;
        let write = if marks.last().is_some_and(is_hour) { times.write_1h } else { times.write };
        let unit = self.money.unit(rules, self.price.as_ref(), total);
        let sum = |read: u64, written: u64, hour: Option<u64>, fresh: u64| {
            // an unknown multiple does not matter where nothing is read or written
            let part = |tokens: u64, price: Option<f64>| {
                if tokens == 0 { Some(0.0) } else { Some(tokens as f64 * price?) }
            };
            let written = match hour {
                Some(hour) => {
                    part(written.saturating_sub(hour), times.write)? + part(hour, times.write_1h)?
                }
                None => part(written, write)?,
            };
            Some((part(read, times.read)? + written + fresh as f64) * unit)
        };
        // marks of both lifetimes: the parts are known only if the usage has them
        let is_mixed = marks.iter().any(is_hour) && !marks.iter().all(is_hour);
        let is_split =
            |usage: &RecordedTokens| usage.write == 0 || usage.write_1h.is_some() || !is_mixed;
        let missed = if expected.write > 0 { write } else { Some(1.0) };
        CachePrice {
            input: unit,
            read: times.read,
            write,
            fresh: 1.0,
            expected: sum(expected.read, expected.write, expected.write_1h, expected.fresh),
            recorded: recorded
                .filter(is_split)
                .and_then(|usage| sum(usage.read, usage.write, usage.write_1h, usage.fresh)),
            lost: match lost {
                0 => Some(0.0),
                lost => times
                    .read
                    .zip(missed)
                    .map(|(read, missed)| lost as f64 * (missed - read) * unit),
            },
            currency: self.money.currency().to_owned(),
            checked: rules.checked,
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the state of one step")]
    fn remember(
        &mut self,
        given: Given<'a>,
        rules: CacheRules,
        prefixes: &[u64],
        figures: Figures,
        positions: &Positions,
        marks: &[Mark],
        reached: &Reach,
        is_below: Option<bool>,
        is_refused: bool,
    ) {
        let end = given.parsed.units.len();
        let is_marked = matches!(rules.mode, CacheMode::Marked | CacheMode::Breakpoints);
        // a usage without reads and writes shows that nothing was written
        let wrote_nothing = is_refused
            || rules.mode == CacheMode::Marked
                && given.usage.is_some_and(|usage| usage.read + usage.write == 0);
        let minimum = rules.minimum.unwrap_or(0);
        let mut last = None;
        if !wrote_nothing {
            for (at, lifetime) in &positions.writes {
                let Some(prefix) = prefixes.get(*at) else { continue };
                if is_marked && is_below.is_some() && figures.at(*at) < minimum {
                    continue;
                }
                self.write(*prefix, *lifetime, &given);
                last = Some(*prefix);
            }
        }
        // a read renews the entry
        if reached.live > 0
            && let Some(prefix) = prefixes.get(reached.live)
            && let Some(entry) = self.entries.get_mut(prefix)
            && given.at.is_some()
        {
            entry.used_at = given.at;
        }
        let total = figures.total();
        let marked = figures.at(positions.end(&rules, end));
        let mut cached = match rules.mode {
            CacheMode::Marked | CacheMode::Breakpoints => {
                last.map_or(0, |_| figures.at(positions.written))
            }
            CacheMode::Prefix | CacheMode::Units => total,
            CacheMode::Unknown => 0,
        };
        if let Some(usage) = given.usage {
            let is_whole = given.lacks.is_empty();
            if is_whole {
                self.scale.learn(figures.estimate, usage.total());
            }
            let is_stated = match rules.mode {
                CacheMode::Marked => usage.read + usage.write > 0,
                // a usage without writes does not state the size of the entry
                CacheMode::Breakpoints => usage.write > 0,
                CacheMode::Prefix | CacheMode::Units | CacheMode::Unknown => false,
            };
            if is_stated {
                cached = usage.read + usage.write;
                if let Some(prefix) = prefixes.get(positions.written) {
                    self.scale.anchors.insert(*prefix, cached);
                }
            }
            if let Some(prefix) = prefixes.last().filter(|_| positions.written != end || !is_stated)
            {
                self.scale.anchors.insert(*prefix, usage.total());
            }
        }
        if let Some(prefix) = prefixes.last() {
            self.ends.insert(*prefix, (self.index, cached));
        }
        self.previous = Some(Past {
            tier: given.parsed.parameter(Parameter::ServiceTier),
            key: given.parsed.parameter(Parameter::CacheKey),
            marks: marks.len(),
            last,
            cached,
            marked,
            is_below,
            index: self.index,
            rules,
            given,
        });
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
