//! Reading answers as a rule.

use super::answer::Texts;
use super::{Response, read_body, read_fields};
use crate::prompt::provider::{Provider, prompt};
use crate::rule::{Immediate, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::{Field, Json};
use crate::value::limits::Limits;
use crate::{Code, Error, Result};
use std::sync::Arc;

/// Reads a model's answer. It needs nothing but the call, so it is read with it: events can be many,
/// and none of them is copied.
///
/// ```
/// use tuckbox::prompt::provider::ReadResponse;
/// # use tuckbox::rule::{Rule, Step};
/// # use tuckbox::{Env, Snapshot, Timestamp, json};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let body = json!({"choices": [{"message": {"content": "Hi"}, "finish_reason": "length"}]});
/// let call = ReadResponse::from_json(&json!({"provider": "openai_chat", "response": body}))?;
/// let Step::Done(read) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// assert_eq!(read.value.stop_reason.as_deref(), Some("length"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ReadResponse(Immediate<Response>);

impl ReadResponse {
    /// Reads `provider`, `response` or `events`, and `tools?`, those of the prompt.
    ///
    /// # Errors
    /// With the path of whatever is wrong with the call, or with the answer.
    pub fn from_json(json: &Json) -> Result<Self> {
        Self::from_json_with(json, &Limits::default())
    }

    /// As [`ReadResponse::from_json`], where JSON in texts of the answer holds at most `max_values`.
    ///
    /// # Errors
    /// As there, and `limit`.
    pub fn from_json_with(json: &Json, limits: &Limits) -> Result<Self> {
        let texts = Texts::of(limits.max_values);
        let over = |error: Error| match error.code() {
            Code::Limit => error.detail("max_values", limits.max_values),
            _ => error,
        };
        let call = Field::root(json).object()?;
        call.only(&["op", "provider", "response", "events", "tools"])?;
        let provider = Provider::from_json(&call.required("provider")?)?;
        let tools = prompt::tools(&call)?;
        let response = match (call.optional("response"), call.optional("events")) {
            (Some(body), None) => {
                body.object()?;
                read_body(provider, body.json(), &tools, texts).map_err(over)?
            }
            (None, Some(events)) => {
                read_fields(provider, &events.list()?, &tools, texts).map_err(over)?
            }
            (Some(_), Some(events)) => {
                return Err(Error::bad_request("an answer is `response` or `events`, not both")
                    .at(events.path()));
            }
            (None, None) => {
                return Err(Error::bad_request("no answer: give `response` or `events`"));
            }
        };
        Ok(Self(Immediate::new(response)))
    }
}

impl Rule for ReadResponse {
    type Value = Arc<Response>;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Arc<Response>>>> {
        self.0.step(snapshot, env)
    }
}
