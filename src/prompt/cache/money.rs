//! The units in which prices are stated.

use super::policy::CacheRules;
use crate::prompt::provider::Models;
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

impl Money<'_> {
    /// Returns the price of a token of input, for a request with so many tokens.
    pub(super) fn unit(&self, rules: &CacheRules, model: Option<&str>, total: u64) -> f64 {
        match self {
            Self::Host { unit, .. } => *unit * rules.times(total),
            Self::Multiples => rules.times(total),
            // the table has the prices above a threshold
            Self::Table(own) => {
                table_price(own, rules.family, model, total).map_or(f64::NAN, |price| price / 1e6)
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

/// Returns the price of 1,000,000 tokens of input in the table of models.
pub(crate) fn table_price(
    own: &Json,
    family: &str,
    model: Option<&str>,
    total: u64,
) -> Option<f64> {
    let family = if family == "bedrock" { "amazon" } else { family };
    let own = Models::own_info(own, family, model?).ok().flatten().and_then(|info| info.price);
    let price = own.or_else(|| Models::shared().info(family, model?)?.price.clone())?;
    let above = price.above.iter().filter(|above| total > above.tokens);
    above.max_by_key(|above| above.tokens).and_then(|above| above.input).or(price.input)
}
