//! Primitives that find parts of strings, replace them, and split strings. Each algorithm is written once, for bytes
//! and for code points.

use std::ops::Range;

use super::character::is_separator;
use super::text::{
    CharacterSet, Letter, Letters, Text, make_parts, position, put_narrow, room_for_text, text,
    two_texts,
};
use super::{Answer, Primitive, rows};
use crate::base::{Known, Value};
use crate::counting::Work;
use crate::heap::Contents;
use crate::machine::Vm;
use crate::run::Args;

rows! {
    "stringIndexOf"(2) open leaf => index_of,
        "A string, a Character, a start index from 1 on: the first index from there on, or 0.", FIND_ONE;
    "stringIndexOfAny"(2) open leaf => |vm, args| index_of_any(vm, args, true),
        "Two strings, a start index from 1 on: the first index from there on of a character that \
         is in the argument, or 0.", FIND_ANY;
    "stringIndexOfOther"(2) open leaf => |vm, args| index_of_any(vm, args, false),
        "Two strings, a start index from 1 on: the first index from there on of a character that \
         is not in the argument, or 0.", FIND_ANY;
    "stringOccurrencesOf"(1) open leaf => occurrences_of,
        "A string and a Character: how often it occurs.", COUNT_ONE;
    "stringFindString"(2) open leaf => find_string,
        "Two strings and a start index from 1 on: where the argument first occurs from there \
         on, or 0; 0 if it is empty.", FIND_STRING;
    "stringReplaceAll"(2) open allocates => replace_all,
        "Three strings, the second not empty: a String with its occurrences replaced by the \
         third.", REPLACE_ALL;
    "stringOccurrencesOfString"(1) open leaf => occurrences,
        "Two strings, the argument not empty: how often it occurs without overlapping.", FIND_ALL;
    "stringTrimBoth"(0) open allocates => |vm, args| trim(vm, args, true, true),
        "Any string: a String without separators at both ends.", TRIM;
    "stringTrimLeft"(0) open allocates => |vm, args| trim(vm, args, true, false),
        "Any string: a String without separators in front.", TRIM;
    "stringTrimRight"(0) open allocates => |vm, args| trim(vm, args, false, true),
        "Any string: a String without separators at the end.", TRIM;
    "stringSubstrings"(1) open allocates => substrings,
        "Two strings: an Array of the Strings, none empty, between any of the argument's \
         characters.", SPLIT;
    "stringSplitOn"(1) open allocates => split_on,
        "Two strings, the argument not empty: an Array of the Strings between its occurrences.", SPLIT_ON;
    "stringJoin"(1) open allocates => join,
        "A string and an Array of strings: a String of these with the receiver between them.", JOIN;
    "stringLines"(0) open allocates => lines, "Any string: an Array of its lines, ended by CR, LF or both.", SPLIT;
}

/// The ranges of all occurrences of `part` that do not overlap.
fn find_all<T: Letter>(whole: &[T], part: &[T]) -> Vec<Range<usize>> {
    let found = T::find_all(whole, part);
    found.map(|at| at..at + part.len()).collect()
}

/// The results of [`find_all`], for all widths.
pub(super) fn all_occurrences(whole: &Text<'_>, part: &Text<'_>) -> Vec<Range<usize>> {
    match (whole.narrow(), part.narrow()) {
        (Some(whole), Some(part)) => find_all(whole, part),
        _ => find_all(&whole.to_codes(), &part.to_codes()),
    }
}

fn index_value(position: Option<usize>) -> Option<Value> {
    let index = position.map_or(0, |position| position + 1);
    Value::try_int(i64::try_from(index).ok()?)
}

/// A range of a text, as far as the limit on work allows to look.
struct Near {
    range: Range<usize>,
    /// Whether that is all of the text from the start on.
    is_all: bool,
}

impl Near {
    fn new(vm: &Vm, work: Work, start: usize, end: usize) -> Near {
        let near = start.saturating_add(vm.affordable_length(work)).min(end);
        Near {
            range: start..near.max(start),
            is_all: near == end || start >= end,
        }
    }

    /// The index of a hit at this distance. Without one, the search would go on behind the range.
    fn index(&self, vm: &mut Vm, distance: Option<usize>) -> Option<Value> {
        match distance {
            None if !self.is_all => vm.refuse_work(),
            _ => index_value(distance.map(|distance| self.range.start + distance)),
        }
    }
}

