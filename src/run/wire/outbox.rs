//! The messages that wait to be sent.

use crate::Path;
use crate::run::rows::Outgoing;
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::value::arguments::arguments;
use crate::value::json::{Json, Object};
use serde::Serialize;

arguments! {
    /// Lists messages that wait to be sent, oldest first.
    ///
    /// ```
    /// use tuckbox::run::ListOutbox;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = ListOutbox::from_json(&json!({}))?;
    /// assert_eq!(call.limit, 100);
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let outbox = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert!(outbox.messages.is_empty());
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ListOutbox {
        /// The maximum number of messages.
        pub limit: usize = 100,
        shared terms: RunTerms,
    }

    /// Marks messages as sent.
    ///
    /// The example of [`ListOutbox`] shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MarkSent {
        /// The messages.
        pub message_ids: Vec<String>,
        shared terms: RunTerms,
    }
}

/// A message to send.
///
/// The example of [`ListOutbox`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutboxMessage {
    /// The id of the message.
    pub message_id: String,
    /// The subject.
    pub subject: String,
    /// The content.
    pub payload: Json,
    /// The headers.
    pub headers: Option<Object>,
    /// True for a message that no stream stores.
    pub core: bool,
}

shape! {
    /// A message to send.
    pub struct OutboxMessage {
        pub message_id: String,
        pub subject: String,
        pub payload: Object,
        pub headers: Option<BTreeMap<String, String>>,
        /// True for a message that no stream stores.
        pub core: bool,
    }
}

/// The messages that wait to be sent.
///
/// The example of [`ListOutbox`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outbox {
    /// The messages, oldest first.
    pub messages: Vec<OutboxMessage>,
}

/// The number of messages that were marked.
///
/// The example of [`ListOutbox`] shows a similar call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MarkedSent {
    /// The number of messages.
    pub sent: usize,
}

perform! {
    ListOutbox -> Outbox { |call, tx| call.run(tx) }
    MarkSent -> MarkedSent { |call, tx| call.run(tx) }
}

impl ListOutbox {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<Outbox> {
        let limit = self.limit.min(tx.row_limit());
        let rows = tx.list::<Outgoing>("by_status", &["pending"], limit)?;
        let message = |row: Outgoing| OutboxMessage {
            message_id: row.message_id,
            subject: row.subject,
            payload: row.payload,
            headers: row.headers,
            core: row.core.unwrap_or(false),
        };
        Ok(Outbox { messages: rows.into_iter().map(message).collect() })
    }
}

impl MarkSent {
    /// Deletes messages that were sent.
    fn run(&self, tx: &mut Transaction<'_>) -> Run<MarkedSent> {
        tx.check_messages(self.message_ids.len(), &Path::root().key("message_ids"))?;
        for id in &self.message_ids {
            tx.want::<Outgoing>(&[id]);
        }
        let mut sent = 0;
        for id in &self.message_ids {
            if let Some(row) = tx.get::<Outgoing>(&[id])? {
                tx.delete(&row, "sent", "sent")?;
                sent += 1;
            }
        }
        Ok(MarkedSent { sent })
    }
}
