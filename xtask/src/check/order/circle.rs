//! Circles in a graph: its strongly connected components.

use std::collections::{BTreeMap, BTreeSet};

/// The nodes that reach each other, one list for each circle of two or more, largest first.
pub fn circles<N: Ord + Clone>(edges: &BTreeSet<(N, N)>) -> Vec<Vec<N>> {
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
            let circle: Vec<&N> = next
                .keys()
                .filter(|other| meets(node, other) && meets(other, node))
                .copied()
                .collect();
            placed.extend(circle.iter().copied());
            if circle.len() > 1 {
                found.push(circle.into_iter().cloned().collect::<Vec<N>>());
            }
        }
    }
    found.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
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
        circles(&edges.iter().copied().collect())
    }

    #[test]
    fn a_line_has_no_circle_and_a_file_that_names_itself_is_none() {
        assert!(found(&[(1, 2), (2, 3), (1, 3), (3, 3)]).is_empty());
    }

    #[test]
    fn circles_that_touch_are_one_and_the_largest_comes_first() {
        let two = [(8, 9), (9, 8)];
        let four = [(1, 2), (2, 1), (2, 3), (3, 4), (4, 2)];
        assert_eq!(found(&[&two[..], &four[..]].concat()), [vec![1, 2, 3, 4], vec![8, 9]]);
        assert_eq!(found(&[(1, 2), (2, 1), (2, 3)]), [vec![1, 2]]);
    }
}
