//! Primitives of SOM's Object and of its blocks.

use super::row::{Asked, Failed, Said, description, request, som_rows, symbol};
use crate::base::{ClassId, Known, SymbolId, Value};
use crate::machine::{MOST_KEPT_ARGUMENTS, Vm};
use crate::primitives::control::selector_arity;
use crate::primitives::integer::hash_of_integer;
use crate::primitives::text::hash_value;
use crate::run::{Args, Request};

som_rows! {
    "som:Object>>class"(0) => class, "The class.", ALWAYS_SIMPLE;
    "som:Object>>objectSize"(0) => object_size, "The bytes of the object by the counting model.";
    "som:Object>>=="(1) => |vm, args| same(vm, args, true), "Anything: whether it is the same object.", ALWAYS_SIMPLE;
    "som:Object>>~="(1) => |vm, args| same(vm, args, false),
        "Anything: whether it is another object.";
    "som:Object>>hashcode"(0) => hashcode,
        "By content for Integers, Doubles and Symbols, else from the machine's sequence.";
    "som:Object>>inspect"(0) => receiver, "The receiver: there is nothing to inspect it with.";
    "som:Object>>halt"(0) => receiver, "The receiver: there is nothing to halt in.";
    "som:Object>>perform:"(1) => perform,
        "A Symbol for no argument: the answer of that message, which is delivered and not counted.", DELIVERY;
    "som:Object>>perform:withArguments:"(2) => perform_with_arguments,
        "A Symbol and an Array of its arguments: as `perform:`.", DELIVERY;
    "som:Object>>perform:inSuperclass:"(2) => perform_in_superclass,
        "A Symbol and a class of the receiver's, in which lookup begins: as `perform:`.", DELIVERY;
    "som:Object>>perform:withArguments:inSuperclass:"(3) => perform_with_arguments_in_superclass,
        "A Symbol, an Array of its arguments, and a class: as `perform:inSuperclass:`.", DELIVERY;
    "som:Object>>instVarAt:"(1) => inst_var_at, "The index of a field: what it holds.";
    "som:Object>>instVarAt:put:"(2) => inst_var_at_put,
        "The index of a field and anything: the receiver.";
    "som:Object>>instVarNamed:"(1) => inst_var_named, "The name of a field: what it holds.";
    "som:Block>>restart"(0) => restart, "A method or block of no more than 40 arguments: it begins anew.";
}

fn receiver(vm: &mut Vm, args: Args) -> Said {
    Ok::<Value, Failed>(args.receiver(vm))
}

fn class(vm: &mut Vm, args: Args) -> Said {
    let class = vm.class_of(args.receiver(vm));
    Ok::<Value, Failed>(vm.class_object(class))
}

fn object_size(vm: &mut Vm, args: Args) -> Said {
    let receiver = args.receiver(vm);
    let bytes = match receiver.is_object() {
        true => crate::machine::model_bytes(vm.heap.contents(receiver)),
        false => 8,
    };
    Ok::<Value, Failed>(Value::int(bytes as i64))
}

/// Whether both are the same large integer, or Doubles with the same bits.
pub(super) fn same_number(vm: &Vm, a: Value, b: Value) -> bool {
    if !a.is_object() || !b.is_object() {
        return false;
    }
    match (vm.float_of(a), vm.float_of(b)) {
        (Some(a), Some(b)) => a.to_bits() == b.to_bits(),
        (None, None) => vm.same_large_integer(a, b),
        _ => false,
    }
}

fn same(vm: &mut Vm, args: Args, wanted: bool) -> Said {
    let (receiver, other) = (args.receiver(vm), args.at(vm, 0));
    let is_same = receiver == other || same_number(vm, receiver, other);
    Ok::<Value, Failed>(Value::bool(is_same == wanted))
}

fn hashcode(vm: &mut Vm, args: Args) -> Said {
    let receiver = args.receiver(vm);
    let hash = match vm.integer_of(receiver) {
        Some(_) if receiver.is_int() => receiver,
        Some(integer) => hash_value(hash_of_integer(&integer)),
        None => crate::primitives::slots::identity_hash(vm, args).unwrap_or(Value::int(0)),
    };
    Ok::<Value, Failed>(hash)
}

// --- perform --------------------------------------------------------------------------------------

fn send(
    vm: &mut Vm,
    args: Args,
    selector: SymbolId,
    arguments: &[Value],
    start: Option<ClassId>,
) -> Asked {
    let wanted = selector_arity(vm.symbol_text(selector));
    let count = arguments.len();
    if wanted != count {
        let text = vm.symbol_text(selector);
        return Err(format!("#{text} takes {wanted} arguments, not {count}").into());
    }
    vm.put_in_window(args.base + 1, arguments);
    let performed = Request::Perform {
        selector,
        count,
        start,
    };
    Ok(request(vm, performed))
}

