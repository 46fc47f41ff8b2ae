//! Protection of the boxes of running turns.
//!
//! A turn runs from its lease until its head is idle. Its input box cannot change. Its output box
//! can only grow, even if it is also the input box. Every rule that changes a box calls [`check`].
//! Its batch then depends on the row of [`box_turns`](table::BOX_TURNS) that [`take`] writes with
//! the head of the turn. The second of two concurrent commits is a `conflict`.
//!
//! A running turn of another agent never writes to a box that a turn reads: `check_pair` rejects such
//! a pair of boxes.
//!
//! ```
//! use tuckbox::rule::box_turns;
//! use tuckbox::store::{Before, RowChange, Snapshot, Writes, table};
//! use tuckbox::{Json, Timestamp};
//!
//! let Json::Object(head) = Json::parse(r#"{"agent_id": "ann", "status": "running",
//!     "active_agent_turn_id": "t1", "context_box_id": "ctx"}"#)? else { unreachable!() };
//! let mut writes = Writes::new("p1".into(), "op1", Timestamp::from_millis(0));
//! writes.rows.push(RowChange::put(&table::HEADS, head, Before::Any)?);
//! box_turns::take(&mut writes, &Snapshot::new("p1".into()))?;
//! assert_eq!(writes.rows[1].of.to_string(), "box_turns `ctx`");
//! # Ok::<(), tuckbox::Error>(())
//! ```

use super::Cursor;
use super::card_turns::shard;
use crate::store::{
    Before, Expectation, List, Lookup, Reads, RowChange, RowKey, Snapshot, TableRow, Writes, table,
};
use crate::value::json::{Json, Object};
use crate::{Error, Path, Result};

/// The states of a head with a running turn.
pub(super) const RUNNING: [&str; 3] = ["dispatched", "running", "suspended"];

/// The number of heads of a box that the first read returns, and that the second read returns.
pub(crate) const FIRST: usize = 100;
pub(crate) const ALL: usize = 1_000_000;

/// A change of a box.
///
/// Shown by the example of [`check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Appends cards.
    Append,
    /// Replaces the cards.
    Replace,
    /// Deletes the box.
    Delete,
}

/// The two uses of a box by a turn.
#[derive(Clone, Copy)]
enum Use {
    Context,
    Output,
}

impl Use {
    const fn index(self) -> &'static str {
        match self {
            Self::Context => "by_context",
            Self::Output => "by_output",
        }
    }

    const fn column(self) -> &'static str {
        match self {
            Self::Context => "context_box_id",
            Self::Output => "output_box_id",
        }
    }

    fn list(self, box_id: &str, limit: usize) -> Option<List> {
        List::new(&table::HEADS, self.index(), [box_id], limit)
    }
}

fn taken(box_id: &str) -> RowKey {
    RowKey::new(&table::BOX_TURNS, [box_id])
}

/// Returns true for the head of a running turn.
pub(crate) fn runs(head: &Object) -> bool {
    head.get("status").and_then(Json::as_str).is_some_and(|status| RUNNING.contains(&status))
}

/// Adds the reads that [`check`] needs.
///
/// ```
/// use tuckbox::rule::box_turns;
/// use tuckbox::store::{Reads, Snapshot};
///
/// let mut needed = Reads::new("p1".into());
/// box_turns::reads(&Snapshot::new("p1".into()), "ctx", &mut needed);
/// assert!(needed.lists().any(|list| list.table.name == "heads"));
/// ```
pub fn reads(snapshot: &Snapshot, box_id: &str, reads: &mut Reads) {
    reads.add_row(taken(box_id));
    for list in [Use::Context, Use::Output].into_iter().filter_map(|of| of.list(box_id, FIRST)) {
        // a list that is full may omit a running turn
        if let Lookup::Present(rows) = snapshot.list(&list)
            && rows.len() >= FIRST
        {
            reads.add_list(List { limit: ALL, ..list.clone() });
        }
        reads.add_list(list);
    }
}

