//! What the prefix caches of providers demand.

use crate::prompt::provider::{Model, Provider};
use serde::Serialize;

/// What a provider's prefix cache demands.
///
/// Shown by the example of [`diff_payloads`](super::diff_payloads).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CachePolicy {
    /// A shorter beginning is not cached.
    pub least_tokens: u64,
    /// The cache works in steps of so many tokens.
    pub step: u64,
    /// Only whole blocks are kept, never half of one.
    pub whole_blocks: bool,
    /// The host has to mark where the cache ends.
    pub marked: bool,
}

impl CachePolicy {
    /// What the provider documents. Models differ: a host that knows better says so.
    pub const fn of(provider: Provider) -> Self {
        provider.spec().cache
    }

    /// What the provider documents for a model, as far as the table of models knows it.
    pub(crate) fn of_model(provider: Provider, model: &Model) -> Self {
        let own = Self::of(provider);
        Self {
            least_tokens: model.cache_least_tokens.unwrap_or(own.least_tokens),
            step: model.cache_step.unwrap_or(own.step),
            ..own
        }
    }
}
