//! The settings that a host makes for its calls.

use super::recipe::Recipes;
use crate::Result;
use crate::rule::{Call, Defaults};
use crate::value::json::Json;
use std::sync::{Arc, OnceLock};

/// A call inside of another call: an object with `op`, the name of the operation.
pub type AnyCall = Json;

/// The defaults of calls, the recipes of the host, and the list of operations.
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
/// let fork = ForkJoin::from_json(&call)?.with_defaults(&setup.defaults);
/// assert_eq!((fork.caller.dialect(), fork.max_tasks()), (Dialect::V1R3, DEFAULT_MAX_TASKS));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Setup {
    /// The defaults of arguments that a call does not have.
    pub defaults: Defaults,
    /// The registered recipes of the host. Each is an operation under its own name.
    pub recipes: Recipes,
    /// The host's own table of models, as `Models::from_json` reads it. Its facts replace those of the
    /// table that comes with the package.
    pub models: Arc<Json>,
    pub(crate) operations: Operations,
}

/// The list of operations, as far as rules need it. A call can contain another call, and a recipe
/// cannot have the name of an operation. The list itself depends on the rules, so it is passed in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operations {
    /// Reads a call, and moves large values out of it.
    pub take: fn(&mut Json, &Setup) -> Result<Call>,
    pub is_operation: fn(&str) -> bool,
}

impl Setup {
    /// Reads a call of any operation.
    ///
    /// # Errors
    /// `bad_request` for an unknown operation, or for wrong arguments.
    pub fn read_call(&self, call: &Json) -> Result<Call> {
        self.take_call(call.clone())
    }

    /// As [`Setup::read_call`], for a call that is not used afterwards.
    ///
    /// # Errors
    /// As [`Setup::read_call`].
    pub(crate) fn take_call(&self, mut call: Json) -> Result<Call> {
        (self.operations.take)(&mut call, self)
    }
}

/// A value that the first step of a rule makes from its arguments.
#[derive(Clone, Debug)]
pub struct Resolved<T>(OnceLock<T>);

impl<T> Resolved<T> {
    /// Returns a value that is made already.
    pub(crate) fn new(value: T) -> Self {
        Self(OnceLock::from(value))
    }

    /// Returns the value, which `make` makes if there is none.
    pub(crate) fn get_or_make(&self, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        if let Some(value) = self.0.get() {
            return Ok(value);
        }
        let value = make()?;
        Ok(self.0.get_or_init(|| value))
    }
}

impl<T> Default for Resolved<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

/// Two values are equal, because they are made from equal arguments.
impl<T> PartialEq for Resolved<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl PartialEq for Setup {
    fn eq(&self, other: &Self) -> bool {
        self.defaults == other.defaults
            && self.recipes == other.recipes
            && self.models == other.models
    }
}
