//! Reads the events of a stream as additions to an answer, while they arrive.

use super::answer::{Answer, Reader};
use super::{Usage, reader};
use crate::prompt::provider::loss::Losses;
use crate::prompt::provider::{Provider, tools};
use crate::rule::{Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::json::{Json, Object};
use crate::{Error, Path, Result};
use serde::Serialize;

/// An addition of a stream to the answer.
///
/// Shown by the example of [`read_deltas`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Delta {
    /// More text.
    Text {
        /// The text to append.
        text: String,
    },
    /// More reasoning.
    Reasoning {
        /// The text to append.
        text: String,
    },
    /// More of a refusal.
    Refusal {
        /// The text to append.
        refusal: String,
    },
    /// A tool call, or a piece of one.
    ToolCall {
        /// The index of the call. A call without an index is whole.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
        /// The id of the call, in its first piece.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The name of the tool in the prompt, in the first piece.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The JSON text to append to the arguments, with the keys of the payload.
        arguments: String,
    },
    /// The tokens that the provider has reported so far.
    Usage {
        /// The tokens.
        usage: Usage,
    },
}

/// The additions of events to an answer.
///
/// Shown by the example of [`ReadDeltas`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Deltas {
    /// The additions, in the order of the events.
    pub deltas: Vec<Delta>,
}

/// Returns the additions of events to an answer. `tools` are those of the prompt.
///
/// Each event is read by itself. [`read_events`](super::read_events) checks the whole stream.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::prompt::provider::{Delta, Provider, read_deltas};
///
/// let event = json!({"choices": [{"index": 0, "delta": {"content": "Hel"}}]});
/// let deltas = read_deltas(Provider::OpenaiChat, &[event], &[])?;
/// assert_eq!(deltas, [Delta::Text { text: "Hel".into() }]);
/// # Ok::<(), tuckbox::Error>(())
/// ```
///
/// # Errors
/// `bad_request` for an error of the provider, or for a provider without answers.
pub fn read_deltas(provider: Provider, events: &[Json], tools: &[Object]) -> Result<Vec<Delta>> {
    let Reader { deltas, .. } = reader(provider)?;
    let mut out = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let path = Path::root().key("events").index(at);
        if let Some(error) = event.get("error").filter(|error| error.is_truthy()) {
            let reason = error.get("message").or(Some(error)).and_then(Json::as_str);
            let reason = reason.unwrap_or("no reason given");
            let message = format!("the provider returned an error: {reason}");
            return Err(Error::bad_request(message).at(path.key("error")));
        }
        deltas(event, &mut out);
    }
    let is_named = |delta: &Delta| matches!(delta, Delta::ToolCall { name: Some(_), .. });
    if !tools.is_empty() && out.iter().any(is_named) {
        let mut losses = Losses::of(provider.as_str());
        let names = tools::define(tools, provider, &mut losses).1;
        for delta in &mut out {
            if let Delta::ToolCall { name: Some(name), .. } = delta {
                *name = names.restored(name, Json::Null).0;
            }
        }
    }
    Ok(out)
}

arguments! {
    /// Returns the additions of events to an answer, while they arrive.
    ///
    /// ```
    /// use tuckbox::prompt::provider::{Delta, ReadDeltas};
    /// # use tuckbox::rule::{Rule, Step};
    /// # use tuckbox::{Env, Snapshot, Timestamp, json};
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let event = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}});
    /// let call = ReadDeltas::from_json(&json!({"provider": "anthropic", "events": [event]}))?;
    /// let Step::Done(read) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
    /// assert_eq!(read.value.deltas, [Delta::Text { text: "Hi".into() }]);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReadDeltas {
        /// The provider of the model.
        pub provider: Provider,
        /// The tools of the prompt.
        pub tools: Vec<Object> = Vec::new(),
        /// The next events of the stream, in order.
        pub events: Vec<Json>,
    }
}

impl Rule for ReadDeltas {
    type Value = Deltas;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Deltas>>> {
        let deltas = read_deltas(self.provider, &self.events, &self.tools)?;
        Ok(Step::Done(Outcome::answer(Deltas { deltas }, Vec::new(), snapshot, env)))
    }
}

/// Adds text that is not empty.
pub(super) fn text(out: &mut Vec<Delta>, text: Option<&Json>) {
    if let Some(text) = filled(text) {
        out.push(Delta::Text { text });
    }
}

/// Adds reasoning that is not empty.
pub(super) fn reasoning(out: &mut Vec<Delta>, text: Option<&Json>) {
    if let Some(text) = filled(text) {
        out.push(Delta::Reasoning { text });
    }
}

/// Returns a string that is not empty.
pub(super) fn filled(text: Option<&Json>) -> Option<String> {
    text.and_then(Json::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Adds the usage that the reader of whole answers finds in `body`.
pub(super) fn usage(
    out: &mut Vec<Delta>,
    body: &Json,
    whole: fn(&Json, &mut Answer) -> Option<()>,
) {
    let mut answer = Answer::default();
    if whole(body, &mut answer).is_some() && answer.usage != Usage::default() {
        out.push(Delta::Usage { usage: answer.usage });
    }
}
