//! One call at work: rows as they were read, with what the call has changed of them so far.
//!
//! A rule asks for typed rows and puts typed rows. What it asked for becomes an expectation of the
//! batch, what it put a change, what it sends a row of the outbox. Asking for something that was
//! not read yet stops the rule; it starts again when the answers are there.

mod cards;

use super::message::Message;
use super::rows::{Outgoing, Row};
use super::selections::Selections;
use super::settings::RunSettings;
use crate::rule::ledger::Transition;
use crate::rule::{Cursor, Step, box_turns};
use crate::store::table::Table;
use crate::store::{
    Before, BoxChange, Expectation, Follow, Kind, List, Lookup, Named, Reads, RowChange, RowKey,
    Snapshot, Source, TableRow, Version, Writes,
};
use crate::value::boxes::CardBox;
use crate::value::card::Card;
use crate::value::env::{Env, Minter};
use crate::value::json::{Object, weight};
use crate::value::limits::Limits;
use crate::value::str_map::StrMap;
use crate::{CardId, Error, Path, Result, Timestamp};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Why a rule cannot go on.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Something was not read yet.
    Need,
    /// The call is wrong, or the store is.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// What a rule answers, unless it stops.
pub(crate) type Run<T> = std::result::Result<T, Stop>;

/// Where a row lies: its table, told by its address because names are long to compare, and its key.
type Place = (usize, Vec<String>);

fn place(table: &'static Table, key: Vec<String>) -> Place {
    (std::ptr::from_ref(table).addr(), key)
}

/// One row of the desk.
#[derive(Clone, Debug)]
struct Slot {
    table: &'static Table,
    /// How many rows were taken up before it.
    at: usize,
    /// The version that was read; nothing when the row was not there.
    version: Option<String>,
    /// The row as it stands now.
    now: Option<Arc<Object>>,
    changed: bool,
    /// True when it is relied on.
    expected: bool,
}

impl Slot {
    fn of(table: &'static Table, at: usize, read: Option<&TableRow>) -> Self {
        let version = read.map(|read| read.version.clone());
        let now = read.map(|read| read.row.clone());
        Self { table, at, version, now, changed: false, expected: false }
    }
}

#[derive(Clone, Debug)]
struct BoxState {
    before: Option<u64>,
    card_ids: Vec<String>,
    added: Vec<String>,
}

/// One call at work.
pub(crate) struct Desk<'a> {
    known: &'a Snapshot,
    pub env: &'a Env,
    pub settings: &'a RunSettings,
    limits: Limits,
    minter: Minter,
    slots: BTreeMap<Place, Slot>,
    selections: Selections,
    cursor: Cursor<'a>,
    boxes: BTreeMap<String, BoxState>,
    box_order: Vec<String>,
    cards: Vec<Card>,
    /// Where each of them stands, by its id.
    made_cards: StrMap<usize>,
    pub messages: Vec<Message>,
    /// How many bytes the rows, cards and messages have that were made so far, about.
    bytes: usize,
    pub transitions: Vec<Transition>,
    rank: i64,
    /// Ids that were made here: nothing can be stored under them yet.
    fresh: BTreeSet<String>,
}

impl<'a> Desk<'a> {
    pub fn new(
        known: &'a Snapshot,
        env: &'a Env,
        settings: &'a RunSettings,
        limits: Limits,
    ) -> Self {
        Self {
            known,
            env,
            settings,
            limits,
            minter: env.minter(),
            slots: BTreeMap::new(),
            selections: Selections::default(),
            cursor: Cursor::new(known),
            boxes: BTreeMap::new(),
            box_order: Vec::new(),
            cards: Vec::new(),
            made_cards: StrMap::new(),
            messages: Vec::new(),
            bytes: 0,
            transitions: Vec::new(),
            rank: 0,
            fresh: BTreeSet::new(),
        }
    }

    pub fn now(&self) -> Timestamp {
        self.env.now
    }

    pub fn project(&self) -> String {
        self.known.project_id().as_str().to_owned()
    }

    /// 32 new hex digits.
    pub fn hex(&mut self) -> String {
        self.minter.uuid().simple().to_string()
    }

