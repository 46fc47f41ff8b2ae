//! Calls of any rule, with outcomes of any type.

use super::{Outcome, Rule, Step};
use crate::Result;
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::{Json, read_back, write_text_within};
use serde::Serialize;
use std::any::Any;

/// A value that can be written as JSON. It is converted to text on demand.
///
/// ```
/// use tuckbox::rule::Value;
///
/// let mut line = String::from("answer: ");
/// Value::write_text(&vec!["a", "b"], &mut line)?;
/// assert_eq!(line, r#"answer: ["a","b"]"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub trait Value {
    /// Appends the value to `out` as JSON text.
    ///
    /// # Errors
    /// When the value has no JSON form.
    fn write_text(&self, out: &mut String) -> Result<()> {
        self.write_text_within(out, usize::MAX)
    }

    /// Does the same as [`Value::write_text`], for text of at most `max_bytes` bytes.
    ///
    /// # Errors
    /// Those of [`Value::write_text`], and `limit`.
    fn write_text_within(&self, out: &mut String, max_bytes: usize) -> Result<()>;

    /// Returns the value as JSON text.
    ///
    /// # Errors
    /// Those of [`Value::write_text`].
    fn to_text(&self) -> Result<String> {
        let mut out = String::new();
        self.write_text(&mut out)?;
        Ok(out)
    }

    /// Returns the value as JSON.
    ///
    /// # Errors
    /// Those of [`Value::write_text`].
    fn to_json(&self) -> Result<Json> {
        read_back(&self.to_text()?)
    }

    /// Converts the value for a downcast.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<T: Serialize + 'static> Value for T {
    fn write_text_within(&self, out: &mut String, max_bytes: usize) -> Result<()> {
        // most answers are longer, so this avoids reallocations
        out.reserve(1 << 10);
        write_text_within(self, out, max_bytes)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// An outcome with a value of an erased type.
///
/// Shown by the example of [`Call`].
pub type AnyOutcome = Outcome<Box<dyn Value + Send>>;

trait AnyRule {
    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<AnyOutcome>>;
}

impl<R: Rule> AnyRule for R
where
    R::Value: Serialize + Send + 'static,
{
    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<AnyOutcome>> {
        let step = Rule::step(self, snapshot, env)?;
        Ok(step.map(|outcome| outcome.map(|value| Box::new(value) as Box<dyn Value + Send>)))
    }
}

/// A rule with its type erased.
///
/// ```
/// use tuckbox::cards::{CreateBox, DeleteCards};
/// use tuckbox::rule::{AnyOutcome, Call, Step};
/// use tuckbox::store::Snapshot;
/// use tuckbox::{Env, Timestamp, json};
///
/// // a host that reads calls from JSON has rules of different types
/// let create = CreateBox::from_json(&json!({"card_ids": ["n1"]}))?;
/// let calls = [Call::new(create), Call::new(DeleteCards::from_json(&json!({"card_ids": ["n1"]}))?)];
/// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let Step::Done(outcome) = calls[0].step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// let outcome: AnyOutcome = outcome;
/// assert!(outcome.value.to_text()?.contains(r#""card_ids":["n1"]"#));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub struct Call(Box<dyn AnyRule + Send>);

impl Call {
    /// Creates a call of this rule.
    pub fn new(rule: impl Rule<Value: Serialize + Send + 'static> + Send + 'static) -> Self {
        Self(Box::new(rule))
    }

    /// Returns the next step of the call.
    ///
    /// # Errors
    /// Returns the errors of the rule.
    pub fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<AnyOutcome>> {
        self.0.step(snapshot, env)
    }
}
