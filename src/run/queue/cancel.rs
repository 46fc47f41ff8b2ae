//! The cancelation of a queued turn.

use super::answer::Answer;
use crate::run::rows::status::InboxStatus;
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::reads::{start_of, want_start};
use crate::run::values::present;
use crate::value::arguments::arguments;
use crate::value::json::{Json, Object};
use serde::Serialize;

arguments! {
    /// Cancels a queued turn.
    ///
    /// ```
    /// use tuckbox::run::Cancel;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = Cancel::from_json(&json!({"target_agent_id": "ann", "agent_turn_id": "t1"}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let answer = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert!(!answer.payload().unwrap().canceled);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct Cancel {
        /// The agent of the turn.
        pub target_agent_id: String,
        /// The turn.
        pub agent_turn_id: String,
        /// The channel of the turn, for logs.
        pub channel_id: Option<String>,
        /// The reason, for logs.
        pub reason: Option<String>,
        /// More about the reason, for logs.
        pub metadata: Option<Object>,
        shared terms: RunTerms,
    }
}

/// The answer to a cancelation.
///
/// The example of [`Cancel`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Canceled {
    /// False if the turn is not queued.
    pub canceled: bool,
    /// The turn.
    pub agent_turn_id: String,
}

perform! {
    Cancel -> Answer<Canceled> {
        |call, tx| {
            let (agent, turn) = (call.target_agent_id.as_str(), call.agent_turn_id.as_str());
            let canceled =
                cancel(tx, agent, turn, call.reason.as_deref(), call.metadata.as_ref())?;
            Ok(Answer::accepted(Canceled { canceled, agent_turn_id: turn.to_owned() }))
        }
    }
}

/// Cancels a turn that is still queued. Returns false if it is not queued.
pub(crate) fn cancel(
    tx: &mut Transaction<'_>,
    agent_id: &str,
    turn_id: &str,
    reason: Option<&str>,
    metadata: Option<&Object>,
) -> Run<bool> {
    want_start(tx, turn_id);
    let queued = start_of(tx, turn_id)?.filter(|row| {
        row.agent_id == agent_id && row.message_type == "turn" && row.status == InboxStatus::Queued
    });
    let canceled = queued.is_some();
    if let Some(mut row) = queued {
        let mut payload = row.payload.as_object().cloned().unwrap_or_default();
        let reason = present(reason).unwrap_or("canceled");
        payload.insert("cancel_reason".into(), reason.into());
        if let Some(metadata) = metadata.filter(|metadata| !metadata.is_empty()) {
            payload.insert("cancel_metadata".into(), Json::Object(metadata.clone()));
        }
        row.payload = Json::Object(payload);
        row.status = InboxStatus::Skipped;
        row.archived_at = Some(tx.now());
        tx.put(&row, "cancel", "status = queued")?;
    }
    Ok(canceled)
}
