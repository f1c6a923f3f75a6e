//! Primitives of Strings that read single characters or compare whole strings. Searching is in `string_search`,
//! conversion in `string_convert`. Primitives of Symbols alone are in `symbol`.

use std::cmp::Ordering;

use super::text::{Text, position, put_character, text, two_texts};
use super::{Answer, Primitive, rows};
use crate::base::Value;
use crate::machine::Vm;
use crate::run::Args;

rows! {
    "stringSize"(0) open leaf => size, "Any string: the number of its characters.", ALWAYS_SIMPLE;
    "stringAt"(1) open leaf => at, "A string and an index in range: the Character.", ELEMENT;
    "stringAtPut"(2) open allocates => at_put,
        "A string that is no Symbol, an index in range, a Character: the Character. The string \
         becomes wide if need be.", ELEMENT;
    "stringEqual"(1) open leaf => equal,
        "A string and anything: whether it is a string of the same characters.", EQUALITY;
    "stringHash"(0) open leaf => hash, "Any string: from its characters alone.", STRING_HASH;
    "stringCompare"(1) open leaf => order, "Two strings: -1, 0 or 1 by code points.", ORDER;
    "stringLess"(1) open leaf => |vm, args| compare(vm, args, Ordering::is_lt),
        "Two strings, by code points.", ORDER;
    "stringLessEqual"(1) open leaf => |vm, args| compare(vm, args, Ordering::is_le),
        "Two strings, by code points.", ORDER;
    "stringGreater"(1) open leaf => |vm, args| compare(vm, args, Ordering::is_gt),
        "Two strings, by code points.", ORDER;
    "stringGreaterEqual"(1) open leaf => |vm, args| compare(vm, args, Ordering::is_ge),
        "Two strings, by code points.", ORDER;
    "stringStartsWith"(1) open leaf => starts_with,
        "Two strings: whether the receiver begins with the argument.", ORDER;
    "stringEndsWith"(1) open leaf => ends_with,
        "Two strings: whether the receiver ends with the argument.", ENDING;
}

fn size(vm: &mut Vm, args: Args) -> Option<Value> {
    let length = text(vm, args.receiver(vm))?.len();
    Some(Value::int(i64::try_from(length).ok()?))
}

fn at(vm: &mut Vm, args: Args) -> Option<Value> {
    let index = position(vm, args, 0)?;
    text(vm, args.receiver(vm))?
        .code(index)
        .map(Value::character)
}

fn at_put(vm: &mut Vm, args: Args) -> Option<Value> {
    let index = position(vm, args, 0)?;
    let character = args.at(vm, 1);
    put_character(vm, args, index, character.as_character()?)?;
    Some(character)
}

fn equal(vm: &mut Vm, args: Args) -> Option<Value> {
    let (receiver, argument) = (args.receiver(vm), args.at(vm, 0));
    if receiver == argument || (receiver.as_symbol().is_some() && argument.as_symbol().is_some()) {
        return Some(Value::bool(receiver == argument));
    }
    let receiver = text(vm, receiver)?;
    let same = text(vm, argument).is_some_and(|argument| receiver.same(&argument));
    Some(Value::bool(same))
}

fn hash(vm: &mut Vm, args: Args) -> Option<Value> {
    Some(text(vm, args.receiver(vm))?.hash())
}

fn ordering(a: &Text<'_>, b: &Text<'_>) -> Ordering {
    match (a.narrow(), b.narrow()) {
        (Some(a), Some(b)) => a.cmp(b),
        _ => a.codes().cmp(b.codes()),
    }
}

fn order(vm: &mut Vm, args: Args) -> Option<Value> {
    let (a, b) = two_texts(vm, args)?;
    Some(Value::int(ordering(&a, &b) as i64))
}

fn compare(vm: &mut Vm, args: Args, test: fn(Ordering) -> bool) -> Option<Value> {
    let (a, b) = two_texts(vm, args)?;
    Some(Value::bool(test(ordering(&a, &b))))
}

fn starts_with(vm: &mut Vm, args: Args) -> Option<Value> {
    has_part(vm, args, <[u8]>::starts_with, <[u32]>::starts_with)
}

