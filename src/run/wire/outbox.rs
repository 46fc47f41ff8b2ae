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
    /// use tuckbox::run::{ListOutbox, MarkSent, MarkedSent};
    /// use tuckbox::store::{MemoryStore, Snapshot, table};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let mut store = MemoryStore::new();
    /// let row = json!({"message_id": "m1", "subject": "wake.ann", "payload": {}, "status": "pending"});
    /// store.project("p1").add_row(&table::OUTBOX, row.as_object().unwrap().clone());
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    ///
    /// let call = ListOutbox::from_json(&json!({}))?;
    /// assert_eq!(call.limit, 100);
    /// let outbox = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// let message = &outbox.messages[0];
    /// assert_eq!((message.message_id.as_str(), message.subject.as_str()), ("m1", "wake.ann"));
    /// let call = MarkSent::from_json(&json!({"message_ids": ["m1", "sent before"]}))?;
    /// let marked = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!(marked, MarkedSent { sent: 1 });
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ListOutbox {
        /// The maximum number of messages.
        pub limit: usize = 100,
        /// Lists the quarantined messages instead.
        pub quarantined: bool = false,
        shared terms: RunTerms,
    }

    /// Marks messages as sent.
    ///
    /// The example of [`ListOutbox`] shows it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MarkSent {
        /// The messages.
        pub message_ids: Vec<String>,
        shared terms: RunTerms,
    }

    /// Quarantines messages that cannot be sent. They wait no longer, and delay no other messages.
    ///
    /// ```
    /// use tuckbox::run::{ChangedMessages, QuarantineMessages, RetryMessages};
    /// # use tuckbox::store::{MemoryStore, Snapshot, Store, table};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # let row = json!({"message_id": "m1", "subject": "wake.ann", "payload": {}, "status": "pending"});
    /// # store.project("p1").add_row(&table::OUTBOX, row.as_object().unwrap().clone());
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// // the message `m1` waits to be sent
    /// let call = QuarantineMessages { message_ids: vec!["m1".into()], error: "too large".into(), terms: Default::default() };
    /// let done = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// assert_eq!(done.value, ChangedMessages { changed: 1 });
    /// store.commit(&done.writes)?;
    /// let call = RetryMessages { message_ids: call.message_ids, terms: call.terms };
    /// let done = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// assert_eq!(done.value, ChangedMessages { changed: 1 });
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct QuarantineMessages {
        /// The messages.
        pub message_ids: Vec<String>,
        /// Why they cannot be sent.
        pub error: String,
        shared terms: RunTerms,
    }

    /// Releases messages from quarantine: they wait to be sent again.
    ///
    /// The example of [`QuarantineMessages`] shows it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RetryMessages {
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
    /// Why a quarantined message could not be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
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
        /// Why a quarantined message could not be sent.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error: Option<String>,
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
/// The example of [`ListOutbox`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MarkedSent {
    /// The number of messages.
    pub sent: usize,
}

/// The number of messages that changed their status.
///
/// The example of [`QuarantineMessages`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedMessages {
    /// The number of messages.
    pub changed: usize,
}

/// The status of a message that waits to be sent.
const PENDING: &str = "pending";

/// The status of a message in quarantine.
const QUARANTINED: &str = "quarantined";

perform! {
    ListOutbox -> Outbox { |call, tx| call.run(tx) }
    MarkSent -> MarkedSent { |call, tx| call.run(tx) }
    QuarantineMessages -> ChangedMessages { |call, tx| call.run(tx) }
    RetryMessages -> ChangedMessages { |call, tx| call.run(tx) }
}

impl ListOutbox {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<Outbox> {
        let limit = self.limit.min(tx.row_limit());
        let status = if self.quarantined { QUARANTINED } else { PENDING };
        let rows = tx.list_readable::<Outgoing>("by_status", &[status], limit)?;
        let message = |row: Outgoing| OutboxMessage {
            message_id: row.message_id,
            subject: row.subject,
            payload: row.payload,
            headers: row.headers,
            core: row.core.unwrap_or(false),
            error: row.last_error,
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

impl QuarantineMessages {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<ChangedMessages> {
        change(tx, &self.message_ids, PENDING, |row| {
            row.status = QUARANTINED.into();
            row.attempt_count = row.attempt_count.saturating_add(1);
            row.last_error = Some(self.error.clone());
        })
    }
}

impl RetryMessages {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<ChangedMessages> {
        change(tx, &self.message_ids, QUARANTINED, |row| {
            row.status = PENDING.into();
            row.last_error = None;
        })
    }
}

/// Changes the messages that have a status.
fn change(
    tx: &mut Transaction<'_>,
    ids: &[String],
    status: &str,
    apply: impl Fn(&mut Outgoing),
) -> Run<ChangedMessages> {
    tx.check_messages(ids.len(), &Path::root().key("message_ids"))?;
    for id in ids {
        tx.want::<Outgoing>(&[id]);
    }
    let mut changed = 0;
    for id in ids {
        let Some(mut row) = tx.get::<Outgoing>(&[id])? else { continue };
        if row.status != status {
            continue;
        }
        apply(&mut row);
        let to = if row.status == PENDING { "retry" } else { "quarantine" };
        tx.put(&row, to, "the message has the other status")?;
        changed += 1;
    }
    Ok(ChangedMessages { changed })
}
