//! What a call gets where it does not say otherwise.

use super::{Composer, Dialect};
use crate::value::limits::Limits;

/// What a call gets where it does not say otherwise.
///
/// ```
/// use tuckbox::rule::{Defaults, Dialect};
/// use tuckbox::{PackContext, json};
///
/// let defaults = Defaults { dialect: Dialect::V1R3, ..Defaults::default() };
/// let call = json!({"tool_suffix": "t", "source_agent_id": "a", "arguments": {}, "handover": {}});
/// assert_eq!(PackContext::from_json_with(&call, &defaults)?.dialect, Dialect::V1R3);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Defaults {
    /// The rule dialect of calls that name none.
    pub dialect: Dialect,
    /// What new cards may hold.
    pub limits: Limits,
    /// How prompts are composed. No call can say otherwise.
    pub composer: Composer,
}
