//! The wakeup of an agent by a caller.

use super::answer::Accepted;
use super::promote::{Promoted, promote, wake_promoted};
use crate::Result;
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::wire::events::wakeup;
use crate::run::wire::trace::Headers;
use crate::value::arguments::{Argument, arguments, read_word};
use crate::value::json::{Field, Json, Object};
use serde::Serialize;

/// What a wakeup does.
///
/// The example of [`Wakeup`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WakeupMode {
    /// It wakes the worker of the agent.
    Default,
    /// It promotes the next turn of the agent first.
    DispatchNext,
}

impl Argument for WakeupMode {
    fn read(field: &Field<'_>) -> Result<Self> {
        read_word(field, &[("default", Self::Default), ("dispatch_next", Self::DispatchNext)])
    }
}

arguments! {
    /// Wakes an agent. `dispatch_next` promotes its next turn first.
    ///
    /// ```
    /// use tuckbox::run::{Wakeup, WakeupMode};
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = Wakeup::from_json(&json!({"target_agent_id": "ann", "mode": "dispatch_next"}))?;
    /// assert_eq!(call.mode, WakeupMode::DispatchNext);
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let woken = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert_eq!(woken.payload, None);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct Wakeup {
        /// The agent.
        pub target_agent_id: String,
        /// What the wakeup does.
        pub mode: WakeupMode = WakeupMode::Default,
        /// The channel of the wakeup.
        pub channel_id: String = "public".into(),
        /// The message that the wakeup is for.
        pub inbox_id: Option<String>,
        /// The reason, for logs.
        pub reason: Option<String>,
        /// More about the wakeup, for logs.
        pub metadata: Option<Object>,
        /// The headers of the wakeup.
        pub headers: Option<Headers>,
        shared terms: RunTerms,
    }
}

/// The answer to a wakeup.
///
/// The example of [`Wakeup`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Woken {
    /// `accepted`.
    pub status: Accepted,
    /// The turn that `dispatch_next` promoted, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Promoted>,
}

perform! {
    Wakeup -> Woken { |call, tx| Ok(Woken { status: Accepted::Accepted, payload: call.run(tx)? }) }
}

impl Wakeup {
    /// Wakes the agent, and returns the turn that was promoted.
    fn run(&self, tx: &mut Transaction<'_>) -> Run<Option<Promoted>> {
        let agent = self.target_agent_id.as_str();
        if self.mode == WakeupMode::DispatchNext {
            let promoted = promote(tx, agent)?;
            if let Some(promoted) = &promoted {
                let reason = self.reason.as_deref().unwrap_or("dispatch_next");
                wake_promoted(tx, agent, promoted, reason, self.metadata.clone())?;
            }
            return Ok(promoted);
        }
        let mut extra = Object::default();
        for (key, text) in [("inbox_id", &self.inbox_id), ("reason", &self.reason)] {
            if let Some(text) = text {
                extra.insert(key.to_owned(), text.as_str().into());
            }
        }
        if let Some(metadata) = &self.metadata {
            extra.insert("metadata".into(), Json::Object(metadata.clone()));
        }
        let headers = self.headers.as_ref().map(|headers| headers.0.clone());
        wakeup(tx, agent, &self.channel_id, extra, headers)?;
        Ok(None)
    }
}
