//! The decision about one request: the first cause that holds, in the order of the providers.

use super::answer::{CachePlace, Cause};
use super::body::{Parameter, Region};
use super::changes::{Found, has_regions};
use super::checks::{is_soon, is_sure_minimum};
use super::entries::{Entry, Mark, Positions, Reach, State};
use super::given::{Given, Past};
use super::policy::{CacheMode, CacheRules};
use super::prefix_tokens::PrefixTokens;
use super::usage::{Diagnosis, diagnose};

/// A request, and what the session shows about it.
pub(super) struct Step<'s, 'a> {
    pub given: &'s Given<'a>,
    pub rules: &'s CacheRules,
    pub prefix_tokens: &'s PrefixTokens,
    pub positions: &'s Positions,
    pub reached: &'s Reach,
    pub marks: &'s [Mark],
    /// The request before.
    pub past: Option<&'s Past<'a>>,
    /// The request that it is compared with, the tokens that it left in the cache, and its last entry.
    pub base: Option<usize>,
    pub potential: u64,
    pub last: Option<Entry>,
}

/// The findings about one request.
pub(super) struct Verdict {
    pub cause: Cause,
    pub region: Region,
    pub at: CachePlace,
    pub sure: bool,
    pub reason: Option<String>,
}

/// Parameters that only OpenAI and Anthropic document.
const OTHERS: [Parameter; 6] = [
    Parameter::Effort,
    Parameter::Format,
    Parameter::Verbosity,
    Parameter::Parallel,
    Parameter::ContextManagement,
    Parameter::ToolChoice,
];

const BACKWARDS: &str = "the times of the requests run backwards";
const NO_ENTRY: &str = "the request before left no entry to read";

impl Step<'_, '_> {
    fn verdict(&self, cause: Cause, sure: bool, reason: Option<&str>) -> Verdict {
        Verdict {
            cause,
            region: cause.region(),
            at: CachePlace::default(),
            sure,
            reason: reason.map(str::to_owned),
        }
    }

    fn unknown(&self, reason: &str) -> Verdict {
        self.verdict(Cause::Unknown, false, Some(reason))
    }

    /// An answer that the times do not allow.
    fn unknown_time(&self, reason: &str) -> Verdict {
        Verdict { region: Region::Time, ..self.unknown(reason) }
    }

    fn lacking(&self) -> Option<String> {
        let lacks = self.given.lacking();
        (!lacks.is_empty()).then(|| format!("the log does not have: {}", lacks.join(", ")))
    }

    /// Returns true if the usage shows a read of what the earlier request left in the cache.
    fn reads_all(&self) -> bool {
        let potential = self.potential;
        self.given.usage.is_some_and(|usage| potential > 0 && usage.read * 10 >= potential * 9)
    }

    /// Decides. `found` has the causes that the contents show; the further causes stay in it.
    pub fn decide(&self, found: &mut Vec<Found>) -> Verdict {
        let Some(past) = self.past else { return self.verdict(Cause::First, true, None) };
        if let Some(reason) = &self.given.contradiction {
            found.clear();
            return self.unknown(reason);
        }
        // in another order nothing that differs from the request before is shown
        let is_backwards = self.given.at.zip(past.given.at).is_some_and(|(now, then)| now < then);
        if is_backwards && !found.is_empty() {
            found.retain(|each| each.cause.is_of_one_request());
            if found.is_empty() {
                return self.unknown_time(BACKWARDS);
            }
        }
        // the content of an explicit cache is read by its name
        let stored = self.given.parsed.cached_content;
        if stored.is_some() && stored == past.given.parsed.cached_content && self.reads_all() {
            found.clear();
            return self.verdict(Cause::Appended, true, None);
        }
        // 9 to 11: the entry exists, and is out of reach or out of time
        found.extend(self.timed(!found.is_empty()));
        // a usage that reads everything shows that time, settings and marks lost nothing
        let reads_all = self.reads_all();
        let excludes = |each: &Found| each.sure && each.cause.is_of_content();
        // and a change after all that was in the cache
        let is_late = |each: &Found| {
            each.cause.region() == Region::Messages
                && self.prefix_tokens.at(each.kept) >= self.potential
        };
        if reads_all && found.iter().all(|each| !excludes(each) || is_late(each)) {
            found.clear();
        }
        if let Some(verdict) = self.reported(found.first()) {
            found.retain(|each| each.cause != verdict.cause);
            return verdict;
        }
        if found.is_empty() {
            return self.extends(past);
        }
        let first = found.remove(0);
        if reads_all && self.prefix_tokens.at(first.kept) * 2 < self.potential {
            found.clear();
            return self
                .unknown("the usage reports a read that the changes of the request exclude");
        }
        self.first(first)
    }

