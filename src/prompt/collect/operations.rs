//! The operation of the collector. It reads nothing from a store.
//!
//! ```
//! use tuckbox::json;
//! use tuckbox::rule::Defaults;
//! use tuckbox::prompt::collect::operations::collect_contexts;
//!
//! let error = collect_contexts(&json!({"state": {}, "retrieved": {"todo": "1. read"}}), &Defaults::default()).unwrap_err();
//! assert_eq!(error.path().to_string(), "retrieved.todo");
//! ```

use super::{CollectInput, Source, collect_with};
use crate::Result;
use crate::prompt::compose::LeftOut;
use crate::rule::{Defaults, Immediate};
use crate::value::json::{Json, Object};
use serde::Serialize;

/// The answer of `collect_contexts`.
///
/// Shown by the example of [`collect_contexts`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Collected {
    /// The blocks by key, for the composer.
    pub contexts: BlockTexts,
    /// The origin of each block, in the order of `contexts`.
    pub entries: Vec<Source>,
    /// The values with the key of a block that did not become one.
    pub left_out: Vec<LeftOut>,
}

/// Blocks by key, each a string.
type BlockTexts = Object;

shape! {
    pub type BlockTexts = BTreeMap<ContextKey, String>;

    fn collect_contexts(arguments: CollectInput);
}

/// Collects contexts from a state snapshot and retrieved material.
///
/// # Errors
/// As [`CollectInput::from_json`] and [`collect`](super::collect); `limit` if templates are filled with
/// more than `max_bytes` allows.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::rule::Defaults;
/// use tuckbox::prompt::collect::operations::collect_contexts;
///
/// let answer = collect_contexts(&json!({"state": {"compression__context": "They met. "}}), &Defaults::default())?;
/// assert_eq!(answer.value().contexts.get("compression__context"), Some(&json!("They met.")));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn collect_contexts(call: &Json, defaults: &Defaults) -> Result<Immediate<Collected>> {
    let super::Collected { contexts, entries, left_out, lints } =
        collect_with(&CollectInput::from_json(call)?, defaults)?;
    Ok(Immediate::with_lints(Collected { contexts, entries, left_out }, lints))
}
