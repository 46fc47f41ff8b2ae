//! Protection of the cards that running turns read.
//!
//! A turn reads the cards of its context, its output and its profile until its head is idle. A card in
//! one of these boxes cannot be deleted meanwhile. [`check`] reads the heads of running turns and their
//! boxes, because a card does not know its boxes.
//!
//! A turn that starts at the same time is found by its [shard]. Every batch that gives a turn a box
//! writes one of 16 rows. A deletion expects all 16 rows unchanged.

use super::box_turns::{ALL, FIRST, RUNNING};
use super::{Cursor, Step, ready};
use crate::store::{Expectation, Kind, List, Lookup, RowKey, Snapshot, TableRow, table};
use crate::value::id::CardId;
use crate::value::json::Json;
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};

/// The boxes that a turn reads.
const READ: [&str; 3] = ["context_box_id", "output_box_id", "profile_box_id"];

const SHARDS: &[u8; 16] = b"0123456789abcdef";

/// Returns the row that a turn of this agent writes when it takes a box. No new box has such an id.
pub(super) fn shard(agent_id: &str) -> RowKey {
    let mixed = agent_id.bytes().fold(0_u8, |sum, byte| sum.rotate_left(3) ^ byte);
    let digit = SHARDS.get(usize::from(mixed ^ (mixed >> 4)) & 15).copied().unwrap_or(b'0');
    of_digit(digit)
}

fn of_digit(digit: u8) -> RowKey {
    let key: String = ['*', char::from(digit)].into_iter().collect();
    RowKey::new(&table::BOX_TURNS, [key.as_str()])
}

/// Rejects the deletion of cards that a running turn reads. Otherwise returns the rows that the batch
/// depends on.
pub(crate) fn check(
    snapshot: &Snapshot,
    card_ids: &[CardId],
    path: &Path,
) -> Result<Step<Vec<Expectation>>> {
    let mut cursor = Cursor::new(snapshot);
    let shards: Vec<RowKey> = SHARDS.iter().map(|digit| of_digit(*digit)).collect();
    for shard in &shards {
        cursor.want_row(shard);
    }
    let mut heads: Vec<&TableRow> = Vec::new();
    for status in RUNNING {
        let list = |limit| List::new(&table::HEADS, "by_status", [status], limit);
        let (Some(first), Some(all)) = (list(FIRST), list(ALL)) else { continue };
        let mut rows = cursor.list(&first)?.found();
        if rows.is_some_and(|rows| rows.len() >= FIRST) {
            rows = cursor.list(&all)?.found();
        }
        heads.extend(rows.into_iter().flatten());
    }
    ready!(cursor.step());
    let read = |head: &'_ TableRow| READ.map(|column| head.text(column).map(str::to_owned));
    for box_id in heads.iter().flat_map(|head| read(head)).flatten() {
        cursor.want(Kind::Boxes, &box_id);
    }
    ready!(cursor.step());
    let places: StrMap<usize> =
        card_ids.iter().enumerate().map(|(index, id)| (id.as_str(), index)).collect();
    for head in heads {
        for box_id in read(head).into_iter().flatten() {
            let Lookup::Present(card_box) = snapshot.card_box(&box_id) else { continue };
            let found = card_box.card_ids.iter().find_map(|id| Some((id, places.get(id)?)));
            if let Some((card_id, index)) = found {
                return Err(refused(head, &box_id, card_id, path.index(*index)));
            }
        }
    }
    Ok(Step::Done(shards.iter().filter_map(|shard| snapshot.row_expectation(shard)).collect()))
}

fn refused(head: &TableRow, box_id: &str, card_id: &str, path: Path) -> Error {
    let agent_id = head.text("agent_id").unwrap_or_default();
    let turn_id = head.text("active_agent_turn_id").unwrap_or_default();
    Error::conflict(format!(
        "agent `{agent_id}` reads card `{card_id}` in the running turn `{turn_id}`, so it cannot be \
         deleted; set `even_during_turn` to delete it anyway"
    ))
    .at(path)
    .detail("card_id", card_id)
    .detail("box_id", box_id)
    .detail("agent_id", agent_id)
    .detail("agent_turn_id", head.text("active_agent_turn_id").map_or(Json::Null, Json::from))
}
