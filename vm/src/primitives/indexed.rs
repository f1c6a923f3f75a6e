//! Primitives that Arrays, ByteArrays and strings share: they copy parts.

use super::charges::element_bytes;
use super::kinds::{Indexed, indexed, size};
use super::text::{Letters, copy_of_part, put_narrow, put_wide, room_for_text, text, widen};
use super::{Answer, Primitive, rows};
use crate::base::{Known, Value};
use crate::counting::Work;
use crate::heap::Contents;
use crate::machine::Vm;
use crate::run::Args;

rows! {
    "indexedReplace"(4) open allocates => replace,
        "An indexable object but a Symbol, start, stop, a source of the same kind, its start, \
         all in range: the receiver. An empty range always succeeds.", REPLACEMENT;
    "indexedCopyFromTo"(2) open allocates => copy_from_to,
        "An indexable object without named instance variables, start and stop in range: a new \
         one of its class; of a Symbol or WideString: a String.", COPY_OF_PART;
    "indexedConcatenate"(1) open allocates => concatenate,
        "Two indexable objects of the same kind without named instance variables: a new one of \
         the receiver's class; of strings: a String.", COPY_OF_PART;
    "indexedReversed"(0) open allocates => reversed,
        "An indexable object without named instance variables: a new one, elements in reverse.", COPY;
}

/// The elements `start ..= stop` of something, counted from 1, as a position and a length.
fn range(start: i64, stop: i64, size: usize) -> Option<(usize, usize)> {
    let first = usize::try_from(start).ok()?.checked_sub(1)?;
    let end = usize::try_from(stop).ok().filter(|&end| end <= size)?;
    Some((first, end.checked_sub(first)?))
}

// --- replacing in place ------------------------------------------------------------------------

/// Where a replacement reads and writes; positions count from 0.
#[derive(Clone, Copy)]
struct Move {
    to: usize,
    from: usize,
    length: usize,
}

fn replace(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    let kind = indexed(vm, receiver).filter(|_| receiver.is_object())?;
    let (start, stop) = (args.at(vm, 0).as_int()?, args.at(vm, 1).as_int()?);
    if stop == start - 1 {
        return Some(receiver);
    }
    let (to, length) = range(start, stop, size(vm, receiver, kind)?)?;
    let source = args.at(vm, 2);
    let source_kind = indexed(vm, source)?;
    let from = usize::try_from(args.at(vm, 3).as_int()?)
        .ok()?
        .checked_sub(1)?;
    if from.checked_add(length)? > size(vm, source, source_kind)? {
        return None;
    }
    if !can_move(vm, kind, length) {
        return None;
    }
    let step = Move { to, from, length };
    match (kind, source_kind) {
        (Indexed::Slots { named }, Indexed::Slots { named: skipped }) => {
            vm.heap
                .copy_slots(source, from + skipped, receiver, to + named, length);
        }
        (Indexed::Bytes, Indexed::Bytes) => copy_bytes(vm, source, receiver, step)?,
        (Indexed::Text, Indexed::Text) => replace_text(vm, args, step)?,
        _ => return None,
    }
    Some(args.receiver(vm))
}

/// Whether the limit on work allows to move that many elements. If not, the run ends.
fn can_move(vm: &mut Vm, kind: Indexed, length: usize) -> bool {
    vm.can_afford(Work::Moved, element_bytes(kind) * length as u64)
}

/// Copies bytes within or between objects.
fn copy_bytes(vm: &mut Vm, source: Value, target: Value, step: Move) -> Option<()> {
    let Move { to, from, length } = step;
    vm.heap
        .copy_bytes(source, from, target, to, length)
        .then_some(())
}

