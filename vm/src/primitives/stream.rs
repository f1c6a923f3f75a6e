//! Primitives of streams on collections: single elements, runs of characters, appending. Each reads the first variables
//! of its receiver. PositionableStream and WriteStream define them: collection, position, limit of reading, limit of
//! writing. Each primitive declines unusual cases. Above all it declines collections of classes outside the library,
//! whose `at:` may be any method.

use super::text::{CharacterSet, Text, put_narrow, put_wide, text};
use super::{Answer, Primitive, rows};
use crate::base::{Known, Value};
use crate::counting::Work;
use crate::heap::Contents;
use crate::machine::Vm;
use crate::run::Args;

rows! {
    "streamAtEnd"(0) open leaf => |vm, args| Some(Value::bool(place(vm, args, READ_LIMIT)?.is_at_end)),
        "A stream whose position and limit of reading are SmallIntegers from 0 on: whether the \
         position is not below the limit.";
    "streamNext"(0) open leaf => next,
        "A stream as for streamAtEnd: nil at its end. Else one on an Array, ByteArray, String or \
         WideString, subclasses excepted, that has the element at its position: that element, \
         which is gone over.";
    "streamPeek"(0) open leaf => peek, "As streamNext, without going over the element.";
    "streamPeekFor"(1) open leaf => peek_for,
        "A stream as for streamNext: false at its end. Else one on a String or WideString and \
         anything: whether that is the next character, which is then gone over.";
    "streamSkipSeparators"(0) open leaf => skip_separators,
        "A stream as for streamAtEnd whose position is not beyond the limit, on a String or \
         WideString, subclasses excepted, at least as long as the limit: the stream, behind the \
         separators that come next.", SKIP_BLANKS;
    "streamSkipIn"(1) open leaf => skip_in,
        "A stream as for streamSkipSeparators and a string: how many of the string's characters \
         came next; they are gone over.", SKIP;
    "streamNextIn"(1) open allocates => |vm, args| next_run(vm, args, Run { is_inside: true, goes_over: false }),
        "A stream as for streamSkipSeparators and a string: a String of the string's characters \
         that come next; they are gone over.", TAKE;
    "streamNextOutside"(1) open allocates => |vm, args| next_run(vm, args, Run { is_inside: false, goes_over: false }),
        "A stream as for streamSkipSeparators and a string: a String of the characters before the \
         next one in the string, or before the limit; they are gone over.", TAKE;
    "streamUpToAnyOf"(1) open allocates => |vm, args| next_run(vm, args, Run { is_inside: false, goes_over: true }),
        "As streamNextOutside; the character in the string is gone over too.", TAKE;
    "streamNextLine"(0) open allocates => next_line,
        "A stream as for streamAtEnd: nil at its end. Else one as for streamSkipSeparators: a \
         String of the characters before the next CR, LF or both, which are gone over too.", TAKE;
    "streamNextPut"(1) open leaf => next_put,
        "A stream on an Array, ByteArray, String or WideString, subclasses excepted, and something \
         that fits without widening: the latter, which takes the stream's position. The position, \
         from 0 on, and the limit of writing are SmallIntegers. The position is below the limit, \
         and the collection has an element there.";
    "streamNextPutAll"(1) open leaf => next_put_all,
        "A stream as for streamNextPut and a collection, with room below the limit of writing for \
         all of its elements: the collection, whose elements take these places. A stream on a \
         String takes a String or Symbol of characters that fit into a byte each. One on an \
         Array takes an Array, one on a ByteArray a ByteArray, subclasses excepted.", WRITE;
}

/// The variables of a stream, by their place.
const COLLECTION: usize = 0;

const POSITION: usize = 1;

const READ_LIMIT: usize = 2;

const WRITE_LIMIT: usize = 3;

/// The position of a stream. Position and limit that no address reaches are [`BEYOND`].
struct Place {
    stream: Value,
    collection: Value,
    position: usize,
    limit: usize,
    is_at_end: bool,
}

/// A place that no collection has. One more is still a number.
const BEYOND: usize = usize::MAX - 1;

