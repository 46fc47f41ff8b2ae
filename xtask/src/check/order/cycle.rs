//! Cycles in a graph: its strongly connected components.

use std::collections::{BTreeMap, BTreeSet};

/// Returns the nodes that reach each other, one list for each cycle of two or more, largest first.
pub fn cycles<N: Ord + Clone>(edges: &BTreeSet<(N, N)>) -> Vec<Vec<N>> {
    let mut next: BTreeMap<&N, Vec<&N>> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(from).or_default().push(to);
        next.entry(to).or_default();
    }
    let reach: BTreeMap<&N, BTreeSet<&N>> =
        next.keys().map(|node| (*node, reachable(*node, &next))).collect();
    let meets = |a: &N, b: &N| reach.get(a).is_some_and(|seen| seen.contains(b));
    let mut placed = BTreeSet::new();
    let mut found = Vec::new();
    for node in next.keys() {
        if !placed.contains(node) {
            let cycle: Vec<&N> = next
                .keys()
                .filter(|other| meets(node, other) && meets(other, node))
                .copied()
                .collect();
            placed.extend(cycle.iter().copied());
            if cycle.len() > 1 {
                found.push(cycle.into_iter().cloned().collect::<Vec<N>>());
            }
        }
    }
    found.sort_by_key(|cycle| std::cmp::Reverse(cycle.len()));
    found
}

fn reachable<'a, N: Ord>(from: &'a N, next: &BTreeMap<&'a N, Vec<&'a N>>) -> BTreeSet<&'a N> {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        for to in next.get(node).into_iter().flatten() {
            if seen.insert(to) {
                open.push(to);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(edges: &[(u8, u8)]) -> Vec<Vec<u8>> {
        cycles(&edges.iter().copied().collect())
    }

    #[test]
    fn line_and_self_reference_are_not_cycles() {
        assert!(found(&[(1, 2), (2, 3), (1, 3), (3, 3)]).is_empty());
    }

    #[test]
    fn touching_cycles_are_merged_and_the_largest_is_first() {
        let two = [(8, 9), (9, 8)];
        let four = [(1, 2), (2, 1), (2, 3), (3, 4), (4, 2)];
        assert_eq!(found(&[&two[..], &four[..]].concat()), [vec![1, 2, 3, 4], vec![8, 9]]);
        assert_eq!(found(&[(1, 2), (2, 1), (2, 3)]), [vec![1, 2]]);
    }
}
