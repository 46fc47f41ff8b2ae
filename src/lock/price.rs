//! What changes cost: lost prefixes of a cache, and added tokens.

use super::compare::LockChange;
use super::entry::Entry;
use crate::prompt::cache::{CacheRules, minimum, table_price};
use crate::value::json::Json;

/// The prefix that a context loses.
pub(super) struct LostPrefix {
    pub slot: String,
    pub tokens: u64,
    /// True if the prefix had enough tokens for a cache.
    pub is_cached: bool,
}

/// Returns where the locked prefix of an entry is lost.
pub(super) fn lost_prefix(old: &Entry, changes: &[LockChange]) -> Option<LostPrefix> {
    let first = changes.iter().filter(|change| !change.keeps_prefix());
    let first = first.min_by_key(|change| change.order)?;
    let tools = old.tools.iter().map(|tool| tool.tokens);
    let positions = old.positions.iter().map(|position| position.content.tokens());
    let kept: u64 = tools.chain(positions).take(first.order).sum();
    let tokens = old.prefix.checked_sub(kept).filter(|tokens| *tokens > 0)?;
    let minimum = minimum(&CacheRules::of(&old.provider, old.model.as_deref()));
    let is_cached = minimum.is_none_or(|minimum| old.prefix >= minimum);
    Some(LostPrefix { slot: first.slot.clone(), tokens, is_cached })
}

/// The prices of input.
pub(super) struct Price<'a> {
    /// The host's own table of models.
    pub models: &'a Json,
}

impl Price<'_> {
    /// Returns the price of added tokens for 1,000 turns, in dollars.
    pub fn per_1000(&self, entry: &Entry, tokens: i64) -> Option<f64> {
        let model = entry.model.as_deref();
        let family = CacheRules::of(&entry.provider, model).family;
        let price = table_price(self.models, family, model, entry.totals().all())?;
        Some(tokens as f64 * price / 1e6 * 1000.0)
    }
}
