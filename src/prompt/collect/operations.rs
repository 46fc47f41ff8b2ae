//! The operation of the collector: JSON in, an immediate answer out.
//!
//! ```
//! use tuckbox::{Limits, json};
//! use tuckbox::prompt::collect::operations::collect_contexts;
//!
//! let error = collect_contexts(&json!({"state": {}, "retrieved": {"todo": "1. read"}}), &Limits::default()).unwrap_err();
//! assert_eq!(error.path().to_string(), "retrieved.todo");
//! ```

use super::{CollectInput, collect_within};
use crate::rule::Immediate;
use crate::value::json::{Field, Json, to_json};
use crate::{Limits, Result};

shape! {
    /// The composer's blocks, and where each came from.
    pub struct Collected {
        pub contexts: BTreeMap<ContextKey, String>,
        pub entries: Vec<super::Source>,
        pub left_out: Vec<super::LeftOut>,
    }

    fn collect_contexts() -> Collected;
}

/// `collect_contexts`: a [`CollectInput`].
///
/// # Errors
/// As [`CollectInput::from_json`] and [`collect`](super::collect); `limit` when templates are filled with
/// more than `max_bytes` allows.
///
/// ```
/// use tuckbox::{Limits, json};
/// use tuckbox::prompt::collect::operations::collect_contexts;
///
/// let answer = collect_contexts(&json!({"state": {"compression__context": "They met. "}}), &Limits::default())?;
/// assert_eq!(answer.value().get("contexts"), Some(&json!({"compression__context": "They met."})));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn collect_contexts(call: &Json, limits: &Limits) -> Result<Immediate> {
    let fields = Field::root(call).object()?;
    let mut collected = collect_within(&CollectInput::from_fields(&fields, &["op"])?, limits)?;
    let lints = std::mem::take(&mut collected.lints);
    let value = Json::from([
        ("contexts", Json::Object(collected.contexts)),
        ("entries", to_json(&collected.entries)?),
        ("left_out", to_json(&collected.left_out)?),
    ]);
    Ok(Immediate::with_lints(value, lints))
}
