//! Reading answers as a rule.

use super::{Response, read_events, read_response};
use crate::prompt::provider::{Provider, prompt};
use crate::rule::{Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::{Field, Json, Object};
use crate::{Error, Result};

/// Reads a model's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadResponse {
    provider: Provider,
    tools: Vec<Object>,
    source: Source,
}

#[derive(Clone, Debug, PartialEq)]
enum Source {
    Whole(Json),
    Events(Vec<Json>),
}

impl ReadResponse {
    /// Reads `provider`, `response` or `events`, and `tools?`, those of the prompt.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "provider", "response", "events", "tools"])?;
        let source = match (call.optional("response"), call.optional("events")) {
            (Some(body), None) => {
                body.object()?;
                Source::Whole(body.json().clone())
            }
            (None, Some(events)) => {
                let events = events.list()?;
                Source::Events(events.iter().map(|event| event.json().clone()).collect())
            }
            (Some(_), Some(events)) => {
                return Err(Error::bad_request("an answer is `response` or `events`, not both")
                    .at(events.path()));
            }
            (None, None) => {
                return Err(Error::bad_request("no answer: give `response` or `events`"));
            }
        };
        Ok(Self {
            provider: Provider::from_json(&call.required("provider")?)?,
            tools: prompt::tools(&call)?,
            source,
        })
    }
}

impl Rule for ReadResponse {
    type Value = Response;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Response>>> {
        let value = match &self.source {
            Source::Whole(body) => read_response(self.provider, body, &self.tools)?,
            Source::Events(events) => read_events(self.provider, events, &self.tools)?,
        };
        Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
    }
}
