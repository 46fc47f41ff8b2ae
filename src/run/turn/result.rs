//! How a turn ended, and what it delivered.

use super::release::attempt_of;
use crate::run::rows::status::InboxStatus;
use crate::run::rows::{Head, Inbox};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::reads::start_of;
use crate::run::values::{any_text, number_of};
use crate::value::arguments::arguments;
use crate::value::card::{Card, Content};
use crate::value::json::{Json, Object};
use serde::Serialize;
use std::borrow::Cow;

arguments! {
    /// Reads whether a turn has ended, its result, and the cards of its output.
    ///
    /// ```
    /// use tuckbox::run::ReadTurnResult;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let turn = json!({"agent_id": "ann", "agent_turn_id": "t1", "output_box_id": "out"});
    /// let call = ReadTurnResult::from_json(&turn)?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let read = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert_eq!(read.result.unwrap().error.unwrap(), "the turn ended without a deliverable");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReadTurnResult {
        /// The agent.
        pub agent_id: String,
        /// The turn.
        pub agent_turn_id: String,
        /// The box that the turn writes to.
        pub output_box_id: String,
        /// Also returns the cards of the output box from this index on.
        pub after: Option<usize>,
        shared terms: RunTerms,
    }
}

/// What is known of a turn.
///
/// The example of [`ReadTurnResult`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnProgress {
    /// The cards of the output box from `after` on.
    pub cards: Vec<Card>,
    /// The result; missing for a turn that waits or runs.
    pub result: Option<TurnResult>,
}

/// The result of a turn that ended.
///
/// The example of [`ReadTurnResult`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnResult {
    /// `success` or `failed`.
    pub status: &'static str,
    /// The number of workers that ran the turn. All but the last were lost.
    pub attempts: i64,
    /// The last deliverable; missing if the output has none.
    pub deliverable: Option<Card>,
    /// The fields of the deliverable.
    pub fields: Object,
    /// Why the turn failed.
    pub error: Option<String>,
}

shape! {
    /// The result of a turn that ended.
    pub struct TurnResult {
        pub status: Word<"success", "failed">,
        /// The number of workers that ran the turn. All but the last were lost.
        pub attempts: i64,
        /// The last deliverable; missing if the output has none.
        pub deliverable: Option<Card>,
        /// The fields of the deliverable.
        pub fields: Object,
        /// Why the turn failed.
        pub error: Option<String>,
    }
}

perform! {
    ReadTurnResult -> TurnProgress { |call, tx| call.run(tx) }
}

impl ReadTurnResult {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<TurnProgress> {
        // the end is read before the output: what is committed between them is seen
        let end = self.end(tx)?;
        if end.is_none() && self.after.is_none() {
            return Ok(TurnProgress { cards: Vec::new(), result: None });
        }
        let output = tx.box_cards(&self.output_box_id)?.unwrap_or_default();
        let cards = tx.cards(&output)?;
        let result = end.map(|attempts| read(&cards, attempts));
        let cards = cards.into_iter().skip(self.after.unwrap_or(usize::MAX));
        Ok(TurnProgress { cards: cards.map(Cow::into_owned).collect(), result })
    }

    /// Returns the number of workers of a turn that ended; `None` for a turn that waits or runs.
    fn end(&self, tx: &mut Transaction<'_>) -> Run<Option<i64>> {
        tx.want::<Head>(&[&self.agent_id]);
        let start = start_of(tx, &self.agent_turn_id)?;
        let head = tx.get::<Head>(&[&self.agent_id])?;
        let active = head.as_ref().and_then(|head| head.active_agent_turn_id.as_ref());
        if active == Some(&self.agent_turn_id) {
            return Ok(None);
        }
        let epoch = head.map(|head| head.turn_epoch);
        // a leased turn has ended if the agent reached its epoch and has another turn, or none
        let is_ahead = |message: &Inbox| {
            let own = message.payload.as_object().and_then(|own| number_of(own, "turn_epoch"));
            epoch.zip(own).is_none_or(|(reached, own)| reached < own)
        };
        match start.filter(|message| message.message_type == "turn") {
            Some(message) if message.status == InboxStatus::Queued => Ok(None),
            Some(message) if message.status == InboxStatus::Pending && is_ahead(&message) => {
                Ok(None)
            }
            start => Ok(Some(start.as_ref().map_or(1, attempt_of))),
        }
    }
}

/// Returns the result on the last deliverable. The rules mark that of a failed turn as partial.
fn read(cards: &[Cow<'_, Card>], attempts: i64) -> TurnResult {
    let found = cards.iter().rfind(|card| card.card_type() == Some("task.deliverable"));
    let Some(card) = found else {
        let error = Some("the turn ended without a deliverable".to_owned());
        let fields = Object::new();
        return TurnResult { status: FAILED, attempts, deliverable: None, fields, error };
    };
    let listed = match &card.content {
        Content::Json(data) => data.get("fields").and_then(Json::as_array),
        _ => None,
    };
    let mut fields = Object::new();
    for field in listed.into_iter().flatten() {
        if let Some(name) = field.get("name").and_then(Json::as_str) {
            fields.insert(name.to_owned(), field.get("value").cloned().unwrap_or_default());
        }
    }
    let is_partial = card.metadata.get("partial") == Some(&true.into());
    let error = is_partial.then(|| {
        let own = |key: &str| card.metadata.get(key).and_then(any_text);
        let field = |key: &str| fields.get(key).and_then(any_text);
        let reason = own("terminal_reason").or_else(|| own("stop_reason"));
        let reason = reason.or_else(|| field("error")).or_else(|| field("reason"));
        reason.unwrap_or_else(|| "the turn failed".to_owned())
    });
    let status = if is_partial { FAILED } else { "success" };
    TurnResult { status, attempts, deliverable: Some(card.clone().into_owned()), fields, error }
}

const FAILED: &str = "failed";
