//! Primitives of regular expressions. The engine is a crate. It takes linear time in the text unless an expression
//! looks around itself; then the engine counts its steps. Positions are characters, not bytes. The library keeps the
//! state of matchers and uses the matches.

mod dialect;
mod subject;

use std::sync::Arc;

use fancy_regex::{Captures, Regex, RegexBuilder, RegexInput};

use self::subject::{Subject, prepare};
use super::text::text;
use super::{Answer, Primitive, rows};
use crate::base::Value;
use crate::heap::Contents;
use crate::machine::Vm;
use crate::run::Args;
use crate::world::Compiled;

rows! {
    "regexCompile"(2) library allocates => compile,
        "A string and a Boolean, whether case is ignored: the number of groups, the whole among \
         them, of the regular expression; an Array of a message and a position when it is none.";
    "regexMatches"(6) library allocates => matches,
        "A regular expression as for regexCompile, a Boolean, a string, a position in it from 0 \
         on, one of the Symbols search, prefix and whole, and a count from 1 to 256. The answer is \
         an Array of at most that many matches from the position on. A match has the positions where its groups \
         begin and end, nil for a group that took no part. The answer is a String instead if the search \
         needs too many steps.";
}

/// Bytes that the engine may take for an expression, about.
const MOST_BYTES: usize = 4 << 20;

/// Instructions of an expression that looks around itself.
const MOST_INSTRUCTIONS: usize = 100_000;

/// Steps back that such an expression may take.
const MOST_STEPS: usize = 1_000_000;

/// Expressions that a machine keeps compiled.
const MOST_KEPT: usize = 16;

/// The longest expression, in characters.
const LONGEST: usize = 10_000;

fn compile(vm: &mut Vm, args: Args) -> Option<Value> {
    let source = source(vm, args, 0)?;
    match compiled(vm, source, args.at(vm, 1).as_bool()?) {
        Ok(regex) => Value::try_int(i64::try_from(regex.groups + 1).ok()?),
        Err(error) => {
            let message = vm.make_string(&error.message);
            vm.run.handles.push(message);
            let array =
                vm.make_array(&[Value::NIL, Value::int(i64::try_from(error.position).ok()?)]);
            let message = vm.run.handles.pop()?;
            vm.heap.set_slot(array, 0, message);
            Some(array)
        }
    }
}

/// The regular expression that an argument is.
fn source(vm: &Vm, args: Args, argument: usize) -> Option<String> {
    let source = text(vm, args.at(vm, argument))?;
    Some(match source.len() > LONGEST {
        // Long enough to be refused.
        true => "a".repeat(LONGEST + 1),
        false => source.to_text(),
    })
}

fn compiled(
    vm: &mut Vm,
    source: String,
    ignores_case: bool,
) -> Result<Arc<Compiled>, dialect::SyntaxError> {
    let is_it = |kept: &Arc<Compiled>| kept.ignores_case == ignores_case && kept.source == source;
    let kept = &mut vm.world.regexes.compiled;
    let regex = match kept.iter().position(is_it) {
        Some(index) => kept.remove(index),
        None => Arc::new(Compiled::new(source, ignores_case)?),
    };
    kept.truncate(MOST_KEPT - 1);
    kept.insert(0, Arc::clone(&regex));
    Ok(regex)
}

impl Compiled {
    fn new(source: String, ignores_case: bool) -> Result<Compiled, dialect::SyntaxError> {
        let refused = |message: &str| dialect::SyntaxError {
            message: message.to_string(),
            position: 1,
        };
        if source.chars().count() > LONGEST {
            return Err(refused("the regular expression is too long"));
        }
        let translated = dialect::translate(&source)?;
        let build = |pattern: &str| {
            RegexBuilder::new(pattern)
                .case_insensitive(ignores_case)
                .multi_line(true)
                .crlf(true)
                .backtrack_limit(MOST_STEPS)
                .delegate_size_limit(MOST_BYTES)
                .delegate_dfa_size_limit(MOST_BYTES)
                .max_prog_size(MOST_INSTRUCTIONS)
                .build()
                .map_err(|_| refused("the regular expression is too complex"))
        };
        Ok(Compiled {
            part: build(&translated.pattern)?,
            whole: build(&format!("(?:{})\\z", translated.pattern))?,
            source,
            ignores_case,
            groups: translated.groups,
        })
    }
}

