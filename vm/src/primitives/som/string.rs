//! Primitives of SOM's String and Symbol. Strings never change, so strings of one character come from a table that is
//! made once.

use super::row::{Failed, Said, description, som_rows};
use crate::base::{Known, Value};
use crate::machine::Vm;
use crate::primitives::text::{Letters, Text, text};
use crate::run::Args;

som_rows! {
    "som:String>>concatenate:"(1) => concatenate, "A String: both, one behind the other.", COPY_OF_PART;
    "som:String>>asSymbol"(0) => as_symbol, "The Symbol with these characters.", INTERNED;
    "som:String>>hashcode"(0) => hashcode, "A number that depends on the characters alone.", STRING_HASH;
    "som:String>>length"(0) => length, "The number of characters.", ALWAYS_SIMPLE;
    "som:String>>isWhiteSpace"(0) => |vm, args| all(vm, args, char::is_whitespace),
        "Whether there are characters and all of them are white space.", SCAN;
    "som:String>>isLetters"(0) => |vm, args| all(vm, args, char::is_alphabetic),
        "Whether there are characters and all of them are letters.", SCAN;
    "som:String>>isDigits"(0) => |vm, args| all(vm, args, |c| c.is_ascii_digit()),
        "Whether there are characters and all of them are digits.", SCAN;
    "som:String>>="(1) => equal, "Anything: whether it is a String or Symbol of the same characters.", EQUALITY;
    "som:String>>primSubstringFrom:to:"(2) => substring,
        "First and last index: the characters from the one to the other.", COPY_OF_PART;
    "som:String>>charAt:"(1) => char_at, "An index in range: the character, as a String.", ELEMENT;
    "som:Symbol>>asString"(0) => symbol_as_string, "A String of the characters.", COPY_OF_SYMBOL;
}

/// A String of these bytes, a shared one if it is a single character.
pub(super) fn make_narrow(vm: &mut Vm, bytes: &[u8]) -> Value {
    match *bytes {
        [byte] => vm.character_string(byte),
        _ => vm.make_byte_string(bytes),
    }
}

/// A String of the text.
pub(super) fn make_text(vm: &mut Vm, content: &str) -> Value {
    if content.is_ascii() {
        make_narrow(vm, content.as_bytes())
    } else {
        vm.make_string(content)
    }
}

/// A String of the letters, a shared one if it is a single character.
fn make(vm: &mut Vm, letters: &Letters) -> Said {
    match letters {
        Letters::Narrow(bytes) if bytes.len() == 1 => Ok(make_narrow(vm, bytes)),
        Letters::Codes(codes) if codes.len() == 1 && codes[0] < 256 => {
            Ok(vm.character_string(codes[0] as u8))
        }
        _ => letters
            .make(vm)
            .ok_or_else(|| "the String is too long".into()),
    }
}

fn receiver(vm: &Vm, args: Args) -> Result<Text<'_>, Failed> {
    string(vm, args.receiver(vm))
}

/// The receiver's bytes, if it is a String of the plainest kind.
#[inline(always)]
fn plain_bytes(vm: &Vm, args: Args) -> Option<&[u8]> {
    let receiver = args.receiver(vm);
    let is_plain = receiver.is_object() && vm.is_a(receiver, Known::String);
    is_plain.then(|| vm.heap.bytes(receiver))
}

fn string(vm: &Vm, value: Value) -> Result<Text<'_>, Failed> {
    text(vm, value)
        .ok_or_else(|| format!("expected a String, not {}", description(vm, value)).into())
}

fn concatenate(vm: &mut Vm, args: Args) -> Said {
    let letters = {
        let (first, second) = (receiver(vm, args)?, string(vm, args.at(vm, 0))?);
        match (first.narrow(), second.narrow()) {
            (Some(first), Some(second)) => Letters::Narrow([first, second].concat()),
            _ => Letters::Codes(first.codes().chain(second.codes()).collect()),
        }
    };
    make(vm, &letters)
}

fn as_symbol(vm: &mut Vm, args: Args) -> Said {
    if args.receiver(vm).as_symbol().is_some() {
        return Ok(args.receiver(vm));
    }
    let content = receiver(vm, args)?.to_text();
    Ok(vm.symbol(&content))
}

fn symbol_as_string(vm: &mut Vm, args: Args) -> Said {
    let letters = receiver(vm, args)?.to_letters();
    make(vm, &letters)
}

fn hashcode(vm: &mut Vm, args: Args) -> Said {
    Ok(receiver(vm, args)?.hash())
}

fn length(vm: &mut Vm, args: Args) -> Said {
    if let Some(bytes) = plain_bytes(vm, args) {
        return Ok(Value::int(bytes.len() as i64));
    }
    Ok(Value::int(receiver(vm, args)?.len() as i64))
}

fn all(vm: &mut Vm, args: Args, test: fn(char) -> bool) -> Said {
    let characters = receiver(vm, args)?;
    let passes = |code: u32| char::from_u32(code).is_some_and(test);
    Ok(Value::bool(
        characters.len() > 0 && characters.codes().all(passes),
    ))
}

fn equal(vm: &mut Vm, args: Args) -> Said {
    let (one, other) = (args.receiver(vm), args.at(vm, 0));
    // There is one Symbol of each text.
    if one == other || (one.as_symbol().is_some() && other.as_symbol().is_some()) {
        return Ok(Value::bool(one == other));
    }
    let receiver = receiver(vm, args)?;
    let other = text(vm, args.at(vm, 0));
    Ok(Value::bool(
        other.is_some_and(|other| receiver.same(&other)),
    ))
}

/// An index that counts from 1, as a position that counts from 0.
fn position(vm: &Vm, args: Args, argument: usize) -> Result<i64, Failed> {
    let value = args.at(vm, argument);
    match value.as_int() {
        Some(index) => Ok(index.saturating_sub(1)),
        None => Err(format!("expected an Integer, not {}", description(vm, value)).into()),
    }
}

/// The character at a position of the receiver, if it takes one byte. Most characters do, and this is called often.
#[inline(always)]
fn byte_at(vm: &Vm, args: Args, position: i64) -> Option<u8> {
    let bytes = vm.narrow_bytes(args.receiver(vm))?;
    bytes.get(usize::try_from(position).ok()?).copied()
}

fn substring(vm: &mut Vm, args: Args) -> Said {
    let (first, last) = (position(vm, args, 0)?, position(vm, args, 1)?);
    if first == last
        && let Some(byte) = byte_at(vm, args, first)
    {
        return Ok(vm.character_string(byte));
    }
    let letters = {
        let characters = receiver(vm, args)?;
        let length = characters.len() as i64;
        if first < 0 || last >= length || last < first - 1 {
            let (from, to) = (first.saturating_add(1), last.saturating_add(1));
            return Err(format!("no characters {from} to {to} in a String of {length}").into());
        }
        characters.part(first as usize..(last + 1) as usize)
    };
    make(vm, &letters)
}

fn char_at(vm: &mut Vm, args: Args) -> Said {
    let position = position(vm, args, 0)?;
    if let Some(byte) = byte_at(vm, args, position) {
        return Ok(vm.character_string(byte));
    }
    let (code, length) = {
        let characters = receiver(vm, args)?;
        let code = usize::try_from(position)
            .ok()
            .and_then(|at| characters.code(at));
        (code, characters.len())
    };
    match code {
        Some(code) => make(vm, &Letters::Codes(vec![code])),
        None => {
            let index = position.saturating_add(1);
            Err(format!("index {index} is not in a String of {length} characters").into())
        }
    }
}
