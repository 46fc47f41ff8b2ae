//! Long lists of card ids with 4 bytes per entry and integer comparison.
//!
//! Operations merge, preview and compare long boxes far more often than they read ids as text. So
//! each distinct id has a small number, its [`Symbol`]. [`Names`] stores its text once. Lists share
//! their names; cloning a list or its names is cheap.
//!
//! ```
//! use tuckbox::value::ids::CardIds;
//!
//! let ids: CardIds = ["c1", "c2", "c1"].into_iter().collect();
//! assert_eq!(ids.len(), 3);
//! assert_eq!(ids.iter().collect::<Vec<_>>(), ["c1", "c2", "c1"]);
//! ```

use crate::value::str_map::Hashing;
use hashbrown::HashTable;
use serde::{Serialize, Serializer};
use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

/// The number of an id in its [`Names`]. Two ids are equal if and only if their symbols are equal.
///
/// The example of [`Interner`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

impl Symbol {
    /// Returns the symbol as an index below [`Names::len`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Maximum number of ids of a chunk that is joined from smaller ones.
const MAX_JOINED: usize = 4_096;

/// Maximum number of ids of any chunk. Growing a chunk needs twice its memory.
const MAX_CHUNK: usize = 16_384;

/// A chunk of id text: concatenated ids and the end of each.
#[derive(Debug)]
struct Chunk {
    first: u32,
    text: String,
    ends: Vec<u32>,
}

impl Chunk {
    fn get(&self, symbol: Symbol) -> Option<&str> {
        let at = symbol.0.checked_sub(self.first)? as usize;
        let end = *self.ends.get(at)? as usize;
        let start = match at.checked_sub(1) {
            Some(before) => *self.ends.get(before)? as usize,
            None => 0,
        };
        self.text.get(start..end)
    }

    /// Returns the text of `count` ids, the end of each, and the start of the first.
    fn row(&self, first: Symbol, count: usize) -> (&str, &[u32], u32) {
        let at = (first.0 - self.first) as usize;
        let ends = self.ends.get(at..at + count).unwrap_or_default();
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let (start, end) = (start.unwrap_or(0), ends.last().copied().unwrap_or(0));
        (self.text.get(start as usize..end as usize).unwrap_or_default(), ends, start)
    }

    fn after(&self) -> u32 {
        self.first + self.ends.len() as u32
    }
}

/// The text of symbols. Names only grow; a clone shares the ids that exist when it is made.
///
/// ```
/// use tuckbox::value::ids::{CardIds, Names};
///
/// let (names, symbols) = Names::default().with_ids(["c1", "c2"].into_iter());
/// assert_eq!((names.len(), names.get(symbols[1])), (2, "c2"));
/// let turned = CardIds::new(names, vec![symbols[1], symbols[0]]);
/// assert_eq!(turned.iter().collect::<Vec<_>>(), ["c2", "c1"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Names {
    chunks: Vec<Arc<Chunk>>,
}

impl Names {
    /// Returns the number of distinct ids.
    pub fn len(&self) -> usize {
        self.chunks.last().map_or(0, |chunk| chunk.after() as usize)
    }

    /// Returns whether there are no ids.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Returns the text of a symbol, or an empty string for a symbol of other names.
    pub fn get(&self, symbol: Symbol) -> &str {
        let at = self.chunks.partition_point(|chunk| chunk.after() <= symbol.0);
        self.chunks.get(at).and_then(|chunk| chunk.get(symbol)).unwrap_or_default()
    }

    /// Passes the text of `symbols` to `take`, in order and in as few pieces as possible.
    ///
    /// Ids with consecutive symbols form one piece. `take` receives the text of the piece, the ends
    /// of its ids, and its start. Ends and start are offsets into the chunk.
    pub fn pieces<'a>(&'a self, symbols: &[Symbol], mut take: impl FnMut(&'a str, &[u32], u32)) {
        let mut rest = symbols;
        while let Some(&first) = rest.first() {
            let row = rest.iter().zip(first.0..).take_while(|(symbol, next)| symbol.0 == *next);
            let row = row.count();
            let at = self.chunks.partition_point(|chunk| chunk.after() <= first.0);
            let Some(chunk) = self.chunks.get(at) else { return };
            let row = row.min((chunk.after() - first.0) as usize);
            let (text, ends, start) = chunk.row(first, row);
            take(text, ends, start);
            rest = rest.get(row..).unwrap_or_default();
        }
    }

