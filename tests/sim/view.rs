//! The rows of a project as the invariants read them: typed, and updated with every change.

use super::rows::{Batch, Edge, Head, Inbox, Row, Task, Waiting};
use std::collections::BTreeMap;
use tuckbox::store::RowKey;
use tuckbox::store::table::OUTBOX;
use tuckbox::value::json::Object;

/// Rows by their keys.
pub(super) type Typed<R> = BTreeMap<Vec<String>, R>;

/// The rows of one project.
#[derive(Default)]
pub(super) struct View {
    pub heads: Typed<Head>,
    pub inbox: Typed<Inbox>,
    pub waiting: Typed<Waiting>,
    pub batches: Typed<Batch>,
    pub tasks: Typed<Task>,
    pub edges: Typed<Edge>,
    /// The number of messages that wait to be sent.
    pub unsent: usize,
    /// The number of messages by type and correlation.
    messages: BTreeMap<(String, String), usize>,
    /// The number of edges by correlation, primitive and phase.
    links: BTreeMap<[String; 3], usize>,
}

impl View {
    /// Updates a row; `None` deletes it.
    pub fn set(&mut self, of: &RowKey, row: Option<&Object>) {
        if of.table == &OUTBOX {
            // a message is written once, and deleted after it was sent
            self.unsent =
                if row.is_some() { self.unsent + 1 } else { self.unsent.saturating_sub(1) };
            return;
        }
        put(&mut self.heads, of, row);
        put(&mut self.waiting, of, row);
        put(&mut self.batches, of, row);
        put(&mut self.tasks, of, row);
        if of.table == Inbox::TABLE {
            let before = put(&mut self.inbox, of, row);
            for (row, more) in [(before.as_ref(), false), (self.inbox.get(&of.key), true)] {
                let Some(row) = row else { continue };
                let key = (row.message_type.clone(), row.correlation_id.clone());
                count(&mut self.messages, key, more);
            }
        }
        if of.table == Edge::TABLE {
            let before = put(&mut self.edges, of, row);
            for (row, more) in [(before.as_ref(), false), (self.edges.get(&of.key), true)] {
                let Some(row) = row else { continue };
                let link =
                    [&row.correlation_id, &row.primitive, &row.edge_phase].map(String::clone);
                count(&mut self.links, link, more);
            }
        }
    }

    /// Returns the head of an agent.
    pub fn head(&self, agent: &str) -> Option<&Head> {
        self.heads.get([agent.to_owned()].as_slice())
    }

    /// Returns the number of messages of a type and a correlation.
    pub fn messages_of(&self, message_type: &str, correlation: &str) -> usize {
        let key = (message_type.to_owned(), correlation.to_owned());
        self.messages.get(&key).copied().unwrap_or(0)
    }

    /// Returns the number of edges of a correlation, a primitive and a phase.
    pub fn links_of(&self, correlation: &str, primitive: &str, phase: &str) -> usize {
        let key = [correlation, primitive, phase].map(str::to_owned);
        self.links.get(&key).copied().unwrap_or(0)
    }
}

/// Updates a row of this table, and returns the previous row.
fn put<R: Row>(rows: &mut Typed<R>, of: &RowKey, row: Option<&Object>) -> Option<R> {
    if of.table != R::TABLE {
        return None;
    }
    match row {
        Some(row) => rows.insert(of.key.clone(), R::read(row)),
        None => rows.remove(&of.key),
    }
}

fn count<K: Ord>(counts: &mut BTreeMap<K, usize>, key: K, more: bool) {
    let count = counts.entry(key).or_default();
    *count = if more { *count + 1 } else { count.saturating_sub(1) };
}
