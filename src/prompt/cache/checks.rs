//! Checks of one request, and of a request and the one before it.

use super::answer::{Cause, ChangedWords};
use super::body::{Parameter, Region, Ttl};
use super::changes::Found;
use super::entries::{Mark, Positions, Reach, last_markable};
use super::given::{Given, Past};
use super::policy::{CacheMode, CacheRules};
use super::prefix_tokens::PrefixTokens;
use super::same_model::{SameModel, same_model};

/// Returns true if the entry may not have been readable: the log does not have the start of the answer.
pub(super) fn is_soon(reached: &Reach, given: &Given<'_>) -> bool {
    reached.any.is_some_and(|(_, entry)| {
        entry.readable_at.is_none() && entry.idle(given.at).is_some_and(|idle| idle < 3)
    })
}

/// Marks that are missing or that the provider refuses.
pub(super) fn refusals(
    given: &Given<'_>,
    rules: &CacheRules,
    marks: &[Mark],
    found: &mut Vec<Found>,
) {
    let parsed = &given.parsed;
    // a log without settings does not have all marks
    let is_unmarked = marks.is_empty() && !given.lacks("settings");
    match rules.mode {
        CacheMode::Marked => {}
        CacheMode::Breakpoints => {
            if parsed.is_explicit && is_unmarked {
                found.push(Found::new(Cause::NoBreakpoint, 0));
            }
            return;
        }
        CacheMode::Prefix | CacheMode::Units | CacheMode::Unknown => return,
    }
    let own = parsed.units.marks().len();
    if is_unmarked {
        let mut missing = Found::new(Cause::NoBreakpoint, 0);
        // Nova also caches without points, by best effort
        missing.sure = rules.strips_thinking.is_some() || rules.family != "bedrock";
        found.push(missing);
    }
    // an automatic mark on a block that has one counts too, if there are four already
    let counted = own + usize::from(parsed.automatic.is_some());
    if let Some(limit) = rules.max_marks.filter(|limit| counted > *limit) {
        let mut refused = Found::new(Cause::TooManyBreakpoints, 0);
        refused.at.found = Some(counted as u64);
        refused.at.limit = Some(limit as u64);
        found.push(refused);
    }
    let grows = marks.windows(2).find(|pair| matches!(pair, [(_, Ttl::Default), (_, Ttl::Hour)]));
    let mark =
        last_markable(parsed).and_then(|last| parsed.units.get(last)).and_then(|unit| unit.mark);
    let clashes = parsed.automatic.zip(mark).is_some_and(|(automatic, own)| automatic != own);
    if grows.is_some() || clashes {
        let mut refused = Found::new(Cause::TtlOrder, 0);
        let at = grows.and_then(|pair| pair.last()).map_or(marks.len(), |(at, _)| *at);
        let unit = at.checked_sub(1).and_then(|at| parsed.units.get(at));
        refused.at.message =
            unit.filter(|unit| unit.region == Region::Messages).map(|unit| unit.item);
        refused.at.block = unit.map(|unit| unit.block);
        found.push(refused);
    }
}

