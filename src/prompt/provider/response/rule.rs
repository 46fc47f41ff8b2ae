//! Reading answers as a rule.

use super::answer::Texts;
use super::{Response, read_body, read_fields};
use crate::prompt::provider::Provider;
use crate::rule::{Immediate, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::arguments::{Arguments, arguments};
use crate::value::env::Env;
use crate::value::json::{Field, Fields, Json, Object};
use crate::value::limits::Limits;
use crate::{Code, Error, Result};
use std::sync::Arc;

/// Reads the answer of a model, whole or as a stream.
///
/// It is read together with the call, so that no event of a long stream is copied.
///
/// ```
/// use tuckbox::prompt::provider::ReadResponse;
/// # use tuckbox::rule::{Rule, Step};
/// # use tuckbox::{Env, Limits, Snapshot, Timestamp, json};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let body = json!({"choices": [{"message": {"content": "Hi"}, "finish_reason": "length"}]});
/// let call = json!({"provider": "openai_chat", "response": body});
/// let call = ReadResponse::from_json(&call, &Limits::default())?;
/// let Step::Done(read) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// assert_eq!(read.value.stop_reason.as_deref(), Some("length"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ReadResponse(Immediate<Response>);

arguments! {
    /// Reads the answer of a model, whole or as a stream.
    struct ReadResponseArguments {
        /// The provider of the model.
        pub provider: Provider,
        /// The tools of the prompt.
        pub tools: Vec<Object> = Vec::new(),
        shared answer: AnswerForm,
    }
}

/// The form of the answer, which is read in place.
enum AnswerForm {
    Whole,
    Events,
}

shape! {
    #[serde(untagged)]
    pub enum AnswerForm {
        Whole {
            /// The body of the response.
            response: Object,
        },
        Events {
            /// The events of a stream, in order.
            events: OrText<Vec<Json>>,
        },
    }

    fn read_response(arguments: ReadResponseArguments) -> Response;
}

impl Arguments for AnswerForm {
    fn has_key(key: &str) -> bool {
        matches!(key, "response" | "events")
    }

    fn add_keys(keys: &mut Vec<&'static str>) {
        keys.extend(["response", "events"]);
    }

    fn from_fields(call: &Fields<'_>) -> Result<Self> {
        match (call.optional("response"), call.optional("events")) {
            (Some(response), None) => response.object().map(|_| Self::Whole),
            (None, Some(_)) => Ok(Self::Events),
            (Some(_), Some(events)) => {
                Err(events.error("`events` excludes `response`; pass one of them"))
            }
            (None, None) => {
                let error = Error::bad_request("no answer; pass `response` or `events`");
                Err(error.at(call.path().key("response")))
            }
        }
    }
}

impl ReadResponse {
    /// Reads a call from JSON. JSON in strings of the answer has at most `max_values` values.
    ///
    /// # Errors
    /// With the path of what is wrong in the call or in the answer.
    pub fn from_json(json: &Json, limits: &Limits) -> Result<Self> {
        let texts = Texts::of(limits.max_values);
        let ReadResponseArguments { provider, tools, answer } =
            ReadResponseArguments::from_json(json)?;
        let call = Field::root(json).object()?;
        let response = match answer {
            AnswerForm::Whole => {
                read_body(provider, call.required("response")?.json(), &tools, texts)
            }
            AnswerForm::Events => {
                read_fields(provider, &call.required("events")?.list()?, &tools, texts)
            }
        };
        let response = response.map_err(|error| match error.code() {
            Code::Limit => error.detail("max_values", limits.max_values),
            _ => error,
        })?;
        Ok(Self(Immediate::new(response)))
    }
}

impl Rule for ReadResponse {
    type Value = Arc<Response>;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Arc<Response>>>> {
        self.0.step(snapshot, env)
    }
}
