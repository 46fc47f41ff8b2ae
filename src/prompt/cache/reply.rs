//! The answer about one request: tokens, lifetime and price.

use super::answer::{
    AlsoCause, CachePrice, CacheTtl, Cause, ExpectedTokens, RecordedTokens, RequestCache,
};
use super::body::Ttl;
use super::changes::Found;
use super::checks::minimum;
use super::entries::Mark;
use super::policy::{CacheMode, CacheRules};
use super::step::{Step, Verdict};
use super::walk::Walk;

/// Returns what the rules of the provider read from the cache and write to it.
fn expected(step: &Step<'_, '_>, verdict: &Verdict) -> ExpectedTokens {
    let Step { given, rules, prefix_tokens, positions, reached, marks, potential, .. } = *step;
    let total = prefix_tokens.total();
    let is_refused = verdict.cause.refuses();
    let mut read = if is_refused { 0 } else { prefix_tokens.at(reached.live) };
    if given.parsed.is_stored() && verdict.cause == Cause::Appended {
        read = potential.min(total);
    }
    if rules.mode == CacheMode::Prefix
        && let Some(step) = rules.step
    {
        read = read / step * step;
    }
    let is_small = rules.minimum.is_some_and(|minimum| read < minimum);
    if is_small && !prefix_tokens.is_exact(reached.live) && rules.family != "google" {
        read = 0;
    }
    let written = prefix_tokens.at(positions.written);
    let is_written = rules.minimum.is_none_or(|minimum| written >= minimum) && !is_refused;
    let write = if is_written { written.saturating_sub(read) } else { 0 };
    let hour = marks.iter().rfind(|(_, ttl)| *ttl == Ttl::Hour);
    ExpectedTokens {
        read,
        write,
        write_1h: hour.map(|(at, _)| prefix_tokens.at(*at).saturating_sub(read).min(write)),
        fresh: total.saturating_sub(read + write),
        exact: prefix_tokens.is_exact(reached.live) && given.usage.is_some(),
    }
}

impl Walk<'_, '_> {
    /// Returns the answer. `also` has the further causes.
    pub(super) fn answer(
        &self,
        step: &Step<'_, '_>,
        verdict: Verdict,
        also: Vec<Found>,
    ) -> RequestCache {
        let Step { given, rules, prefix_tokens, marks, potential, .. } = *step;
        let total = prefix_tokens.total();
        let expected = expected(step, &verdict);
        let actual = given.usage.map_or(expected.read, |usage| usage.read);
        let is_hit = matches!(verdict.cause, Cause::First | Cause::Appended);
        let held = potential.min(total);
        // a shorter prefix was never in the cache
        let is_held = minimum(rules).is_none_or(|minimum| held >= minimum);
        let lost = if is_hit || !is_held { 0 } else { held.saturating_sub(actual) };
        let price = self.price(rules, &expected, given.usage, lost, total, marks);
        let also = also.into_iter().map(|found| AlsoCause {
            cause: found.cause,
            region: found.cause.region(),
            lost_tokens: potential.min(total).saturating_sub(prefix_tokens.at(found.kept)),
            rule: found.cause.rule(rules.family, rules.rule),
            at: found.at,
        });
        RequestCache {
            cause: verdict.cause,
            also: also.collect(),
            region: verdict.region,
            fix: verdict.cause.fix(rules, &verdict.at),
            rule: verdict.cause.rule(rules.family, rules.rule),
            at: verdict.at,
            sure: verdict.sure,
            reason: verdict.reason,
            compared_with: step.base,
            expected,
            recorded: given.usage,
            lost_tokens: lost,
            ttl: ttl(step),
            price,
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
}

/// Returns the lifetime of the entry that the request reads or could read.
fn ttl(step: &Step<'_, '_>) -> CacheTtl {
    let Step { given, rules, positions, reached, .. } = *step;
    let entry = reached.any.map(|(_, entry)| entry).or(step.last);
    let written = positions.writes.last().map(|(_, lifetime)| *lifetime);
    let lifetime = entry.map(|entry| entry.lifetime).or(written).unwrap_or(rules.lifetime);
    let seconds = if rules.guaranteed { lifetime.most } else { lifetime.least.or(lifetime.most) };
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
