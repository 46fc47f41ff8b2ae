//! Ledger entries as columns of numbers, with each string once.
//!
//! A binding copies a few flat lists instead of a tree of entries.

use super::{BoxLedger, Cause, Entry, Inherited, Segment};
use crate::rule::merge::Origin;
use crate::value::ids::{Names, Symbol};
use std::ops::Range;

/// The initial capacity for sources.
const FEW_SOURCES: usize = 8;

/// Marks a source without entries.
const UNNAMED: u32 = u32::MAX;

/// The entries of a range of positions.
///
/// ```
/// use tuckbox::rule::ledger::{BoxLedger, Inherited};
/// use tuckbox::rule::merge::merge;
/// use tuckbox::{CardBox, Path};
///
/// let ids = ["a", "b", "a"].into_iter().collect::<tuckbox::value::ids::CardIds>();
/// let merged = merge(&[ids.symbols()], ids.names().len());
/// let kept = tuckbox::value::ids::CardIds::new(ids.names().clone(), merged.kept.clone());
/// let mut account = BoxLedger::new("new".into(), kept);
/// account.merged(vec![Inherited { box_id: "old".into(), path: Path::root().key("box") }], merged);
///
/// let columns = account.columns(0..2);
/// assert_eq!(columns.card_ids().collect::<Vec<_>>(), ["a", "b"]);
/// assert_eq!(columns.sources.len(), 1);
/// assert_eq!(columns.origins, [(0, 0).into(), (0, 1).into()]);
/// assert_eq!(columns.swallowed, [(0, (0, 2).into())]);
/// ```
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    /// The position of the first entry.
    pub first: usize,
    /// The sources of these entries, each once.
    pub sources: Vec<Source<'a>>,
    /// The card of each entry, as a symbol of `names`.
    pub symbols: &'a [Symbol],
    /// The ids of the cards.
    pub names: &'a Names,
    /// The source of each entry, as an index of `sources`, and the position in it.
    pub origins: Vec<Origin>,
    /// The dropped duplicates: the index of the entry that each repeats, and the position of the
    /// duplicate.
    pub swallowed: Vec<(u32, Origin)>,
}

/// The source of entries.
///
/// Shown by the example of [`Columns`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source<'a> {
    /// One card with its own cause.
    Made(&'a Cause),
    /// A box that cards were inherited from.
    Inherited(&'a Inherited),
}

impl Source<'_> {
    /// Returns the cause of an entry from this source.
    pub fn cause(&self, position: u32) -> Cause {
        match self {
            Self::Made(cause) => (*cause).clone(),
            Self::Inherited(Inherited { box_id, path }) => {
                Cause::Inherited { box_id: box_id.clone(), position, path: path.clone() }
            }
        }
    }
}

impl Columns<'_> {
    /// Returns the card of each entry.
    pub fn card_ids(&self) -> impl ExactSizeIterator<Item = &str> {
        self.symbols.iter().map(|symbol| self.names.get(*symbol))
    }

    /// Returns the entries one by one.
    pub fn entries(&self) -> Vec<Entry> {
        let cause = |origin: &Origin| {
            self.sources.get(origin.list as usize).map(|source| source.cause(origin.position))
        };
        let cards = (self.first..).zip(self.card_ids()).zip(&self.origins);
        let mut entries: Vec<Entry> = cards
            .filter_map(|((position, card_id), origin)| {
                let card_id = card_id.to_owned();
                Some(Entry { position, card_id, cause: cause(origin)?, swallowed: Vec::new() })
            })
            .collect();
        for (by, origin) in &self.swallowed {
            if let Some(entry) = entries.get_mut(*by as usize) {
                entry.swallowed.extend(cause(origin));
            }
        }
        entries
    }
}

impl BoxLedger {
    /// Returns the entries of a range of positions as columns. Positions outside the box are
    /// ignored.
    pub fn columns(&self, range: Range<usize>) -> Columns<'_> {
        let end = range.end.min(self.len());
        let symbols = self.card_ids.symbols().get(range.start..end).unwrap_or_default();
        let mut columns = Columns {
            first: range.start,
            sources: Vec::with_capacity(symbols.len().min(FEW_SOURCES)),
            symbols,
            names: self.card_ids.names(),
            origins: Vec::with_capacity(symbols.len()),
            swallowed: Vec::new(),
        };
        let mut first = 0;
        for segment in &self.segments {
            let after = first + segment.len();
            let part = range.start.max(first)..range.end.min(after);
            if part.start < part.end {
                self.add(segment, first, part, &mut columns);
            }
            first = after;
        }
        columns
    }

    fn add<'a>(
        &'a self,
        segment: &'a Segment,
        first: usize,
        part: Range<usize>,
        columns: &mut Columns<'a>,
    ) {
        let base = columns.origins.len();
        let inner = part.start - first..part.end - first;
        match segment {
            Segment::Made(causes) => {
                for cause in causes.get(inner).unwrap_or_default() {
                    let position = match cause {
                        Cause::Inherited { position, .. } => *position,
                        // for imports the position is the line, from 1
                        Cause::Imported(place) => place.line.unwrap_or(0),
                        Cause::Argument { .. } | Cause::Parent { .. } => 0,
                    };
                    columns.origins.push((columns.sources.len() as u32, position).into());
                    columns.sources.push(Source::Made(cause));
                }
            }
            Segment::Merged { sources, merged } => {
                let mut named = vec![UNNAMED; sources.len()];
                let mut place = |origin: &Origin| {
                    let at = origin.list as usize;
                    let (slot, source) = (named.get_mut(at)?, sources.get(at)?);
                    if *slot == UNNAMED {
                        *slot = columns.sources.len() as u32;
                        columns.sources.push(Source::Inherited(source));
                    }
                    Some(Origin { list: *slot, position: origin.position })
                };
                let origins = merged.origins.get(inner.clone()).unwrap_or_default();
                columns.origins.extend(origins.iter().filter_map(&mut place));
                for duplicate in &merged.swallowed {
                    let by = duplicate.by as usize;
                    if inner.contains(&by) {
                        let entry = (base + by - inner.start) as u32;
                        columns.swallowed.extend(place(&duplicate.origin).map(|at| (entry, at)));
                    }
                }
            }
        }
    }
}
