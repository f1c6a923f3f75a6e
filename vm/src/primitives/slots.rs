//! Primitives on single elements and instance variables of any object. Also primitives that make an object from another
//! object or of a size. Primitives on an object as a whole are in `object`.

use super::kinds::{Indexed, indexed, indexed_of_class, size};
use super::text::{hash_value, position, put_character, text};
use super::{Answer, Primitive, rows};
use crate::base::{ClassId, Known, Value, mix};
use crate::counting::Work;
use crate::heap::Contents;
use crate::machine::Vm;
use crate::observers::Question;
use crate::run::Args;

rows! {
    "objectIdentityHash"(0) open leaf => identity_hash,
        "Anything: never negative; by content for immediate objects and Floats, else from the \
         machine's sequence.";
    "objectBasicSize"(0) open leaf => basic_size, "Anything: the number of its indexed elements.", ALWAYS_SIMPLE;
    "objectBasicAt"(1) open leaf => basic_at, "An indexable object and an index in range: the element.", ELEMENT;
    "objectBasicAtPut"(2) open allocates => basic_at_put,
        "An indexable object but a Symbol, an index in range, something that fits: the latter. \
         A String becomes wide if need be.", ELEMENT;
    "objectInstVarAt"(1) open leaf => inst_var_at,
        "An object and the index of a slot, named ones first: what it holds.";
    "objectInstVarAtPut"(2) open leaf => inst_var_at_put,
        "An object but a class, the index of a slot, anything: the latter.";
    "objectShallowCopy"(0) open allocates => shallow_copy,
        "Anything but a class: a copy with the same slots; what cannot change answers itself.", COPY;
    "behaviorNewSizeWithAll"(2) open allocates => new_size_with_all,
        "A class with indexed instances, a size, something that fits: an instance full of it.", NEW_SIZED;
}

pub(super) fn identity_hash(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    if let Some(small) = receiver.as_int() {
        return Some(Value::int(small & Value::MAX_INT));
    }
    if let Some(code) = receiver.as_character() {
        return Some(Value::int(i64::from(code)));
    }
    if receiver.as_symbol().is_some() {
        return Some(text(vm, receiver)?.hash());
    }
    if let Some(float) = vm.float_of(receiver) {
        return Some(hash_value(mix(float.to_bits())));
    }
    if receiver.is_object() {
        vm.asked(Question::IdentityHash, receiver);
        if vm.heap.known_hash(receiver) == 0 {
            vm.note_hash();
        }
    }
    let hash = match receiver.is_object() {
        true => i64::from(vm.heap.identity_hash(receiver)),
        // nil, false, true and frame tokens: serials are no part of the model.
        false => receiver.immediate_kind() as i64,
    };
    Some(Value::int(hash))
}

fn basic_size(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    let elements = match indexed(vm, receiver) {
        Some(kind) => size(vm, receiver, kind)?,
        None if vm.as_large(receiver) => vm.heap.bytes(receiver).len(),
        None => 0,
    };
    Value::try_int(i64::try_from(elements).ok()?)
}

fn basic_at(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    let index = position(vm, args, 0)?;
    match indexed(vm, receiver)? {
        Indexed::Slots { named } => vm
            .heap
            .slots(receiver)
            .get(named.checked_add(index)?)
            .copied(),
        Indexed::Bytes => vm
            .heap
            .bytes(receiver)
            .get(index)
            .map(|&b| Value::int(i64::from(b))),
        Indexed::Text => text(vm, receiver)?.code(index).map(Value::character),
    }
}

fn byte(value: Value) -> Option<u8> {
    value.as_int().and_then(|n| u8::try_from(n).ok())
}

fn basic_at_put(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    let (index, value) = (position(vm, args, 0)?, args.at(vm, 1));
    match indexed(vm, receiver).filter(|_| receiver.is_object())? {
        Indexed::Slots { named } => put_slot(vm, receiver, named.checked_add(index)?, value)?,
        Indexed::Bytes => {
            let byte = byte(value)?;
            *vm.heap.bytes_mut(receiver).get_mut(index)? = byte;
        }
        Indexed::Text => put_character(vm, args, index, value.as_character()?)?,
    }
    Some(value)
}

