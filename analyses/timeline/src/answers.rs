//! Whether two runs of a program gave the same answers.

use std::collections::BTreeMap;

use tally_vm::{AnswersOfPair, GivenAnswer};

/// Which requests the other run may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// None of them.
    Nothing,
    /// Some: those that it has are in the same order.
    Some,
}

type Key = (Vec<u32>, Vec<u32>, (String, String));

/// The first answer by which the other run differs, in words. `merged` has paths of processors of the first run, and the paths of
/// those that stand for them in the other one.
pub fn first_difference(
    before: &[AnswersOfPair],
    after: &[AnswersOfPair],
    lacking: Lacking,
    merged: &[(Vec<u32>, Vec<u32>)],
) -> Option<String> {
    let (before, after) = (by_key(before, merged), by_key(after, &[]));
    let mut found: Vec<(u64, String)> = Vec::new();
    for (key, expected) in &before {
        let given = after.get(key).map_or(&[][..], Vec::as_slice);
        found.extend(difference(key, expected, given, lacking));
    }
    let new = after.iter().filter(|(key, _)| !before.contains_key(*key));
    for (key, given) in new {
        found.extend(difference(key, &[], given, lacking));
    }
    let first = found.into_iter().min_by_key(|(time, _)| *time);
    first.map(|(_, what)| what)
}

/// The answers by client, supplier and feature. Those of a processor to itself are left out.
fn by_key(
    pairs: &[AnswersOfPair],
    merged: &[(Vec<u32>, Vec<u32>)],
) -> BTreeMap<Key, Vec<GivenAnswer>> {
    let there = |path: &Vec<u32>| {
        let found = merged.iter().find(|(not_made, _)| not_made == path);
        found.map_or(path, |(_, used)| used).clone()
    };
    let mut all: BTreeMap<Key, Vec<GivenAnswer>> = BTreeMap::new();
    for pair in pairs {
        let (client, supplier) = (there(&pair.client), there(&pair.supplier));
        if client != supplier {
            let key = (client, supplier, pair.feature.clone());
            all.entry(key)
                .or_default()
                .extend(pair.answers.iter().cloned());
        }
    }
    if !merged.is_empty() {
        // Two lists have become one.
        all.values_mut()
            .for_each(|answers| answers.sort_by_key(|answer| answer.time));
    }
    all
}

/// The first answer by which two lists differ, and its moment.
fn difference(
    (_, _, (class, selector)): &Key,
    expected: &[GivenAnswer],
    given: &[GivenAnswer],
    lacking: Lacking,
) -> Option<(u64, String)> {
    let feature = format!("{class}>>{selector}");
    let mut left = expected.iter();
    for (index, answer) in given.iter().enumerate() {
        let mut next = left.next();
        let first = next;
        while lacking == Lacking::Some && next.is_some_and(|one| one.digest != answer.digest) {
            next = left.next();
        }
        if next.is_some_and(|one| one.digest == answer.digest) {
            continue;
        }
        let number = index + 1;
        let what = match first {
            Some(one) if one.text != answer.text => format!(
                "answer {number} of {feature} to the same client is {}, not {}",
                answer.text, one.text
            ),
            Some(one) => format!(
                "answer {number} of {feature} to the same client differs behind {}",
                one.text
            ),
            None => format!(
                "{feature} answers the same client {} times, not {}",
                given.len(),
                expected.len()
            ),
        };
        return Some((first.map_or(answer.time, |one| one.time), what));
    }
    let rest = left.next().filter(|_| lacking == Lacking::Nothing)?;
    let what = format!(
        "{feature} answers the same client {} times, not {}",
        given.len(),
        expected.len()
    );
    Some((rest.time, what))
}

#[cfg(test)]
mod tests {
    use tally_vm::{AnswersOfPair, GivenAnswer};

    use super::{Lacking, first_difference};

    fn pair(client: u32, supplier: u32, answers: &[(u64, &str)]) -> AnswersOfPair {
        let given = |&(time, text): &(u64, &str)| GivenAnswer {
            time,
            digest: text.bytes().map(u64::from).sum(),
            text: text.into(),
        };
        AnswersOfPair {
            client: vec![client],
            supplier: vec![supplier],
            feature: ("Counter".to_string(), "next".to_string()),
            answers: answers.iter().map(given).collect(),
        }
    }

    #[test]
    fn the_first_answer_that_differs_is_told() {
        let before = [
            pair(1, 3, &[(5, "1"), (9, "3")]),
            pair(2, 3, &[(7, "2"), (8, "4")]),
        ];
        let after = [
            pair(1, 3, &[(5, "1"), (9, "4")]),
            pair(2, 3, &[(7, "2"), (8, "3")]),
        ];
        let told = first_difference(&before, &after, Lacking::Nothing, &[]);
        let expected = "answer 2 of Counter>>next to the same client is 3, not 4";
        assert_eq!(told.as_deref(), Some(expected));
        assert_eq!(
            first_difference(&before, &before, Lacking::Nothing, &[]),
            None
        );
    }

    #[test]
    fn answers_may_lack_only_where_a_rule_spares_requests() {
        let before = [pair(1, 3, &[(1, "7"), (2, "8"), (3, "7")])];
        let after = [pair(1, 3, &[(1, "8"), (2, "7")])];
        let told = |lacking| first_difference(&before, &after, lacking, &[]);
        assert_eq!(told(Lacking::Some), None);
        let expected = "answer 1 of Counter>>next to the same client is 8, not 7";
        assert_eq!(told(Lacking::Nothing).as_deref(), Some(expected));
        let none = first_difference(&before, &[], Lacking::Nothing, &[]);
        let expected = "Counter>>next answers the same client 0 times, not 3";
        assert_eq!(none.as_deref(), Some(expected));
        let new = first_difference(&[], &after, Lacking::Some, &[]);
        let expected = "Counter>>next answers the same client 2 times, not 0";
        assert_eq!(new.as_deref(), Some(expected));
    }

    #[test]
    fn merged_processors_are_compared_as_one() {
        let before = [pair(1, 3, &[(4, "a")]), pair(1, 2, &[(1, "b")])];
        let after = [pair(1, 2, &[(1, "b"), (3, "a")])];
        let merged = [(vec![3], vec![2])];
        let told = first_difference(&before, &after, Lacking::Some, &merged);
        assert_eq!(told, None);
        // 1 calls itself then.
        let merged = [(vec![3], vec![1]), (vec![2], vec![1])];
        let told = first_difference(&before, &[], Lacking::Nothing, &merged);
        assert_eq!(told, None);
    }
}
