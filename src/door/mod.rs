//! One door for every call: JSON in, JSON out.
//!
//! A binding needs no list of functions; it hands over `{"op": "pack_context", ...}` and drives
//! whatever comes back. Adding a rule to the product is one line in `operations`.
//!
//! ```
//! use tuckbox::door::Call;
//! use tuckbox::Json;
//!
//! let call = Json::parse(r#"{"op": "pack_contxt"}"#)?;
//! let error = Call::from_json(&call, &Default::default()).err().unwrap();
//! assert_eq!(error.path().to_string(), "op");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod operations;
mod parts;

pub use operations::Part;
pub(crate) use operations::read_recipes;
pub use parts::{Parts, parts};

use crate::Result;
use crate::env::Env;
use crate::json::{Field, Json, read_back, to_text};
use crate::rule::{Outcome, Rule, Step};
use crate::settings::Defaults;
use crate::store::Snapshot;
use operations::OPERATIONS;
use serde::Serialize;

/// A value that knows its JSON text; made only when somebody looks.
pub trait Value {
    /// The value as JSON text.
    ///
    /// # Errors
    /// When the value has no JSON form.
    fn to_text(&self) -> Result<String>;

    /// The value as JSON.
    ///
    /// # Errors
    /// As [`Value::to_text`].
    fn to_json(&self) -> Result<Json> {
        read_back(&self.to_text()?)
    }
}

impl<T: Serialize> Value for T {
    fn to_text(&self) -> Result<String> {
        to_text(self)
    }
}

/// An outcome whose type was left at the door.
pub type AnyOutcome = Outcome<Box<dyn Value>>;

trait AnyRule {
    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<AnyOutcome>>;
}

impl<R: Rule> AnyRule for R
where
    R::Value: Serialize + 'static,
{
    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<AnyOutcome>> {
        Ok(match Rule::step(self, snapshot, env)? {
            Step::Need(reads) => Step::Need(reads),
            Step::Done(outcome) => {
                Step::Done(outcome.map(|value| Box::new(value) as Box<dyn Value>))
            }
        })
    }
}

/// A call that was read and can be driven.
pub struct Call(Box<dyn AnyRule>);

fn call(rule: impl Rule<Value: Serialize + 'static> + 'static) -> Result<Call> {
    Ok(Call(Box::new(rule)))
}

impl Call {
    /// Reads a call. Every call is an object with an `op`; what it leaves open comes from
    /// `defaults`.
    ///
    /// # Errors
    /// `bad_request` for an unknown operation, or when the call does not fit it.
    pub fn from_json(json: &Json, defaults: &Defaults) -> Result<Self> {
        let op = Field::root(json).object()?.required("op")?;
        let name = op.string()?;
        let found = parts::operation(name, defaults);
        found.and_then(|(known, part)| part.read(known, json, defaults)).unwrap_or_else(|| {
            let known = OPERATIONS.iter().map(|(known, _)| *known);
            let known = known.chain(defaults.recipes.names());
            let known = known.map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ");
            Err(op.error(format!("unknown operation `{name}`; known are {known}")))
        })
    }

    /// The next step of the call.
    ///
    /// # Errors
    /// Whatever the rule says.
    pub fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<AnyOutcome>> {
        self.0.step(snapshot, env)
    }
}

/// The names of all operations.
pub fn operations() -> impl Iterator<Item = &'static str> {
    OPERATIONS.iter().map(|(name, _)| *name)
}