fn ends_with(vm: &mut Vm, args: Args) -> Option<Value> {
    has_part(vm, args, <[u8]>::ends_with, <[u32]>::ends_with)
}

fn has_part(
    vm: &mut Vm,
    args: Args,
    narrow: fn(&[u8], &[u8]) -> bool,
    wide: fn(&[u32], &[u32]) -> bool,
) -> Option<Value> {
    let (whole, part) = two_texts(vm, args)?;
    let found = match (whole.narrow(), part.narrow()) {
        (Some(whole), Some(part)) => narrow(whole, part),
        _ => wide(&whole.to_codes(), &part.to_codes()),
    };
    Some(Value::bool(found))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{machine, run};
    use super::*;
    use crate::base::Known;

    fn three_forms(vm: &mut Vm, content: &str) -> [Value; 3] {
        let narrow = vm.make_string(content);
        let wide = vm.make_string(&format!("{content}\u{1F600}"));
        let end = content.chars().count();
        // The wide one is cut back to the same characters, so that only its width differs.
        let bytes: Vec<u8> = vm.wide_bytes(wide).expect("wide")[..4 * end].to_vec();
        let wide = vm.make_bytes(Known::WideString.into(), &bytes);
        [narrow, wide, vm.symbol(content)]
    }

    #[test]
    fn width_and_uniqueness_matter_neither_to_equality_nor_to_hash() {
        let mut vm = machine();
        for content in ["abc", "", "naïve"] {
            let forms = three_forms(&mut vm, content);
            let hash = run(&mut vm, "stringHash", &[forms[0]]);
            for a in forms {
                assert_eq!(run(&mut vm, "stringHash", &[a]), hash);
                for b in forms {
                    assert_eq!(run(&mut vm, "stringEqual", &[a, b]), Some(Value::TRUE));
                    assert_eq!(run(&mut vm, "stringCompare", &[a, b]), Some(Value::int(0)));
                    assert_eq!(run(&mut vm, "stringStartsWith", &[a, b]), Some(Value::TRUE));
                }
                assert_eq!(
                    run(&mut vm, "stringEqual", &[a, Value::NIL]),
                    Some(Value::FALSE)
                );
            }
        }
    }

    #[test]
    fn order_is_by_code_points() {
        let mut vm = machine();
        for (a, b, expected) in [
            ("abc", "abd", -1),
            ("b", "ab", 1),
            ("a", "é", -1),
            ("é", "\u{400}", -1),
        ] {
            let args = [vm.make_string(a), vm.make_string(b)];
            assert_eq!(
                run(&mut vm, "stringCompare", &args),
                Some(Value::int(expected))
            );
        }
    }

    #[test]
    fn indices_out_of_range_are_declined() {
        let mut vm = machine();
        let string = vm.make_string("ab");
        for index in [0, 3, -1, Value::MAX_INT, Value::MIN_INT] {
            let index = Value::int(index);
            assert_eq!(run(&mut vm, "stringAt", &[string, index]), None);
            assert_eq!(
                run(
                    &mut vm,
                    "stringAtPut",
                    &[string, index, Value::character(97)]
                ),
                None
            );
        }
        let symbol = vm.symbol("ab");
        let args = [symbol, Value::int(1), Value::character(97)];
        assert_eq!(run(&mut vm, "stringAtPut", &args), None);
        assert_eq!(
            run(&mut vm, "stringAt", &[symbol, Value::int(2)]),
            Some(Value::character(98))
        );
    }

    #[test]
    fn a_wide_string_takes_any_character() {
        let mut vm = machine();
        let string = vm.make_string("a\u{1F600}");
        for code in [0x1F601, 98] {
            let character = Value::character(code);
            let args = [string, Value::int(1), character];
            assert_eq!(run(&mut vm, "stringAtPut", &args), Some(character));
            assert_eq!(
                run(&mut vm, "stringAt", &[string, Value::int(1)]),
                Some(character)
            );
        }
        assert_eq!(run(&mut vm, "stringAt", &[string, Value::int(3)]), None);
    }
}