/// The position of the receiver, if it has the form of a stream.
#[inline(always)]
fn place(vm: &Vm, args: Args, limit: usize) -> Option<Place> {
    let stream = args.receiver(vm);
    if !stream.is_object() {
        return None;
    }
    let variables = vm.heap.slots(stream);
    let number = |value: &Value| u64::try_from(value.as_int()?).ok();
    let limit = number(variables.get(limit)?)?;
    let position = number(variables.get(POSITION)?)?;
    Some(Place {
        stream,
        limit: usize::try_from(limit).unwrap_or(BEYOND),
        position: usize::try_from(position).unwrap_or(BEYOND),
        collection: *variables.get(COLLECTION)?,
        is_at_end: position >= limit,
    })
}

/// Moves a stream that was found to have variables.
#[inline(always)]
fn go_to(vm: &mut Vm, stream: Value, position: usize) -> Option<()> {
    let position = Value::try_int(i64::try_from(position).ok()?)?;
    vm.heap.set_slot(stream, POSITION, position);
    Some(())
}

/// The collections that the primitives know.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Array,
    Bytes,
    Narrow,
    Wide,
}

#[inline(always)]
fn form(vm: &Vm, collection: Value) -> Option<Form> {
    if !collection.is_object() {
        return None;
    }
    Some(match vm.class_number(collection) {
        class if class == Known::String as u32 => Form::Narrow,
        class if class == Known::Array as u32 => Form::Array,
        class if class == Known::ByteArray as u32 => Form::Bytes,
        class if class == Known::WideString as u32 => Form::Wide,
        _ => return None,
    })
}

#[inline(always)]
fn element(vm: &Vm, collection: Value, index: usize) -> Option<Value> {
    match form(vm, collection)? {
        Form::Narrow => {
            let byte = *vm.heap.bytes(collection).get(index)?;
            Some(Value::character(u32::from(byte)))
        }
        Form::Array => vm.heap.slots(collection).get(index).copied(),
        Form::Bytes => {
            let byte = *vm.heap.bytes(collection).get(index)?;
            Some(Value::int(i64::from(byte)))
        }
        Form::Wide => text(vm, collection)?.code(index).map(Value::character),
    }
}

/// The characters that a stream is on, if position and limit lie among them.
fn characters<'a>(vm: &'a Vm, place: &Place) -> Option<Text<'a>> {
    let is_text = matches!(form(vm, place.collection)?, Form::Narrow | Form::Wide);
    let characters = is_text.then(|| text(vm, place.collection))??;
    let is_inside = place.position <= place.limit && place.limit <= characters.len();
    is_inside.then_some(characters)
}

// --- reading -----------------------------------------------------------------------------------

fn next(vm: &mut Vm, args: Args) -> Option<Value> {
    let place = place(vm, args, READ_LIMIT)?;
    if place.is_at_end {
        return Some(Value::NIL);
    }
    let element = element(vm, place.collection, place.position)?;
    go_to(vm, place.stream, place.position + 1)?;
    Some(element)
}

fn peek(vm: &mut Vm, args: Args) -> Option<Value> {
    let place = place(vm, args, READ_LIMIT)?;
    if place.is_at_end {
        return Some(Value::NIL);
    }
    element(vm, place.collection, place.position)
}

fn peek_for(vm: &mut Vm, args: Args) -> Option<Value> {
    let place = place(vm, args, READ_LIMIT)?;
    if place.is_at_end {
        return Some(Value::FALSE);
    }
    // A Character equals itself alone. Other elements define their own equality.
    if !matches!(form(vm, place.collection)?, Form::Narrow | Form::Wide) {
        return None;
    }
    let is_next = element(vm, place.collection, place.position)? == args.at(vm, 0);
    if is_next {
        go_to(vm, place.stream, place.position + 1)?;
    }
    Some(Value::bool(is_next))
}