fn index_of(vm: &mut Vm, args: Args) -> Option<Value> {
    let code = args.at(vm, 0).as_character()?;
    let start = position(vm, args, 1)?;
    let whole = text(vm, args.receiver(vm))?;
    let near = Near::new(vm, Work::Compared, start, whole.len());
    let mut indices = near.range.clone();
    let found = match (whole.narrow(), u8::try_from(code)) {
        (Some(bytes), Ok(byte)) => bytes.get(indices).and_then(|part| u8::find(part, byte)),
        (Some(_), Err(_)) => None,
        _ => indices.position(|index| whole.code(index) == Some(code)),
    };
    near.index(vm, found)
}

/// The first index of a character that is in the first argument, or that is not.
fn index_of_any(vm: &mut Vm, args: Args, is_inside: bool) -> Option<Value> {
    let start = position(vm, args, 1)?;
    let (whole, characters) = two_texts(vm, args)?;
    let set = CharacterSet::of(&characters);
    let near = Near::new(vm, Work::Scanned, start, whole.len());
    let indices = near.range.clone();
    let found = match whole.narrow() {
        Some(bytes) => bytes
            .get(indices)
            .and_then(|part| part.iter().position(|&b| set.has_byte(b) == is_inside)),
        None => indices
            .filter_map(|index| whole.code(index))
            .position(|code| set.has(code) == is_inside),
    };
    near.index(vm, found)
}

fn occurrences_of(vm: &mut Vm, args: Args) -> Option<Value> {
    let code = args.at(vm, 0).as_character()?;
    let whole = text(vm, args.receiver(vm))?;
    let count = match (whole.narrow(), u8::try_from(code)) {
        (Some(bytes), Ok(byte)) => count(bytes, byte),
        (Some(_), Err(_)) => 0,
        _ => whole.codes().filter(|&other| other == code).count(),
    };
    Value::try_int(i64::try_from(count).ok()?)
}

/// The number of bytes equal to this one. It counts in parts whose count fits into a byte, so that many bytes are
/// compared at once.
fn count(bytes: &[u8], byte: u8) -> usize {
    let part = |part: &[u8]| part.iter().map(|&b| u8::from(b == byte)).sum::<u8>();
    bytes
        .chunks(255)
        .map(|chunk| usize::from(part(chunk)))
        .sum()
}

fn find_string(vm: &mut Vm, args: Args) -> Option<Value> {
    let start = position(vm, args, 1)?;
    let (whole, part) = two_texts(vm, args)?;
    let near = Near::new(vm, Work::Searched, start, whole.len());
    let indices = near.range.clone();
    let found = match (whole.narrow(), part.narrow()) {
        (Some(whole), Some(part)) => find(whole.get(indices).unwrap_or(&[]), part),
        _ => {
            let codes: Vec<u32> = indices.filter_map(|index| whole.code(index)).collect();
            find(&codes, &part.to_codes())
        }
    };
    near.index(vm, found)
}

