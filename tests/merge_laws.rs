//! The laws of merging: in order, each id once, first occurrence wins.

use proptest::prelude::*;
use tuckbox::rule::merge::merge;
use tuckbox::value::ids::{CardIds, Interner};

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

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-f]",
        1 => Just(String::new()),
        1 => prop::sample::select(vec!["é", "e\u{301}", "A", "a ", "卡", "\u{200b}"]).prop_map(str::to_owned),
    ]
}

fn lists() -> impl Strategy<Value = Vec<Vec<String>>> {
    prop::collection::vec(prop::collection::vec(id(), 0..8), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn merging_is_what_the_slow_way_does(lists in lists()) {
        let merged = fast(&lists);
        prop_assert_eq!(&merged.ids, &naive(&lists));
        prop_assert_eq!(&merged.ids, &merged.origins, "every id stands where it is said to come from");
        for (duplicate, kept) in &merged.swallowed {
            prop_assert_eq!(duplicate, kept, "a duplicate is swallowed by the same id");
        }
        let total: usize = lists.iter().map(Vec::len).sum();
        prop_assert_eq!(merged.ids.len() + merged.swallowed.len(), total, "nothing is lost");
    }

    #[test]
    fn merging_is_idempotent_and_associative(a in lists(), b in lists(), c in lists()) {
        let (a, b, c) = (fast(&a).ids, fast(&b).ids, fast(&c).ids);
        let together = fast(&[a.clone(), b.clone(), c.clone()]).ids;
        prop_assert_eq!(&fast(std::slice::from_ref(&together)).ids, &together);
        prop_assert_eq!(&fast(&[together.clone(), together.clone()]).ids, &together);
        let left = fast(&[fast(&[a.clone(), b.clone()]).ids, c.clone()]).ids;
        let right = fast(&[a, fast(&[b, c]).ids]).ids;
        prop_assert_eq!(&left, &together);
        prop_assert_eq!(&right, &together);
    }
}
