//! A model's call back in the name and the arguments that its tool was defined with.

use super::loss::Losses;
use super::{Provider, prompt, tools};
use crate::Result;
use crate::rule::{Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::{Field, Json, Object, is_too_many, parse_without};
use crate::value::limits::Limits;
use serde::Serialize;

/// Restores a call that a model made of a tool as a payload showed it.
///
/// ```
/// use tuckbox::prompt::provider::{Provider, restore_call};
/// use tuckbox::Json;
///
/// let tool = Json::parse(r#"{"name": "file.read", "parameters": {"type": "string"}}"#)?;
/// let tools = [tool.as_object().cloned().unwrap_or_default()];
/// // the payload called it `file_read` and put its schema under `value`
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

/// Restores a call, as a rule.
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
    provider: Provider,
    tools: Vec<Object>,
    name: String,
    arguments: Json,
    /// What the text of the arguments holds.
    opened: Option<Json>,
}

/// A call of a tool as it was defined.
///
/// Shown by the example of [`RestoreCall`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RestoredCall {
    /// The name in the prompt.
    pub name: String,
    /// The arguments by the schema of the prompt: text where text was given.
    pub arguments: Json,
}

impl RestoreCall {
    /// Reads `provider`, the `tools` of the payload, and the `name` and `arguments` of the call.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        Self::from_json_with(json, &Limits::default())
    }

    /// As [`RestoreCall::from_json`], where JSON in the text of `arguments` holds at most `max_values`.
    ///
    /// # Errors
    /// As there, and `limit`.
    pub fn from_json_with(json: &Json, limits: &Limits) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "provider", "tools", "name", "arguments"])?;
        let given = call.required("arguments")?;
        let text = given.json().as_str().unwrap_or_default();
        let opened = parse_without(text, &[], &mut String::new(), &mut { limits.max_values });
        if let Some(error) = opened.as_ref().err().filter(|error| is_too_many(error)) {
            return Err(error.clone().at(given.path()));
        }
        Ok(Self {
            opened: opened.ok(),
            provider: Provider::from_json(&call.required("provider")?)?,
            tools: prompt::tools(&call)?,
            name: call.required("name")?.string()?.to_owned(),
            arguments: given.json().clone(),
        })
    }

    fn restored(&self) -> RestoredCall {
        let is_text = self.opened.is_some();
        let given = self.opened.as_ref().unwrap_or(&self.arguments);
        let (name, arguments) = restore_call(self.provider, &self.tools, &self.name, given.clone());
        // text that needs no change stays as the model wrote it
        let arguments = match is_text {
            true if arguments == *given => self.arguments.clone(),
            true => Json::from(arguments.to_string()),
            false => arguments,
        };
        RestoredCall { name, arguments }
    }
}

impl Rule for RestoreCall {
    type Value = RestoredCall;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<RestoredCall>>> {
        Ok(Step::Done(Outcome::answer(self.restored(), Vec::new(), snapshot, env)))
    }
}