    /// Returns how many leading ids both store in the same chunks.
    fn shared_with(&self, other: &Self) -> usize {
        let pairs = self.chunks.iter().zip(&other.chunks);
        let shared = pairs.take_while(|(mine, theirs)| Arc::ptr_eq(mine, theirs)).last();
        shared.map_or(0, |(chunk, _)| chunk.after() as usize)
    }

    /// Returns these names with `ids` appended, and the symbols of the new ids.
    pub fn with_ids<'a>(&self, ids: impl Iterator<Item = &'a str>) -> (Self, Vec<Symbol>) {
        let mut names = self.clone();
        let symbols = ids.map(|id| names.push(id)).collect();
        (names, symbols)
    }

    /// Adds an id that is not in the names yet.
    ///
    /// The last chunk grows in place if no other owner shares it. Otherwise a new chunk starts.
    fn push(&mut self, id: &str) -> Symbol {
        let symbol = Symbol(self.len() as u32);
        let has_capacity = |chunk: &Chunk| {
            chunk.ends.len() < MAX_CHUNK && chunk.text.len() + id.len() < u32::MAX as usize
        };
        match self.chunks.last_mut().and_then(Arc::get_mut) {
            Some(chunk) if has_capacity(chunk) => {
                chunk.text.push_str(id);
                chunk.ends.push(chunk.text.len() as u32);
            }
            Some(_) | None => {
                let ends = vec![id.len() as u32];
                self.chunks.push(Arc::new(Chunk { first: symbol.0, text: id.to_owned(), ends }));
            }
        }
        symbol
    }

    /// Joins small adjacent chunks before a new chunk starts, to keep their number low.
    ///
    /// Large chunks stay as they are, because lists compare chunk pointers to find shared ids.
    fn join_small(&mut self) {
        if self.chunks.last_mut().is_some_and(|last| Arc::get_mut(last).is_some()) {
            return;
        }
        while let [.., left, right] = self.chunks.as_slice()
            && left.ends.len() <= 2 * right.ends.len()
            && left.ends.len() + right.ends.len() <= MAX_JOINED
            && left.text.len() + right.text.len() < u32::MAX as usize
        {
            let shift = left.text.len() as u32;
            let text = [left.text.as_str(), right.text.as_str()].concat();
            let moved = right.ends.iter().map(|end| end + shift);
            let ends = left.ends.iter().copied().chain(moved).collect();
            let joined = Chunk { first: left.first, text, ends };
            self.chunks.truncate(self.chunks.len() - 2);
            self.chunks.push(Arc::new(joined));
        }
    }
}

/// An index from id text to symbol, on top of [`Names`].
///
/// ```
/// use tuckbox::value::ids::Interner;
///
/// let mut interner = Interner::default();
/// let (first, second) = (interner.intern("c1"), interner.intern("c2"));
/// assert_eq!(interner.intern("c1"), first);
/// assert_eq!((second.index(), interner.names().get(second)), (1, "c2"));
/// assert_eq!(interner.find("c3"), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interner {
    names: Names,
    index: HashTable<u32>,
    hashing: Hashing,
}

impl Interner {
    /// Returns the symbol of `id`, and adds the id if it is new.
    pub fn intern(&mut self, id: &str) -> Symbol {
        let Self { names, index, hashing } = self;
        let hash = hashing.hash_one(id);
        if let Some(found) = index.find(hash, |&symbol| names.get(Symbol(symbol)) == id) {
            return Symbol(*found);
        }
        names.join_small();
        let symbol = names.push(id);
        index.insert_unique(hash, symbol.0, |&symbol| hashing.hash_one(names.get(Symbol(symbol))));
        symbol
    }

