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
    /// use tuckbox::run::{Dispatch, FinishIdle, Promoted, Wakeup, WakeupMode};
    /// # use tuckbox::store::{MemoryStore, Snapshot, Store, table};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # let agent = json!({"agent_id": "ann", "worker_target": "generic", "profile_box_id": "pb"});
    /// # store.project("p1").add_box("pb", []).add_box("ctx", []);
    /// # store.project("p1").add_row(&table::PROJECT_AGENTS, agent.as_object().unwrap().clone());
    /// # let env = |call: u8| Env::new(Timestamp::from_millis(call.into()), [call; 32]);
    /// // the second turn waits for the end of the first
    /// for (number, turn) in [(1, "t1"), (2, "t2")] {
    ///     let call = Dispatch::from_json(&json!({"agent_id": "ann", "profile_box_id": "pb", "context_box_id": "ctx",
    ///         "agent_turn_id": turn, "headers": {"CG-Recursion-Depth": "0"}}))?;
    ///     let done = rule::preview(&call, &mut Snapshot::new("p1".into()), &env(number), &store)?;
    ///     store.commit(&done.writes)?;
    /// }
    /// let call = FinishIdle::from_json(&json!({"agent_id": "ann"}))?;
    /// let done = rule::preview(&call, &mut Snapshot::new("p1".into()), &env(3), &store)?;
    /// store.commit(&done.writes)?;
    ///
    /// let call = Wakeup::from_json(&json!({"target_agent_id": "ann", "mode": "dispatch_next"}))?;
    /// assert_eq!(call.mode, WakeupMode::DispatchNext);
    /// let woken = rule::preview(&call, &mut Snapshot::new("p1".into()), &env(4), &store)?;
    /// let Some(Promoted { agent_turn_id, turn_epoch, .. }) = woken.value.payload else { panic!() };
    /// assert_eq!((agent_turn_id.as_str(), turn_epoch), ("t2", 2));
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