fn put_slot(vm: &mut Vm, object: Value, index: usize, value: Value) -> Option<()> {
    if index >= vm.heap.slots(object).len() {
        return None;
    }
    vm.heap.set_slot(object, index, value);
    Some(())
}

/// The number of slots of an object that the language may see. The machine's own slots in blocks and cells are
/// excluded.
fn visible_slots(vm: &Vm, object: Value) -> usize {
    if !object.is_object() {
        return 0;
    }
    let slots = vm.heap.slots(object).len();
    match indexed(vm, object) {
        Some(Indexed::Slots { .. }) => slots,
        _ => slots.min(vm.class(vm.class_of(object)).ivars.len()),
    }
}

fn inst_var_at(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    let index = position(vm, args, 0).filter(|&index| index < visible_slots(vm, receiver))?;
    vm.heap.slots(receiver).get(index).copied()
}

fn inst_var_at_put(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    let index = position(vm, args, 0).filter(|&index| index < visible_slots(vm, receiver))?;
    // A class object's first slot is its number in the machine's table and must not change.
    if index == 0 && vm.class_of_class_object(receiver).is_some() {
        return None;
    }
    let value = args.at(vm, 1);
    put_slot(vm, receiver, index, value)?;
    Some(value)
}

fn shallow_copy(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    if vm.class_of_class_object(receiver).is_some() {
        return None;
    }
    let immutable = [Known::Float, Known::BlockClosure]
        .into_iter()
        .any(|k| vm.is_a(receiver, k));
    if !receiver.is_object() || immutable || vm.as_large(receiver) {
        return Some(receiver);
    }
    let class = vm.class_of(receiver);
    match vm.heap.contents(receiver) {
        Contents::Slots(length) => {
            let is_affordable = vm.can_afford(Work::Moved, 8 * length as u64);
            let copy = is_affordable.then(|| vm.make(class, Contents::Slots(length)))?;
            vm.heap.copy_slots(args.receiver(vm), 0, copy, 0, length);
            Some(copy)
        }
        Contents::Bytes(_) => {
            let bytes = vm.heap.bytes(receiver).to_vec();
            match vm.wide_bytes(receiver) {
                Some(_) => Some(make_wide(vm, class, &bytes)),
                None => Some(vm.make_bytes(class, &bytes)),
            }
        }
    }
}

/// A new wide string, which the model counts as if it were narrow.
fn make_wide(vm: &mut Vm, class: ClassId, bytes: &[u8]) -> Value {
    vm.count_bytes(bytes.len() / 4);
    let made = vm.make_uncounted(class, Contents::Bytes(bytes.len()));
    vm.heap.bytes_mut(made).copy_from_slice(bytes);
    made
}

fn new_size_with_all(vm: &mut Vm, args: Args) -> Option<Value> {
    let class = vm.class_of_class_object(args.receiver(vm))?;
    let kind = indexed_of_class(vm, class)?;
    let bytes_each = match kind {
        Indexed::Slots { .. } => 8,
        Indexed::Bytes | Indexed::Text => 1,
    };
    let length = vm.wanted_length(args.at(vm, 0), bytes_each)?;
    match kind {
        Indexed::Slots { named } => new_slots(vm, args, class, (named, length)),
        Indexed::Bytes => {
            let byte = byte(args.at(vm, 1))?;
            let contents = Contents::Bytes(length);
            let made = vm
                .has_room_for(contents)
                .then(|| vm.make(class, contents))?;
            vm.heap.bytes_mut(made).fill(byte);
            Some(made)
        }
        Indexed::Text => {
            let code = args.at(vm, 1).as_character()?;
            new_text(vm, class, length, code)
        }
    }
}

fn new_slots(vm: &mut Vm, args: Args, class: ClassId, extent: (usize, usize)) -> Option<Value> {
    let (named, length) = extent;
    let contents = Contents::Slots(named.checked_add(length)?);
    let made = vm
        .has_room_for(contents)
        .then(|| vm.make(class, contents))?;
    let value = args.at(vm, 1);
    if !value.is_nil() {
        for index in named..named + length {
            vm.heap.set_slot(made, index, value);
        }
    }
    Some(made)
}

