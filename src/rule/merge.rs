//! The one way lists of card ids become a single list: in order, each id once, first occurrence
//! wins.
//!
//! Packing a context, merging the two boxes of a turn and concatenating boxes all rest on
//! [`merge`]. It is linear, touches no text, and remembers enough to explain itself: where every
//! kept id came from and which later duplicates it swallowed.
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
//! assert_eq!(merged.origins[2], (1, 1).into());          // `c`: second list, second place
//! assert_eq!(merged.swallowed[0].by, 0);                 // the second `a` went into the first
//! ```

use crate::value::ids::Symbol;
use serde::Serialize;

/// A place in one of the merged lists.
///
/// Shown by the example of [`merge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Origin {
    /// Which list, counted from 0.
    pub list: u32,
    /// Which place in that list, counted from 0.
    pub position: u32,
}

impl From<(u32, u32)> for Origin {
    fn from((list, position): (u32, u32)) -> Self {
        Self { list, position }
    }
}

/// A duplicate that was left out.
///
/// Shown by the example of [`merge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Swallowed {
    /// Where the duplicate stood.
    pub origin: Origin,
    /// The position in [`Merged::kept`] of the first occurrence.
    pub by: u32,
}

/// What came out of [`merge`].
///
/// Shown by the example of [`merge`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Every id once, in order of first occurrence.
    pub kept: Vec<Symbol>,
    /// Where each kept id was first met; as long as `kept`.
    pub origins: Vec<Origin>,
    /// The later occurrences, in the order they were met.
    pub swallowed: Vec<Swallowed>,
}

/// Merges lists in order and keeps the first occurrence of every id. `names` is how many symbols
/// there are; the lists must all be over the same names.
///
/// ```
/// use tuckbox::rule::merge::merge;
/// use tuckbox::value::ids::{CardIds, over_common_names};
///
/// let (old, new) = (CardIds::from_iter(["a", "b"]), CardIds::from_iter(["b", "c"]));
/// let (lists, names) = over_common_names(&[&old, &new]);
/// let merged = merge(&[lists[0].symbols(), lists[1].symbols()], names);
/// assert_eq!((merged.kept.len(), merged.swallowed.len()), (3, 1));
/// let duplicate = &merged.swallowed[0];
/// assert_eq!((duplicate.origin.list, duplicate.origin.position, duplicate.by), (1, 0, 1));
/// ```
pub fn merge(lists: &[&[Symbol]], names: usize) -> Merged {
    Merger::default().merge(lists, names)
}

/// Merges many times over the same names: each merge costs what its lists are long, not what all
/// names are many.
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
    /// Where each symbol stands in what is kept, counted on from one merge to the next: nothing has to
    /// be wiped out between two.
    place: Vec<u32>,
    /// Up to here, places are those of merges before.
    before: u32,
}

impl Merger {
    /// As [`merge`].
    pub fn merge(&mut self, lists: &[&[Symbol]], names: usize) -> Merged {
        let total = lists.iter().map(|list| list.len()).sum::<usize>();
        if self.place.len() < names || self.before.checked_add(total as u32).is_none() {
            *self = Self { place: vec![0; names.max(self.place.len())], before: 0 };
        }
        let most = total.min(self.place.len());
        let mut merged = Merged {
            kept: Vec::with_capacity(most),
            origins: Vec::with_capacity(most),
            // so many at least: there are no more names
            swallowed: Vec::with_capacity(total - most),
        };
        for (list, symbols) in (0..).zip(lists) {
            self.add(list, symbols, &mut merged);
        }
        self.before += merged.kept.len() as u32;
        merged
    }

    /// Adds a list in runs: mostly many ids in a row are new, or many in a row were met before.
    fn add(&mut self, list: u32, symbols: &[Symbol], merged: &mut Merged) {
        let Self { place, before } = self;
        let Merged { kept, origins, swallowed } = merged;
        let mut position = 0;
        while let Some(rest) = symbols.get(position..).filter(|rest| !rest.is_empty()) {
            let origin = |at: usize| Origin { list, position: at as u32 };
            let (met, left_out) = (kept.len(), swallowed.len());
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
                Some(Swallowed { origin: origin(at), by: place - *before - 1 })
            }));
            let repeated = swallowed.len() - left_out;
            // a symbol of other names cannot be explained, so it cannot be merged
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
    fn a_merger_whose_places_run_out_begins_again() {
        let ids = CardIds::from_iter(["a", "b", "a"]);
        let mut merger = Merger { place: vec![u32::MAX - 2, 7], before: u32::MAX - 2 };
        assert_eq!(merger.merge(&[ids.symbols()], 2), merge(&[ids.symbols()], 2));
        assert_eq!(merger.before, 2);
    }

    #[test]
    fn a_symbol_of_other_names_is_left_out_wherever_it_stands() {
        let ids = CardIds::from_iter(["a", "b", "c", "a", "c", "b"]);
        let merged = merge(&[ids.symbols()], 2);
        assert_eq!(merged.kept.len(), 2);
        assert_eq!(merged.origins, [(0, 0).into(), (0, 1).into()]);
        let swallowed: Vec<_> =
            merged.swallowed.iter().map(|one| (one.origin.position, one.by)).collect();
        assert_eq!(swallowed, [(3, 0), (5, 1)]);
    }
}
