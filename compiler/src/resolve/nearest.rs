//! Finds the nearest of several names, for hints such as "did you mean `collect:`?". Other modules decide whether a
//! name is wrong.

use strsim::osa_distance;

/// The candidate that needs the fewest edits to become `name`, if they are few for a name of that length. Edits are insertions,
/// deletions, replacements and swaps of neighbours (the optimal string alignment distance). Letters that differ in case count
/// only between candidates that are equally near. Among equals the smallest candidate wins, so that a hint does not depend on hash
/// order.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<String> {
    let folded = name.to_lowercase();
    let length = name.chars().count();
    let allowed = match length {
        // A short name becomes any other by two edits.
        0..=4 => 1,
        5..=6 => 2,
        length => length / 3 + 1,
    };
    let near = candidates.into_iter().filter_map(|candidate| {
        let letters = candidate.chars().count();
        // Distances take time by the product of the lengths.
        if letters.abs_diff(length) > allowed || candidate == name {
            return None;
        }
        let edits = osa_distance(&folded, &candidate.to_lowercase());
        let is_near = edits <= allowed && edits < length.max(letters);
        is_near.then(|| (edits, osa_distance(name, candidate), candidate))
    });
    near.min().map(|(_, _, candidate)| candidate.to_owned())
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

    #[test]
    fn case_decides_last() {
        assert_eq!(
            nearest("println", ["print24", "printNl"]).as_deref(),
            Some("printNl")
        );
        assert_eq!(
            nearest("Transcript", ["transcript", "Transcrips"]).as_deref(),
            Some("transcript")
        );
        assert_eq!(nearest("same", ["same"]), None);
    }
}