fn replace_text(vm: &mut Vm, args: Args, step: Move) -> Option<()> {
    let (receiver, source) = (args.receiver(vm), args.at(vm, 2));
    let is_wide = vm.wide_bytes(receiver).is_some();
    if vm.narrow_bytes(source).is_some() && !is_wide {
        return copy_bytes(vm, source, receiver, step);
    }
    if vm.wide_bytes(source).is_some() && is_wide {
        let Move { to, from, length } = step;
        let bytes = Move {
            to: to * 4,
            from: from * 4,
            length: length * 4,
        };
        return copy_bytes(vm, source, receiver, bytes);
    }
    let part = text(vm, source)?.part(step.from..step.from + step.length);
    let codes: Vec<u32> = match part {
        Letters::Narrow(bytes) => bytes.into_iter().map(u32::from).collect(),
        Letters::Codes(codes) => codes,
    };
    if !is_wide {
        if codes.iter().all(|&code| code < 256) {
            let narrow: Vec<u8> = codes.iter().map(|&code| code as u8).collect();
            let target = vm
                .heap
                .bytes_mut(receiver)
                .get_mut(step.to..step.to + step.length)?;
            target.copy_from_slice(&narrow);
            return Some(());
        }
        widen(vm, args)?;
    }
    let receiver = args.receiver(vm);
    for (distance, code) in codes.into_iter().enumerate() {
        put_wide(vm, receiver, step.to + distance, code)?;
    }
    Some(())
}

// --- making new objects ------------------------------------------------------------------------

/// The kind of an object that can be copied in parts: it has no named instance variables.
fn plain(vm: &Vm, value: Value) -> Option<Indexed> {
    indexed(vm, value).filter(|kind| !matches!(kind, Indexed::Slots { named } if *named > 0))
}

/// A new string with these characters: of the sample's class if that is a subclass of String and
/// they fit, else a String or WideString.
fn make_like(vm: &mut Vm, sample: Value, letters: &Letters) -> Option<Value> {
    let class = vm.class_of(sample);
    let ordinary = [Known::String, Known::WideString, Known::Symbol];
    if ordinary.into_iter().any(|known| class == known.into()) {
        return letters.make(vm);
    }
    match letters {
        Letters::Narrow(bytes) if vm.has_room_for(Contents::Bytes(bytes.len())) => {
            Some(vm.make_bytes(class, bytes))
        }
        _ => letters.make(vm),
    }
}

fn copy_from_to(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    let kind = plain(vm, receiver)?;
    let (start, stop) = (args.at(vm, 0).as_int()?, args.at(vm, 1).as_int()?);
    let (first, length) = range(start, stop, size(vm, receiver, kind)?)?;
    if !can_move(vm, kind, length) {
        return None;
    }
    let class = vm.class_of(receiver);
    match kind {
        Indexed::Slots { .. } => {
            let copy = vm.make(class, Contents::Slots(length));
            vm.heap
                .copy_slots(args.receiver(vm), first, copy, 0, length);
            Some(copy)
        }
        Indexed::Bytes => {
            let copy = vm.make(class, Contents::Bytes(length));
            copy_bytes(
                vm,
                args.receiver(vm),
                copy,
                Move {
                    to: 0,
                    from: first,
                    length,
                },
            )?;
            Some(copy)
        }
        Indexed::Text if vm.is_a(receiver, Known::String) => {
            copy_of_part(vm, args, first..first + length)
        }
        Indexed::Text => {
            let letters = text(vm, receiver)?.part(first..first + length);
            make_like(vm, receiver, &letters)
        }
    }
}

fn concatenate(vm: &mut Vm, args: Args) -> Option<Value> {
    let (receiver, argument) = (args.receiver(vm), args.at(vm, 0));
    let (kind, other) = (plain(vm, receiver)?, plain(vm, argument)?);
    if kind != other {
        return None;
    }
    let (left, right) = (size(vm, receiver, kind)?, size(vm, argument, other)?);
    let length = left.checked_add(right)?;
    if !can_move(vm, kind, length) {
        return None;
    }
    let class = vm.class_of(receiver);
    match kind {
        Indexed::Slots { .. } => {
            let contents = Contents::Slots(length);
            let joined = vm
                .has_room_for(contents)
                .then(|| vm.make(class, contents))?;
            vm.heap.copy_slots(args.receiver(vm), 0, joined, 0, left);
            vm.heap.copy_slots(args.at(vm, 0), 0, joined, left, right);
            Some(joined)
        }
        Indexed::Bytes => {
            let contents = Contents::Bytes(length);
            let joined = vm
                .has_room_for(contents)
                .then(|| vm.make(class, contents))?;
            let (receiver, argument) = (args.receiver(vm), args.at(vm, 0));
            copy_bytes(
                vm,
                receiver,
                joined,
                Move {
                    to: 0,
                    from: 0,
                    length: left,
                },
            )?;
            copy_bytes(
                vm,
                argument,
                joined,
                Move {
                    to: left,
                    from: 0,
                    length: right,
                },
            )?;
            Some(joined)
        }
        Indexed::Text => concatenate_text(vm, args, length),
    }
}

