//! Primitives of Symbols: making symbols, and facts of their spelling. The machine holds the table of symbols.

use super::string_convert::quoted;
use super::text::{Letters, text};
use super::{Answer, Primitive, rows};
use crate::base::Value;
use crate::bytecode::is_name;
use crate::heap::Contents;
use crate::machine::Vm;
use crate::run::Args;

rows! {
    "symbolFromString"(0) open allocates => from_string, "Any string: the Symbol of its characters.", INTERNED;
    "symbolIfThere"(0) library leaf => find,
        "Any string: the Symbol of its characters if the program or the library has made it already, or else nil.", INTERNED;
    "symbolPrintString"(0) open allocates => print_string, "A Symbol: as its literal, in quotes if it needs them.", CONVERTED;
    "symbolNumArgs"(0) open leaf => num_args,
        "A Symbol: 0 unary, 1 binary, n for n keywords, -1 if it is no selector.";
    "stringIsLiteralSymbol"(0) open leaf => is_literal,
        "Any string: whether a Symbol of it prints without quotes.", SCAN;
}

fn from_string(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    if receiver.as_symbol().is_some() {
        return Some(receiver);
    }
    let name = text(vm, receiver)?.to_text();
    // The table keeps each text twice.
    let fits = vm.has_room_for(Contents::Bytes(name.len().checked_mul(2)?));
    fits.then(|| vm.symbol(&name))
}

fn find(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    if receiver.as_symbol().is_some() {
        return Some(receiver);
    }
    let name = text(vm, receiver)?.to_text();
    let found = vm.image.symbols.find(&name);
    if found.is_none() {
        vm.note_uncontrolled("which Symbols there are");
    }
    Some(found.map_or(Value::NIL, Value::symbol))
}

fn print_string(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    let id = receiver.as_symbol()?;
    let spelled = vm.image.symbols.text(id);
    let letters = match argument_count(spelled) {
        Some(_) if spelled.is_ascii() => Letters::Narrow([b"#", spelled.as_bytes()].concat()),
        Some(_) => Letters::Codes("#".chars().chain(spelled.chars()).map(u32::from).collect()),
        None => quoted(&text(vm, receiver)?, b"#"),
    };
    letters.make(vm)
}

fn num_args(vm: &mut Vm, args: Args) -> Option<Value> {
    let id = args.receiver(vm).as_symbol()?;
    let count =
        argument_count(vm.image.symbols.text(id)).map_or(Some(-1), |n| i64::try_from(n).ok())?;
    Some(Value::int(count))
}

fn is_literal(vm: &mut Vm, args: Args) -> Option<Value> {
    let spelled = text(vm, args.receiver(vm))?.to_text();
    Some(Value::bool(argument_count(&spelled).is_some()))
}

/// The number of arguments of a selector; `None` if the text is no selector.
fn argument_count(selector: &str) -> Option<usize> {
    if is_name(selector) {
        return Some(0);
    }
    if let Some(keywords) = selector.strip_suffix(':') {
        let mut parts = keywords.split(':');
        return parts.all(is_name).then(|| keywords.split(':').count());
    }
    let is_binary = |c: char| "+-*/\\~<>=@,%|&?!".contains(c);
    (!selector.is_empty() && selector.chars().all(is_binary)).then_some(1)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{machine, run};
    use super::*;

    #[test]
    fn selectors_are_told_from_other_symbols() {
        for (name, expected) in [
            ("foo", Some(0)),
            ("_x1", Some(0)),
            ("+", Some(1)),
            ("->", Some(1)),
            ("at:put:", Some(2)),
            ("at:", Some(1)),
            ("", None),
            (":", None),
            ("a::", None),
            ("at:put", None),
            ("1a", None),
            ("foo bar", None),
            ("naïve", Some(0)),
            ("größe:", Some(1)),
            ("na–ve", None),
        ] {
            assert_eq!(argument_count(name), expected, "{name}");
        }
    }

    #[test]
    fn symbols_print_as_their_literals() {
        let mut vm = machine();
        for (name, expected) in [
            ("foo:bar:", "#foo:bar:"),
            ("+", "#+"),
            ("it's \u{400}", "#'it''s \u{400}'"),
            ("", "#''"),
        ] {
            let symbol = vm.symbol(name);
            let printed = run(&mut vm, "symbolPrintString", &[symbol]).expect("a string");
            assert_eq!(vm.text_of(printed).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_string_finds_its_symbol() {
        let mut vm = machine();
        let symbol = vm.symbol("naïve");
        let string = vm.make_string("naïve");
        assert_eq!(run(&mut vm, "symbolFromString", &[string]), Some(symbol));
        assert_eq!(run(&mut vm, "symbolFromString", &[symbol]), Some(symbol));
    }
}