    /// The first cause that the contents or the times show.
    fn first(&self, first: Found) -> Verdict {
        let documented = !matches!(self.rules.family, "google" | "mistral" | "unknown");
        let is_whole = self.lacking().is_none();
        let reason = match (&first, documented) {
            (_, false) => Some("the provider does not document this rule"),
            (Found { cause: Cause::Expired, sure: false, .. }, _) => {
                Some("the provider may keep entries longer")
            }
            (_, _) if !is_whole => Some("parts of the request are not in the log"),
            (_, _) => None,
        };
        Verdict {
            region: first.cause.region(),
            at: first.at,
            ..self.verdict(first.cause, first.sure && documented && is_whole, reason)
        }
    }

    /// What the diagnostics of the provider report, unless the contents show an earlier cause. A log
    /// without all regions does not show the causes in them.
    fn reported(&self, first: Option<&Found>) -> Option<Verdict> {
        let diagnostics = self.given.diagnostics.filter(|json| json.as_object().is_some())?;
        let is_whole = self.lacking().is_none();
        match diagnose(diagnostics) {
            Diagnosis::Miss(cause) if !self.reads_all() => {
                let hides = first.is_some_and(|first| {
                    first.cause as u8 <= cause as u8
                        || is_whole && first.cause as u8 <= Cause::MessagesChanged as u8
                });
                let reason = Some("the diagnostics of the provider report it");
                (!hides).then(|| self.verdict(cause, true, reason))
            }
            // a usage without reads contradicts it
            Diagnosis::Hit
                if first.is_none() && self.given.usage.is_none_or(|own| own.read > 0) =>
            {
                Some(self.verdict(Cause::Appended, true, None))
            }
            Diagnosis::Miss(_) | Diagnosis::Hit | Diagnosis::Silent => None,
        }
    }

    /// Returns true if a parameter changed whose effect the provider does not document.
    fn is_undocumented(&self, past: &Past<'_>) -> bool {
        let (before, after) = (&past.given.parsed, &self.given.parsed);
        let changed = |each| before.parameter(each) != after.parameter(each);
        changed(Parameter::Undocumented)
            || before.cached_content != after.cached_content
            || match self.rules.family {
                // OpenAI documents only the choices that keep the prefix
                "openai" => changed(Parameter::ToolChoice),
                _ => !has_regions(self.rules) && OTHERS.into_iter().any(changed),
            }
    }

    /// 12: the request extends an earlier one.
    fn extends(&self, past: &Past<'_>) -> Verdict {
        let Self { given, rules, prefix_tokens, reached, .. } = *self;
        let recorded = given.usage;
        let expected = prefix_tokens.at(reached.live);
        let is_close = recorded.is_some_and(|usage| {
            let part = if prefix_tokens.is_exact(reached.live) { 9 } else { 5 };
            usage.read * 10 >= expected * part
        });
        if self.reads_all() || is_close && expected > 0 {
            return self.verdict(Cause::Appended, recorded.is_some(), None);
        }
        if self.is_undocumented(past) {
            return self.unknown("the provider does not document what this parameter changes");
        }
        if rules.mode == CacheMode::Unknown {
            return self.unknown("no cache rules are documented for this provider and model");
        }
        if given.parsed.is_stored() {
            let is_known = given.parsed.conversation.is_some()
                && given.parsed.conversation == past.given.parsed.conversation
                || given.parsed.previous_response.is_some()
                    && given.parsed.previous_response == past.given.id;
            let stored = "the provider stores the conversation";
            return match (is_known, recorded) {
                (true, None) => self.verdict(Cause::Appended, false, Some(stored)),
                (_, _) => self.unknown(stored),
            };
        }
        let state = reached.any.map(|(_, entry)| entry.state(given.at));
        if let Some(State::Unknown(reason)) = state
            && (recorded.is_some() || reason == "the lifetime is not documented")
        {
            let mut unknown = self.unknown_time(reason);
            unknown.at.found = reached.any.and_then(|(_, entry)| entry.idle(given.at));
            return unknown;
        }
        let is_marked = matches!(rules.mode, CacheMode::Marked | CacheMode::Breakpoints);
        match (recorded, self.lacking()) {
            (Some(_), Some(lacking)) => self.unknown(&lacking),
            (None, Some(lacking)) if expected == 0 && is_marked => self.unknown(&lacking),
            // entries need not exist: a request before may have written nothing
            (_, _) if expected == 0 && (recorded.is_some() || is_marked) => self.unknown(NO_ENTRY),
            (Some(_), None) if is_soon(reached, given) => {
                let reason = "the answer of the request before may not have begun";
                self.verdict(Cause::NotYetWritten, false, Some(reason))
            }
            (Some(_), None) => {
                let reason = "eviction, overflow to another machine, or a change outside of the log is possible";
                self.verdict(Cause::UnexplainedMiss, false, Some(reason))
            }
            (None, lacking) => self.forecast(lacking, state),
        }
    }