fn concatenate_text(vm: &mut Vm, args: Args, length: usize) -> Option<Value> {
    let (left, right) = (text(vm, args.receiver(vm))?, text(vm, args.at(vm, 0))?);
    let is_narrow = left.narrow().is_some() && right.narrow().is_some();
    if is_narrow {
        return concatenate_narrow(vm, args, length);
    }
    if !vm.has_room_for(room_for_text(length, is_narrow)) {
        return None;
    }
    let (left, right) = (text(vm, args.receiver(vm))?, text(vm, args.at(vm, 0))?);
    Letters::Codes(left.codes().chain(right.codes()).collect()).make(vm)
}

/// Two narrow texts, one after the other, without the detour by [`Letters`].
fn concatenate_narrow(vm: &mut Vm, args: Args, length: usize) -> Option<Value> {
    let contents = Contents::Bytes(length);
    let joined = vm
        .has_room_for(contents)
        .then(|| vm.make(Known::String.into(), contents))?;
    let mut to = 0;
    for part in [args.receiver(vm), args.at(vm, 0)] {
        to += put_narrow(vm, part, joined, to)?;
    }
    Some(joined)
}

fn reversed(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    let class = vm.class_of(receiver);
    let kind = plain(vm, receiver)?;
    let length = size(vm, receiver, kind)?;
    if !can_move(vm, kind, length) {
        return None;
    }
    match kind {
        Indexed::Slots { .. } => {
            let copy = vm.make(class, Contents::Slots(length));
            let receiver = args.receiver(vm);
            for index in 0..length {
                let element = vm.heap.slot(receiver, length - 1 - index);
                vm.heap.set_slot(copy, index, element);
            }
            Some(copy)
        }
        Indexed::Bytes => {
            let bytes: Vec<u8> = vm.heap.bytes(receiver).iter().rev().copied().collect();
            Some(vm.make_bytes(class, &bytes))
        }
        Indexed::Text => {
            let mut letters = text(vm, receiver)?.to_letters();
            match &mut letters {
                Letters::Narrow(bytes) => bytes.reverse(),
                Letters::Codes(codes) => codes.reverse(),
            }
            make_like(vm, receiver, &letters)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{machine, run};
    use super::*;

    fn ints(vm: &mut Vm, numbers: &[i64]) -> Value {
        let values: Vec<Value> = numbers.iter().map(|&n| Value::int(n)).collect();
        vm.make_array(&values)
    }

    fn numbers(vm: &Vm, array: Value) -> Vec<i64> {
        vm.heap
            .slots(array)
            .iter()
            .filter_map(|value| value.as_int())
            .collect()
    }

    fn replace_with(vm: &mut Vm, target: Value, range: (i64, i64), source: Value, at: i64) -> bool {
        let args = [
            target,
            Value::int(range.0),
            Value::int(range.1),
            source,
            Value::int(at),
        ];
        run(vm, "indexedReplace", &args).is_some()
    }

    #[test]
    fn overlapping_moves_keep_what_they_move() {
        let mut vm = machine();
        let array = ints(&mut vm, &[1, 2, 3, 4, 5]);
        assert!(replace_with(&mut vm, array, (2, 5), array, 1));
        assert_eq!(numbers(&vm, array), [1, 1, 2, 3, 4]);
        let string = vm.make_string("abcde");
        assert!(replace_with(&mut vm, string, (1, 4), string, 2));
        assert_eq!(vm.text_of(string).as_deref(), Some("bcdee"));
    }

    #[test]
    fn replacing_is_declined_out_of_range() {
        let mut vm = machine();
        let array = ints(&mut vm, &[1, 2, 3]);
        let string = vm.make_string("abc");
        for (range, source, at) in [
            ((0, 1), array, 1),
            ((1, 4), array, 1),
            ((3, 1), array, 1),
            ((1, 2), array, 3),
            ((1, 2), array, 0),
            ((1, 2), array, Value::MAX_INT),
            ((1, 2), string, 1),
            ((1, 2), Value::NIL, 1),
        ] {
            assert!(
                !replace_with(&mut vm, array, range, source, at),
                "{range:?} {at}"
            );
        }
        assert!(replace_with(&mut vm, array, (1, 0), string, 1));
        assert_eq!(numbers(&vm, array), [1, 2, 3]);
    }

    #[test]
    fn wide_and_narrow_strings_mix() {
        let mut vm = machine();
        let wide = vm.make_string("\u{400}bc");
        let narrow = vm.make_string("xyz");
        assert!(replace_with(&mut vm, wide, (1, 2), narrow, 2));
        assert_eq!(vm.text_of(wide).as_deref(), Some("yzc"));
        assert!(replace_with(&mut vm, narrow, (3, 3), wide, 3));
        assert_eq!(vm.text_of(narrow).as_deref(), Some("xyc"));
        let symbol = vm.symbol("é\u{400}");
        assert!(replace_with(&mut vm, wide, (2, 3), symbol, 1));
        assert_eq!(vm.text_of(wide).as_deref(), Some("yé\u{400}"));
        assert!(!replace_with(&mut vm, symbol, (1, 1), wide, 1));
    }

    #[test]
    fn parts_are_copied() {
        let mut vm = machine();
        let array = ints(&mut vm, &[1, 2, 3]);
        let args = [array, Value::int(2), Value::int(3)];
        let copy = run(&mut vm, "indexedCopyFromTo", &args).expect("a copy");
        assert_eq!(numbers(&vm, copy), [2, 3]);
        let empty = run(
            &mut vm,
            "indexedCopyFromTo",
            &[array, Value::int(4), Value::int(3)],
        );
        assert_eq!(empty.map(|e| numbers(&vm, e)), Some(vec![]));
        for (start, stop) in [(0, 1), (2, 4), (3, 1), (5, 4)] {
            let args = [array, Value::int(start), Value::int(stop)];
            assert_eq!(run(&mut vm, "indexedCopyFromTo", &args), None);
        }
        let wide = vm.make_string("a\u{400}");
        let args = [wide, Value::int(1), Value::int(1)];
        let copy = run(&mut vm, "indexedCopyFromTo", &args).expect("a copy");
        assert_eq!(vm.narrow_bytes(copy), Some(&b"a"[..]));
    }

    #[test]
    fn joining_and_reversing_make_new_objects() {
        let mut vm = machine();
        let (a, b) = (ints(&mut vm, &[1, 2]), ints(&mut vm, &[3]));
        let joined = run(&mut vm, "indexedConcatenate", &[a, b]).expect("an Array");
        let reversed = run(&mut vm, "indexedReversed", &[joined]).expect("an Array");
        assert_eq!(numbers(&vm, reversed), [3, 2, 1]);
        let (a, b) = (vm.make_string("ab"), vm.symbol("\u{400}"));
        let joined = run(&mut vm, "indexedConcatenate", &[a, b]).expect("a string");
        let reversed = run(&mut vm, "indexedReversed", &[joined]).expect("a string");
        assert_eq!(vm.text_of(reversed).as_deref(), Some("\u{400}ba"));
        assert_eq!(run(&mut vm, "indexedConcatenate", &[a, Value::NIL]), None);
    }

    #[test]
    fn a_wide_string_costs_a_byte_a_character() {
        let mut vm = machine();
        let (a, b) = (vm.make_string("\u{400}1234567"), vm.make_string("12345678"));
        let before = vm.heap.allocations;
        run(&mut vm, "indexedConcatenate", &[a, b]).expect("a string");
        assert_eq!(vm.heap.allocations.objects, before.objects + 1);
        assert_eq!(vm.heap.allocations.bytes, before.bytes + 24);
    }
}
