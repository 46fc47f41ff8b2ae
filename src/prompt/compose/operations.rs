//! The operations of the composer: JSON in, an immediate answer out.

use super::{ComposeInput, Composer, Process, lifecycle};
use crate::Result;
use crate::rule::Immediate;
use crate::value::json::{Field, Json, to_json};

/// `compose`: a [`ComposeInput`], and `composer` for the [policy](Composer).
///
/// # Errors
/// As [`ComposeInput::from_json`] and [`Composer::compose`].
pub fn compose(call: &Json) -> Result<Immediate> {
    let fields = Field::root(call).object()?;
    let composer = match fields.optional("composer") {
        None => Composer::default(),
        Some(policy) => Composer::from_json(&policy)?,
    };
    let input = ComposeInput::from_fields(&fields, &["op", "composer"])?;
    let mut composed = composer.compose(&input)?;
    let lints = std::mem::take(&mut composed.lints);
    let value = Json::from([
        ("messages", to_json(&composed.messages)?),
        ("ledger", to_json(&composed.ledger)?),
    ]);
    Ok(Immediate::with_lints(value, lints))
}

/// `allowed_contexts`: which named blocks a `process` sees, with `enable_share_context` or the
/// process's default.
///
/// # Errors
/// `bad_request` for an unknown process kind.
pub fn allowed_contexts(call: &Json) -> Result<Immediate> {
    let fields = Field::root(call).object()?;
    fields.only(&["op", "process", "enable_share_context"])?;
    let rule = Process::from_json(&fields.required("process")?)?.rule();
    let share = match fields.optional("enable_share_context") {
        None => rule.share_by_default,
        Some(share) => share.boolean()?,
    };
    let value = Json::from([("keys", to_json(&rule.allowed_contexts(share))?)]);
    Ok(Immediate::new(value))
}

/// `prompt_tables`: what each kind of process sees, and how long each layer lives, as data.
///
/// # Errors
/// `bad_request` for a key too many.
pub fn prompt_tables(call: &Json) -> Result<Immediate> {
    Field::root(call).object()?.only(&["op"])?;
    let processes = Process::ALL.map(Process::rule);
    let value = Json::from([
        ("processes", to_json(&processes.as_slice())?),
        ("layers", to_json(&lifecycle())?),
    ]);
    Ok(Immediate::new(value))
}