/// Requests the reads that [`check`] needs.
pub(crate) fn want(cursor: &mut Cursor<'_>, box_id: &str) {
    let snapshot = cursor.snapshot();
    let mut named = Reads::new(snapshot.project_id().clone());
    reads(snapshot, box_id, &mut named);
    cursor.want_reads(&named);
}

/// Rejects a change of a box that a running turn uses. Otherwise returns the row that the batch
/// depends on. The caller must have absorbed the reads of [`reads`].
///
/// # Errors
/// `conflict`, with the turn in its details.
///
/// ```
/// use tuckbox::rule::box_turns::{Act, check, reads};
/// use tuckbox::store::{MemoryStore, Reads, Snapshot, Store, table};
/// use tuckbox::{Code, Path, json};
///
/// let mut store = MemoryStore::new();
/// let head = json!({"agent_id": "ann", "status": "running", "active_agent_turn_id": "t1", "context_box_id": "ctx"});
/// store.project("p1").add_row(&table::HEADS, head.as_object().cloned().unwrap());
///
/// let mut snapshot = Snapshot::new("p1".into());
/// let mut needed = Reads::new("p1".into());
/// reads(&snapshot, "ctx", &mut needed);
/// snapshot.absorb(&needed, store.read(&needed)?)?;
/// let refused = check(&snapshot, "ctx", Act::Replace, Path::root().key("box_id")).unwrap_err();
/// assert_eq!(refused.code(), Code::Conflict);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn check(
    snapshot: &Snapshot,
    box_id: &str,
    act: Act,
    path: Path,
) -> Result<Option<Expectation>> {
    // the input box of a turn can grow if it is also its output box
    let reader =
        |head: &&TableRow| act != Act::Append || head.text(Use::Output.column()) != Some(box_id);
    let output = match act {
        Act::Append => None,
        Act::Replace | Act::Delete => running(snapshot, box_id, Use::Output)?.next(),
    };
    let holder = match output {
        Some(head) => Some((head, Use::Output)),
        None => {
            running(snapshot, box_id, Use::Context)?.find(reader).map(|head| (head, Use::Context))
        }
    };
    match holder {
        Some((head, of)) => Err(refused(head, box_id, of, path)),
        None => Ok(snapshot.row_expectation(&taken(box_id))),
    }
}

/// Returns the heads of running turns that use a box.
fn running<'a>(
    snapshot: &'a Snapshot,
    box_id: &str,
    of: Use,
) -> Result<impl Iterator<Item = &'a TableRow> + use<'a>> {
    let mut heads: &[TableRow] = &[];
    for list in [FIRST, ALL].into_iter().filter_map(|limit| of.list(box_id, limit)) {
        if let Some(rows) = snapshot.list(&list).found()? {
            heads = rows;
        }
    }
    Ok(heads.iter().filter(|head| runs(&head.row)))
}

/// Rejects the boxes of a running turn if they collide with those of another agent's running turn.
/// Two turns collide if one writes to a box that the other one reads. The caller must have absorbed
/// the reads of [`reads`] for both.
pub(crate) fn check_pair(
    snapshot: &Snapshot,
    agent_id: &str,
    context: Option<&str>,
    output: Option<&str>,
) -> Result<()> {
    if let Some(box_id) = context.filter(|context| Some(*context) == output) {
        let message = format!("box `{box_id}` cannot be the context and the output of one turn");
        let path = Path::root().key(Use::Output.column());
        return Err(Error::conflict(message).at(path).detail("box_id", box_id));
    }
    for (box_id, named, of) in [
        (context, Use::Context, Use::Output),
        (output, Use::Output, Use::Context),
        (output, Use::Output, Use::Output),
    ] {
        let Some(box_id) = box_id else { continue };
        let other = |head: &&TableRow| head.text("agent_id") != Some(agent_id);
        if let Some(head) = running(snapshot, box_id, of)?.find(other) {
            return Err(refused(head, box_id, of, Path::root().key(named.column())));
        }
    }
    Ok(())
}

