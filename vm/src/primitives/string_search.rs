//! Primitives that find parts of strings, replace them, and take strings apart. Each algorithm is
//! written once, for bytes and for code points.

use std::ops::Range;

use super::character::is_separator;
use super::text::{Letter, Letters, Text, make_strings, position, room_for_text, text, two_texts};
use super::{Answer, Args, Primitive, rows};
use crate::heap::Contents;
use crate::value::Value;
use crate::vm::Vm;

rows! {
    "stringIndexOf"(2) => index_of,
        "A string, a Character, a start index from 1 on: the first index from there on, or 0.";
    "stringFindString"(2) => find_string,
        "Two strings and a start index from 1 on: where the argument first occurs from there \
         on, or 0; 0 if it is empty.";
    "stringReplaceAll"(2) => replace_all,
        "Three strings, the second not empty: a String with its occurrences replaced by the \
         third.";
    "stringOccurrencesOfString"(1) => occurrences,
        "Two strings, the argument not empty: how often it occurs without overlapping.";
    "stringTrimBoth"(0) => |vm, args| trim(vm, args, true, true),
        "Any string: a String without separators at both ends.";
    "stringTrimLeft"(0) => |vm, args| trim(vm, args, true, false),
        "Any string: a String without separators in front.";
    "stringTrimRight"(0) => |vm, args| trim(vm, args, false, true),
        "Any string: a String without separators at the end.";
    "stringSubstrings"(1) => substrings,
        "Two strings: an Array of the Strings, none empty, between any of the argument's \
         characters.";
    "stringSplitOn"(1) => split_on,
        "Two strings, the argument not empty: an Array of the Strings between its occurrences.";
    "stringLines"(0) => lines, "Any string: an Array of its lines, ended by CR, LF or both.";
}

/// The range of the first occurrence of `part` from `start` on.
fn find<T: Letter>(whole: &[T], part: &[T], start: usize) -> Option<Range<usize>> {
    let first = *part.first()?;
    let last_start = whole.len().checked_sub(part.len())?;
    let mut at = start;
    while at <= last_start {
        at += whole
            .get(at..=last_start)?
            .iter()
            .position(|&letter| letter == first)?;
        if whole.get(at..)?.starts_with(part) {
            return Some(at..at + part.len());
        }
        at += 1;
    }
    None
}

/// The ranges of all occurrences of `part` that do not overlap.
fn find_all<T: Letter>(whole: &[T], part: &[T]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(range) = find(whole, part, at) {
        at = range.end;
        found.push(range);
    }
    found
}

/// What [`find_all`] finds, whatever the widths.
fn all_occurrences(whole: &Text<'_>, part: &Text<'_>) -> Vec<Range<usize>> {
    match (whole.narrow(), part.narrow()) {
        (Some(whole), Some(part)) => find_all(whole, part),
        _ => find_all(&whole.to_codes(), &part.to_codes()),
    }
}

fn index_value(position: Option<usize>) -> Option<Value> {
    let index = position.map_or(0, |position| position + 1);
    Value::try_int(i64::try_from(index).ok()?)
}

fn index_of(vm: &mut Vm, args: Args) -> Option<Value> {
    let code = args.at(vm, 0).as_character()?;
    let start = position(vm, args, 1)?;
    let whole = text(vm, args.receiver(vm))?;
    let found = match (whole.narrow(), u8::try_from(code)) {
        (Some(bytes), Ok(byte)) => bytes
            .get(start..)
            .and_then(|rest| rest.iter().position(|&b| b == byte)),
        (Some(_), Err(_)) => None,
        _ => (start..whole.len()).position(|index| whole.code(index) == Some(code)),
    };
    index_value(found.map(|distance| start + distance))
}

fn find_string(vm: &mut Vm, args: Args) -> Option<Value> {
    let start = position(vm, args, 1)?;
    let (whole, part) = two_texts(vm, args)?;
    let found = match (whole.narrow(), part.narrow()) {
        (Some(whole), Some(part)) => find(whole, part, start),
        _ => find(&whole.to_codes(), &part.to_codes(), start),
    };
    index_value(found.map(|range| range.start))
}

