//! The rows that a call writes and the messages that it sends.

use super::{Run, Transaction};
use crate::Path;
use crate::rule::ledger::Transition;
use crate::run::rows::Row;
use crate::run::wire::message::Message;
use crate::value::json::{Object, weight};
use std::sync::Arc;

impl Transaction<'_> {
    /// Writes a row; `rule` and `guard` explain the change in the ledger.
    pub fn put<R: Row>(&mut self, row: &R, rule: &'static str, guard: &str) -> Run<()> {
        let row = row.write();
        let key = R::TABLE.key_of(&row).unwrap_or_default();
        self.change::<R>(key, Some(row), rule, guard)
    }

    /// Deletes a row; `rule` and `guard` explain the change in the ledger.
    pub fn delete<R: Row>(&mut self, row: &R, rule: &'static str, guard: &str) -> Run<()> {
        let key = R::TABLE.key_of(&row.write()).unwrap_or_default();
        self.change::<R>(key, None, rule, guard)
    }

    fn change<R: Row>(
        &mut self,
        key: Vec<String>,
        now: Option<Object>,
        rule: &'static str,
        guard: &str,
    ) -> Run<()> {
        self.spend_row(now.as_ref())?;
        // a row that the call did not read is new
        let Some(slot) = self.slot(R::TABLE, key.clone(), false)? else { return Ok(()) };
        if slot.now.as_deref() == now.as_ref() {
            // nothing to write, if the row does not change before the commit
            slot.expected |= now.is_some();
            return Ok(());
        }
        slot.now = now.map(Arc::new);
        slot.changed = true;
        let (version, row) = (slot.version.clone(), slot.now.clone());
        if let Some(row) = &row {
            self.selections.note(R::TABLE, &key, row);
        }
        let guard = guard.to_owned();
        self.transitions.push(Transition { rule, guard, table: R::TABLE.name, version, key });
        Ok(())
    }

    /// Counts a new row. A function of its own, because [`Self::change`] is compiled for every row type.
    #[inline(never)]
    fn spend_row(&mut self, row: Option<&Object>) -> Run<()> {
        self.spend(row.iter().flat_map(|row| row.values()).map(weight).sum())
    }

    /// Counts new bytes: thousands of rows can repeat a name that the call states once.
    pub(super) fn spend(&mut self, bytes: usize) -> Run<()> {
        self.bytes += bytes;
        Ok(self.limits.check_bytes(self.bytes, &Path::root())?)
    }

    /// Returns the maximum number of rows of a list that a call can request.
    pub fn row_limit(&self) -> usize {
        self.limits.max_tasks
    }

    /// Fails if a call has more messages than the limit.
    pub fn check_messages(&self, messages: usize, path: &Path) -> Run<()> {
        Ok(self.limits.check_messages(messages, path)?)
    }

    /// Fails if a call has more tasks than the limit.
    pub fn check_tasks(&self, tasks: usize, path: &Path) -> Run<()> {
        Ok(self.limits.check_tasks(tasks, path)?)
    }

    /// Sends a message after the commit.
    pub fn send(&mut self, message: Message) {
        let headers = message.headers.iter().flat_map(Object::values).map(weight);
        // the next row checks the limit: no call sends messages without a row
        self.bytes += message.subject.len() + weight(&message.payload) + headers.sum::<usize>();
        self.messages.push(message);
    }
}
