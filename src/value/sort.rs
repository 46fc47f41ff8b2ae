//! One stable sort for everything.
//!
//! The sort of the standard library is compiled anew for every kind of thing, at some four
//! kilobytes each. Nothing here sorts so much that this pays: it is used for positions alone, and
//! only the exchange of two things knows what they are.

use std::cmp::Ordering;

/// So few things are sorted by moving each one to its place among those before it.
const FEW: usize = 12;

/// Sorts by `compare`; what is equal keeps its order.
pub(crate) fn sort_by<T>(things: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    if things.len() <= FEW {
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

/// As [`sort_by`], by a key.
pub(crate) fn sort_by_key<T, K: Ord>(things: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(things, |a, b| key(a).cmp(&key(b)));
}

/// The exchanges that put `count` things in order, when they are made one after the other.
/// `compare` is asked about positions before any exchange.
fn exchanges(
    count: usize,
    compare: &mut dyn FnMut(usize, usize) -> Ordering,
) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    // where each thing is now: exchanges move things that are yet to be placed
    let mut exchanges = Vec::new();
    let mut placed: Vec<usize> = (0..count).collect();
    let mut holds: Vec<usize> = (0..count).collect();
    for (place, &thing) in order.iter().enumerate() {
        let (Some(&from), Some(&other)) = (placed.get(thing), holds.get(place)) else { break };
        if from == place {
            continue;
        }
        exchanges.push((place, from));
        // the thing that stood here stands now where this one came from
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
    fn the_order_is_that_of_the_standard_library() {
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
