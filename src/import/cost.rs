//! The cost of recorded requests, by the table of models.

use super::explain::provider_of;
use super::model::{Request, Session, Usage};
use crate::prompt::cache::CacheRules;
use crate::prompt::provider::{ModelInfo, Models, TokenUse};
use std::borrow::Cow;

/// Returns what the tables of models have about the model of a request. The host's own is first.
pub(super) fn model_info(session: &Session, request: &Request) -> Option<Cow<'static, ModelInfo>> {
    let model = request.model.as_deref()?;
    let family = CacheRules::of(provider_of(session), Some(model)).family;
    let family = if family == "bedrock" { "amazon" } else { family };
    let own = Models::own_info(&session.own_models, family, model).ok().flatten();
    match (own, Models::shared().info(family, model)) {
        (Some(own), Some(shared)) => Some(Cow::Owned(own.or(shared.clone()))),
        (Some(own), None) => Some(Cow::Owned(own)),
        (None, shared) => shared.map(Cow::Borrowed),
    }
}

/// Returns the cost of a request in dollars. `None` if the log has no input tokens, or if a price that
/// the request needs is not known.
pub(super) fn cost(info: Option<&ModelInfo>, usage: &Usage) -> Option<f64> {
    let (read, write) = (usage.cached.unwrap_or(0), usage.written.unwrap_or(0));
    let used = TokenUse {
        fresh: usage.input?.saturating_sub(read + write),
        read,
        write,
        write_1h: 0,
        output: usage.output.unwrap_or(0),
    };
    info?.price.as_ref()?.cost(&used)
}
