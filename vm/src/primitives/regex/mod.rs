//! Primitives of regular expressions. The room `regex` finds matches. Positions are characters, not bytes. The
//! library keeps the state of matchers and uses the matches.

mod subject;

use std::ops::Range;
use std::sync::Arc;

use self::subject::{Subject, prepare};
use super::text::text;
use super::{Answer, Primitive, rows};
use crate::base::Value;
use crate::counting::Work;
use crate::heap::Contents;
use crate::machine::Vm;
use crate::regex::{Groups, LONGEST, Mode, OutOfSteps, Regex, SyntaxError};
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
         needs too many steps.", REGEX_SEARCH;
}

/// Steps that a search for one match may take, beside those of a search without a step back.
const MOST_STEPS: u64 = 10_000_000;

/// Expressions that a machine keeps compiled.
const MOST_KEPT: usize = 16;

fn compile(vm: &mut Vm, args: Args) -> Option<Value> {
    let source = source(vm, args, 0)?;
    match compiled(vm, source, args.at(vm, 1).as_bool()?) {
        Ok(compiled) => Value::try_int(i64::try_from(compiled.regex.groups).ok()?),
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

fn compiled(vm: &mut Vm, source: String, ignores_case: bool) -> Result<Arc<Compiled>, SyntaxError> {
    let is_it = |kept: &Arc<Compiled>| kept.ignores_case == ignores_case && kept.source == source;
    let kept = &mut vm.world.regexes.compiled;
    let compiled = match kept.iter().position(is_it) {
        Some(index) => kept.remove(index),
        None => Arc::new(Compiled {
            regex: Regex::new(&source, ignores_case)?,
            source,
            ignores_case,
        }),
    };
    kept.truncate(MOST_KEPT - 1);
    kept.insert(0, Arc::clone(&compiled));
    Ok(compiled)
}

fn matches(vm: &mut Vm, args: Args) -> Option<Value> {
    let mode = args
        .at(vm, 4)
        .as_symbol()
        .map(|id| vm.symbol_text(id).to_string())?;
    let (mode, most) = match mode.as_str() {
        "search" => (Mode::Search, 256),
        "prefix" => (Mode::Prefix, 1),
        "whole" => (Mode::Whole, 1),
        _ => return None,
    };
    let start = usize::try_from(args.at(vm, 3).as_int()?).ok()?;
    let count = usize::try_from(args.at(vm, 5).as_int()?)
        .ok()
        .filter(|n| (1..=256).contains(n))?;
    let source = source(vm, args, 0)?;
    let ignores_case = args.at(vm, 1).as_bool()?;
    let compiled = compiled(vm, source, ignores_case).ok()?;
    let size = text(vm, args.at(vm, 2))?.len();
    // A search takes UTF-8; its positions are translated back.
    if start > size || !vm.has_room_for(Contents::Bytes(size.checked_mul(12)?)) {
        return None;
    }
    prepare(vm, args.at(vm, 2))?;
    let affordable = vm.affordable(Work::RegexSteps);
    let allowed = Allowed {
        affordable,
        is_counted: vm.counts_fully() || vm.work_left().is_some(),
    };
    let text = text(vm, args.at(vm, 2))?;
    let subject = vm.world.regexes.prepared.as_ref()?.subject(&text);
    let mut search = Search::new(&compiled.regex, &subject, mode, allowed);
    let outcome = search.find(start, count.min(most));
    let (found, steps) = (search.found, search.steps);
    vm.world.regexes.steps = steps;
    match outcome {
        _ if steps > affordable => vm.refuse_work(),
        Ok(()) if vm.has_room_for(Contents::Slots(found.len())) => Some(vm.make_array(&found)),
        Ok(()) => None,
        Err(OutOfSteps) => {
            Some(vm.make_string("the regular expression needs too many steps on this text"))
        }
    }
}

/// What a search may take.
#[derive(Clone, Copy)]
struct Allowed {
    /// Steps that the limit on work still allows. A search that needs more ends early.
    affordable: u64,
    /// Whether steps are counted: they are charged, or there is a limit.
    is_counted: bool,
}

/// A search for some matches.
struct Search<'a> {
    regex: &'a Regex,
    subject: &'a Subject<'a>,
    mode: Mode,
    allowed: Allowed,
    steps: u64,
    /// The positions of groups, match by match.
    found: Vec<Value>,
}

impl<'a> Search<'a> {
    fn new(regex: &'a Regex, subject: &'a Subject<'a>, mode: Mode, allowed: Allowed) -> Self {
        Search {
            regex,
            subject,
            mode,
            allowed,
            steps: 0,
            found: Vec::new(),
        }
    }

    fn find(&mut self, start: usize, count: usize) -> Result<(), OutOfSteps> {
        let end = self.subject.bytes.len();
        let mut at = self.subject.byte_at(start);
        for _ in 0..count {
            let Some(groups) = self.find_from(at)? else {
                break;
            };
            self.push_positions(&groups);
            let Some(Some(range)) = groups.first() else {
                break;
            };
            // A match of no characters must not be found again.
            at = match range.is_empty() {
                true => self.subject.behind(range.end),
                false => range.end,
            };
            if at > end {
                break;
            }
        }
        Ok(())
    }

    /// The next match. Its steps are charged.
    fn find_from(&mut self, at: usize) -> Result<Option<Groups>, OutOfSteps> {
        let end = self.subject.bytes.len();
        let Some(each) = self.regex.steps_a_character() else {
            let most = MOST_STEPS.saturating_add(self.regex.steps_ahead(end - at));
            let left = self.allowed.affordable.saturating_sub(self.steps);
            // One more than is affordable shows that the limit is passed.
            let most = most.min(left.saturating_add(1));
            let (found, steps) = self
                .regex
                .find(self.subject.bytes, at..end, self.mode, most);
            self.steps += steps;
            return found;
        };
        if !self.allowed.is_counted {
            return self.regex.find(self.subject.bytes, at..end, self.mode, 0).0;
        }
        let near = self.affordable_end(at, each);
        // One more than is affordable shows that the limit is passed.
        let most = (near - at).saturating_add(1);
        let looked_at = self.regex.looks_to(self.subject.bytes, at, most, self.mode);
        if near < end && looked_at.is_none_or(|place| place > near) {
            self.steps = self.allowed.affordable.saturating_add(1);
            return Ok(None);
        }
        let looked_at = looked_at.unwrap_or(end);
        // Behind what decides on the match there is nothing to look at.
        let (found, _) = self
            .regex
            .find(self.subject.bytes, at..looked_at, self.mode, 0);
        let steps = self.characters(at..looked_at).saturating_mul(each);
        self.steps = self.steps.saturating_add(steps);
        found
    }

    /// The end of what may be looked at from a byte on, if each character takes that many steps.
    fn affordable_end(&self, at: usize, each: u64) -> usize {
        let left = self.allowed.affordable.saturating_sub(self.steps) / each.max(1);
        match usize::try_from(left) {
            Ok(left) if left < self.subject.bytes.len() - at => {
                let position = self.subject.position_of(at);
                self.subject.byte_at(position.saturating_add(left))
            }
            _ => self.subject.bytes.len(),
        }
    }

    fn characters(&self, range: Range<usize>) -> u64 {
        let (start, end) = (range.start, range.end);
        (self.subject.position_of(end) - self.subject.position_of(start)) as u64
    }

    fn push_positions(&mut self, groups: &Groups) {
        for group in groups {
            let position = |byte: Option<usize>| {
                let position = byte.map(|byte| self.subject.position_of(byte));
                let position = position.and_then(|position| i64::try_from(position).ok());
                position.and_then(Value::try_int).unwrap_or(Value::NIL)
            };
            let start = position(group.as_ref().map(|range| range.start));
            let end = position(group.as_ref().map(|range| range.end));
            self.found.extend([start, end]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{machine, run};
    use super::super::text::Text;
    use super::*;
    use crate::world::Prepared;

    fn allowed(affordable: u64) -> Allowed {
        Allowed {
            affordable,
            is_counted: true,
        }
    }

    proptest! {
        /// Matches at the beginning, whole matches and all matches are consistent.
        #[test]
        fn modes_are_consistent(
            source in r"([()|*+?{}\[\]^$.:,0-3abwWsSdDB<>\\\-é!=]|\\[wWsSdDbB<>n]|\(\?[:=!]|\(\?<[=!]|\[:alpha:\]|:isDigit:){0,24}",
            characters in "[ab01 é日\r\n-]{0,24}",
            ignores_case: bool,
        ) {
            let Ok(regex) = Regex::new(&source, ignores_case) else {
                return Ok(());
            };
            let codes: Vec<u8> = characters.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
            let text = Text::Wide(&codes);
            let prepared = Prepared::new(&text);
            let subject = prepared.subject(&text);
            let find = |mode, start, count| {
                let mut search = Search::new(&regex, &subject, mode, allowed(u64::MAX));
                search.find(start, count).ok().map(|()| search.found)
            };
            // What is looked at for the charge changes no match.
            for mode in [Mode::Search, Mode::Prefix, Mode::Whole] {
                for start in 0..=text.len() {
                    let free = Allowed { is_counted: false, ..allowed(u64::MAX) };
                    let mut uncharged = Search::new(&regex, &subject, mode, free);
                    let found = uncharged.find(start, 256).ok().map(|()| uncharged.found);
                    prop_assert_eq!(found, find(mode, start, 256));
                }
            }
            for start in 0..=text.len() {
                let whole = find(Mode::Whole, start, 1);
                let prefix = find(Mode::Prefix, start, 1);
                let all = find(Mode::Search, start, 256);
                if let (Some(whole), Some(prefix), Some(all)) = (whole, prefix, all) {
                    // A whole match is also a match at the beginning, and the search finds that first.
                    prop_assert!(whole.is_empty() || !prefix.is_empty());
                    prop_assert!(prefix.is_empty() || all.starts_with(&prefix));
                    prop_assert_eq!(all.len() % (2 * regex.groups), 0);
                }
            }
        }

        /// A search that may take fewer steps finds the same, or passes what it may take.
        #[test]
        fn limits_change_no_match(
            source in r"([ab.|*+?]|\([ab]|\)|\(\?=){0,8}",
            characters in "[abé日]{0,24}",
            affordable in 0_u64..200,
        ) {
            let Ok(regex) = Regex::new(&source, false) else {
                return Ok(());
            };
            let codes: Vec<u8> = characters.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
            let text = Text::Wide(&codes);
            let prepared = Prepared::new(&text);
            let subject = prepared.subject(&text);
            let mut free = Search::new(&regex, &subject, Mode::Search, allowed(u64::MAX));
            prop_assert!(free.find(0, 256).is_ok());
            let mut limited = Search::new(&regex, &subject, Mode::Search, allowed(affordable));
            let outcome = limited.find(0, 256);
            prop_assert_eq!(limited.steps > affordable, free.steps > affordable);
            if free.steps <= affordable {
                prop_assert!(outcome.is_ok());
                prop_assert_eq!((limited.steps, limited.found), (free.steps, free.found));
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
