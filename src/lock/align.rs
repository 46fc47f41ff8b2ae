//! Which position of a locked entry became which position of the current one.

use super::entry::{Content, Position};
use crate::value::Map;

/// Larger tables are not made; positions are then paired by their content.
const MAX_TABLE: usize = 4_000_000;

/// The fate of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pairing {
    /// A position of both entries, in the same order.
    Kept(usize, usize),
    /// A position of both entries, at another place.
    Moved(usize, usize),
    Removed(usize),
    Added(usize),
}

impl Pairing {
    pub fn before(&self) -> Option<usize> {
        match self {
            Self::Kept(old, _) | Self::Moved(old, _) | Self::Removed(old) => Some(*old),
            Self::Added(_) => None,
        }
    }

    pub fn after(&self) -> Option<usize> {
        match self {
            Self::Kept(_, new) | Self::Moved(_, new) | Self::Added(new) => Some(*new),
            Self::Removed(_) => None,
        }
    }
}

/// Pairs the positions of two entries: first equal ones in order, then between them those of one
/// cause, then equal ones that moved.
pub(super) fn align(old: &[Position], new: &[Position]) -> Vec<Pairing> {
    let anchors = anchors(old, new);
    let mut paired: Vec<(usize, usize)> = anchors.clone();
    let (mut from, mut to) = (0, 0);
    for (old_end, new_end) in anchors.into_iter().chain([(old.len(), new.len())]) {
        let before: Vec<usize> = (from..old_end).collect();
        let after: Vec<usize> = (to..new_end).collect();
        pair_gap(old, new, before, after, &mut paired);
        (from, to) = (old_end + 1, new_end + 1);
    }
    let is_old = |at: usize| paired.iter().any(|(old, _)| *old == at);
    let is_new = |at: usize| paired.iter().any(|(_, new)| *new == at);
    let gone: Vec<usize> = (0..old.len()).filter(|at| !is_old(*at)).collect();
    let mut come: Vec<usize> = (0..new.len()).filter(|at| !is_new(*at)).collect();
    let mut all: Vec<Pairing> =
        paired.into_iter().map(|(old, new)| Pairing::Kept(old, new)).collect();
    for at in gone {
        let same = |other: &usize| {
            old.get(at).zip(new.get(*other)).is_some_and(|(was, is)| is_same(was, is))
        };
        match come.iter().position(same) {
            Some(found) => all.push(Pairing::Moved(at, come.remove(found))),
            None => all.push(Pairing::Removed(at)),
        }
    }
    all.extend(come.into_iter().map(Pairing::Added));
    // in the order of the current request; what was removed is where it was
    all.sort_by_key(|pairing| (pairing.after().or(pairing.before()), pairing.after().is_some()));
    all
}

/// Returns true if two positions are the same but for their marks.
fn is_same(was: &Position, is: &Position) -> bool {
    was.list == is.list && was.kind == is.kind && was.role == is.role && same_content(was, is)
}

fn same_content(was: &Position, is: &Position) -> bool {
    match (&was.content, &is.content) {
        (Content::Fixed { hash: before, .. }, Content::Fixed { hash: after, .. }) => {
            before == after
        }
        (Content::Volatile { .. }, Content::Volatile { .. }) => was.cause == is.cause,
        (Content::Fixed { .. }, Content::Volatile { .. })
        | (Content::Volatile { .. }, Content::Fixed { .. }) => false,
    }
}

/// Returns equal positions in the order of both entries.
fn anchors(old: &[Position], new: &[Position]) -> Vec<(usize, usize)> {
    let same = |(was, is): &(&Position, &Position)| is_same(was, is);
    let head = old.iter().zip(new).take_while(same).count();
    let tail = old.iter().skip(head).rev().zip(new.iter().skip(head).rev());
    let tail = tail.take_while(same).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let mut found: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    let middle_old = old.get(head..old_end).unwrap_or_default();
    let middle_new = new.get(head..new_end).unwrap_or_default();
    let middle = match middle_old.len().saturating_mul(middle_new.len()) <= MAX_TABLE {
        true => longest(middle_old, middle_new),
        false => in_order(middle_old, middle_new),
    };
    found.extend(middle.into_iter().map(|(old, new)| (head + old, head + new)));
    found.extend((0..tail).map(|at| (old_end + at, new_end + at)));
    found
}

/// Returns the longest common subsequence.
fn longest(old: &[Position], new: &[Position]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut table = vec![0_u32; (old.len() + 1) * width];
    let cell = |table: &[u32], row: usize, column: usize| {
        table.get(row * width + column).copied().unwrap_or_default()
    };
    for (row, was) in old.iter().enumerate().rev() {
        for (column, is) in new.iter().enumerate().rev() {
            let length = match is_same(was, is) {
                true => cell(&table, row + 1, column + 1) + 1,
                false => cell(&table, row + 1, column).max(cell(&table, row, column + 1)),
            };
            if let Some(slot) = table.get_mut(row * width + column) {
                *slot = length;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut found = Vec::new();
    while let Some((was, is)) = old.get(row).zip(new.get(column)) {
        if is_same(was, is) {
            found.push((row, column));
            row += 1;
            column += 1;
        } else if cell(&table, row + 1, column) >= cell(&table, row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    found
}

/// Returns equal positions greedily, for long entries.
fn in_order(old: &[Position], new: &[Position]) -> Vec<(usize, usize)> {
    let key = |position: &Position| match &position.content {
        Content::Fixed { hash, .. } => hash.clone(),
        Content::Volatile { .. } => position.cause.clone(),
    };
    let mut places: Map<String, Vec<usize>> = Map::default();
    for (at, position) in new.iter().enumerate() {
        places.entry(key(position)).or_default().push(at);
    }
    let mut next = 0;
    let mut found = Vec::new();
    for (at, was) in old.iter().enumerate() {
        let Some(places) = places.get(&key(was)) else { continue };
        let Some(place) = places.get(places.partition_point(|place| *place < next)) else {
            continue;
        };
        if new.get(*place).is_some_and(|is| is_same(was, is)) {
            found.push((at, *place));
            next = place + 1;
        }
    }
    found
}

/// Pairs positions between two anchors.
fn pair_gap(
    old: &[Position],
    new: &[Position],
    before: Vec<usize>,
    after: Vec<usize>,
    paired: &mut Vec<(usize, usize)>,
) {
    type Fits = fn(&Position, &Position) -> bool;
    let is_elsewhere = |at: &usize, here: &[Position], there: &[Position]| {
        here.get(*at).is_some_and(|this| there.iter().any(|other| is_same(this, other)))
    };
    let steps: [(Fits, bool); 3] = [
        // the same content in another role
        (|was, is| same_content(was, is), true),
        (|was, is| was.cause == is.cause && was.role == is.role && was.kind == is.kind, false),
        (|was, is| was.cause == is.cause, false),
    ];
    let (mut before, mut after) = (before, after);
    for (fits, takes_moved) in steps {
        let mut left = Vec::new();
        for at in before {
            let is_moved = !takes_moved && is_elsewhere(&at, old, new);
            let fit = |other: &usize| {
                let is_moved = is_moved || !takes_moved && is_elsewhere(other, new, old);
                !is_moved && old.get(at).zip(new.get(*other)).is_some_and(|(was, is)| fits(was, is))
            };
            match after.iter().position(fit) {
                Some(found) => paired.push((at, after.remove(found))),
                None => left.push(at),
            }
        }
        before = left;
    }
}