/// The elements of the Array that an argument has to be.
pub(super) fn elements(vm: &Vm, args: Args, index: usize) -> Result<Vec<Value>, Failed> {
    let value = args.at(vm, index);
    if value.is_object() && vm.is_a(value, Known::Array) {
        Ok(vm.heap.slots(value).to_vec())
    } else {
        Err(format!("expected an Array, not {}", description(vm, value)).into())
    }
}

/// The class in which lookup is to begin.
fn start(vm: &Vm, args: Args, index: usize) -> Result<Option<ClassId>, Failed> {
    let value = args.at(vm, index);
    let own = vm.class_of(args.receiver(vm));
    match vm.class_of_class_object(value) {
        Some(class) if vm.inherits(own, class) => Ok(Some(class)),
        Some(_) => Err("the class is none of the receiver's".into()),
        None => Err(format!("expected a class, not {}", description(vm, value)).into()),
    }
}

fn perform(vm: &mut Vm, args: Args) -> Asked {
    let selector = symbol(vm, args, 0)?;
    send(vm, args, selector, &[], None)
}

fn perform_with_arguments(vm: &mut Vm, args: Args) -> Asked {
    let (selector, arguments) = (symbol(vm, args, 0)?, elements(vm, args, 1)?);
    send(vm, args, selector, &arguments, None)
}

fn perform_in_superclass(vm: &mut Vm, args: Args) -> Asked {
    let (selector, start) = (symbol(vm, args, 0)?, start(vm, args, 1)?);
    send(vm, args, selector, &[], start)
}

fn perform_with_arguments_in_superclass(vm: &mut Vm, args: Args) -> Asked {
    let (selector, arguments) = (symbol(vm, args, 0)?, elements(vm, args, 1)?);
    let start = start(vm, args, 2)?;
    send(vm, args, selector, &arguments, start)
}

// --- fields ---------------------------------------------------------------------------------------

/// The slot of a field, the number of which counts from 0.
fn slot(vm: &Vm, args: Args, field: Option<usize>) -> Result<usize, Failed> {
    let receiver = args.receiver(vm);
    // The hidden slot of classes is no field.
    let hidden = usize::from(vm.class_of_class_object(receiver).is_some());
    let class = vm.class(vm.class_of(receiver));
    let fields = class.ivars.len().saturating_sub(hidden);
    let has_slots = receiver.is_object() && class.kind != crate::bytecode::Kind::Bytes;
    field
        .filter(|&field| has_slots && field < fields)
        .map(|field| field + hidden)
        .filter(|&slot| slot < vm.heap.slots(receiver).len())
        .ok_or_else(|| format!("{} has no such field", description(vm, receiver)).into())
}

fn numbered(vm: &Vm, args: Args) -> Result<usize, Failed> {
    let index = args.at(vm, 0).as_int().map(|index| index.wrapping_sub(1));
    slot(
        vm,
        args,
        index.and_then(|index| usize::try_from(index).ok()),
    )
}

fn inst_var_at(vm: &mut Vm, args: Args) -> Said {
    let slot = numbered(vm, args)?;
    Ok(vm.heap.slot(args.receiver(vm), slot))
}

fn inst_var_at_put(vm: &mut Vm, args: Args) -> Said {
    let slot = numbered(vm, args)?;
    let (receiver, value) = (args.receiver(vm), args.at(vm, 1));
    vm.heap.set_slot(receiver, slot, value);
    Ok(receiver)
}

fn inst_var_named(vm: &mut Vm, args: Args) -> Said {
    let receiver = args.receiver(vm);
    let name = vm.symbol_text(symbol(vm, args, 0)?);
    let fields = &vm.class(vm.class_of(receiver)).ivars;
    let place = fields
        .iter()
        .position(|field| field == name && !name.is_empty());
    let hidden = usize::from(vm.class_of_class_object(receiver).is_some());
    let slot = slot(vm, args, place.and_then(|place| place.checked_sub(hidden)))?;
    Ok(vm.heap.slot(receiver, slot))
}

fn restart(vm: &mut Vm, _args: Args) -> Asked {
    let frame = vm.frame_index();
    if usize::from(vm.running_code(frame).argument_count) > MOST_KEPT_ARGUMENTS {
        return Err("a method with this number of arguments cannot begin anew".into());
    }
    Ok::<_, Failed>(request(vm, Request::Restart))
}