/// Causes of the request as a whole: scope, model, tier, key.
pub(super) fn between(
    past: &Past<'_>,
    given: &Given<'_>,
    rules: &CacheRules,
    found: &mut Vec<Found>,
) {
    let past_caches_nothing = past.marks == 0
        && !past.given.lacks("settings")
        && match past.rules.mode {
            CacheMode::Marked => true,
            CacheMode::Breakpoints => past.given.parsed.is_explicit,
            CacheMode::Prefix | CacheMode::Units | CacheMode::Unknown => false,
        };
    if past_caches_nothing && found.is_empty() && past.rules.mode == rules.mode {
        let mut missing = Found::new(Cause::NoBreakpoint, 0);
        missing.at.change = Some("added");
        found.push(missing);
    }
    // what a request does not name is not another one
    let differs = |(before, after): (&Option<u64>, &Option<u64>)| {
        before.zip(*after).is_some_and(|(before, after)| before != after)
    };
    let models = past.given.model.zip(given.model);
    let same = models.map_or(SameModel::Yes, |(before, after)| same_model(before, after));
    // one model under the ids of two platforms
    let is_moved = same == SameModel::Perhaps && past.given.surface != given.surface;
    if is_moved || past.given.scope.iter().zip(&given.scope).any(differs) {
        found.push(Found::new(Cause::ScopeChanged, 0));
    }
    if same != SameModel::Yes && !is_moved {
        let mut change = Found::new(Cause::ModelChanged, 0).parameter("model");
        change.sure = same == SameModel::No;
        change.at.words = Some(ChangedWords {
            before: past.given.model.unwrap_or_default().to_owned(),
            after: given.model.unwrap_or_default().to_owned(),
        });
        found.push(change);
    }
    let is_openai = rules.family == "openai";
    if is_openai && past.tier != given.parsed.parameter(Parameter::ServiceTier) {
        found.push(Found::new(Cause::ServiceTierChanged, 0).parameter("service_tier"));
    }
    let has_key = is_openai || rules.family == "mistral";
    if has_key && past.key != given.parsed.parameter(Parameter::CacheKey) {
        let mut change = Found::new(Cause::PromptCacheKeyChanged, 0).parameter("prompt_cache_key");
        change.sure = rules.mode == CacheMode::Breakpoints;
        found.push(change);
    }
}

/// Returns the length below which nothing is cached: that of the model, or the least of its provider.
pub(crate) fn minimum(rules: &CacheRules) -> Option<u64> {
    let is_prefix = rules.family == "openai" && rules.mode == CacheMode::Prefix;
    rules.minimum.or(is_prefix.then_some(1_024))
}

/// Returns whether a request is too short for any part of it to be cached: `Some(true)` if that is
/// sure. Returns nothing for a request that is long enough, and if the log does not show it.
pub(super) fn is_below(
    rules: &CacheRules,
    prefix_tokens: &PrefixTokens,
    positions: &Positions,
    given: &Given<'_>,
) -> Option<bool> {
    let minimum = minimum(rules)?;
    if given.usage.is_some_and(|usage| usage.read + usage.write > 0) {
        return None;
    }
    let end = positions.end(rules, given.parsed.units.len());
    if end == 0 || !given.lacking().is_empty() {
        return None;
    }
    let tokens = prefix_tokens.at(end);
    if given.usage.is_some() && end == given.parsed.units.len() || prefix_tokens.is_exact(end) {
        return (tokens < minimum).then_some(true);
    }
    // an estimate can be wrong by a third; a marked prefix that is neither read nor written is short
    let is_shown = given.usage.is_some() && rules.mode == CacheMode::Marked;
    match () {
        () if tokens * 3 < minimum * 2 => Some(true),
        () if is_shown && tokens * 2 < minimum * 3 => Some(true),
        () if tokens < minimum => Some(false),
        () => None,
    }
}

/// Returns the cause of a request that is too short, or that follows one.
pub(super) fn below(rules: &CacheRules, tokens: u64, past: &Past<'_>, now: Option<bool>) -> Found {
    let mut found = Found::new(Cause::BelowMinimum, 0);
    let (tokens, sure) = match now {
        Some(sure) => (tokens, sure),
        None => (past.marked, past.is_below == Some(true)),
    };
    found.at.found = Some(tokens);
    found.at.limit = rules.minimum;
    let is_documented = rules.minimum.is_some() && !matches!(rules.family, "google" | "mistral");
    found.sure = sure && is_documented;
    found
}

/// Returns true if a prefix reaches the minimum although it is an estimate.
pub(super) fn is_sure_minimum(
    rules: &CacheRules,
    prefix_tokens: &PrefixTokens,
    units: usize,
) -> bool {
    let tokens = prefix_tokens.at(units);
    match rules.minimum {
        Some(minimum) if prefix_tokens.is_exact(units) => tokens >= minimum,
        Some(minimum) => tokens * 2 >= minimum * 3,
        None => prefix_tokens.is_exact(units) && tokens > 0,
    }
}
