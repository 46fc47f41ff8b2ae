//! The sender of a delegation: the arguments that all recipes share.

use super::text;
use crate::rule::{Defaults, Dialect, Grants};
use crate::value::arguments::{Nullable, arguments};
use crate::value::json::Json;
use crate::value::limits::Limits;
use crate::{Error, Path, Result};

/// The depth of an agent below the first caller: a number, or a string of digits.
type RecursionDepth = Json;

shape! {
    pub type RecursionDepth = Loose<NumberOrDigits>;

    #[serde(untagged)]
    pub enum NumberOrDigits {
        Number(u64),
        Digits(String),
    }
}

arguments! {
    /// The sender of a delegation.
    ///
    /// ```
    /// use tuckbox::Dialect;
    /// use tuckbox::agents::recipe::{Caller, DelegateAsync, Strategy, TaskArguments};
    /// use tuckbox::value::arguments::Nullable;
    ///
    /// let caller = Caller {
    ///     dialect: Some(Dialect::V1R4),
    ///     recursion_depth: Nullable::Value(1_u64.into()),
    ///     ..Caller::new("ann")
    /// };
    /// let task = TaskArguments::new(Strategy::New, "Writer", "Draft it.");
    /// assert_eq!(DelegateAsync::new(caller, task).caller.dialect(), Dialect::V1R4);
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct Caller {
        /// The agent that delegates.
        pub source_agent_id: String,
        /// The name under which a model called the tool. It must be the name of the operation.
        pub tool_name: Nullable<String>,
        /// The tool that was called: the author of the new cards in `v1r3`. The operation by default.
        pub tool_suffix: Option<String>,
        /// The rule dialect. The dialect of the project by default.
        pub dialect: Option<Dialect>,
        /// The depth of the agent below the first caller. 0 by default; `null` if it is not known,
        /// which `v1r3` does not allow.
        pub recursion_depth: Nullable<RecursionDepth>,
        /// Reads every inherited card and reports those that are missing, deleted or expired.
        pub check_liveness: bool = false,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
        setting limits: Limits,
        setting grants: Grants,
    }
}

impl Caller {
    /// Returns a sender that no other agent called.
    pub fn new(source_agent_id: impl Into<String>) -> Self {
        Self {
            source_agent_id: source_agent_id.into(),
            tool_name: Nullable::Missing,
            tool_suffix: None,
            dialect: None,
            recursion_depth: Nullable::Missing,
            check_liveness: false,
            operation_id: None,
            limits: Limits::default(),
            grants: Grants::default(),
        }
    }

    /// Returns the sender with the limits of a project, and with its dialect where the call has none.
    #[must_use]
    pub fn with_defaults(mut self, defaults: &Defaults) -> Self {
        self.dialect = Some(defaults.dialect_of(self.dialect));
        self.limits = defaults.limits;
        self.grants = defaults.grants();
        self
    }

    /// Returns the rule dialect.
    pub fn dialect(&self) -> Dialect {
        self.dialect.unwrap_or_default()
    }

    /// Rejects a call that a model made under the name of another tool.
    pub(super) fn check_tool_name(&self, recipe: &str) -> Result<()> {
        let found = match &self.tool_name {
            Nullable::Missing => return Ok(()),
            Nullable::Null => "null",
            Nullable::Value(name) if name == recipe => return Ok(()),
            Nullable::Value(name) => name,
        };
        let message = format!("`tool_name` must be `{recipe}`, found `{found}`");
        Err(Error::bad_request(message).at(Path::root().key("tool_name")))
    }

    /// Returns the agent's id under the dialect.
    pub(crate) fn agent_id(&self) -> Result<&str> {
        self.dialect().id(&self.source_agent_id, "source_agent_id")
    }

    /// Returns the author of the cards that `recipe` makes.
    pub(super) fn author<'a>(&'a self, recipe: &'a str) -> &'a str {
        match &self.tool_suffix {
            Some(suffix) if !self.dialect().recipe_is_author => suffix,
            Some(_) | None => recipe,
        }
    }

    /// Returns the depth of the receiver, if that of the sender is known.
    pub(super) fn depth_below(&self) -> Result<Option<u64>> {
        let own = match &self.recursion_depth {
            Nullable::Missing => Some(0),
            Nullable::Null => None,
            Nullable::Value(depth) => text::depth(depth),
        };
        let depth = own.and_then(|depth| depth.checked_add(1));
        if depth.is_none() && self.dialect().needs_depth {
            let found = self.recursion_depth.json().unwrap_or_default().text_form();
            return Err(Error::bad_request(format!(
                "`recursion_depth` must be a whole number from 0, found `{found}`"
            ))
            .at(Path::root().key("recursion_depth")));
        }
        Ok(depth)
    }
}