    /// Returns the symbol of `id`, if it has one.
    pub fn find(&self, id: &str) -> Option<Symbol> {
        let hash = self.hashing.hash_one(id);
        self.index.find(hash, |&symbol| self.names.get(Symbol(symbol)) == id).map(|s| Symbol(*s))
    }

    /// Returns the names with every id so far.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Returns the same list over the names of this interner.
    pub fn adopt(&mut self, ids: &CardIds) -> CardIds {
        // ids in shared chunks already have the same symbols
        let shared = self.names.shared_with(&ids.names);
        if shared == ids.names.len() {
            return CardIds { names: self.names.clone(), symbols: ids.symbols.clone() };
        }
        let mut seen = vec![None; ids.names.len() - shared];
        let symbols = ids
            .symbols
            .iter()
            .map(|&symbol| {
                match symbol.index().checked_sub(shared).and_then(|at| seen.get_mut(at)) {
                    Some(slot) => *slot.get_or_insert_with(|| self.intern(ids.names.get(symbol))),
                    None => symbol,
                }
            })
            .collect();
        CardIds { names: self.names.clone(), symbols }
    }
}

/// Returns the lists over common names, and the number of names.
///
/// [`merge`](crate::rule::merge::merge) needs this for lists from different sources.
///
/// ```
/// use tuckbox::value::ids::{CardIds, share_names};
///
/// let (first, second) = (CardIds::from_iter(["a", "b"]), CardIds::from_iter(["b"]));
/// let (lists, names) = share_names(&[&first, &second]);
/// assert_eq!(names, 2);
/// assert_eq!(lists[0].symbols()[1], lists[1].symbols()[0]);
/// ```
pub fn share_names(lists: &[&CardIds]) -> (Vec<CardIds>, usize) {
    let largest = lists.iter().map(|list| &list.names).max_by_key(|names| names.len());
    let Some(largest) = largest else { return (Vec::new(), 0) };
    if lists.iter().all(|list| list.names.shared_with(largest) == list.names.len()) {
        return (lists.iter().map(|list| (*list).clone()).collect(), largest.len());
    }
    let mut interner = Interner::default();
    let lists = lists.iter().map(|list| interner.adopt(list)).collect();
    (lists, interner.names.len())
}

/// An ordered list of card ids.
///
/// ```
/// use tuckbox::value::ids::CardIds;
///
/// let context = CardIds::from_iter(["c1", "c2"]);
/// let grown = context.with(&CardIds::from_iter(["c1"]));
/// assert_eq!((grown.len(), grown.get(2)), (3, Some("c1")));
/// assert_eq!(grown.names().len(), 2, "the text of an id is stored once");
/// ```
#[derive(Clone, Default)]
pub struct CardIds {
    names: Names,
    symbols: Arc<[Symbol]>,
}

impl CardIds {
    /// Creates a list over names that contain each of its symbols.
    pub fn new(names: Names, symbols: impl Into<Arc<[Symbol]>>) -> Self {
        Self { names, symbols: symbols.into() }
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Returns whether the list has no entries.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Returns the ids in order, as text.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.symbols.iter().map(|&symbol| self.names.get(symbol))
    }

    /// Returns the id at a position.
    pub fn get(&self, position: usize) -> Option<&str> {
        self.symbols.get(position).map(|&symbol| self.names.get(symbol))
    }

    /// Returns the symbols in order.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Returns the names of the symbols.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Returns this list followed by `more`.
    #[must_use]
    pub fn with(&self, more: &Self) -> Self {
        self.iter().chain(more.iter()).collect()
    }
}

impl<'a> FromIterator<&'a str> for CardIds {
    fn from_iter<I: IntoIterator<Item = &'a str>>(ids: I) -> Self {
        let mut interner = Interner::default();
        let symbols: Vec<_> = ids.into_iter().map(|id| interner.intern(id)).collect();
        Self::new(interner.names, symbols)
    }
}

