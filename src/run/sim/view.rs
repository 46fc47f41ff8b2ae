//! The rows of a project as the laws look at them: typed, and kept up with every change.

use crate::run::rows::{Batch, Edge, Head, Inbox, Row, Task, Waiting};
use crate::store::RowKey;
use crate::store::table::OUTBOX;
use crate::value::json::Object;
use std::collections::BTreeMap;

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
    /// How many messages wait to be sent.
    pub unsent: usize,
    /// How many messages there are of a type and a correlation.
    messages: BTreeMap<(String, String), usize>,
    /// How many edges there are of a correlation, a primitive and a phase.
    links: BTreeMap<[String; 3], usize>,
}

impl View {
    /// Takes in what a row holds from now on; nothing where it is taken away.
    pub fn set(&mut self, of: &RowKey, row: Option<&Object>) {
        if of.table == &OUTBOX {
            // they are written once, and taken away when they were sent
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
                let correlation = row.correlation_id.clone().unwrap_or_default();
                count(&mut self.messages, (row.message_type.clone(), correlation), more);
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

    /// The head of an agent.
    pub fn head(&self, agent: &str) -> Option<&Head> {
        self.heads.get([agent.to_owned()].as_slice())
    }

    /// How many messages there are of a type and a correlation.
    pub fn messages_of(&self, message_type: &str, correlation: &str) -> usize {
        let key = (message_type.to_owned(), correlation.to_owned());
        self.messages.get(&key).copied().unwrap_or(0)
    }

    /// How many edges there are of a correlation, a primitive and a phase.
    pub fn links_of(&self, correlation: &str, primitive: &str, phase: &str) -> usize {
        let key = [correlation, primitive, phase].map(str::to_owned);
        self.links.get(&key).copied().unwrap_or(0)
    }
}

/// Puts a row of this table: the row that was there.
fn put<R: Row>(rows: &mut Typed<R>, of: &RowKey, row: Option<&Object>) -> Option<R> {
    if of.table != R::TABLE {
        return None;
    }
    match row.and_then(|row| R::read(row).ok()) {
        Some(row) => rows.insert(of.key.clone(), row),
        None => rows.remove(&of.key),
    }
}

fn count<K: Ord>(counts: &mut BTreeMap<K, usize>, key: K, more: bool) {
    let count = counts.entry(key).or_default();
    *count = if more { *count + 1 } else { count.saturating_sub(1) };
}
