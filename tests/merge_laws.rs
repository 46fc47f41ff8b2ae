//! The laws of merging: in order, each id once, first occurrence wins.

use crate::law::{Dice, hold};
use tuckbox::rule::merge::{Merger, merge};
use tuckbox::value::ids::{CardIds, Interner, Symbol};

/// The slow, obvious way.
fn naive(lists: &[Vec<String>]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for id in lists.iter().flatten() {
        if !out.contains(id) {
            out.push(id.clone());
        }
    }
    out
}

struct Merge {
    ids: Vec<String>,
    /// For every kept id, the text that stands where it is said to come from.
    origins: Vec<String>,
    swallowed: Vec<(String, String)>,
}

fn fast(lists: &[Vec<String>]) -> Merge {
    let mut interner = Interner::default();
    let adopted: Vec<CardIds> = lists
        .iter()
        .map(|list| interner.adopt(&list.iter().map(String::as_str).collect()))
        .collect();
    let symbols: Vec<_> = adopted.iter().map(CardIds::symbols).collect();
    let merged = merge(&symbols, interner.names().len());
    let ids: Vec<String> =
        merged.kept.iter().map(|&symbol| interner.names().get(symbol).to_owned()).collect();
    let at = |list: u32, position: u32| lists[list as usize][position as usize].clone();
    Merge {
        origins: merged.origins.iter().map(|origin| at(origin.list, origin.position)).collect(),
        swallowed: merged
            .swallowed
            .iter()
            .map(|gone| (at(gone.origin.list, gone.origin.position), ids[gone.by as usize].clone()))
            .collect(),
        ids,
    }
}

/// How many cases each law is held against.
const CASES: u64 = 2_000_000;

const IDS: [&str; 13] =
    ["a", "b", "c", "d", "e", "f", "", "é", "e\u{301}", "A", "a ", "卡", "\u{200b}"];

fn lists(dice: &mut Dice) -> Vec<Vec<String>> {
    dice.fewer(6, |dice| {
        dice.fewer(8, |dice| {
            let odd = dice.percent(20);
            let known = if odd { &IDS[6..] } else { &IDS[..6] };
            dice.pick(known).to_owned()
        })
    })
}

#[test]
fn merging_is_what_the_slow_way_does() {
    hold("merging is what the slow way does", CASES, |dice| {
        let lists = lists(dice);
        let merged = fast(&lists);
        assert_eq!(merged.ids, naive(&lists));
        assert_eq!(merged.ids, merged.origins, "every id stands where it is said to come from");
        for (duplicate, kept) in &merged.swallowed {
            assert_eq!(duplicate, kept, "a duplicate is swallowed by the same id");
        }
        let total: usize = lists.iter().map(Vec::len).sum();
        assert_eq!(merged.ids.len() + merged.swallowed.len(), total, "nothing is lost");
    });
}

fn symbols(lists: &[CardIds]) -> Vec<&[Symbol]> {
    lists.iter().map(CardIds::symbols).collect()
}

#[test]
fn a_merger_that_merged_before_merges_the_same() {
    hold("a merger that merged before merges the same", CASES / 40, |dice| {
        let mut interner = Interner::default();
        let (before, lists) = (lists(dice), lists(dice));
        let mut adopt = |lists: &[Vec<String>]| -> Vec<CardIds> {
            let ids = |list: &Vec<String>| list.iter().map(String::as_str).collect();
            lists.iter().map(|list| interner.adopt(&ids(list))).collect()
        };
        let (before, lists) = (adopt(&before), adopt(&lists));
        let names = interner.names().len();
        let mut merger = Merger::default();
        merger.merge(&symbols(&before), names);
        assert_eq!(merger.merge(&symbols(&lists), names), merge(&symbols(&lists), names));
    });
}

#[test]
fn merging_is_idempotent_and_associative() {
    hold("merging is idempotent and associative", CASES / 40, |dice| {
        let [a, b, c] = [(); 3].map(|()| fast(&lists(dice)).ids);
        let together = fast(&[a.clone(), b.clone(), c.clone()]).ids;
        assert_eq!(fast(std::slice::from_ref(&together)).ids, together);
        assert_eq!(fast(&[together.clone(), together.clone()]).ids, together);
        let left = fast(&[fast(&[a.clone(), b.clone()]).ids, c.clone()]).ids;
        let right = fast(&[a, fast(&[b, c]).ids]).ids;
        assert_eq!(left, together);
        assert_eq!(right, together);
    });
}