    /// A new id that starts with `prefix`.
    pub fn mint(&mut self, prefix: &str) -> String {
        let hex = self.hex();
        let id = [prefix, &hex].concat();
        self.fresh.insert(id.clone());
        id
    }

    /// Says that an id was made here.
    pub fn made(&mut self, id: &str) {
        self.fresh.insert(id.to_owned());
    }

    fn known_slot(&self, table: &'static Table, key: &[String]) -> bool {
        !self.slots.is_empty() && self.slots.contains_key(&place(table, key.to_vec()))
    }

    fn is_fresh(&self, key: &[String]) -> bool {
        !self.fresh.is_empty() && key.iter().any(|part| self.fresh.contains(part))
    }

    /// 16 hex digits for a span.
    pub fn span(&mut self) -> String {
        let hex = self.hex();
        hex.get(16..).unwrap_or_default().to_owned()
    }

    /// A number that orders rows made at this time, in the order they are made.
    pub fn rank(&mut self) -> i64 {
        self.rank += 1;
        self.now().as_millis().saturating_mul(1024).saturating_add(self.rank.min(1023))
    }

    /// What is still to be read.
    pub fn into_needs(self) -> Reads {
        self.cursor.into_reads()
    }

    /// Ends a step of a rule that stopped because something was not read.
    pub fn need<T>(self) -> Step<T> {
        self.cursor.need()
    }

    // ---- reading

    /// Asks for a row without waiting for it.
    pub fn want<R: Row>(&mut self, key: &[&str]) {
        self.want_with::<R>(key, Vec::new);
    }

    /// Asks for a row and for what it names, without waiting for them.
    pub fn want_with<R: Row>(&mut self, key: &[&str], names: impl FnOnce() -> Vec<Named>) {
        let key: Vec<String> = key.iter().map(|part| (*part).to_owned()).collect();
        let known = key.iter().any(String::is_empty)
            || self.is_fresh(&key)
            || self.known_slot(R::TABLE, &key);
        if known {
            return;
        }
        let of = RowKey { table: R::TABLE, key };
        if let Lookup::NotRead = self.known.row_of(&of) {
            self.cursor.want_row(&of);
            self.follow(Source::Row(of), names());
        }
    }

    fn follow(&mut self, from: Source, to: Vec<Named>) {
        if !to.is_empty() {
            self.cursor.reads().add_follow(Follow { from, to });
        }
    }

    /// Asks for a list without waiting for it.
    pub fn want_list<R: Row>(&mut self, index: &'static str, of: &[&str], limit: usize) {
        self.want_list_with::<R>(index, of, limit, Vec::new);
    }

    /// Asks for a list and for what its rows name, without waiting for them.
    pub fn want_list_with<R: Row>(
        &mut self,
        index: &'static str,
        of: &[&str],
        limit: usize,
        names: impl FnOnce() -> Vec<Named>,
    ) {
        let Some(list) = List::new(R::TABLE, index, of.iter().copied(), limit) else { return };
        if self.is_fresh(&list.of) {
            return;
        }
        if let Lookup::NotRead = self.known.list(&list) {
            self.cursor.want_list(&list);
            self.follow(Source::List(list), names());
        }
    }

    /// The rows of a list as they were read, if they were.
    pub fn known_list<R: Row>(
        &self,
        index: &'static str,
        of: &[&str],
        limit: usize,
    ) -> Option<Vec<R>> {
        let list = List::new(R::TABLE, index, of.iter().copied(), limit)?;
        let Lookup::Present(rows) = self.known.list(&list) else { return None };
        rows.iter().map(|row| R::read(&row.row).ok()).collect()
    }

    /// Asks for a box without waiting for it.
    pub fn want_box(&mut self, box_id: Option<&str>) {
        if let Some(box_id) = present(box_id) {
            self.cursor.want(Kind::Boxes, box_id);
        }
    }

    /// Asks for the cards of a box that was read, without waiting for them.
    pub fn want_cards_of(&mut self, box_id: Option<&str>) {
        let known = self.known;
        let Some(Lookup::Present(card_box)) = box_id.map(|id| known.card_box(id)) else { return };
        for card_id in card_box.card_ids.iter() {
            self.want_card(Some(card_id));
        }
    }