fn new_text(vm: &mut Vm, class: ClassId, length: usize, code: u32) -> Option<Value> {
    let bytes = length.saturating_mul(4);
    if class == Known::Symbol.into() {
        return None;
    }
    let is_wide = vm.inherits(class, Known::WideString.into());
    let narrow = u8::try_from(code).ok().filter(|_| !is_wide);
    let needed = narrow.map_or(bytes, |_| length);
    if !vm.has_room_for(Contents::Bytes(needed)) {
        return None;
    }
    if let Some(byte) = narrow {
        let made = vm.make(class, Contents::Bytes(length));
        vm.heap.bytes_mut(made).fill(byte);
        return Some(made);
    }
    // An instance of a subclass of String cannot be wide.
    let class = match is_wide {
        true => class,
        false if class == Known::String.into() => Known::WideString.into(),
        false => return None,
    };
    vm.count_bytes(length);
    let made = vm.make_uncounted(class, Contents::Bytes(bytes));
    let code = code.to_le_bytes();
    vm.heap
        .bytes_mut(made)
        .chunks_exact_mut(4)
        .for_each(|place| place.copy_from_slice(&code));
    Some(made)
}

impl Vm {
    /// Whether it is a large integer.
    fn as_large(&self, value: Value) -> bool {
        value.is_object()
            && (self.is_a(value, Known::LargePositiveInteger)
                || self.is_a(value, Known::LargeNegativeInteger))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{machine, run};
    use super::*;

    #[test]
    fn elements_are_checked_against_what_fits() {
        let mut vm = machine();
        let bytes = vm.make_bytes(Known::ByteArray.into(), &[1, 2]);
        let put = |vm: &mut Vm, index: i64, value: Value| {
            run(vm, "objectBasicAtPut", &[bytes, Value::int(index), value])
        };
        assert_eq!(put(&mut vm, 2, Value::int(255)), Some(Value::int(255)));
        for (index, value) in [
            (1, Value::int(256)),
            (1, Value::int(-1)),
            (1, Value::NIL),
            (3, Value::int(0)),
        ] {
            assert_eq!(put(&mut vm, index, value), None);
        }
        assert_eq!(vm.heap.bytes(bytes), [1, 255]);
        let large = vm.make_integer_i128(1 << 100);
        assert_eq!(run(&mut vm, "objectBasicAt", &[large, Value::int(1)]), None);
        let float = vm.make_float(1.0);
        assert_eq!(
            run(&mut vm, "objectBasicSize", &[float]),
            Some(Value::int(0))
        );
    }

    #[test]
    fn a_copy_is_another_object() {
        let mut vm = machine();
        let array = vm.make_array(&[Value::int(1)]);
        let copy = run(&mut vm, "objectShallowCopy", &[array]).expect("a copy");
        assert_ne!(array, copy);
        assert_eq!(vm.heap.slots(copy), [Value::int(1)]);
        let wide = vm.make_string("\u{400}");
        let copy = run(&mut vm, "objectShallowCopy", &[wide]).expect("a copy");
        assert_eq!(vm.text_of(copy).as_deref(), Some("\u{400}"));
        let symbol = vm.symbol("a");
        assert_eq!(run(&mut vm, "objectShallowCopy", &[symbol]), Some(symbol));
    }

    #[test]
    fn strings_are_made_as_wide_as_they_must_be() {
        let mut vm = machine();
        let class = Known::String.into();
        let narrow = new_text(&mut vm, class, 3, 97).expect("a String");
        assert_eq!(vm.narrow_bytes(narrow), Some(&b"aaa"[..]));
        let wide = new_text(&mut vm, class, 2, 0x400).expect("a WideString");
        assert_eq!(vm.text_of(wide).as_deref(), Some("\u{400}\u{400}"));
        assert_eq!(new_text(&mut vm, Known::Symbol.into(), 1, 97), None);
        assert_eq!(new_text(&mut vm, class, usize::MAX, 97), None);
        assert_eq!(new_text(&mut vm, class, usize::MAX / 8, 97), None);
    }

    #[test]
    fn identity_hashes_are_never_negative() {
        let mut vm = machine();
        let float = vm.make_float(-1.5);
        let symbol = vm.symbol("a");
        for value in [
            Value::int(-1),
            Value::int(Value::MIN_INT),
            Value::NIL,
            float,
            symbol,
        ] {
            let hash = run(&mut vm, "objectIdentityHash", &[value]).and_then(Value::as_int);
            assert!(hash.is_some_and(|hash| hash >= 0));
        }
    }
}
