//! The units in which prices are stated.

use super::policy::CacheRules;
use crate::prompt::provider::{ModelPrice, Models};
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
        models: impl Iterator<Item = Option<&'a str>>,
    ) -> Self {
        let mut last = None;
        for model in models {
            if last == Some(model) {
                continue;
            }
            last = Some(model);
            let family = CacheRules::of(provider, model).family;
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

    pub(super) fn currency(&self) -> &str {
        match self {
            Self::Host { currency, .. } => currency,
            Self::Table(_) => "USD",
            Self::Multiples => "input_tokens",
        }
    }
}

/// Returns the prices of a model. The table of the host is searched first.
fn table(own: &Json, family: &str, model: Option<&str>) -> Option<ModelPrice> {
    let family = if family == "bedrock" { "amazon" } else { family };
    let own = Models::own_info(own, family, model?).ok().flatten().and_then(|info| info.price);
    own.or_else(|| Models::shared().info(family, model?)?.price.clone())
}

fn input(price: &ModelPrice, total: u64) -> Option<f64> {
    let above = price.above.iter().filter(|above| total > above.tokens);
    above.max_by_key(|above| above.tokens).and_then(|above| above.input).or(price.input)
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