fn occurrences(vm: &mut Vm, args: Args) -> Option<Value> {
    let (whole, part) = two_texts(vm, args)?;
    let count = (part.len() > 0).then(|| all_occurrences(&whole, &part).len())?;
    Value::try_int(i64::try_from(count).ok()?)
}

fn replace_all(vm: &mut Vm, args: Args) -> Option<Value> {
    let (whole, old) = two_texts(vm, args)?;
    let new = text(vm, args.at(vm, 1))?;
    if old.len() == 0 {
        return None;
    }
    let found = all_occurrences(&whole, &old);
    let kept = whole.len() - found.len() * old.len();
    let length = found.len().checked_mul(new.len())?.checked_add(kept)?;
    let is_narrow = whole.narrow().is_some() && new.narrow().is_some();
    if !vm.has_room_for(room_for_text(length, is_narrow)) {
        return None;
    }
    let whole = text(vm, args.receiver(vm))?;
    let new = text(vm, args.at(vm, 1))?;
    let replaced = match (whole.narrow(), new.narrow()) {
        (Some(whole), Some(new)) => Letters::Narrow(replaced(whole, &found, new, length)),
        _ => Letters::Codes(replaced(&whole.to_codes(), &found, &new.to_codes(), length)),
    };
    replaced.make(vm)
}

fn replaced<T: Letter>(whole: &[T], found: &[Range<usize>], new: &[T], length: usize) -> Vec<T> {
    let mut answer = Vec::with_capacity(length);
    for kept in between(found, whole.len()) {
        if kept.start > 0 {
            answer.extend_from_slice(new);
        }
        answer.extend_from_slice(whole.get(kept).unwrap_or(&[]));
    }
    answer
}

/// The ranges in front of, between and behind the found ones, empty ones included.
fn between(found: &[Range<usize>], length: usize) -> Vec<Range<usize>> {
    let starts = std::iter::once(0).chain(found.iter().map(|range| range.end));
    let ends = found.iter().map(|range| range.start).chain([length]);
    starts.zip(ends).map(|(start, end)| start..end).collect()
}

fn trim(vm: &mut Vm, args: Args, left: bool, right: bool) -> Option<Value> {
    let whole = text(vm, args.receiver(vm))?;
    let is_blank = |index: usize| whole.code(index).is_some_and(is_separator);
    let (mut start, mut end) = (0, whole.len());
    while left && start < end && is_blank(start) {
        start += 1;
    }
    while right && start < end && is_blank(end - 1) {
        end -= 1;
    }
    whole.part(start..end).make(vm)
}

/// New Strings for the ranges of the receiver's text.
fn make_parts(vm: &mut Vm, args: Args, ranges: Vec<Range<usize>>) -> Option<Value> {
    if !vm.has_room_for(Contents::Slots(ranges.len())) {
        return None;
    }
    let whole = text(vm, args.receiver(vm))?;
    let pieces: Vec<Letters> = ranges.into_iter().map(|range| whole.part(range)).collect();
    make_strings(vm, &pieces)
}

fn substrings(vm: &mut Vm, args: Args) -> Option<Value> {
    let (whole, separators) = two_texts(vm, args)?;
    let separators = separators.to_codes();
    let found: Vec<Range<usize>> = (whole.codes().enumerate())
        .filter(|(_, code)| separators.contains(code))
        .map(|(index, _)| index..index + 1)
        .collect();
    let mut ranges = between(&found, whole.len());
    ranges.retain(|range| !range.is_empty());
    make_parts(vm, args, ranges)
}

fn split_on(vm: &mut Vm, args: Args) -> Option<Value> {
    let (whole, separator) = two_texts(vm, args)?;
    if separator.len() == 0 {
        return None;
    }
    let ranges = between(&all_occurrences(&whole, &separator), whole.len());
    make_parts(vm, args, ranges)
}