/// The position behind the characters from the stream's position on that a set contains, or does not contain.
fn end_of_run(vm: &mut Vm, place: &Place, set: &CharacterSet, is_inside: bool) -> Option<usize> {
    let affordable = vm.affordable_length(Work::Scanned);
    let characters = characters(vm, place)?;
    let near = place.position.saturating_add(affordable).min(place.limit);
    let range = place.position..near;
    let found = match characters.narrow() {
        Some(bytes) => bytes
            .get(range)
            .unwrap_or(&[])
            .iter()
            .position(|&byte| set.has_byte(byte) != is_inside),
        None => range
            .filter_map(|index| characters.code(index))
            .position(|code| set.has(code) != is_inside),
    };
    match found {
        Some(distance) => Some(place.position + distance),
        None if near < place.limit => vm.refuse_work(),
        None => Some(place.limit),
    }
}

fn skip_separators(vm: &mut Vm, args: Args) -> Option<Value> {
    let place = place(vm, args, READ_LIMIT)?;
    let end = end_of_run(vm, &place, &CharacterSet::SEPARATORS, true)?;
    go_to(vm, place.stream, end)?;
    Some(place.stream)
}

fn skip_in(vm: &mut Vm, args: Args) -> Option<Value> {
    let place = place(vm, args, READ_LIMIT)?;
    let set = CharacterSet::of(&text(vm, args.at(vm, 0))?);
    let end = end_of_run(vm, &place, &set, true)?;
    let skipped = Value::try_int(i64::try_from(end - place.position).ok()?)?;
    go_to(vm, place.stream, end)?;
    Some(skipped)
}

/// The characters of a run, and whether the character behind them is skipped.
struct Run {
    is_inside: bool,
    goes_over: bool,
}

fn next_run(vm: &mut Vm, args: Args, run: Run) -> Option<Value> {
    let place = place(vm, args, READ_LIMIT)?;
    let set = CharacterSet::of(&text(vm, args.at(vm, 0))?);
    let end = end_of_run(vm, &place, &set, run.is_inside)?;
    let position = end + usize::from(run.goes_over && end < place.limit);
    take(vm, args, &place, end, position)
}

fn next_line(vm: &mut Vm, args: Args) -> Option<Value> {
    let place = place(vm, args, READ_LIMIT)?;
    if place.is_at_end {
        return Some(Value::NIL);
    }
    let end = end_of_run(vm, &place, &CharacterSet::LINE_ENDS, false)?;
    let characters = characters(vm, &place)?;
    let code = |index: usize| (index < place.limit).then(|| characters.code(index))?;
    let is_both = code(end) == Some(13) && code(end + 1) == Some(10);
    let position = (end + 1 + usize::from(is_both)).min(place.limit);
    take(vm, args, &place, end, position)
}

/// A String of the characters from the receiver's position up to an end. Then the receiver gets a new position.
fn take(vm: &mut Vm, args: Args, from: &Place, end: usize, position: usize) -> Option<Value> {
    let range = from.position..end;
    let part = match form(vm, from.collection)? {
        Form::Narrow => {
            let contents = Contents::Bytes(range.len());
            let copy = vm
                .has_room_for(contents)
                .then(|| vm.make(Known::String.into(), contents))?;
            // A collection of garbage may have moved the stream's collection.
            let source = *vm.heap.slots(args.receiver(vm)).get(COLLECTION)?;
            vm.heap
                .copy_bytes(source, range.start, copy, 0, range.len())
                .then_some(copy)?
        }
        _ => characters(vm, from)?.part(range).make(vm)?,
    };
    go_to(vm, args.receiver(vm), position)?;
    Some(part)
}

// --- writing -----------------------------------------------------------------------------------

fn next_put(vm: &mut Vm, args: Args) -> Option<Value> {
    let place = place(vm, args, WRITE_LIMIT)?;
    if place.is_at_end {
        return None;
    }
    let (collection, index, value) = (place.collection, place.position, args.at(vm, 0));
    match form(vm, collection)? {
        Form::Narrow => {
            let byte = u8::try_from(value.as_character()?).ok()?;
            *vm.heap.bytes_mut(collection).get_mut(index)? = byte;
        }
        Form::Array => {
            if index >= vm.heap.slots(collection).len() {
                return None;
            }
            vm.heap.set_slot(collection, index, value);
        }
        Form::Bytes => {
            let byte = u8::try_from(value.as_int()?).ok()?;
            *vm.heap.bytes_mut(collection).get_mut(index)? = byte;
        }
        Form::Wide => put_wide(vm, collection, index, value.as_character()?)?,
    }
    go_to(vm, place.stream, index + 1)?;
    Some(value)
}