    /// The forecast of a hit, for a request without usage.
    fn forecast(&self, lacking: Option<String>, state: Option<State>) -> Verdict {
        let is_live = state == Some(State::Live) && !is_soon(self.reached, self.given);
        let is_large = is_sure_minimum(self.rules, self.prefix_tokens, self.reached.live);
        let sure = self.rules.guaranteed && is_live && is_large && lacking.is_none();
        let reason = match (lacking, state) {
            (Some(lacking), _) => Some(lacking),
            (None, Some(State::Unknown(reason))) => Some(reason.to_owned()),
            (None, _) if !self.rules.guaranteed => {
                Some("the provider does not guarantee a read".to_owned())
            }
            (None, _) if !is_live => {
                Some("the answer of the request before may not have begun".to_owned())
            }
            (None, _) if !is_large => Some("the minimum may not be reached".to_owned()),
            (None, _) => None,
        };
        Verdict { reason, ..self.verdict(Cause::Appended, sure, None) }
    }

    /// Causes 9 to 11. `is_changed` is true if a change already excludes the last entry.
    fn timed(&self, is_changed: bool) -> Vec<Found> {
        let Self { given, prefix_tokens, positions, reached, .. } = *self;
        let mut list = Vec::new();
        let message = |at: usize| {
            let unit = at.checked_sub(1).and_then(|at| given.parsed.units.get(at));
            unit.filter(|unit| unit.region == Region::Messages).map(|unit| unit.item)
        };
        let any = reached.any.map_or(0, |(at, _)| at);
        let mut entry = reached.any.filter(|(at, _)| *at > reached.live).map(|(_, entry)| entry);
        if reached.moved > 0
            && prefix_tokens.at(reached.moved) > prefix_tokens.at(reached.live.max(any))
        {
            let mut found = Found::new(Cause::LookbackExceeded, reached.live);
            found.at.change = Some("mark_moved");
            found.at.message = message(reached.moved);
            list.push(found);
        } else if let Some((at, far)) = reached.beyond
            && at > any
            && prefix_tokens.at(at) > prefix_tokens.at(reached.live)
        {
            let mut found = Found::new(Cause::LookbackExceeded, reached.live);
            found.at.message = message(at);
            let distance = positions.distances.iter().find(|(known, _)| *known == at);
            let between = positions.beyond.iter().filter(|known| **known > at).count();
            found.at.found = Some(distance.map_or(between, |(_, distance)| *distance) as u64);
            found.at.limit = self.rules.lookback.map(|limit| limit as u64);
            list.push(found);
            entry = Some(far);
        }
        list.extend(entry.or(self.last.filter(|_| is_changed)).and_then(|entry| self.late(entry)));
        list
    }

    /// An entry that is expired or not written yet.
    fn late(&self, entry: Entry) -> Option<Found> {
        let kept = self.reached.live;
        let mut found = match entry.state(self.given.at) {
            State::Expired { sure } => {
                let mut found = Found::new(Cause::Expired, kept);
                found.sure = sure;
                found.at.limit = if sure { entry.lifetime.most } else { entry.lifetime.least };
                found
            }
            State::NotYet => {
                let mut found = Found::new(Cause::NotYetWritten, kept);
                found.sure = has_regions(self.rules);
                found
            }
            State::Live | State::Unknown(_) => return None,
        };
        found.at.found = entry.idle(self.given.at);
        Some(found)
    }
}
