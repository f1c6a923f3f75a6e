//! The cycles of a graph: its strongly connected parts. No function here recurses, because a chain of calls may be as
//! long as the graph is large.

/// By node the number of its part. A part has a greater number than all parts that it leads to.
pub fn cycles(nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut targets: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    for (from, to) in edges {
        targets[from as usize].push(to);
    }
    // Tarjan's algorithm; `open` holds the nodes of parts that are not complete.
    let mut order: Vec<u32> = vec![NONE; nodes];
    let mut lowest: Vec<u32> = vec![NONE; nodes];
    let mut parts: Vec<u32> = vec![NONE; nodes];
    let mut open: Vec<u32> = Vec::new();
    let (mut next, mut part) = (0, 0);
    for start in 0..nodes as u32 {
        if order[start as usize] != NONE {
            continue;
        }
        let mut path: Vec<(u32, usize)> = vec![(start, 0)];
        while let Some((node, step)) = path.pop() {
            let at = node as usize;
            if step == 0 {
                order[at] = next;
                lowest[at] = next;
                next += 1;
                open.push(node);
            }
            if let Some(&target) = targets[at].get(step) {
                path.push((node, step + 1));
                let to = target as usize;
                match (order[to], parts[to]) {
                    (NONE, _) => path.push((target, 0)),
                    (seen, NONE) => lowest[at] = lowest[at].min(seen),
                    _ => {}
                }
                continue;
            }
            if lowest[at] == order[at] {
                while let Some(member) = open.pop() {
                    parts[member as usize] = part;
                    if member == node {
                        break;
                    }
                }
                part += 1;
            }
            if let Some((above, _)) = path.last() {
                let above = *above as usize;
                lowest[above] = lowest[above].min(lowest[at]);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_reach_each_other_are_one_part() {
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3), (3, 3), (0, 4)];
        let parts = cycles(5, edges.into_iter());
        assert_eq!(parts[1], parts[2]);
        assert!(parts[0] > parts[1] && parts[1] > parts[3] && parts[0] > parts[4]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let edges = (0..200_000).map(|node| (node, node + 1));
        let parts = cycles(200_001, edges);
        assert_eq!((parts[0], parts[200_000]), (200_000, 0));
    }

    /// Whether one node leads to another, by search.
    fn leads(edges: &[(u32, u32)], from: u32, to: u32) -> bool {
        let mut seen = vec![from];
        let mut at = 0;
        while let Some(&node) = seen.get(at) {
            at += 1;
            let next = edges.iter().filter(|(a, _)| *a == node).map(|(_, b)| *b);
            let fresh: Vec<u32> = next.filter(|b| !seen.contains(b)).collect();
            seen.extend(fresh);
        }
        seen.contains(&to)
    }

    proptest::proptest! {
        #[test]
        fn parts_are_those_of_a_search(edges in proptest::collection::vec((0u32..8, 0u32..8), 0..24)) {
            let parts = cycles(8, edges.iter().copied());
            for a in 0..8_u32 {
                for b in 0..8_u32 {
                    let is_one = leads(&edges, a, b) && leads(&edges, b, a);
                    proptest::prop_assert_eq!(parts[a as usize] == parts[b as usize], is_one);
                    if leads(&edges, a, b) {
                        proptest::prop_assert!(parts[a as usize] >= parts[b as usize]);
                    }
                }
            }
        }
    }
}