    /// Asks for a card without waiting for it.
    pub fn want_card(&mut self, card_id: Option<&str>) {
        if let Some(card_id) = present(card_id) {
            self.cursor.want(Kind::Cards, card_id);
        }
    }

    /// Asks for the profile that a box holds, without waiting for it.
    pub fn want_profile_of_box(&mut self, box_id: Option<&str>) {
        if let Some(box_id) = present(box_id) {
            self.cursor.want(Kind::ProfilesByBox, box_id);
        }
    }

    /// Asks for an agent without waiting for it.
    pub fn want_agent(&mut self, agent_id: &str) {
        if !agent_id.is_empty() {
            self.cursor.want(Kind::Agents, agent_id);
        }
    }

    /// The row under a key; relied on from here.
    pub fn get<R: Row>(&mut self, key: &[&str]) -> Run<Option<R>> {
        self.look::<R>(key, true)
    }

    /// The row under a key, without relying on it.
    pub fn peek<R: Row>(&mut self, key: &[&str]) -> Run<Option<R>> {
        self.look::<R>(key, false)
    }

    fn look<R: Row>(&mut self, key: &[&str], expected: bool) -> Run<Option<R>> {
        if key.iter().any(|part| part.is_empty()) {
            return Ok(None);
        }
        let key = key.iter().map(|part| (*part).to_owned()).collect();
        let Some(slot) = self.slot(R::TABLE, key, true)? else { return Err(Stop::Need) };
        slot.expected |= expected;
        slot.now.as_deref().map(R::read).transpose().map_err(Stop::Failed)
    }

    /// The row under a key as it lies here. Where it was not read it is asked for and nothing is
    /// answered, unless nobody `waits` for it: then it is new.
    fn slot(
        &mut self,
        table: &'static Table,
        key: Vec<String>,
        waits: bool,
    ) -> Run<Option<&mut Slot>> {
        let at = self.slots.len();
        let is_fresh = self.is_fresh(&key);
        let vacant = match self.slots.entry(place(table, key)) {
            Entry::Occupied(there) => return Ok(Some(there.into_mut())),
            Entry::Vacant(vacant) => vacant,
        };
        let of = RowKey { table, key: vacant.key().1.clone() };
        let read = match self.known.row_of(&of) {
            _ if waits && is_fresh => None,
            Lookup::NotRead if waits => {
                self.cursor.want_row(&of);
                return Ok(None);
            }
            Lookup::Failed(error) => return Err(Stop::Failed(error.clone())),
            Lookup::Absent | Lookup::NotRead => None,
            Lookup::Present(row) => Some(row),
        };
        if let Some(read) = read {
            self.selections.note(table, &of.key, &read.row);
        }
        Ok(Some(vacant.insert(Slot::of(table, at, read))))
    }

    /// The first `limit` rows of an index as they stand now. Nobody relies on the list itself.
    pub fn list<R: Row>(&mut self, index: &'static str, of: &[&str], limit: usize) -> Run<Vec<R>> {
        let Some(list) = List::new(R::TABLE, index, of.iter().copied(), limit) else {
            return Err(Stop::Failed(Error::store(format!(
                "`{}` has no index `{index}`",
                R::TABLE.name
            ))));
        };
        let reads: &[TableRow] = match self.is_fresh(&list.of) {
            true => &[],
            false => self.cursor.list(&list)?.ok_or(Stop::Need)?.map_or(&[], Vec::as_slice),
        };
        for read in reads {
            let at = self.slots.len();
            if let Entry::Vacant(vacant) = self.slots.entry(place(R::TABLE, read.key.clone())) {
                self.selections.note(R::TABLE, &read.key, &read.row);
                vacant.insert(Slot::of(R::TABLE, at, Some(read)));
            }
        }
        let slots = &self.slots;
        let first = place(R::TABLE, Vec::new());
        let table = first.0;
        let of_table = slots
            .range(first..)
            .take_while(|((of, _), _)| *of == table)
            .filter_map(|((_, key), slot)| Some((key.as_slice(), slot.now.as_deref()?)));
        let keys = self.selections.keys(R::TABLE, list.index, &list.of, of_table);
        let mut rows: Vec<&Object> = keys
            .into_iter()
            .flatten()
            .filter_map(|key| slots.get(&place(R::TABLE, key.clone()))?.now.as_deref())
            .filter(|row| list.index.selects(row, &list.of))
            .collect();
        rows.sort_by(|a, b| list.index.compare(R::TABLE, a, b));
        rows.truncate(limit);
        rows.into_iter().map(|row| R::read(row).map_err(Stop::Failed)).collect()
    }

