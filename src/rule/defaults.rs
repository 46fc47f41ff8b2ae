//! The defaults of calls.

use super::{Composer, Dialect};
use crate::value::limits::Limits;

/// The values that a call uses unless it sets its own.
///
/// ```
/// use tuckbox::rule::{Defaults, Dialect};
/// use tuckbox::{PackContext, json};
///
/// let defaults = Defaults { dialect: Dialect::V1R3, ..Defaults::default() };
/// let call = json!({"tool_suffix": "t", "source_agent_id": "a", "arguments": {}, "handover": {}});
/// assert_eq!(PackContext::from_json(&call)?.with_defaults(&defaults).dialect, Some(Dialect::V1R3));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Defaults {
    /// The rule dialect of calls without one.
    pub dialect: Dialect,
    /// The limits of new cards and of calls.
    pub limits: Limits,
    /// The composition policy. A call cannot override it.
    pub composer: Composer,
}
