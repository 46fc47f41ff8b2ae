//! The rows, boxes and cards that one call reads, changes and expects.
//!
//! A rule reads typed rows and writes typed rows. Each row that it relies on becomes an expectation of
//! the commit. Each row that it writes becomes a change, and each message a row of the outbox. A rule
//! stops at a row that was not read yet, and runs again when the host has read it.

mod cards;
mod changes;
mod commit;
mod reads;

use crate::rule::ledger::Transition;
use crate::rule::{Cursor, Dialect, Step};
use crate::run::rows::UnreadableRow;
use crate::run::rows::selections::Selections;
use crate::run::settings::RunSettings;
use crate::run::wire::message::Message;
use crate::store::table::Table;
use crate::store::{Presence, Reads, Snapshot, TableRow};
use crate::value::card::Card;
use crate::value::env::{Env, Minter};
use crate::value::id::CardId;
use crate::value::json::Object;
use crate::value::limits::Limits;
use crate::value::str_map::StrMap;
use crate::{Error, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Why a rule stops.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A row, box or card was not read yet.
    Need,
    /// The call or the store is wrong.
    Failed(Error),
}

/// Returns what was read; otherwise the rule stops.
fn read<T>(found: Presence<T>) -> Run<Option<T>> {
    match found {
        Presence::Read(found) => Ok(found),
        Presence::Unread => Err(Stop::Need),
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The result of a rule, unless it stops.
pub(crate) type Run<T> = std::result::Result<T, Stop>;

/// The table and the key of a row. The table is its address, which compares faster than its name.
type Place = (usize, Vec<String>);

fn place(table: &'static Table, key: Vec<String>) -> Place {
    (std::ptr::from_ref(table).addr(), key)
}

/// A row that the call read or wrote.
#[derive(Clone, Debug)]
struct Slot {
    table: &'static Table,
    /// The number of slots before it.
    at: usize,
    /// The version that was read; `None` if the row did not exist.
    version: Option<String>,
    /// The row with the changes so far.
    now: Option<Arc<Object>>,
    changed: bool,
    /// True if the call relies on the row.
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

/// The state of one call.
pub(crate) struct Transaction<'a> {
    known: &'a Snapshot,
    pub env: &'a Env,
    pub settings: &'a RunSettings,
    /// See [`Defaults::reference_behavior`](crate::rule::Defaults::reference_behavior).
    pub reference_behavior: bool,
    pub dialect: Dialect,
    limits: Limits,
    minter: Minter,
    slots: BTreeMap<Place, Slot>,
    selections: Selections,
    cursor: Cursor<'a>,
    boxes: BTreeMap<String, BoxState>,
    box_order: Vec<String>,
    cards: Vec<Card>,
    deleted_cards: Vec<CardId>,
    /// The index in `cards` of each new card, by its id.
    made_cards: StrMap<usize>,
    pub messages: Vec<Message>,
    /// The approximate size of the new rows, cards and messages.
    bytes: usize,
    pub transitions: Vec<Transition>,
    rank: i64,
    /// Ids that this call made: no row exists under them.
    fresh: BTreeSet<String>,
    /// Rows of lists that cannot be read, each once.
    pub unreadable: BTreeSet<UnreadableRow>,
}

impl<'a> Transaction<'a> {
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
            reference_behavior: false,
            dialect: Dialect::default(),
            limits,
            minter: env.minter(),
            slots: BTreeMap::new(),
            selections: Selections::default(),
            cursor: Cursor::new(known),
            boxes: BTreeMap::new(),
            box_order: Vec::new(),
            cards: Vec::new(),
            deleted_cards: Vec::new(),
            made_cards: StrMap::new(),
            messages: Vec::new(),
            bytes: 0,
            transitions: Vec::new(),
            rank: 0,
            fresh: BTreeSet::new(),
            unreadable: BTreeSet::new(),
        }
    }

    pub fn now(&self) -> Timestamp {
        self.env.now
    }

    pub fn project(&self) -> String {
        self.known.project_id().as_str().to_owned()
    }

    /// Makes 32 hex digits.
    pub fn hex(&mut self) -> String {
        self.minter.uuid().simple().to_string()
    }

    /// Makes an id that starts with `prefix`.
    pub fn mint(&mut self, prefix: &str) -> String {
        let hex = self.hex();
        let id = [prefix, &hex].concat();
        self.fresh.insert(id.clone());
        id
    }

    /// Notes that this call made an id.
    pub fn made(&mut self, id: &str) {
        self.fresh.insert(id.to_owned());
    }

    /// Makes the 16 hex digits of a span.
    pub fn span(&mut self) -> String {
        let hex = self.hex();
        hex.get(16..).unwrap_or_default().to_owned()
    }

    /// Returns a number that orders the rows of this time by the order in which they are made.
    pub fn rank(&mut self) -> i64 {
        self.rank += 1;
        self.now().as_millis().saturating_mul(1024).saturating_add(self.rank.min(1023))
    }

    /// Returns what is still to be read.
    pub fn into_needs(self) -> Reads {
        self.cursor.into_reads()
    }

    /// Ends the step of a rule that stopped at [`Stop::Need`].
    pub fn need<T>(self) -> Step<T> {
        self.cursor.need()
    }

    fn is_fresh(&self, key: &[String]) -> bool {
        !self.fresh.is_empty() && key.iter().any(|part| self.fresh.contains(part))
    }
}
