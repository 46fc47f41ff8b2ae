//! The defaults of calls.

use super::{AuthorityPolicy, Composer, Dialect};
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Defaults {
    /// The rule dialect of calls without one. A call cannot turn off its authority check.
    pub dialect: Dialect,
    /// The limits of new cards and of calls.
    pub limits: Limits,
    /// The composition policy. A call cannot override it.
    pub composer: Composer,
    /// The authority over inherited boxes. A call can only be stricter.
    pub authority: AuthorityPolicy,
    /// Follows the reference systems where Tuckbox promises more. Turns can share boxes, and the
    /// boxes of a turn need UUIDs. An incomplete turn is accepted and becomes an error. Cards get
    /// no role from their type.
    pub reference_behavior: bool,
}

impl Defaults {
    /// Returns the dialect of a call, which can name its own. The authority check of the project
    /// stays on: a call can be stricter than its project, but not more permissive.
    ///
    /// ```
    /// use tuckbox::rule::{Defaults, Dialect};
    ///
    /// let strict = Defaults { dialect: Dialect::V1R4, ..Defaults::default() };
    /// assert!(strict.dialect_of(Some(Dialect::V1R3)).checks_authority);
    /// assert!(!Defaults::default().dialect_of(None).checks_authority);
    /// ```
    #[must_use]
    pub fn dialect_of(&self, call: Option<Dialect>) -> Dialect {
        let dialect = call.unwrap_or(self.dialect);
        let checks_authority = dialect.checks_authority || self.dialect.checks_authority;
        Dialect { checks_authority, ..dialect }
    }
}