fn lines(vm: &mut Vm, args: Args) -> Option<Value> {
    const LF: Option<u32> = Some(10);
    const CR: Option<u32> = Some(13);
    let whole = text(vm, args.receiver(vm))?;
    let mut ranges = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < whole.len() {
        let code = whole.code(at);
        if code == LF || code == CR {
            ranges.push(start..at);
            at += usize::from(code == CR && whole.code(at + 1) == LF);
            start = at + 1;
        }
        at += 1;
    }
    if start < whole.len() {
        ranges.push(start..whole.len());
    }
    make_parts(vm, args, ranges)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{machine, run};
    use super::*;

    fn strings(vm: &mut Vm, name: &str, texts: &[&str]) -> Option<Vec<String>> {
        let values: Vec<Value> = texts.iter().map(|t| vm.make_string(t)).collect();
        let answer = run(vm, name, &values)?;
        if let Some(one) = vm.text_of(answer) {
            return Some(vec![one]);
        }
        let elements = vm.heap.slots(answer).to_vec();
        Some(
            elements
                .iter()
                .filter_map(|&element| vm.text_of(element))
                .collect(),
        )
    }

    fn check(name: &str, texts: &[&str], expected: &[&str]) {
        let mut vm = machine();
        let found = strings(&mut vm, name, texts).expect(name);
        assert_eq!(found, expected, "{name} {texts:?}");
    }

    #[test]
    fn strings_come_apart() {
        check("stringSubstrings", &[" a  bc ", " "], &["a", "bc"]);
        check(
            "stringSubstrings",
            &["a-b+\u{400}", "+-"],
            &["a", "b", "\u{400}"],
        );
        check("stringSubstrings", &["", " "], &[]);
        check("stringSplitOn", &["a,,b,", ","], &["a", "", "b", ""]);
        check("stringSplitOn", &["", ","], &[""]);
        check("stringSplitOn", &["a::b", "::"], &["a", "b"]);
        check(
            "stringLines",
            &["a\r\nb\n\nc\rd\n"],
            &["a", "b", "", "c", "d"],
        );
        check("stringLines", &[""], &[]);
        check("stringLines", &["\n"], &[""]);
    }

    #[test]
    fn occurrences_are_replaced() {
        check("stringReplaceAll", &["banana", "an", "AN"], &["bANANa"]);
        check("stringReplaceAll", &["aaa", "aa", "b"], &["ba"]);
        check(
            "stringReplaceAll",
            &["aa", "a", "\u{400}"],
            &["\u{400}\u{400}"],
        );
        check("stringReplaceAll", &["aa", "a", ""], &[""]);
        check("stringReplaceAll", &["aXa", "a", "b"], &["bXb"]);
        check("stringReplaceAll", &["abab", "ab", ""], &[""]);
        let mut vm = machine();
        assert_eq!(strings(&mut vm, "stringReplaceAll", &["a", "", "b"]), None);
    }

    #[test]
    fn blanks_are_trimmed() {
        check("stringTrimBoth", &[" \t a b\n"], &["a b"]);
        check("stringTrimLeft", &["  a "], &["a "]);
        check("stringTrimRight", &["  a "], &["  a"]);
        check("stringTrimBoth", &["  "], &[""]);
    }

    #[test]
    fn parts_are_found_from_the_start_on() {
        let mut vm = machine();
        for (whole, part, start, expected) in [
            ("banana", "an", 1, 2),
            ("banana", "an", 3, 4),
            ("banana", "an", 5, 0),
            ("banana", "an", 100, 0),
            ("banana", "", 1, 0),
            ("a", "ab", 1, 0),
            ("\u{400}ab", "b", 1, 3),
        ] {
            let args = [
                vm.make_string(whole),
                vm.make_string(part),
                Value::int(start),
            ];
            assert_eq!(
                run(&mut vm, "stringFindString", &args),
                Some(Value::int(expected))
            );
        }
        let string = vm.make_string("abcabc");
        for (start, expected) in [(1, 2), (3, 5), (6, 0), (Value::MAX_INT, 0)] {
            let args = [string, Value::character(98), Value::int(start)];
            assert_eq!(
                run(&mut vm, "stringIndexOf", &args),
                Some(Value::int(expected))
            );
        }
        let args = [string, Value::character(98), Value::int(0)];
        assert_eq!(run(&mut vm, "stringIndexOf", &args), None);
    }
}