fn matches(vm: &mut Vm, args: Args) -> Option<Value> {
    let mode = args
        .at(vm, 4)
        .as_symbol()
        .map(|id| vm.symbol_text(id).to_string())?;
    let start = usize::try_from(args.at(vm, 3).as_int()?).ok()?;
    let limit = usize::try_from(args.at(vm, 5).as_int()?)
        .ok()
        .filter(|n| (1..=256).contains(n))?;
    let source = source(vm, args, 0)?;
    let ignores_case = args.at(vm, 1).as_bool()?;
    let regex = compiled(vm, source, ignores_case).ok()?;
    let size = text(vm, args.at(vm, 2))?.len();
    // The engine takes UTF-8; its positions are translated back.
    if start > size || !vm.has_room_for(Contents::Bytes(size.checked_mul(12)?)) {
        return None;
    }
    prepare(vm, args.at(vm, 2))?;
    let text = text(vm, args.at(vm, 2))?;
    let subject = vm.world.regexes.prepared.as_ref()?.subject(&text);
    let found = match mode.as_str() {
        "search" => find(&regex.part, &subject, start, false, limit),
        "prefix" => find(&regex.part, &subject, start, true, 1),
        "whole" => find(&regex.whole, &subject, start, true, 1),
        _ => return None,
    };
    match found {
        Some(positions) if vm.has_room_for(Contents::Slots(positions.len())) => {
            Some(vm.make_array(&positions))
        }
        Some(_) => None,
        None => Some(vm.make_string("the regular expression needs too many steps on this text")),
    }
}

/// The positions of a match's groups, match by match; `None` when there were too many steps.
fn find(
    regex: &Regex,
    subject: &Subject<'_>,
    start: usize,
    anchored: bool,
    limit: usize,
) -> Option<Vec<Value>> {
    let mut found = Vec::new();
    let mut at = subject.byte_at(start);
    for _ in 0..limit {
        let input = RegexInput::new(subject.bytes)
            .from_pos(at)
            .anchored(anchored);
        let Some(captures) = regex.captures_input(input).ok()? else {
            break;
        };
        push_positions(subject, &captures, &mut found);
        let Some(range) = captures.get(0).map(|whole| whole.range()) else {
            break;
        };
        // A match of no characters must not be found again.
        at = match range.is_empty() {
            true => subject.behind(range.end),
            false => range.end,
        };
        if at > subject.bytes.len() {
            break;
        }
    }
    Some(found)
}

