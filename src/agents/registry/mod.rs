//! The registry of a project: its profiles, agents and tools.
//!
//! Each is a row of a [declared table](crate::store::table), so every store keeps them. A change
//! expects the row as it was read. An agent needs a registered profile, and a profile needs a box.
//! [`MovePointers`] and [`AppendOutput`] change the boxes of an agent.
//!
//! ```
//! use tuckbox::agents::registry::RegisterProfile;
//! use tuckbox::rule::preview;
//! use tuckbox::store::{MemoryStore, Snapshot, Store};
//! use tuckbox::{Env, Json, Timestamp};
//!
//! let mut store = MemoryStore::new();
//! store.project("p1").add_box("pb_writer", []);
//! let env = Env { now: Timestamp::from_millis(1_767_522_600_000), entropy: [7; 32] };
//! let call = Json::parse(r#"{"name": "Writer", "profile_box_id": "pb_writer", "tags": ["text"]}"#)?;
//! let rule = RegisterProfile::from_json(&call)?;
//! let outcome = preview(&rule, &mut Snapshot::new("p1".into()), &env, &store)?;
//! store.commit(&outcome.writes)?;
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod arguments;
mod boxes;
mod entry;
mod list;
mod pointers;
mod put;

pub use arguments::{
    AgentColumns, ProfileColumns, RegisterAgent, RegisterProfile, RegisterTool, RemoveAgent,
    RemoveProfile, RemoveTool, ToolColumns, UpdateAgent, UpdateProfile, UpdateTool,
};
pub use boxes::{BoxUse, ListBoxes, ListedBox, ListedBoxes, NamedUse};
pub use entry::Changed;
pub use list::{ListAgents, ListAudit, ListProfiles, ListTools, ListTurnViews, Listed};
pub use pointers::{AppendOutput, Appended, ExpectedState, MovePointers, Pointers};
pub use put::{ProfilePut, PutProfile};

use crate::rule::ledger::Ledger;
use crate::rule::{Outcome, Step};
use crate::store::{Kind, Snapshot, Writes};
use crate::value::env::Env;
use crate::{Error, Path, Result};

/// Returns an empty batch for an operation.
fn batch(operation_id: Option<&str>, snapshot: &Snapshot, env: &Env) -> Writes {
    let operation_id = operation_id.map_or_else(|| env.minter().operation_id(), ToOwned::to_owned);
    Writes::new(snapshot.project_id().clone(), operation_id, env.now)
}

fn done<V>(value: V, writes: Writes) -> Result<Step<Outcome<V>>> {
    Ok(Step::Done(Outcome { value, writes, ledger: Ledger::default(), lints: Vec::new() }))
}

/// Rejects a box that does not exist. The batch expects the version of one that does.
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
