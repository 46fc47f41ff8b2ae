//! The commit of a call.

use super::{BoxState, Place, Slot, Stop, Transaction};
use crate::rule::box_turns;
use crate::rule::ledger::Transition;
use crate::run::rows::Outgoing;
use crate::store::{Before, BoxChange, Expectation, RowChange, RowKey, Version, Writes};
use crate::value::boxes::CardBox;
use crate::{Error, Result};

impl Transaction<'_> {
    /// Returns the changes, messages and expectations as one atomic commit.
    pub fn done(mut self) -> Result<(Writes, Vec<Transition>)> {
        let operation_id = self.minter.operation_id();
        let now = self.now();
        self.put_messages(operation_id.as_str())?;
        let mut writes = Writes::new(self.known.project_id().clone(), operation_id, now);
        let mut slots: Vec<(Place, Slot)> = self.slots.into_iter().collect();
        slots.sort_unstable_by_key(|(_, slot)| slot.at);
        for ((_, key), slot) in slots {
            let table = slot.table;
            if slot.changed && !(slot.version.is_none() && slot.now.is_none()) {
                let before = slot.version.map_or(Before::Absent, Before::At);
                let of = RowKey { table, key };
                writes.rows.push(RowChange { of, before, row: slot.now.map(Into::into) });
            } else if slot.expected {
                let version = slot.version.map(Version::Text);
                writes.expects.push(Expectation { table: table.name, key, version });
            }
        }
        for box_id in &self.box_order {
            if let Some(state) = self.boxes.get(box_id) {
                add_box(&mut writes, box_id, state);
            }
        }
        writes.cards = self.cards;
        writes.delete_cards = self.deleted_cards;
        box_turns::take(&mut writes, self.known)?;
        // a call that changes nothing expects nothing
        if writes.is_empty() {
            writes.expects.clear();
        }
        Ok((writes, self.transitions))
    }

    /// Writes the messages as rows of the outbox.
    fn put_messages(&mut self, operation_id: &str) -> Result<()> {
        let messages = std::mem::take(&mut self.messages);
        let now = self.now();
        let base = now.as_millis().saturating_mul(1024);
        for (at, message) in messages.into_iter().enumerate() {
            let row = Outgoing {
                message_id: format!("{operation_id}:{at}"),
                subject: message.subject,
                payload: message.payload,
                headers: message.headers,
                core: message.core.then_some(true),
                status: "pending".into(),
                created_at: now,
                seq: base.saturating_add(i64::try_from(at).unwrap_or(i64::MAX)),
                ..Outgoing::default()
            };
            match self.put(&row, "send", "committed") {
                Ok(()) => {}
                Err(Stop::Failed(error)) => return Err(error),
                Err(Stop::Need) => return Err(Error::store("a row of the outbox was not read")),
            }
        }
        Ok(())
    }
}

fn add_box(writes: &mut Writes, box_id: &str, state: &BoxState) {
    let ids = |ids: &[String]| ids.iter().map(String::as_str).collect();
    match state.before {
        None => writes
            .boxes
            .push(BoxChange::Create { card_box: CardBox::new(box_id, ids(&state.card_ids)) }),
        Some(version) if !state.added.is_empty() => writes.boxes.push(BoxChange::Append {
            box_id: box_id.into(),
            card_ids: ids(&state.added),
            version: Some(version),
        }),
        Some(version) => writes.expects.push(Expectation::of_box(box_id, version)),
    }
}
