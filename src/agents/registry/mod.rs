//! Who is in a project: profiles, agents and tools are registered, changed, removed and listed.
//!
//! Each is a row of a [declared table](crate::store::table), so every store keeps them. A change
//! holds only if the row is as it was read; an agent needs a profile that is there, and a profile a
//! box. [`MovePointers`] and [`AppendOutput`] work on the turn of an agent.
//!
//! ```
//! use tuckbox::agents::registry::{Change, Entry, Kept};
//! use tuckbox::rule::preview;
//! use tuckbox::store::{MemoryStore, Snapshot, Store};
//! use tuckbox::{Env, Json, Timestamp};
//!
//! let mut store = MemoryStore::new();
//! store.project("p1").add_box("pb_writer", []);
//! let env = Env { now: Timestamp::from_millis(1_767_522_600_000), entropy: [7; 32] };
//! let call = Json::parse(r#"{"name": "Writer", "profile_box_id": "pb_writer", "tags": ["text"]}"#)?;
//! let rule = Entry::from_json(&call, Kept::Profile, Change::Register)?;
//! let outcome = preview(&rule, &mut Snapshot::new("p1".into()), &env, &store)?;
//! store.commit(&outcome.writes)?;
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod entry;
mod list;
mod pointers;

pub use entry::{Change, Changed, Entry, Kept};
pub use list::{ListRows, Listed};
pub use pointers::{AppendOutput, Appended, MovePointers, Pointers};

use crate::rule::ledger::Ledger;
use crate::rule::{Outcome, Step};
use crate::store::{Kind, Snapshot, Writes};
use crate::value::env::Env;
use crate::value::json::Fields;
use crate::{Error, Path, Result};

/// An empty batch for an operation.
fn batch(operation_id: Option<&str>, snapshot: &Snapshot, env: &Env) -> Writes {
    let operation_id = operation_id.map_or_else(|| env.minter().operation_id(), ToOwned::to_owned);
    Writes::new(snapshot.project_id().clone(), operation_id, env.now)
}

fn done<V>(value: V, writes: Writes) -> Result<Step<Outcome<V>>> {
    Ok(Step::Done(Outcome { value, writes, ledger: Ledger::default(), lints: Vec::new() }))
}

fn operation_id(call: &Fields<'_>) -> Result<Option<String>> {
    call.optional("operation_id").map(|field| field.string().map(str::to_owned)).transpose()
}

/// Refuses a box that is not there, and rests the batch on one that is.
fn need_box(snapshot: &Snapshot, box_id: &str, path: Path, writes: &mut Writes) -> Result<()> {
    match snapshot.card_box(box_id).found()? {
        Some(_) => {
            writes.expects.extend(snapshot.expectation(Kind::Boxes, box_id));
            Ok(())
        }
        None => Err(Error::not_found(format!(
            "no box `{box_id}` in project `{}`",
            snapshot.project_id()
        ))
        .at(path)
        .detail("box_id", box_id)),
    }
}