fn next_put_all(vm: &mut Vm, args: Args) -> Option<Value> {
    let place = place(vm, args, WRITE_LIMIT)?;
    let (collection, start, source) = (place.collection, place.position, args.at(vm, 0));
    let target_form = form(vm, collection)?;
    let count = match source.as_symbol() {
        Some(_) => text(vm, source)?.len(),
        None if form(vm, source)? == target_form => match target_form {
            Form::Array => vm.heap.slots(source).len(),
            Form::Bytes | Form::Narrow => vm.heap.bytes(source).len(),
            Form::Wide => return None,
        },
        None => return None,
    };
    let end = start.checked_add(count).filter(|&end| end <= place.limit)?;
    match target_form {
        Form::Narrow => {
            put_narrow(vm, source, collection, start)?;
        }
        Form::Array if source.is_object() && end <= vm.heap.slots(collection).len() => {
            vm.heap.copy_slots(source, 0, collection, start, count);
        }
        Form::Bytes if source.is_object() => {
            let is_done = vm.heap.copy_bytes(source, 0, collection, start, count);
            is_done.then_some(())?;
        }
        _ => return None,
    }
    go_to(vm, place.stream, end)?;
    Some(source)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{machine, run};
    use super::*;

    /// An object with the variables of a stream.
    fn stream(vm: &mut Vm, collection: Value, position: i64, limit: i64) -> Value {
        let limit = Value::int(limit);
        vm.make_array(&[collection, Value::int(position), limit, limit])
    }

    fn position(vm: &Vm, stream: Value) -> Option<i64> {
        vm.heap.slots(stream)[POSITION].as_int()
    }

    #[test]
    fn elements_come_one_by_one() {
        let mut vm = machine();
        let elements = [
            (vm.make_string("ab"), Value::character(98)),
            (vm.make_string("a\u{400}"), Value::character(0x400)),
            (vm.make_array(&[Value::NIL, Value::TRUE]), Value::TRUE),
            (
                vm.make_bytes(Known::ByteArray.into(), &[1, 2]),
                Value::int(2),
            ),
        ];
        for (collection, second) in elements {
            let on = stream(&mut vm, collection, 1, 2);
            assert_eq!(run(&mut vm, "streamAtEnd", &[on]), Some(Value::FALSE));
            assert_eq!(run(&mut vm, "streamPeek", &[on]), Some(second));
            assert_eq!(run(&mut vm, "streamNext", &[on]), Some(second));
            assert_eq!(run(&mut vm, "streamNext", &[on]), Some(Value::NIL));
            assert_eq!(run(&mut vm, "streamPeek", &[on]), Some(Value::NIL));
            assert_eq!(run(&mut vm, "streamAtEnd", &[on]), Some(Value::TRUE));
            assert_eq!(position(&vm, on), Some(2));
        }
    }

    #[test]
    fn what_is_no_stream_is_declined() {
        let mut vm = machine();
        let string = vm.make_string("abc");
        let symbol = vm.symbol("abc");
        let short = vm.make_array(&[string]);
        let negative = stream(&mut vm, string, -1, 3);
        let beyond = stream(&mut vm, string, 3, 4);
        let far = stream(&mut vm, string, Value::MAX_INT - 1, Value::MAX_INT);
        let on_symbol = stream(&mut vm, symbol, 0, 3);
        let on_nil = stream(&mut vm, Value::NIL, 0, 3);
        for receiver in [
            Value::NIL,
            string,
            symbol,
            short,
            negative,
            beyond,
            far,
            on_symbol,
            on_nil,
        ] {
            for name in [
                "streamNext",
                "streamPeek",
                "streamSkipSeparators",
                "streamNextLine",
            ] {
                assert_eq!(run(&mut vm, name, &[receiver]), None, "{name}");
            }
            for name in [
                "streamPeekFor",
                "streamSkipIn",
                "streamNextIn",
                "streamNextOutside",
                "streamUpToAnyOf",
                "streamNextPut",
                "streamNextPutAll",
            ] {
                for argument in [Value::character(97), string] {
                    let args = [receiver, argument];
                    // The next character of a stream beyond its collection is not known.
                    assert_eq!(run(&mut vm, name, &args), None, "{name}");
                }
            }
        }
        assert_eq!(position(&vm, far), Some(Value::MAX_INT - 1));
    }

    #[test]
    fn runs_of_characters_are_taken_and_skipped() {
        let mut vm = machine();
        for end in ["", "\u{400}"] {
            let source = vm.make_string(&format!("  12,x\r\ny{end}"));
            let size = text(&vm, source).expect("a string").len() as i64;
            let on = stream(&mut vm, source, 0, size);
            let (digits, comma) = (vm.make_string("0123456789"), vm.symbol(","));
            assert_eq!(run(&mut vm, "streamSkipSeparators", &[on]), Some(on));
            let number = run(&mut vm, "streamNextIn", &[on, digits]).expect("a String");
            assert_eq!(vm.text_of(number).as_deref(), Some("12"));
            let none = run(&mut vm, "streamNextOutside", &[on, comma]).expect("a String");
            assert_eq!(vm.text_of(none).as_deref(), Some(""));
            assert_eq!(
                run(&mut vm, "streamSkipIn", &[on, comma]),
                Some(Value::int(1))
            );
            let line = run(&mut vm, "streamNextLine", &[on]).expect("a String");
            assert_eq!(vm.text_of(line).as_deref(), Some("x"));
            assert_eq!(position(&vm, on), Some(8));
            let rest = run(&mut vm, "streamUpToAnyOf", &[on, comma]).expect("a String");
            assert_eq!(vm.text_of(rest), Some(format!("y{end}")));
            assert_eq!(run(&mut vm, "streamNextLine", &[on]), Some(Value::NIL));
        }
    }

    #[test]
    fn the_limit_ends_a_run() {
        let mut vm = machine();
        let source = vm.make_string("ab\r\n,");
        let comma = vm.make_string(",");
        let on = stream(&mut vm, source, 0, 3);
        let line = run(&mut vm, "streamNextLine", &[on]).expect("a String");
        assert_eq!(vm.text_of(line).as_deref(), Some("ab"));
        assert_eq!(position(&vm, on), Some(3));
        let on = stream(&mut vm, source, 0, 3);
        let run_of = run(&mut vm, "streamUpToAnyOf", &[on, comma]).expect("a String");
        assert_eq!(vm.text_of(run_of).as_deref(), Some("ab\r"));
        assert_eq!(position(&vm, on), Some(3));
    }

    #[test]
    fn what_is_written_must_fit() {
        let mut vm = machine();
        let string = vm.make_string("....");
        let on = stream(&mut vm, string, 0, 3);
        let (wide, letter) = (Value::character(0x400), Value::character(97));
        assert_eq!(run(&mut vm, "streamNextPut", &[on, wide]), None);
        assert_eq!(run(&mut vm, "streamNextPut", &[on, Value::int(97)]), None);
        assert_eq!(run(&mut vm, "streamNextPut", &[on, letter]), Some(letter));
        let (symbol, three) = (vm.symbol("bc"), vm.make_string("def"));
        let wide = vm.make_string("\u{400}");
        assert_eq!(run(&mut vm, "streamNextPutAll", &[on, three]), None);
        assert_eq!(run(&mut vm, "streamNextPutAll", &[on, wide]), None);
        assert_eq!(
            run(&mut vm, "streamNextPutAll", &[on, symbol]),
            Some(symbol)
        );
        assert_eq!(run(&mut vm, "streamNextPut", &[on, letter]), None);
        assert_eq!(vm.text_of(string).as_deref(), Some("abc."));
        let bytes = vm.make_bytes(Known::ByteArray.into(), &[0, 0]);
        let on = stream(&mut vm, bytes, 0, 2);
        assert_eq!(run(&mut vm, "streamNextPut", &[on, Value::int(256)]), None);
        assert_eq!(run(&mut vm, "streamNextPutAll", &[on, symbol]), None);
        assert_eq!(run(&mut vm, "streamNextPutAll", &[on, bytes]), Some(bytes));
    }
}
