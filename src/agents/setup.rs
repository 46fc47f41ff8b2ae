//! What a host has set up for its calls.

use super::recipe::Recipes;
use crate::Result;
use crate::rule::{Call, Defaults};
use crate::value::json::Json;

/// The defaults of calls, the recipes of the host, and the operations there are.
///
/// ```
/// use tuckbox::agents::Setup;
/// use tuckbox::agents::recipe::{DEFAULT_MAX_TASKS, ForkJoin};
/// use tuckbox::{Dialect, json};
///
/// let mut setup = Setup::default();
/// setup.defaults.dialect = Dialect::V1R3;
/// let call = json!({"source_agent_id": "ann", "arguments": {"tasks": [
///     {"target_strategy": "new", "target_ref": "Writer", "instruction": "Draft it."}]}});
/// let fork = ForkJoin::from_json(&call, &setup)?;
/// assert_eq!((fork.caller().dialect, fork.max_tasks), (Dialect::V1R3, DEFAULT_MAX_TASKS));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Setup {
    /// What a call gets where it does not say otherwise.
    pub defaults: Defaults,
    /// The recipes that the host has registered; each is an operation under its own name.
    pub recipes: Recipes,
    pub(crate) operations: Operations,
}

/// What rules may know of the list of operations, handed in by whoever has the list: a call can
/// hold another call, and a recipe may not take the name of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operations {
    /// Takes what it needs out of a call.
    pub take: fn(&mut Json, &Setup) -> Result<Call>,
    pub is_operation: fn(&str) -> bool,
}

impl Setup {
    /// Reads a call of any operation.
    ///
    /// # Errors
    /// `bad_request` for an unknown operation, or when the call does not fit it.
    pub fn read_call(&self, call: &Json) -> Result<Call> {
        self.take_call(call.clone())
    }

    /// As [`Setup::read_call`], from a call that nobody needs any more.
    ///
    /// # Errors
    /// As [`Setup::read_call`].
    pub(crate) fn take_call(&self, mut call: Json) -> Result<Call> {
        (self.operations.take)(&mut call, self)
    }
}

impl PartialEq for Setup {
    fn eq(&self, other: &Self) -> bool {
        self.defaults == other.defaults && self.recipes == other.recipes
    }
}
