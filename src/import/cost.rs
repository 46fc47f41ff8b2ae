//! The cost of recorded requests, by the table of models.

use super::explain::provider_of;
use super::model::{Request, Session, Usage};
use crate::prompt::cache::CacheRules;
use crate::prompt::provider::{ModelInfo, Models, TokenUse};

/// Returns what the table of models has about the model of a request.
pub(super) fn model_info(session: &Session, request: &Request) -> Option<&'static ModelInfo> {
    let model = request.model.as_deref()?;
    let family = CacheRules::of(provider_of(session), Some(model)).family;
    let family = if family == "bedrock" { "amazon" } else { family };
    Models::shared().info(family, model)
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
