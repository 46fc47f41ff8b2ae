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

/// Marks an id that was not met yet.
const UNSEEN: u32 = u32::MAX;

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
    /// Where each symbol stands in what is kept; all unseen between two merges.
    place: Vec<u32>,
}

impl Merger {
    /// As [`merge`].
    pub fn merge(&mut self, lists: &[&[Symbol]], names: usize) -> Merged {
        if self.place.len() < names {
            self.place.resize(names, UNSEEN);
        }
        let merged = merge_into(&mut self.place, lists);
        for symbol in &merged.kept {
            if let Some(place) = self.place.get_mut(symbol.index()) {
                *place = UNSEEN;
            }
        }
        merged
    }
}

fn merge_into(place: &mut [u32], lists: &[&[Symbol]]) -> Merged {
    let total = lists.iter().map(|list| list.len()).sum::<usize>();
    let most = total.min(place.len());
    let mut merged = Merged {
        kept: Vec::with_capacity(most),
        origins: Vec::with_capacity(most),
        // so many at least: there are no more names
        swallowed: Vec::with_capacity(total - most),
    };
    for (list, symbols) in lists.iter().enumerate() {
        for (position, &symbol) in symbols.iter().enumerate() {
            let origin = Origin { list: list as u32, position: position as u32 };
            match place.get_mut(symbol.index()) {
                Some(by) if *by == UNSEEN => {
                    *by = merged.kept.len() as u32;
                    merged.kept.push(symbol);
                    merged.origins.push(origin);
                }
                Some(by) => merged.swallowed.push(Swallowed { origin, by: *by }),
                // a symbol of other names cannot be explained, so it cannot be merged
                None => {}
            }
        }
    }
    merged
}
