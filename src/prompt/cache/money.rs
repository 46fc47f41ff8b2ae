//! The units in which prices are stated.

use super::policy::{CacheRules, Surface};
use crate::prompt::provider::{ModelCache, ModelPrice, Models, PriceAbove};
use crate::value::json::Json;

/// How prices are stated.
pub(super) enum Money<'h> {
    /// In the currency of the host: the price of a token of input.
    Host { unit: f64, currency: String },
    /// In dollars, by the table of models. The table of the host is searched first.
    Table(&'h Json),
    /// As multiples of the price of a token of input.
    Multiples,
}

impl<'h> Money<'h> {
    /// Returns dollars if the tables have a price for each of these models, else multiples. There is
    /// one currency for all requests.
    pub(super) fn of<'a>(
        own: &'h Json,
        provider: &str,
        models: impl Iterator<Item = (Option<&'a str>, Surface)>,
    ) -> Self {
        let mut last = None;
        for (model, surface) in models {
            if last == Some((model, surface)) {
                continue;
            }
            last = Some((model, surface));
            let family = CacheRules::on(provider, model, surface).family;
            if table(own, family, model).is_none_or(|price| price.input.is_none()) {
                return Self::Multiples;
            }
        }
        Self::Table(own)
    }

    /// Returns the prices of a model.
    pub(super) fn price(&self, rules: &CacheRules, model: Option<&str>) -> Option<ModelPrice> {
        match self {
            Self::Host { .. } | Self::Multiples => None,
            Self::Table(own) => table(own, rules.family, model),
        }
    }

    /// Returns the price of a token of input, for a request with so many tokens.
    pub(super) fn unit(&self, rules: &CacheRules, price: Option<&ModelPrice>, total: u64) -> f64 {
        match self {
            Self::Host { unit, .. } => *unit * rules.times(total),
            Self::Multiples => rules.times(total),
            // the table has the prices above a threshold
            Self::Table(_) => {
                price.and_then(|price| input(price, total)).map_or(f64::NAN, |price| price / 1e6)
            }
        }
    }

    /// Returns the multiples of the input price: those of the table that has the price, or those of the
    /// rules.
    pub(super) fn multiples(
        &self,
        rules: &CacheRules,
        price: Option<&ModelPrice>,
        total: u64,
    ) -> Multiples {
        let known = price.filter(|_| matches!(self, Self::Table(_)));
        let of = |own: fn(&Rates) -> Option<f64>, documented: Option<f64>| {
            let rates = known.map(|price| Rates::of(price, total));
            let times = rates.and_then(|rates| Some(own(&rates)? / rates.input?));
            // a quotient of two decimals has a rounding error
            times.map(|times| (times * 1e9).round() / 1e9).or(documented)
        };
        Multiples {
            read: of(|rates| rates.read, rules.read),
            write: of(|rates| rates.write, rules.write),
            write_1h: of(|rates| rates.write_1h, rules.write_1h),
        }
    }

    pub(super) fn currency(&self) -> &str {
        match self {
            Self::Host { currency, .. } => currency,
            Self::Table(_) => "USD",
            Self::Multiples => "input_tokens",
        }
    }
}

/// Returns the facts of the host's table about the cache of a model.
pub(super) fn own_cache(own: &Json, family: &str, model: Option<&str>) -> Option<ModelCache> {
    let family = if family == "bedrock" { "amazon" } else { family };
    Models::own_info(own, family, model?).ok().flatten()?.cache
}

/// Returns the prices of a model. The table of the host is searched first.
fn table(own: &Json, family: &str, model: Option<&str>) -> Option<ModelPrice> {
    let family = if family == "bedrock" { "amazon" } else { family };
    let own = Models::own_info(own, family, model?).ok().flatten().and_then(|info| info.price);
    own.or_else(|| Models::shared().info(family, model?)?.price.clone())
}

/// Multiples of the input price.
pub(super) struct Multiples {
    pub read: Option<f64>,
    pub write: Option<f64>,
    pub write_1h: Option<f64>,
}

/// The prices of a request with a number of tokens.
struct Rates {
    input: Option<f64>,
    read: Option<f64>,
    write: Option<f64>,
    write_1h: Option<f64>,
}

impl Rates {
    fn of(price: &ModelPrice, total: u64) -> Self {
        let above = price.above.iter().filter(|above| total > above.tokens);
        let above = above.max_by_key(|above| above.tokens);
        let of = |high: fn(&PriceAbove) -> Option<f64>, usual| above.and_then(high).or(usual);
        Self {
            input: of(|above| above.input, price.input),
            read: of(|above| above.read, price.read),
            write: of(|above| above.write, price.write),
            write_1h: of(|above| above.write_1h, price.write_1h),
        }
    }
}

fn input(price: &ModelPrice, total: u64) -> Option<f64> {
    Rates::of(price, total).input
}

/// Returns the price of 1,000,000 tokens of input in the table of models.
pub(crate) fn table_price(
    own: &Json,
    family: &str,
    model: Option<&str>,
    total: u64,
) -> Option<f64> {
    input(&table(own, family, model)?, total)
}
