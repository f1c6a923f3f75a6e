//! The nearest of several names, for hints such as "did you mean `collect:`?". Nothing here decides
//! whether a name is wrong.

/// The candidate that needs the fewest edits to become `name`, if they are few for a name of that
/// length. Among equals the smallest candidate wins, so that a hint does not depend on hash order.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<String> {
    let name: Vec<char> = name.chars().collect();
    let allowed = match name.len() {
        0..=2 => 1,
        3..=5 => 2,
        length => length / 3 + 1,
    };
    candidates
        .into_iter()
        .filter(|candidate| candidate.chars().count().abs_diff(name.len()) <= allowed)
        .map(|candidate| {
            (
                distance(&name, &candidate.chars().collect::<Vec<_>>()),
                candidate,
            )
        })
        .filter(|(edits, candidate)| {
            *edits > 0 && *edits <= allowed && *edits < name.len().max(candidate.chars().count())
        })
        .min()
        .map(|(_, candidate)| candidate.to_owned())
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two names.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut before = vec![0; to.len() + 1];
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for row in 1..=from.len() {
        let mut current = vec![row; to.len() + 1];
        for column in 1..=to.len() {
            let same = from[row - 1] == to[column - 1];
            let mut edits = (above[column] + 1)
                .min(current[column - 1] + 1)
                .min(above[column - 1] + usize::from(!same));
            let swapped = row > 1
                && column > 1
                && from[row - 1] == to[column - 2]
                && from[row - 2] == to[column - 1];
            if swapped {
                edits = edits.min(before[column - 2] + 1);
            }
            current[column] = edits;
        }
        before = std::mem::replace(&mut above, current);
    }
    above[to.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn few_edits_are_near_and_many_are_not() {
        assert_eq!(
            nearest("colect:", ["collect:", "select:"]).as_deref(),
            Some("collect:")
        );
        assert_eq!(
            nearest("cuont", ["count", "amount"]).as_deref(),
            Some("count")
        );
        assert_eq!(nearest("x", ["yy", "zebra"]), None);
        assert_eq!(nearest("a", ["b"]), None);
    }
}
