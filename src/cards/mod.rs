//! Operations on cards and boxes: put, create, change, delete, read.
//!
//! Each operation is a [`Rule`](crate::rule::Rule) with a preview, and its commit is one batch.
//! Cards never change. Boxes change with their version. Deletion is soft.
//!
//! ```
//! use tuckbox::cards::{AppendToBox, CreateBox};
//! use tuckbox::store::{MemoryStore, Snapshot, Store};
//! use tuckbox::{Env, Timestamp, json, rule};
//!
//! let mut store = MemoryStore::new();
//! let mut snapshot = Snapshot::new("p1".into());
//! let create = CreateBox::from_json(&json!({"box_id": "notes", "card_ids": ["n1"]}))?;
//! let env = Env::new(Timestamp::from_millis(0), [1; 32]);
//! store.commit(&rule::preview(&create, &mut snapshot, &env, &store)?.writes)?;
//!
//! let append = AppendToBox::new("notes", ["n2"].into_iter().collect());
//! let env = Env::new(Timestamp::from_millis(1), [2; 32]);
//! snapshot.evict_changeable();
//! let grown = rule::preview(&append, &mut snapshot, &env, &store)?.value;
//! assert_eq!((grown.version, grown.card_ids.len()), (2, 2));
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod change;
mod create;
mod delete;
mod lint;
mod put;
mod read;
pub mod validate;

pub use change::{AppendToBox, ReplaceBox};
pub use create::{ConcatBoxes, CreateBox, ForkBox};
pub use delete::{DeleteBox, DeleteCards, EraseCards};
pub use lint::CardLint;
pub use put::{CardToPut, PutCards};
pub use read::{GetBoxCards, GetBoxes, GetCards, Missing, MissingReason};

use crate::rule::box_turns::{self, Act};
use crate::rule::ledger::Ledger;
use crate::rule::{Cursor, Outcome, Step};
use crate::store::{Expectation, Kind, Snapshot, Writes};
use crate::value::arguments::arguments;
use crate::value::boxes::CardBox;
use crate::value::env::{Env, Minter};
use crate::value::id::BoxId;
use crate::{Error, Path, Result};

/// Returns an empty batch and the minter of its ids.
fn batch(operation_id: Option<&str>, snapshot: &Snapshot, env: &Env) -> (Writes, Minter) {
    let mut minter = env.minter();
    let operation_id = operation_id.map_or_else(|| minter.operation_id(), ToOwned::to_owned);
    (Writes::new(snapshot.project_id().clone(), operation_id, env.now), minter)
}

fn done<V>(value: V, writes: Writes) -> Result<Step<Outcome<V>>> {
    Ok(Step::Done(Outcome { value, writes, ledger: Ledger::default(), lints: Vec::new() }))
}

/// Returns a box, or `not_found`.
fn existing<'a>(snapshot: &'a Snapshot, box_id: &BoxId, path: Path) -> Result<&'a CardBox> {
    match snapshot.card_box(box_id.as_str()).found()? {
        Some(card_box) => Ok(card_box),
        None => Err(Error::not_found(format!(
            "no box `{box_id}` in project `{}`",
            snapshot.project_id()
        ))
        .at(path)
        .detail("box_id", box_id.as_str())),
    }
}

arguments! {
    /// Options of a change to a box.
    ///
    /// ```
    /// use tuckbox::cards::DeleteBox;
    /// use tuckbox::json;
    ///
    /// let call = DeleteBox::from_json(&json!({"box_id": "notes", "even_during_turn": true}))?;
    /// assert!(call.change.even_during_turn);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct BoxChangeOptions {
        /// Changes the box even if a running turn reads it or appends to it. Otherwise that is a
        /// `conflict` that names the turn; the output box of a running turn can grow.
        pub even_during_turn: bool = false,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
    }
}

impl BoxChangeOptions {
    /// Reads everything that a change of the box depends on.
    fn read(&self, snapshot: &Snapshot, box_id: &BoxId) -> Step<()> {
        let mut cursor = Cursor::new(snapshot);
        cursor.want(Kind::Boxes, box_id.as_str());
        if !self.even_during_turn {
            box_turns::want(&mut cursor, box_id.as_str());
        }
        cursor.step()
    }

    /// Returns the expectation of the commit, or a `conflict` with a running turn.
    fn check(&self, snapshot: &Snapshot, box_id: &BoxId, act: Act) -> Result<Option<Expectation>> {
        if self.even_during_turn {
            return Ok(None);
        }
        box_turns::check(snapshot, box_id.as_str(), act, Path::root().key("box_id"))
    }
}
