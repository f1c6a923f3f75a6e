//! Primitives of whole ByteArrays and similar objects. Single bytes are in `slots`, parts of ByteArrays in `indexed`.

use super::kinds::{Indexed, indexed};
use super::text::hash_value;
use super::{Answer, Primitive, rows};
use crate::base::{Value, hash_bytes};
use crate::machine::Vm;
use crate::run::Args;

rows! {
    "bytesEqual"(1) open leaf => bytes_equal,
        "Two byte objects of one class, no strings: whether the bytes are the same.", BYTE_EQUALITY;
    "bytesHash"(0) open leaf => bytes_hash, "A byte object that is no string: from its bytes.", BYTE_HASH;
}

fn bytes_of(vm: &Vm, value: Value) -> Option<&[u8]> {
    (indexed(vm, value)? == Indexed::Bytes).then(|| vm.heap.bytes(value))
}

fn bytes_equal(vm: &mut Vm, args: Args) -> Option<Value> {
    let (receiver, argument) = (args.receiver(vm), args.at(vm, 0));
    if vm.class_of(receiver) != vm.class_of(argument) {
        return None;
    }
    Some(Value::bool(
        bytes_of(vm, receiver)? == bytes_of(vm, argument)?,
    ))
}

fn bytes_hash(vm: &mut Vm, args: Args) -> Option<Value> {
    let bytes = bytes_of(vm, args.receiver(vm))?;
    Some(hash_value(hash_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{machine, run};
    use super::*;
    use crate::base::Known;

    #[test]
    fn equal_bytes_have_equal_hashes() {
        let mut vm = machine();
        let class = Known::ByteArray.into();
        let (a, b) = (vm.make_bytes(class, &[1, 2]), vm.make_bytes(class, &[1, 2]));
        assert_eq!(run(&mut vm, "bytesEqual", &[a, b]), Some(Value::TRUE));
        assert_eq!(
            run(&mut vm, "bytesHash", &[a]),
            run(&mut vm, "bytesHash", &[b])
        );
        let string = vm.make_string("ab");
        assert_eq!(run(&mut vm, "bytesEqual", &[a, string]), None);
        assert_eq!(run(&mut vm, "bytesHash", &[string]), None);
    }
}
