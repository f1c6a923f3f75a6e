//! Finding a step by halving: knows nothing of commits, only of places in a row and of counts, which a place may lack.

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<C> {
    /// The two ends do not differ, or not in the way that is looked for.
    NoStep {
        /// The count at the first end.
        first: C,
        /// The count at the last end.
        last: C,
    },
    /// An end has no count.
    NoCount {
        /// The end.
        place: usize,
    },
    /// Between these two places, and nowhere else that has a count, the count steps.
    Step(Step<C>),
}

/// A place whose count is still as at the beginning, and the next that has a count, which is another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<C> {
    /// The counts at the two ends.
    pub ends: (C, C),
    /// The last place that is as at the beginning, and its count.
    pub before: (usize, C),
    /// The first place that is not, and its count.
    pub after: (usize, C),
}

/// Finds a step between the first and the last of `count` places, so that every examined place at or before
/// `before` is old, and every examined place at or behind `after` is new. Examines the two ends, at most
/// ⌈log₂ (count − 1)⌉ places more, and one more for each place without a count.
///
/// # Errors
/// What `ask` fails with.
pub fn search<C: Copy, E>(
    count: usize,
    mut ask: impl FnMut(usize) -> Result<Option<C>, E>,
    is_new: impl Fn(C, C) -> bool,
) -> Result<Found<C>, E> {
    let last = count.saturating_sub(1);
    let Some(first_count) = ask(0)? else {
        return Ok(Found::NoCount { place: 0 });
    };
    let Some(last_count) = ask(last)? else {
        return Ok(Found::NoCount { place: last });
    };
    if !is_new(first_count, last_count) {
        return Ok(Found::NoStep {
            first: first_count,
            last: last_count,
        });
    }
    let mut before = (0, first_count);
    let mut after = (last, last_count);
    let mut open: Vec<usize> = (1..last).collect();
    while let Some(&middle) = open.get(open.len() / 2) {
        match ask(middle)? {
            None => open.retain(|place| *place != middle),
            Some(found) if is_new(first_count, found) => {
                after = (middle, found);
                open.retain(|place| *place < middle);
            }
            Some(found) => {
                before = (middle, found);
                open.retain(|place| *place > middle);
            }
        }
    }
    Ok(Found::Step(Step {
        ends: (first_count, last_count),
        before,
        after,
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a search answers over these counts, and how many places it asked that have one, and that have none.
    fn searched(counts: &[Option<u64>]) -> (Found<u64>, usize, usize) {
        let (mut with, mut without) = (0, 0);
        let ask = |place: usize| {
            match counts[place] {
                Some(_) => with += 1,
                None => without += 1,
            }
            Ok::<_, ()>(counts[place])
        };
        let found = search(counts.len(), ask, |first, other| first != other).unwrap();
        (found, with, without)
    }

    fn log2_rounded_up(number: usize) -> usize {
        number.max(1).next_power_of_two().trailing_zeros() as usize
    }

    proptest! {
        #[test]
        fn a_step_is_one_and_found_within_the_bound(
            counts in prop::collection::vec(prop_oneof![4 => (0u64..3).prop_map(Some), 1 => Just(None)], 1..200),
        ) {
            let (found, with, without) = searched(&counts);
            let steps = counts.len() - 1;
            let missing = counts.iter().filter(|count| count.is_none()).count();
            prop_assert!(without <= missing);
            match found {
                Found::Step(Step { before: (b, old), after: (a, new), .. }) => {
                    prop_assert!(with <= log2_rounded_up(steps) + 2, "{with} of {steps}");
                    prop_assert!(b < a);
                    prop_assert_eq!(counts[b], Some(old));
                    prop_assert_eq!(counts[a], Some(new));
                    prop_assert_eq!(counts[0], Some(old));
                    prop_assert_ne!(old, new);
                    prop_assert!(counts[b + 1..a].iter().all(Option::is_none));
                }
                Found::NoStep { first, last } => prop_assert_eq!(first, last),
                Found::NoCount { place } => prop_assert_eq!(counts[place], None),
            }
        }

        #[test]
        fn of_a_single_step_the_place_is_found(length in 2usize..600, at in 1usize..600) {
            let at = at.min(length - 1);
            let counts: Vec<Option<u64>> = (0..length).map(|place| Some(u64::from(place >= at))).collect();
            let (found, with, _) = searched(&counts);
            prop_assert_eq!(found, Found::Step(Step { ends: (0, 1), before: (at - 1, 0), after: (at, 1) }));
            prop_assert!(with <= log2_rounded_up(length - 1) + 2);
        }
    }

    #[test]
    fn ends_without_counts_are_told() {
        assert_eq!(searched(&[None, Some(1)]).0, Found::NoCount { place: 0 });
        assert_eq!(searched(&[Some(1), None]).0, Found::NoCount { place: 1 });
        let same = Found::NoStep { first: 1, last: 1 };
        assert_eq!(searched(&[Some(1)]).0, same);
        assert_eq!(searched(&[Some(1), Some(2), Some(1)]).0, same);
    }
}
