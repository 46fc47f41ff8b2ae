//! Restores the original name and arguments in a tool call of a model.

use super::loss::Losses;
use super::{Provider, tools};
use crate::rule::{Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::json::{Json, Object, is_too_many, parse_without};
use crate::value::limits::Limits;
use crate::{Path, Result};
use serde::Serialize;

/// Restores the original name and arguments in a call of a tool that a payload changed.
///
/// ```
/// use tuckbox::prompt::provider::{Provider, restore_call};
/// use tuckbox::Json;
///
/// let tool = Json::parse(r#"{"name": "file.read", "parameters": {"type": "string"}}"#)?;
/// let tools = [tool.as_object().cloned().unwrap_or_default()];
/// // the payload renamed it to `file_read` and put its schema under `value`
/// let made = Json::parse(r#"{"value": "a.txt"}"#)?;
/// let (name, arguments) = restore_call(Provider::Anthropic, &tools, "file_read", made);
/// assert_eq!((name.as_str(), arguments), ("file.read", Json::from("a.txt")));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn restore_call(
    provider: Provider,
    tools: &[Object],
    name: &str,
    arguments: Json,
) -> (String, Json) {
    let mut losses = Losses::of(provider.as_str());
    tools::define(tools, provider, &mut losses).1.restored(name, arguments)
}

arguments! {
    /// Restores the original name and arguments in a tool call of a model.
    ///
    /// ```
    /// use tuckbox::prompt::provider::RestoreCall;
    /// # use tuckbox::rule::{Rule, Step};
    /// # use tuckbox::{Env, Snapshot, Timestamp, json};
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = RestoreCall::from_json(&json!({"provider": "anthropic", "tools": [{"name": "file.read"}],
    ///     "name": "file_read", "arguments": {}}))?;
    /// let Step::Done(restored) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
    /// assert_eq!(restored.value.name, "file.read");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct RestoreCall {
        /// The provider of the request.
        pub provider: Provider,
        /// The tools of the prompt.
        pub tools: Vec<Object> = Vec::new(),
        /// The name of the tool in the call.
        pub name: String,
        /// The arguments of the call: JSON, or JSON as a string.
        pub arguments: Json,
        setting limits: Limits,
    }
}

/// A call with the original name and arguments.
///
/// Shown by the example of [`RestoreCall`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RestoredCall {
    /// The name in the prompt.
    pub name: String,
    /// The arguments by the schema of the prompt: a string if the call has a string.
    pub arguments: Json,
}

impl RestoreCall {
    /// Returns the call under other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the JSON that the string of the arguments has.
    fn parsed(&self) -> Result<Option<Json>> {
        let text = self.arguments.as_str().unwrap_or_default();
        let parsed = parse_without(text, &[], &mut String::new(), &mut { self.limits.max_values });
        match parsed {
            Ok(parsed) => Ok(Some(parsed)),
            Err(error) if is_too_many(&error) => Err(error.at(Path::root().key("arguments"))),
            Err(_) => Ok(None),
        }
    }

    fn restored(&self) -> Result<RestoredCall> {
        let parsed = self.parsed()?;
        let given = parsed.as_ref().unwrap_or(&self.arguments);
        let (name, arguments) = restore_call(self.provider, &self.tools, &self.name, given.clone());
        // a string without changes is returned verbatim
        let arguments = match parsed.is_some() {
            true if arguments == *given => self.arguments.clone(),
            true => Json::from(arguments.to_string()),
            false => arguments,
        };
        Ok(RestoredCall { name, arguments })
    }
}

impl Rule for RestoreCall {
    type Value = RestoredCall;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<RestoredCall>>> {
        Ok(Step::Done(Outcome::answer(self.restored()?, Vec::new(), snapshot, env)))
    }
}
