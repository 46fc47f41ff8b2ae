//! The position of the card that a lint is about.

use super::subject::SubjectBox;
use crate::Path;
use crate::rule::ledger::{Cause, Inherited, Source};
use crate::rule::lint::Lint;
use crate::rule::merge::Origin;
use serde::Serialize;

/// A position in one of the boxes of a view.
///
/// Shown by the example of [`Inspect`](super::Inspect).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The index of the box, from 0.
    pub shown: usize,
    /// The position in the box, from 0.
    pub position: usize,
}

/// Returns the first card of a lint: the card that it names, or a card that comes from the value
/// that it names.
pub(super) fn place_of(lint: &Lint, boxes: &[SubjectBox]) -> Option<Place> {
    for (shown, seat) in boxes.iter().enumerate() {
        if let Some(card_id) = &lint.card_id {
            let position = seat.card_ids.iter().position(|id| id == card_id);
            if let Some(position) = position {
                return Some(Place { shown, position });
            }
            continue;
        }
        let Some(account) = &seat.account else { continue };
        let columns = account.columns(0..account.len());
        let about: Vec<bool> = columns.sources.iter().map(|from| is_about(lint, from)).collect();
        let is_meant = |origin: &Origin| about.get(origin.list as usize) == Some(&true);
        if let Some(position) = columns.origins.iter().position(is_meant) {
            return Some(Place { shown, position });
        }
    }
    None
}

/// Returns true if a lint is about the cards of a source.
fn is_about(lint: &Lint, source: &Source<'_>) -> bool {
    match source {
        Source::Inherited(Inherited { path, .. }) => lint.path.starts_with(path),
        Source::Made(cause) => match cause {
            Cause::Argument { arg_key, path } => {
                lint.path.starts_with(&Path::root().key("arguments").key(arg_key))
                    || lint.path.starts_with(path)
            }
            Cause::Inherited { path, .. } | Cause::Parent { path } => lint.path.starts_with(path),
            Cause::Imported(_) => false,
        },
    }
}