fn push_positions(subject: &Subject<'_>, captures: &Captures<'_, [u8]>, found: &mut Vec<Value>) {
    for group in 0..captures.len() {
        let range = captures.get(group).map(|group| group.range());
        let position = |byte: Option<usize>| {
            let position = byte.and_then(|byte| i64::try_from(subject.position_of(byte)).ok());
            position.and_then(Value::try_int).unwrap_or(Value::NIL)
        };
        found.push(position(range.as_ref().map(|range| range.start)));
        found.push(position(range.as_ref().map(|range| range.end)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{machine, run};
    use super::super::text::Text;
    use super::*;
    use crate::world::Prepared;

    proptest! {
        /// The engine accepts or refuses every expression that the dialect lets through. The same holds for texts.
        #[test]
        fn no_expression_makes_the_engine_panic(
            source in r"([()|*+?{}\[\]^$.:,0-3abwWsSdDB<>\\\-é!=]|\\[wWsSdDbB<>n]|\(\?[:=!]|\(\?<[=!]|\[:alpha:\]|:isDigit:){0,24}",
            characters in "[ab01 é日\r\n-]{0,24}",
            ignores_case: bool,
        ) {
            let Ok(regex) = Compiled::new(source, ignores_case) else {
                return Ok(());
            };
            let codes: Vec<u8> = characters.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
            let text = Text::Wide(&codes);
            let prepared = Prepared::new(&text);
            let subject = prepared.subject(&text);
            for start in 0..=text.len() {
                // The engine takes bytes as it takes the same text.
                let at = subject.byte_at(start);
                let in_bytes = regex.part.captures_input(RegexInput::new(subject.bytes).from_pos(at));
                let in_text = regex.part.captures_input(RegexInput::new(characters.as_str()).from_pos(at));
                if let (Ok(in_bytes), Ok(in_text)) = (in_bytes, in_text) {
                    let in_bytes = in_bytes.and_then(|found| found.get(0).map(|whole| whole.range()));
                    let in_text = in_text.and_then(|found| found.get(0).map(|whole| whole.range()));
                    prop_assert_eq!(in_bytes, in_text);
                }
                let whole = find(&regex.whole, &subject, start, true, 1);
                let prefix = find(&regex.part, &subject, start, true, 1);
                let all = find(&regex.part, &subject, start, false, 256);
                if let (Some(whole), Some(prefix), Some(all)) = (whole, prefix, all) {
                    // A whole match is also a match at the beginning, and the search finds that first.
                    prop_assert!(whole.is_empty() || !prefix.is_empty());
                    prop_assert!(prefix.is_empty() || all.starts_with(&prefix));
                    prop_assert_eq!(all.len() % (2 * (regex.groups + 1)), 0);
                }
            }
        }
    }

    /// The positions that are found, -1 for a group that took no part.
    fn positions(source: &str, subject: &str, mode: &str, limit: i64) -> Vec<i64> {
        let mut vm = machine();
        let args = [
            Value::NIL,
            vm.make_string(source),
            Value::FALSE,
            vm.make_string(subject),
            Value::int(0),
            vm.symbol(mode),
            Value::int(limit),
        ];
        let found = run(&mut vm, "regexMatches", &args).expect("an array");
        let slots = vm.heap.slots(found).to_vec();
        slots
            .iter()
            .map(|position| position.as_int().unwrap_or(-1))
            .collect()
    }

    #[test]
    fn positions_are_characters() {
        assert_eq!(positions("b+", "abba", "search", 1), [1, 3]);
        assert_eq!(positions("ü+", "äüüä", "search", 1), [1, 3]);
        assert_eq!(positions("日(x)?", "本日", "search", 1), [1, 2, -1, -1]);
        assert_eq!(
            positions("a*", "baac", "search", 256),
            [0, 0, 1, 3, 3, 3, 4, 4]
        );
        assert_eq!(positions("", "é", "search", 256), [0, 0, 1, 1]);
    }

    /// How many matches there are in a string that may be searched again.
    fn count(vm: &mut Vm, source: &str, subject: Value) -> usize {
        let args = [
            Value::NIL,
            vm.make_string(source),
            Value::FALSE,
            subject,
            Value::int(0),
            vm.symbol("search"),
            Value::int(256),
        ];
        let found = run(vm, "regexMatches", &args).expect("an array");
        vm.heap.slots(found).len() / 2
    }

    #[test]
    fn a_string_that_was_written_to_is_looked_at_again() {
        let mut vm = machine();
        let put = |vm: &mut Vm, string: Value, index: i64, code: u32| {
            let args = [string, Value::int(index), Value::character(code)];
            run(vm, "stringAtPut", &args).expect("the character");
        };
        for text in ["abab", "äbäb", "\u{65E5}b\u{65E5}b"] {
            let string = vm.make_string(text);
            let other = vm.make_string("bbb");
            assert_eq!(count(&mut vm, "b", string), 2);
            assert_eq!(count(&mut vm, "b", string), 2);
            put(&mut vm, string, 2, u32::from('x'));
            assert_eq!(count(&mut vm, "b", string), 1, "{text}");
            put(&mut vm, string, 1, u32::from('b'));
            put(&mut vm, string, 3, 0xE9);
            assert_eq!(count(&mut vm, "b", string), 2, "{text}");
            assert_eq!(count(&mut vm, "\u{E9}", string), 1, "{text}");
            // A different string comes in between, of the same size or not.
            assert_eq!(count(&mut vm, "b", other), 3);
            assert_eq!(count(&mut vm, "b", string), 2, "{text}");
            let symbol = vm.symbol("bxxb");
            assert_eq!(count(&mut vm, "b", symbol), 2);
            assert_eq!(count(&mut vm, "x", string), 1, "{text}");
        }
    }

    #[test]
    fn a_match_may_be_bound_to_the_ends() {
        assert_eq!(positions("a|ab", "ab", "prefix", 1), [0, 1]);
        assert_eq!(positions("a|ab", "ab", "whole", 1), [0, 2]);
        assert_eq!(positions("b", "ab", "prefix", 1), []);
        assert_eq!(positions("a", "ab", "whole", 1), []);
        assert_eq!(positions("^b$", "a\nb\r\nc", "search", 256), [2, 3]);
        assert_eq!(positions(r"\<b", "ab b", "search", 256), [3, 4]);
        assert_eq!(positions("a(?=b)", "aab", "search", 256), [1, 2]);
    }

    #[test]
    fn what_would_take_too_much_is_refused() {
        let mut vm = machine();
        for source in [
            "((a{1000}){1000}){1000}".to_string(),
            "a".repeat(20_000),
            r"\w{9999}".to_string(),
        ] {
            let args = [Value::NIL, vm.make_string(&source), Value::FALSE];
            let answer = run(&mut vm, "regexCompile", &args).expect("an answer");
            assert!(answer.as_int().is_none(), "{source:.20}");
        }
        let subject = "a".repeat(100);
        let args = [
            Value::NIL,
            vm.make_string("(?=(a+)+c)(a+)+b"),
            Value::FALSE,
            vm.make_string(&subject),
            Value::int(0),
            vm.symbol("search"),
            Value::int(1),
        ];
        assert!(run(&mut vm, "regexMatches", &args).is_some());
    }
}
