//! Which of the tests are run, and in which order.

use std::path::Path;

use tally_profiler::is_match;

use super::discovery::Test;
use crate::error::{Error, ErrorKind};
use crate::project::workspace::Workspace;

/// Under which name the tests are remembered that did not pass.
const FAILED: &str = "failed";

/// A part of the tests: the `part`-th of `parts`, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    part: usize,
    parts: usize,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
        match numbers {
            Some((part, parts)) if (1..=parts).contains(&part) => Ok(Shard { part, parts }),
            _ => Err("a part of all tests is expected, such as 1/3, 2/3 or 3/3".to_string()),
        }
    }
}

/// What names a file or a folder, or looks as if it should, is one; anything else is a filter. Without a single file
/// all are taken for files, so that the one which is missing is named, unless there are files to fall back on.
pub fn files_and_filters(words: &[String], has_default: bool) -> (Vec<String>, Vec<String>) {
    let is_file = |word: &String| {
        let looks_like_one = word.contains(['/', '\\', '.']) && !word.contains(['>', '*']);
        word == "-" || looks_like_one || Path::new(word).exists()
    };
    let (files, filters): (Vec<String>, Vec<String>) = words.iter().cloned().partition(is_file);
    if files.is_empty() && !has_default {
        (filters, Vec::new())
    } else {
        (files, filters)
    }
}

/// What a test's name has to be like.
pub struct Selection<'s> {
    /// Texts or patterns, of which a name has to fit one if there are any.
    pub filters: &'s [String],
    /// Names of which it must be one, if there is a list.
    pub only: Option<Vec<String>>,
    /// The part of the tests that is meant.
    pub shard: Option<Shard>,
}

impl Selection<'_> {
    /// The tests that are meant, in the order in which they were found. Shards take turns, and so are alike in size.
    pub fn of(&self, found: Vec<Test>) -> Vec<Test> {
        let is_meant = |test: &Test| {
            let name = test.name();
            (self.filters.is_empty() || self.filters.iter().any(|f| fits(f, &name)))
                && self.only.as_ref().is_none_or(|names| names.contains(&name))
        };
        let meant = found.into_iter().filter(is_meant).enumerate();
        let is_in_shard = |index: usize| {
            self.shard
                .is_none_or(|shard| index % shard.parts == shard.part - 1)
        };
        let chosen = meant.filter(|(index, _)| is_in_shard(*index));
        chosen.map(|(_, test)| test).collect()
    }
}

/// Whether a name has a text in it, or is as a pattern with `*` says.
pub(super) fn fits(filter: &str, name: &str) -> bool {
    match filter.contains('*') {
        true => is_match(filter, name),
        false => name.contains(filter),
    }
}

/// Why none of the tests is selected.
pub fn why_none(names: &[String], filters: &[String]) -> String {
    if names.is_empty() {
        let why = "the files define no tests: no subclass of TestCase has a method whose name begins with test";
        return why.to_string();
    }
    let labels = names.iter().filter_map(|name| name.split_once(">>"));
    let parts: Vec<&str> = labels.flat_map(|(class, label)| [class, label]).collect();
    let near = filters.iter().find_map(|filter| {
        let whole = names.iter().map(String::as_str);
        tally_compiler::nearest(filter, whole)
            .or_else(|| tally_compiler::nearest(filter, parts.iter().copied()))
    });
    let hint = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
    format!("no test matches the filters{hint}")
}

/// The numbers below `count`, in an order that the seed decides (Fisher and Yates; the numbers are SplitMix64's).
pub fn order(count: usize, seed: Option<u64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let Some(mut state) = seed else {
        return order;
    };
    for last in (1..count).rev() {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        order.swap(last, (mixed % (last as u64 + 1)) as usize);
    }
    order
}

/// The names of the tests that did not pass the last time.
pub fn failed_last(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let bytes = workspace.read(FAILED).ok_or_else(|| {
        let why = "no run of these tests is remembered (--failed)";
        Error::new(ErrorKind::Nothing, why)
    })?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().map(str::to_string).collect())
}

/// Remembers which of the tests that were run did not pass; what was not run stays as it was. Where nothing can be
/// remembered the tests are none the worse.
pub fn remember_failed<'n>(workspace: &Workspace, ran: impl Iterator<Item = (&'n str, bool)>) {
    let (mut failed, mut passed) = (Vec::new(), Vec::new());
    for (name, is_bad) in ran {
        if is_bad { &mut failed } else { &mut passed }.push(name.to_string());
    }
    if failed.is_empty() && !workspace.exists() {
        return;
    }
    let before = workspace.read(FAILED).unwrap_or_default();
    let before = String::from_utf8_lossy(&before).into_owned();
    let still = before
        .lines()
        .filter(|&name| !passed.iter().any(|p| p == name));
    failed.extend(still.map(str::to_string));
    failed.sort_unstable();
    failed.dedup();
    let text: String = failed.iter().map(|name| format!("{name}\n")).collect();
    let _ = workspace.write(FAILED, text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_has_every_number_once_and_depends_on_the_seed_alone() {
        let first = order(100, Some(7));
        assert_eq!(first, order(100, Some(7)));
        assert_ne!(first, order(100, Some(8)));
        assert_ne!(first, order(100, None));
        let mut sorted = first;
        sorted.sort_unstable();
        assert_eq!(sorted, order(100, None));
        assert!(order(0, Some(1)).is_empty());
    }

    #[test]
    fn a_shard_is_one_of_some() {
        assert_eq!("2/3".parse(), Ok(Shard { part: 2, parts: 3 }));
        for text in ["0/3", "4/3", "1", "a/b", "1/0", "-1/2", ""] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_filter_is_a_part_or_a_pattern() {
        assert!(fits("Test>>testA", "MyTest>>testAll"));
        assert!(fits("My*>>test*A", "MyTest>>testA"));
        assert!(!fits("test*", "MyTest>>testA"));
    }
}
