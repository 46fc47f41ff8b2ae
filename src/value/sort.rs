//! A stable sort that is compiled once.
//!
//! The compiler repeats the sort of the standard library for each type, at about 4 KiB each. Here
//! it sorts only positions; the swaps are the only code per type.

use std::cmp::Ordering;

/// Maximum number of items for an insertion sort.
const MAX_INSERTION_SORT: usize = 12;

/// Sorts by `compare`; equal items keep their order.
pub(crate) fn sort_by<T>(things: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    if things.len() <= MAX_INSERTION_SORT {
        for end in 1..things.len() {
            for at in (1..=end).rev() {
                match things.get(at - 1..=at) {
                    Some([before, this]) if compare(before, this).is_gt() => {
                        things.swap(at - 1, at)
                    }
                    Some(_) | None => break,
                }
            }
        }
        return;
    }
    let exchanges = exchanges(things.len(), &mut |a, b| match (things.get(a), things.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        (None, _) | (_, None) => Ordering::Equal,
    });
    for (a, b) in exchanges {
        things.swap(a, b);
    }
}

/// Sorts by a key; see [`sort_by`].
pub(crate) fn sort_by_key<T, K: Ord>(things: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(things, |a, b| key(a).cmp(&key(b)));
}

/// Returns the swaps that sort `count` items, in order.
///
/// `compare` receives positions from before any swap.
fn exchanges(
    count: usize,
    compare: &mut dyn FnMut(usize, usize) -> Ordering,
) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    // `placed` maps an item to its position, because swaps also move items that come later
    let mut exchanges = Vec::new();
    let mut placed: Vec<usize> = (0..count).collect();
    let mut holds: Vec<usize> = (0..count).collect();
    for (place, &thing) in order.iter().enumerate() {
        let (Some(&from), Some(&other)) = (placed.get(thing), holds.get(place)) else { break };
        if from == place {
            continue;
        }
        exchanges.push((place, from));
        // the item that was here moves to the previous position of this one
        if let (Some(placed), Some(holds)) = (placed.get_mut(other), holds.get_mut(from)) {
            *placed = from;
            *holds = other;
        }
    }
    exchanges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_matches_the_standard_library() {
        let mut state = 1_u32;
        for count in (0..70).chain([1_000, 4_097]) {
            let mut things: Vec<(u32, usize)> = (0..count)
                .map(|at| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    ((state >> 16) % (count as u32 / 3 + 1), at)
                })
                .collect();
            let mut theirs = things.clone();
            theirs.sort_by_key(|thing| thing.0);
            sort_by_key(&mut things, |thing| thing.0);
            assert_eq!(things, theirs, "{count}");
            sort_by(&mut things, |a, b| b.1.cmp(&a.1));
            assert!(things.is_sorted_by(|a, b| a.1 > b.1), "{count}");
        }
    }
}
