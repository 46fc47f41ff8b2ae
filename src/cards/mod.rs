//! The operations of the card store: put cards, make and change boxes, delete, read.
//!
//! Each is a [`Rule`](crate::rule::Rule) like every other: it previews, and its commit is one
//! batch. Cards never change; boxes change under their version; nothing is removed for good.
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
//! snapshot.forget_changeable();
//! let grown = rule::preview(&append, &mut snapshot, &env, &store)?.value;
//! assert_eq!((grown.version, grown.card_ids.len()), (2, 2));
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod change;
mod create;
mod delete;
mod put;
mod read;
pub mod validate;

pub use change::{AppendToBox, ReplaceBox};
pub use create::{ConcatBoxes, CreateBox, ForkBox};
pub use delete::{DeleteBox, DeleteCards};
pub use put::PutCards;
pub use read::{GetBoxCards, GetBoxes, GetCards, Gone, Missing};

use crate::rule::box_turns::{self, Act};
use crate::rule::ledger::Ledger;
use crate::rule::{Cursor, Outcome, Step};
use crate::store::{Expectation, Kind, Snapshot, Writes};
use crate::value::boxes::CardBox;
use crate::value::env::{Env, Minter};
use crate::value::id::BoxId;
use crate::value::ids::CardIds;
use crate::value::json::{Field, Fields};
use crate::{Error, Path, Result};

/// An empty batch for an operation, and the minter its ids come from.
fn batch(operation_id: Option<&str>, snapshot: &Snapshot, env: &Env) -> (Writes, Minter) {
    let mut minter = env.minter();
    let operation_id = operation_id.map_or_else(|| minter.operation_id(), ToOwned::to_owned);
    (Writes::new(snapshot.project_id().clone(), operation_id, env.now), minter)
}

fn done<V>(value: V, writes: Writes) -> Result<Step<Outcome<V>>> {
    Ok(Step::Done(Outcome { value, writes, ledger: Ledger::default(), lints: Vec::new() }))
}

/// A box that must be there.
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

/// What a change to a box that may belong to a running turn says and looks at.
#[derive(Clone, Debug, Default, PartialEq)]
struct Turns {
    even_during_turn: bool,
}

impl Turns {
    fn from_call(call: &Fields<'_>) -> Result<Self> {
        let given = call.optional("even_during_turn");
        Ok(Self { even_during_turn: given.map_or(Ok(false), |field| field.boolean())? })
    }

    /// Reads everything that a change of the box looks at.
    fn read(&self, snapshot: &Snapshot, box_id: &BoxId) -> Step<()> {
        let mut cursor = Cursor::new(snapshot);
        cursor.want(Kind::Boxes, box_id.as_str());
        if !self.even_during_turn {
            box_turns::want(&mut cursor, box_id.as_str());
        }
        cursor.step()
    }

    /// What the batch rests on, unless a running turn stands in the way.
    fn check(&self, snapshot: &Snapshot, box_id: &BoxId, act: Act) -> Result<Option<Expectation>> {
        if self.even_during_turn {
            return Ok(None);
        }
        box_turns::check(snapshot, box_id.as_str(), act, Path::root().key("box_id"))
    }
}

fn operation_id(call: &Fields<'_>) -> Result<Option<String>> {
    call.optional("operation_id").map(|field| field.string().map(str::to_owned)).transpose()
}

fn box_id(call: &Fields<'_>, key: &str) -> Result<BoxId> {
    BoxId::parse(&call.required(key)?)
}

fn card_ids(field: &Field<'_>) -> Result<CardIds> {
    Ok(field.strings()?.into_iter().collect())
}