/// The position of the first occurrence of a part; an empty one occurs nowhere.
fn find<T: Letter>(whole: &[T], part: &[T]) -> Option<usize> {
    let first = || T::find_all(whole, part).next();
    if part.is_empty() { None } else { first() }
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
    let is_affordable = vm.can_afford(Work::Moved, length as u64)
        && vm.can_afford(Work::Elements, found.len() as u64);
    if !is_affordable || !vm.has_room_for(room_for_text(length, is_narrow)) {
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
    let near = vm.affordable_length(Work::Scanned);
    while left && start < end && start <= near && is_blank(start) {
        start += 1;
    }
    while right && start < end && whole.len() - end <= near && is_blank(end - 1) {
        end -= 1;
    }
    if start > near || whole.len() - end > near {
        return vm.refuse_work();
    }
    whole.part(start..end).make(vm)
}

fn substrings(vm: &mut Vm, args: Args) -> Option<Value> {
    let (whole, separators) = two_texts(vm, args)?;
    let separators = CharacterSet::of(&separators);
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut end_at = |index: usize| {
        if start < index {
            ranges.push(start..index);
        }
        start = index + 1;
    };
    match whole.narrow() {
        Some(bytes) => (bytes.iter().enumerate())
            .filter(|&(_, &byte)| separators.has_byte(byte))
            .for_each(|(index, _)| end_at(index)),
        None => (whole.codes().enumerate())
            .filter(|&(_, code)| separators.has(code))
            .for_each(|(index, _)| end_at(index)),
    }
    end_at(whole.len());
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
    let whole = text(vm, args.receiver(vm))?;
    let ranges = match whole.narrow() {
        Some(bytes) => line_ranges(bytes),
        None => line_ranges(&whole.to_codes()),
    };
    make_parts(vm, args, ranges)
}

fn line_ranges<T: Letter>(whole: &[T]) -> Vec<Range<usize>> {
    let code = |index: usize| whole.get(index).map(|&letter| letter.into());
    let mut ranges = Vec::new();
    let mut start = 0;
    while let Some(rest) = whole.get(start..).filter(|rest| !rest.is_empty()) {
        let Some(length) = T::find_line_end(rest) else {
            ranges.push(start..whole.len());
            break;
        };
        let end = start + length;
        ranges.push(start..end);
        let is_both = code(end) == Some(13) && code(end + 1) == Some(10);
        start = end + 1 + usize::from(is_both);
    }
    ranges
}

// --- putting together --------------------------------------------------------------------------

fn join(vm: &mut Vm, args: Args) -> Option<Value> {
    let (separator, list) = (args.receiver(vm), args.at(vm, 0));
    if !list.is_object() || !vm.is_a(list, Known::Array) {
        return None;
    }
    let between = text(vm, separator)?;
    let mut is_narrow = between.narrow().is_some();
    let gaps = vm.heap.slots(list).len().saturating_sub(1);
    let mut length = between.len().checked_mul(gaps)?;
    for &part in vm.heap.slots(list) {
        let part = text(vm, part)?;
        is_narrow &= part.narrow().is_some();
        length = length.checked_add(part.len())?;
    }
    if !vm.can_afford(Work::Moved, length as u64) {
        return None;
    }
    if is_narrow {
        return join_narrow(vm, args, length);
    }
    if !vm.has_room_for(room_for_text(length, false)) {
        return None;
    }
    let between = text(vm, args.receiver(vm))?.to_codes();
    let mut codes = Vec::with_capacity(length);
    for (index, &part) in vm.heap.slots(args.at(vm, 0)).iter().enumerate() {
        if index > 0 {
            codes.extend_from_slice(&between);
        }
        codes.extend(text(vm, part)?.codes());
    }
    Letters::Codes(codes).make(vm)
}

/// Joins narrow texts without the detour by [`Letters`].
fn join_narrow(vm: &mut Vm, args: Args, length: usize) -> Option<Value> {
    let contents = Contents::Bytes(length);
    let joined = vm
        .has_room_for(contents)
        .then(|| vm.make(Known::String.into(), contents))?;
    let (separator, list) = (args.receiver(vm), args.at(vm, 0));
    let mut at = 0;
    for index in 0..vm.heap.slots(list).len() {
        if index > 0 {
            at += put_narrow(vm, separator, joined, at)?;
        }
        let part = *vm.heap.slots(list).get(index)?;
        at += put_narrow(vm, part, joined, at)?;
    }
    Some(joined)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    /// All texts of two letters up to a length.
    fn texts_up_to(length: usize) -> Vec<Vec<u8>> {
        let texts = (0..=length).flat_map(|n| (0..1_u32 << n).map(move |bits| (n, bits)));
        texts
            .map(|(n, bits)| {
                (0..n)
                    .map(|at| b'a' + u8::from(bits >> at & 1 == 1))
                    .collect()
            })
            .collect()
    }

    #[test]
    fn narrow_and_wide_texts_are_searched_alike() {
        for part in texts_up_to(4).iter().filter(|part| !part.is_empty()) {
            for whole in texts_up_to(8) {
                let mut expected = Vec::new();
                let mut at = 0;
                while at + part.len() <= whole.len() {
                    let is_there = whole[at..].starts_with(part);
                    expected.extend(is_there.then_some(at));
                    at += if is_there { part.len() } else { 1 };
                }
                let codes = |text: &[u8]| -> Vec<u32> { text.iter().map(|&b| b.into()).collect() };
                let narrow: Vec<usize> = u8::find_all(&whole, part).collect();
                let wide: Vec<usize> = u32::find_all(&codes(&whole), &codes(part)).collect();
                assert_eq!(
                    (&narrow, &wide),
                    (&expected, &expected),
                    "{part:?} in {whole:?}"
                );
            }
        }
    }

    #[test]
    fn blanks_are_trimmed() {
        check("stringTrimBoth", &[" \t a b\n"], &["a b"]);
        check("stringTrimLeft", &["  a "], &["a "]);
        check("stringTrimRight", &["  a "], &["  a"]);
        check("stringTrimBoth", &["  "], &[""]);
    }

    proptest! {
        /// Both widths find what a comparison at each place finds.
        #[test]
        fn the_first_occurrence_is_found(whole in "[ab]{0,40}", part in "[ab]{1,6}") {
            let expected = whole.find(&part);
            prop_assert_eq!(u8::find_all(whole.as_bytes(), part.as_bytes()).next(), expected);
            let codes = |text: &str| text.chars().map(u32::from).collect::<Vec<u32>>();
            prop_assert_eq!(u32::find_all(&codes(&whole), &codes(&part)).next(), expected);
        }
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
