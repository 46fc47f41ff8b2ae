//! What the provider's cache reads when boxes, turns or calls are sent one after the other.

use super::request::{RequestTerms, body_of};
use super::subject::Subject;
use crate::agents::Setup;
use crate::prompt::cache::{CacheExplanation, ExplainCache};
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::json::{Json, Object};
use crate::{Error, Path, Result};
use std::sync::Arc;

arguments! {
    /// Explains what the provider's cache reads when boxes, turns or previewed calls are sent one after
    /// the other.
    ///
    /// ```
    /// use tuckbox::inspect::InspectCache;
    /// use tuckbox::prompt::cache::Cause;
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::value::json::Field;
    /// # use tuckbox::{Card, Env, Timestamp, json, rule};
    /// # let card = |id: &str, text: &str| Card::from_row(&Field::root(&json!({"card_id": id,
    /// #     "metadata": {"type": "note", "role": "user"}, "content": {"__type__": "TextContent", "text": text}}))).unwrap();
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_box("first", ["n1", "n2"]).add_box("second", ["n3", "n2"])
    /// #     .add_card(card("n1", "One.")).add_card(card("n2", "Two.")).add_card(card("n3", "Three."));
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = json!({"provider": "openai_chat", "model": "gpt-5", "requests": [{"box_id": "first"}, {"box_id": "second"}]});
    /// let call = InspectCache::from_json(&call)?;
    /// let explained = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// let second = &explained.requests[1];
    /// assert!(second.also.iter().map(|also| also.cause).chain([second.cause]).any(|cause| cause == Cause::MessagesChanged));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub struct InspectCache {
        /// The requests, oldest first.
        pub requests: Vec<CacheSubject>,
        shared terms: RequestTerms,
    }

    /// A request: a box, a turn or a call.
    ///
    /// Shown by the example of [`InspectCache`].
    pub struct CacheSubject {
        /// The box to send, from 0, for a call that packs several.
        pub shown: usize = 0,
        /// When the request is sent.
        pub at: Option<Json>,
        /// When the answer begins.
        pub first_token_at: Option<Json>,
        /// The usage of the answer, as the provider or `read_response` reports it.
        pub usage: Option<Json>,
        shared subject: Subject,
    }
}

impl InspectCache {
    /// Reads the calls of the subjects with the settings of the project.
    ///
    /// # Errors
    /// Any error of a call, with a path below `call` or `turn`.
    pub fn with_setup(self, setup: &Setup) -> Result<Self> {
        let read =
            |one: CacheSubject| Ok(CacheSubject { subject: one.subject.with_setup(setup)?, ..one });
        let requests = self.requests.into_iter().map(read).collect::<Result<Vec<_>>>()?;
        Ok(Self { requests, terms: self.terms.with_setup(setup)? })
    }
}

impl Rule for InspectCache {
    type Value = Arc<CacheExplanation>;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Arc<CacheExplanation>>>> {
        let mut requests = Vec::with_capacity(self.requests.len());
        for (index, request) in self.requests.iter().enumerate() {
            let mut seen = ready!(request.subject.see(snapshot, env)?);
            let body = ready!(body_of(&mut seen, request.shown, &self.terms, snapshot, env)?);
            let Some(body) = body else {
                let path = Path::root().key("requests").index(index);
                return Err(Error::bad_request("the request has no messages").at(path));
            };
            let mut given = Object::new();
            given.insert("body".into(), body);
            let times = [("at", &request.at), ("first_token_at", &request.first_token_at)];
            for (key, value) in times.into_iter().chain([("usage", &request.usage)]) {
                if let Some(value) = value {
                    given.insert(key.into(), value.clone());
                }
            }
            if let Some(model) = self.terms.model() {
                given.insert("model".into(), model.into());
            }
            requests.push(Json::Object(given));
        }
        let provider = self.terms.provider_name();
        let call =
            Json::from([("provider", Json::from(provider)), ("requests", Json::Array(requests))]);
        let explained = ExplainCache::with_models(&call, self.terms.models())?;
        explained.step(snapshot, env)
    }
}
