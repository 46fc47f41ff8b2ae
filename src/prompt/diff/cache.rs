//! The rules of the prefix caches of providers.

use crate::prompt::provider::{Model, Provider};
use crate::value::arguments::arguments;
use serde::Serialize;

/// The rules of a provider's prefix cache.
///
/// Shown by the example of [`diff_payloads`](super::diff_payloads).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CachePolicy {
    /// The shortest prefix that is cached, in tokens.
    pub least_tokens: u64,
    /// The step of the cache in tokens: a cached prefix is a multiple of it.
    pub step: u64,
    /// True if only whole blocks are cached.
    pub whole_blocks: bool,
    /// True if the host must mark the end of the cached prefix.
    pub marked: bool,
}

impl CachePolicy {
    /// Returns the documented cache of the provider. Models differ; a host can override it.
    pub const fn of(provider: Provider) -> Self {
        provider.spec().cache
    }

    /// Returns the rules for a model, as far as the table of models has them.
    pub(crate) fn of_model(provider: Provider, model: &Model) -> Self {
        let own = Self::of(provider);
        Self {
            least_tokens: model.cache_least_tokens.unwrap_or(own.least_tokens),
            step: model.cache_step.unwrap_or(own.step),
            ..own
        }
    }

    /// Replaces the values that a call has.
    #[must_use]
    pub(super) fn with(self, own: CacheOptions) -> Self {
        Self {
            least_tokens: own.least_tokens.unwrap_or(self.least_tokens),
            step: own.step.unwrap_or(self.step),
            whole_blocks: own.whole_blocks.unwrap_or(self.whole_blocks),
            marked: self.marked,
        }
    }
}

arguments! {
    /// The prefix cache of a provider. The values of the model by default.
    ///
    /// Shown by the example of [`DiffPayloads`](super::DiffPayloads).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct CacheOptions {
        /// The length of the shortest prefix that is cached, in tokens.
        pub least_tokens: Option<u64>,
        /// The step of the cache, in tokens.
        pub step: Option<u64>,
        /// Caches only whole blocks, never a part of one.
        pub whole_blocks: Option<bool>,
    }
}
