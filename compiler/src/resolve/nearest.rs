//! Finds the nearest of several names, for hints such as "did you mean `collect:`?". Other modules decide whether a
//! name is wrong.

/// The candidate that needs the fewest edits to become `name`, if they are few for a name of that
/// length. Among equals the smallest candidate wins, so that a hint does not depend on hash order.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<String> {
    let name: Vec<char> = name.chars().collect();
    let allowed = match name.len() {
        // A short name becomes any other by two edits.
        0..=4 => 1,
        5..=6 => 2,
        length => length / 3 + 1,
    };
    let mut best: Option<(usize, &str)> = None;
    let mut letters = Vec::new();
    for candidate in candidates {
        letters.clear();
        letters.extend(candidate.chars());
        if letters.len().abs_diff(name.len()) > allowed {
            continue;
        }
        // The limit admits ties: among candidates with as many edits, the first in the alphabet wins.
        let limit = best.map_or(allowed, |(edits, _)| edits);
        let Some(edits) = distance(&name, &letters, limit) else {
            continue;
        };
        let is_near = edits > 0 && edits < name.len().max(letters.len());
        if is_near && best.is_none_or(|best| (edits, candidate) < best) {
            best = Some((edits, candidate));
        }
    }
    best.map(|(_, candidate)| candidate.to_owned())
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two names, if it is
/// within the limit.
fn distance(from: &[char], to: &[char], limit: usize) -> Option<usize> {
    let mut before = vec![0; to.len() + 1];
    let mut above: Vec<usize> = (0..=to.len()).collect();
    let mut current = vec![0; to.len() + 1];
    for row in 1..=from.len() {
        current[0] = row;
        let mut least = row;
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
            least = least.min(edits);
        }
        // The least of a row is at most one less than that of the next, and a swap looks back one row more.
        if least > limit + 1 {
            return None;
        }
        std::mem::swap(&mut before, &mut above);
        std::mem::swap(&mut above, &mut current);
    }
    Some(above[to.len()]).filter(|edits| *edits <= limit)
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
        assert_eq!(nearest("foo", ["cos", "for"]).as_deref(), Some("for"));
        assert_eq!(nearest("foo", ["cos"]), None);
    }
}
