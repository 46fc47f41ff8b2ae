//! Property test of merging: the order is kept, and so is the first occurrence of each id.

use crate::property::{Dice, hold};
use tuckbox::rule::merge::{MergeResult, Merger, merge};
use tuckbox::value::ids::{CardIds, Interner, Names, Symbol};

type Lists<'a> = Vec<&'a [&'static str]>;

/// The number of lists in one case, and the number of merges of them. Interning the lists takes
/// longer than merging them.
const POOL: usize = 5;
const SHARED: usize = 8;

const IDS: [&str; 13] =
    ["a", "b", "c", "d", "e", "f", "", "é", "e\u{301}", "A", "a ", "卡", "\u{200b}"];

fn list(dice: &mut Dice) -> Vec<&'static str> {
    dice.fewer(8, |dice| {
        let odd = dice.percent(20);
        dice.pick(if odd { &IDS[6..] } else { &IDS[..6] })
    })
}

/// Merges lists in a naive way.
fn naive(lists: &Lists<'_>) -> Vec<&'static str> {
    let mut out = Vec::new();
    for id in lists.iter().copied().flatten() {
        if !out.contains(id) {
            out.push(*id);
        }
    }
    out
}

#[test]
fn merging_equals_the_naive_merge() {
    let property = "merging equals the naive merge for all groups and earlier merges";
    hold(property, |dice| {
        let all = [(); POOL].map(|()| list(dice));
        let mut interner = Interner::default();
        let adopted: Vec<CardIds> =
            all.iter().map(|list| interner.adopt(&list.iter().copied().collect())).collect();
        let names = interner.names();
        let mut merger = Merger::default();
        for _ in 0..SHARED {
            let chosen = dice.fewer(6, |dice| dice.below(POOL));
            let lists: Lists<'_> = chosen.iter().map(|at| &all[*at][..]).collect();
            let symbols: Vec<_> = chosen.iter().map(|at| adopted[*at].symbols()).collect();
            let merged = merge(&symbols, names.len());
            equals_the_naive_merge(&merged, &lists, names);
            let groups = [dice.below(6), dice.below(6)];
            is_the_same_in_groups(&merged, &symbols, groups, names.len());
            assert_eq!(
                merger.merge(&symbols, names.len()),
                merged,
                "an earlier merge changes the result: {lists:?}"
            );
        }
        SHARED
    });
}

fn equals_the_naive_merge(merged: &MergeResult, lists: &Lists<'_>, names: &Names) {
    let expected = naive(lists);
    let kept = merged.kept.iter().map(|&symbol| names.get(symbol));
    assert!(kept.eq(expected.iter().copied()), "{merged:?} of {lists:?}");
    let at = |list: u32, position: u32| lists[list as usize][position as usize];
    let origins = merged.origins.iter().map(|origin| at(origin.list, origin.position));
    assert!(origins.eq(expected.iter().copied()), "an origin is wrong: {lists:?}");
    for gone in &merged.swallowed {
        let duplicate = at(gone.origin.list, gone.origin.position);
        assert_eq!(duplicate, expected[gone.by as usize], "a duplicate has another id: {lists:?}");
    }
    let total: usize = lists.iter().map(|list| list.len()).sum();
    assert_eq!(expected.len() + merged.swallowed.len(), total, "an id is lost: {lists:?}");
}

/// Checks that merging is idempotent and associative.
fn is_the_same_in_groups(
    merged: &MergeResult,
    lists: &[&[Symbol]],
    [first, second]: [usize; 2],
    names: usize,
) {
    let whole = &merged.kept[..];
    let kept = |lists: &[&[Symbol]]| merge(lists, names).kept;
    assert_eq!(kept(&[whole]), whole);
    assert_eq!(kept(&[whole, whole]), whole);
    let (head, c) = lists.split_at(first.max(second).min(lists.len()));
    let (a, b) = head.split_at(first.min(second).min(head.len()));
    let [a, b, c] = [a, b, c].map(kept);
    assert_eq!(kept(&[&kept(&[&a, &b]), &c]), whole);
    assert_eq!(kept(&[&a, &kept(&[&b, &c])]), whole);
}
