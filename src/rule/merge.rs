//! Merging of card id lists: in order, each id once, at its first occurrence.
//!
//! Packing a context, merging the two boxes of a turn and concatenating boxes use [`merge`]. It
//! takes linear time and compares no strings. Its result has the origin of every id and all dropped
//! duplicates.
//!
//! ```
//! use tuckbox::rule::merge::merge;
//! use tuckbox::value::ids::Interner;
//!
//! let mut ids = Interner::default();
//! let first = ids.adopt(&["a", "b", "a"].into_iter().collect());
//! let second = ids.adopt(&["b", "c"].into_iter().collect());
//! let merged = merge(&[first.symbols(), second.symbols()], ids.names().len());
//!
//! let kept: Vec<_> = merged.kept.iter().map(|&symbol| ids.names().get(symbol)).collect();
//! assert_eq!(kept, ["a", "b", "c"]);
//! assert_eq!(merged.origins[2], (1, 1).into());          // `c`: second list, second position
//! assert_eq!(merged.swallowed[0].by, 0);                 // the second `a` repeats the first
//! ```

use crate::value::ids::Symbol;
use serde::Serialize;

/// A position in one of the merged lists.
///
/// Shown by the example of [`merge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Origin {
    /// The index of the list, from 0.
    pub list: u32,
    /// The index in that list, from 0.
    pub position: u32,
}

impl From<(u32, u32)> for Origin {
    fn from((list, position): (u32, u32)) -> Self {
        Self { list, position }
    }
}

/// A dropped duplicate.
///
/// Shown by the example of [`merge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Duplicate {
    /// The position of the duplicate.
    pub origin: Origin,
    /// The index of the first occurrence in [`MergeResult::kept`].
    pub by: u32,
}

/// The result of [`merge`].
///
/// Shown by the example of [`merge`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeResult {
    /// Each id once, in order of first occurrence.
    pub kept: Vec<Symbol>,
    /// The first occurrence of each kept id. It has the length of `kept`.
    pub origins: Vec<Origin>,
    /// The later occurrences, in order.
    pub swallowed: Vec<Duplicate>,
}

/// Merges lists in order and keeps the first occurrence of each id. `names` is the number of
/// symbols. All lists must use the same names.
///
/// ```
/// use tuckbox::rule::merge::merge;
/// use tuckbox::value::ids::{CardIds, share_names};
///
/// let (old, new) = (CardIds::from_iter(["a", "b"]), CardIds::from_iter(["b", "c"]));
/// let (lists, names) = share_names(&[&old, &new]);
/// let merged = merge(&[lists[0].symbols(), lists[1].symbols()], names);
/// assert_eq!((merged.kept.len(), merged.swallowed.len()), (3, 1));
/// let duplicate = &merged.swallowed[0];
/// assert_eq!((duplicate.origin.list, duplicate.origin.position, duplicate.by), (1, 0, 1));
/// ```
pub fn merge(lists: &[&[Symbol]], names: usize) -> MergeResult {
    Merger::default().merge(lists, names)
}

/// A merger for many merges over the same names. Each merge takes time proportional to its lists,
/// not to the number of names.
///
/// ```
/// use tuckbox::rule::merge::Merger;
/// use tuckbox::value::ids::CardIds;
///
/// let ids = CardIds::from_iter(["a", "b", "a"]);
/// let mut merger = Merger::default();
/// for _ in 0..2 {
///     assert_eq!(merger.merge(&[ids.symbols()], ids.names().len()).kept.len(), 2);
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Merger {
    /// The place of each symbol in `kept`, offset by `before`. The offset grows with every merge,
    /// so places need no reset.
    place: Vec<u32>,
    /// Places up to this number belong to earlier merges.
    before: u32,
}

impl Merger {
    /// Does the same as [`merge`].
    pub fn merge(&mut self, lists: &[&[Symbol]], names: usize) -> MergeResult {
        let total = lists.iter().map(|list| list.len()).sum::<usize>();
        if self.place.len() < names || self.before.checked_add(total as u32).is_none() {
            *self = Self { place: vec![0; names.max(self.place.len())], before: 0 };
        }
        let max = total.min(self.place.len());
        let mut merged = MergeResult {
            kept: Vec::with_capacity(max),
            origins: Vec::with_capacity(max),
            // there are at most as many kept ids as names
            swallowed: Vec::with_capacity(total - max),
        };
        for (list, symbols) in (0..).zip(lists) {
            self.add(list, symbols, &mut merged);
        }
        self.before += merged.kept.len() as u32;
        merged
    }

    /// Adds a list in runs. Usually many consecutive ids are all new or all repeated.
    fn add(&mut self, list: u32, symbols: &[Symbol], merged: &mut MergeResult) {
        let Self { place, before } = self;
        let MergeResult { kept, origins, swallowed } = merged;
        let mut position = 0;
        while let Some(rest) = symbols.get(position..).filter(|rest| !rest.is_empty()) {
            let origin = |at: usize| Origin { list, position: at as u32 };
            let (met, dropped) = (kept.len(), swallowed.len());
            let mut last = *before + met as u32;
            origins.extend(rest.iter().zip(position..).map_while(|(symbol, at)| {
                let place = place.get_mut(symbol.index()).filter(|place| **place <= *before)?;
                last += 1;
                *place = last;
                Some(origin(at))
            }));
            let (new, rest) = rest.split_at_checked(origins.len() - met).unwrap_or_default();
            kept.extend_from_slice(new);
            position += new.len();
            swallowed.extend(rest.iter().zip(position..).map_while(|(symbol, at)| {
                let place = place.get(symbol.index()).filter(|place| **place > *before)?;
                Some(Duplicate { origin: origin(at), by: place - *before - 1 })
            }));
            let repeated = swallowed.len() - dropped;
            // skip symbols outside the names
            let foreign = usize::from(new.is_empty() && repeated == 0);
            position += repeated + foreign;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::ids::CardIds;

    #[test]
    fn merger_resets_when_places_overflow() {
        let ids = CardIds::from_iter(["a", "b", "a"]);
        let mut merger = Merger { place: vec![u32::MAX - 2, 7], before: u32::MAX - 2 };
        assert_eq!(merger.merge(&[ids.symbols()], 2), merge(&[ids.symbols()], 2));
        assert_eq!(merger.before, 2);
    }

    #[test]
    fn symbols_outside_the_names_are_skipped() {
        let ids = CardIds::from_iter(["a", "b", "c", "a", "c", "b"]);
        let merged = merge(&[ids.symbols()], 2);
        assert_eq!(merged.kept.len(), 2);
        assert_eq!(merged.origins, [(0, 0).into(), (0, 1).into()]);
        let swallowed: Vec<_> =
            merged.swallowed.iter().map(|one| (one.origin.position, one.by)).collect();
        assert_eq!(swallowed, [(3, 0), (5, 1)]);
    }
}