    // ---- changing

    /// Puts a row; says why.
    pub fn put<R: Row>(&mut self, row: &R, rule: &'static str, guard: &str) -> Run<()> {
        let row = row.write();
        let key = R::TABLE.key_of(&row).unwrap_or_default();
        self.change::<R>(key, Some(row), rule, guard)
    }

    /// Takes a row away; says why.
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
        // a new row under an id that was minted here, or one that nobody looked for, is new
        let Some(slot) = self.slot(R::TABLE, key.clone(), false)? else { return Ok(()) };
        if slot.now.as_deref() == now.as_ref() {
            // nothing to write, as long as it stays as it is
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

    /// Counts a row that the call makes. Apart from what is compiled for every type of row.
    #[inline(never)]
    fn spend_row(&mut self, row: Option<&Object>) -> Run<()> {
        self.spend(row.iter().flat_map(|row| row.values()).map(weight).sum())
    }

    /// Counts bytes of what the call makes: names that it tells once may stand in thousands of rows.
    fn spend(&mut self, bytes: usize) -> Run<()> {
        self.bytes += bytes;
        Ok(self.limits.check_bytes(self.bytes, &Path::root())?)
    }

    /// The most rows that the call may ask for of a list, whatever it says itself.
    pub fn most_rows(&self) -> usize {
        self.limits.max_tasks
    }

    /// Refuses more messages than one call may have.
    pub fn check_messages(&self, messages: usize, path: &Path) -> Run<()> {
        Ok(self.limits.check_messages(messages, path)?)
    }

    /// Refuses more tasks than one call may have.
    pub fn check_tasks(&self, tasks: usize, path: &Path) -> Run<()> {
        Ok(self.limits.check_tasks(tasks, path)?)
    }

    /// Sends a message, once the batch is committed.
    pub fn send(&mut self, message: Message) {
        let headers = message.headers.iter().flat_map(Object::values).map(weight);
        // refused with the next row: no call sends messages alone
        self.bytes += message.subject.len() + weight(&message.payload) + headers.sum::<usize>();
        self.messages.push(message);
    }

    // ---- the end

    /// Everything that was changed, sent and relied on, as one batch.
    pub fn done(mut self) -> Result<(Writes, Vec<Transition>)> {
        let operation_id = self.minter.operation_id();
        let messages = std::mem::take(&mut self.messages);
        let now = self.now();
        let base = now.as_millis().saturating_mul(1024);
        let outside = self.settings.bug == super::bugs::Bug::OutboxAfterCommit;
        for (at, message) in messages.into_iter().enumerate().filter(|_| !outside) {
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
            let Some(state) = self.boxes.get(box_id) else { continue };
            let ids = |ids: &[String]| ids.iter().map(String::as_str).collect();
            match state.before {
                None => writes.boxes.push(BoxChange::Create {
                    card_box: CardBox::new(box_id.as_str(), ids(&state.card_ids)),
                }),
                Some(version) if !state.added.is_empty() => writes.boxes.push(BoxChange::Append {
                    box_id: box_id.as_str().into(),
                    card_ids: ids(&state.added),
                    version: Some(version),
                }),
                Some(version) => writes.expects.push(Expectation::of_box(box_id, version)),
            }
        }
        writes.cards = self.cards;
        box_turns::take(&mut writes, self.known)?;
        // what changes nothing is held to nothing
        if writes.is_empty() {
            writes.expects.clear();
        }
        Ok((writes, self.transitions))
    }
}

/// Text that counts: present and not empty.
pub(crate) fn present(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

/// The text under a key of an object, if it is present.
pub(crate) fn text_of(object: &Object, key: &str) -> Option<String> {
    let value = object.get(key)?;
    if value.is_null() {
        return None;
    }
    let text = super::rows::key_text(value);
    (!text.is_empty()).then_some(text)
}

/// An id that a card can be found by.
pub(crate) fn card_text(card_id: &CardId) -> String {
    card_id.as_str().to_owned()
}
