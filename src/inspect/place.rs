//! The place that a lint is about.

use super::subject::Seat;
use crate::Path;
use crate::rule::ledger::Cause;
use crate::rule::lint::Lint;
use serde::Serialize;

/// A position in one of the boxes of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Which box, counted from 0.
    pub shown: usize,
    /// Which position in it, counted from 0.
    pub position: usize,
}

/// The first card that a lint is about: the one it names, or one made or inherited through the
/// value it names.
pub(super) fn place_of(lint: &Lint, boxes: &[Seat]) -> Option<Place> {
    for (shown, seat) in boxes.iter().enumerate() {
        if let Some(card_id) = &lint.card_id {
            let position = seat.card_ids.iter().position(|id| id == card_id);
            if let Some(position) = position {
                return Some(Place { shown, position });
            }
            continue;
        }
        let Some(account) = &seat.account else { continue };
        let entries = account.entries(0..account.len());
        let about = entries.iter().find(|entry| match &entry.cause {
            Cause::Argument { arg_key, path } => {
                lint.path.starts_with(&Path::root().key("arguments").key(arg_key))
                    || lint.path.starts_with(path)
            }
            Cause::Inherited { path, .. } | Cause::Parent { path } => lint.path.starts_with(path),
            Cause::Imported(_) => false,
        });
        if let Some(entry) = about {
            return Some(Place { shown, position: entry.position });
        }
    }
    None
}