fn refused(head: &TableRow, box_id: &str, of: Use, path: Path) -> Error {
    let agent_id = head.text("agent_id").unwrap_or_default();
    let why = match of {
        Use::Context => format!(
            "agent `{agent_id}` reads box `{box_id}` in a running turn, so it cannot change"
        ),
        Use::Output => format!(
            "agent `{agent_id}` writes to box `{box_id}` in a running turn, so it can only grow"
        ),
    };
    let turn = head.text("active_agent_turn_id").map_or(Json::Null, Json::from);
    Error::conflict(format!("{why}; set `even_during_turn` to change it anyway"))
        .at(path)
        .detail("box_id", box_id)
        .detail("agent_id", agent_id)
        .detail("agent_turn_id", turn)
        .detail("as", of.column())
}

/// Adds to a batch a row for every box that a turn takes in it. A turn takes a box if its head did
/// not name it before, or named it while no turn ran. `known` has the heads before the batch.
///
/// # Errors
/// None for tables as declared.
///
/// ```
/// use tuckbox::rule::box_turns;
/// use tuckbox::store::{Snapshot, Writes};
/// use tuckbox::Timestamp;
///
/// // a batch that starts no turn takes no box
/// let mut writes = Writes::new("p1".into(), "op_1", Timestamp::from_millis(0));
/// box_turns::take(&mut writes, &Snapshot::new("p1".into()))?;
/// assert!(writes.rows.is_empty());
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn take(writes: &mut Writes, known: &Snapshot) -> Result<()> {
    let mut rows: Vec<RowChange> = Vec::new();
    for change in writes.rows.iter().filter(|change| change.of.table == &table::HEADS) {
        let Some(head) = change.row.as_ref().filter(|head| runs(head)) else { continue };
        let before = match known.row_of(&change.of) {
            Lookup::Present(row) => Some(&row.row),
            Lookup::Absent | Lookup::NotRead | Lookup::Failed(_) => None,
        };
        for column in [Use::Context, Use::Output].map(Use::column) {
            let box_id = head.get(column).and_then(Json::as_str).filter(|id| !id.is_empty());
            let had = before.filter(|head| runs(head)).and_then(|head| head.get(column));
            let Some(box_id) = box_id.filter(|id| had.and_then(Json::as_str) != Some(id)) else {
                continue;
            };
            let of = taken(box_id);
            if rows.iter().any(|row| row.of == of) {
                continue;
            }
            let row = Object::from_iter([
                ("box_id".to_owned(), Json::from(box_id)),
                ("agent_id".to_owned(), head.get("agent_id").cloned().unwrap_or_default()),
                (
                    "agent_turn_id".to_owned(),
                    head.get("active_agent_turn_id").cloned().unwrap_or_default(),
                ),
                ("taken_at".to_owned(), writes.at.into()),
            ]);
            // a turn that was checked against other turns depends on the row
            let before = match known.row_of(&of) {
                Lookup::Present(row) => Before::At(row.version.clone()),
                Lookup::Absent => Before::Absent,
                Lookup::NotRead | Lookup::Failed(_) => Before::Any,
            };
            rows.push(RowChange::put(&table::BOX_TURNS, row, before)?);
            // a deletion of cards depends on the row of the shard
            let shard = shard(head.get("agent_id").and_then(Json::as_str).unwrap_or_default());
            if !rows.iter().any(|row| row.of == shard) {
                let row = Object::from_iter([
                    ("box_id".to_owned(), shard.key.first().cloned().unwrap_or_default().into()),
                    ("taken_at".to_owned(), writes.at.into()),
                ]);
                rows.push(RowChange::put(&table::BOX_TURNS, row, Before::Any)?);
            }
        }
    }
    writes.rows.extend(rows);
    Ok(())
}