impl PartialEq for CardIds {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for CardIds {}

impl fmt::Debug for CardIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for CardIds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_keeps_its_names_while_the_interner_grows() {
        let mut interner = Interner::default();
        let mut lists = Vec::new();
        for round in 0..200 {
            let id = format!("card-{}", round % 150);
            let symbol = interner.intern(&id);
            lists.push((id, CardIds::new(interner.names().clone(), vec![symbol])));
        }
        assert_eq!(interner.names().len(), 150);
        assert!(interner.names().chunks.len() <= 9, "chunks are joined");
        for (id, list) in &lists {
            assert_eq!(list.get(0), Some(id.as_str()));
        }
        assert_eq!(interner.find("card-149").map(Symbol::index), Some(149));
        assert_eq!(interner.find("card-150"), None);
    }

    #[test]
    fn small_boxes_share_chunks() {
        let mut interner = Interner::default();
        let mut lists = Vec::new();
        for list in 0..2_000 {
            let ids: Vec<String> = (0..10).map(|id| format!("card-{list}-{id}")).collect();
            lists.push(interner.adopt(&ids.iter().map(String::as_str).collect()));
        }
        assert!(interner.names().chunks.len() < 30, "{}", interner.names().chunks.len());
        assert_eq!(lists[1_234].get(7), Some("card-1234-7"));
    }

    #[test]
    fn adopting_many_lists_keeps_shared_chunks() {
        let mut interner = Interner::default();
        let long: Vec<String> = (0..10_000).map(|id| format!("card-{id}")).collect();
        interner.adopt(&long.iter().map(String::as_str).collect());
        let before = interner.names().clone();
        for list in 0..1_000 {
            let new = [format!("new-{list}")];
            let (names, mut symbols) = before.with_ids(new.iter().map(String::as_str));
            symbols.insert(0, Symbol(17));
            let adopted = interner.adopt(&CardIds::new(names, symbols));
            assert_eq!(adopted.iter().collect::<Vec<_>>(), ["card-17", new[0].as_str()]);
            assert_eq!(adopted.symbols()[0], Symbol(17));
        }
        assert!(interner.names().shared_with(&before) == 10_000, "the long chunk is still shared");
    }

    #[test]
    fn adopting_keeps_text_and_shares_symbols() {
        let mut interner = Interner::default();
        let first = interner.adopt(&["a", "b", "a", ""].into_iter().collect());
        let second = interner.adopt(&["b", "c"].into_iter().collect());
        assert_eq!(first.iter().collect::<Vec<_>>(), ["a", "b", "a", ""]);
        assert_eq!(first.symbols()[1], second.symbols()[0]);
        assert_eq!(interner.names().len(), 4);
    }

    #[test]
    fn pieces_contain_the_text_of_their_symbols() {
        let mut interner = Interner::default();
        let mut kept = Vec::new();
        let symbols: Vec<Symbol> = (0..100)
            .map(|id| {
                // a clone of the names prevents chunks from being joined
                kept.push(interner.names().clone());
                interner.intern(&format!("c{}", id * 7))
            })
            .collect();
        let names = interner.names();
        assert!(names.chunks.len() > 1 && !names.is_empty());
        let turned: Vec<Symbol> = symbols.iter().rev().copied().collect();
        let every_third: Vec<Symbol> = symbols.iter().step_by(3).copied().collect();
        let twice = [&symbols[90..], &symbols[..]].concat();
        for (list, max) in [
            (symbols, names.chunks.len()),
            (turned, 100),
            (every_third, 34),
            (twice, 20),
            (vec![], 0),
        ] {
            let (mut found, mut pieces) = (Vec::new(), 0);
            names.pieces(&list, |text, ends, start| {
                pieces += 1;
                let mut from = 0;
                for end in ends {
                    let end = (end - start) as usize;
                    found.push(text.get(from..end).unwrap().to_owned());
                    from = end;
                }
                assert_eq!(from, text.len());
            });
            let expected: Vec<&str> = list.iter().map(|symbol| names.get(*symbol)).collect();
            assert_eq!(found, expected);
            assert!(pieces <= max, "{pieces} pieces of {}", list.len());
        }
    }
}
