//! Primitives of SOM's classes and of the objects that stand for their methods.

use super::row::{Asked, Failed, Said, request, som_rows};
use crate::base::{ClassId, MethodId, Value};
use crate::bytecode::{GlobalRef, Kind};
use crate::heap::Contents;
use crate::machine::Vm;
use crate::primitives::behavior::is_closed;
use crate::run::{Args, Request};

/// The slot of a method's object that holds the method's number.
const NUMBER_SLOT: usize = 0;

/// Name of a class's hidden variable that holds the objects of its methods.
const METHODS: &str = "<methods>";

som_rows! {
    "som:Class>>new"(0) => new, "A class that the machine does not keep for itself: an instance.";
    "som:Class>>name"(0) => name, "The name; of a metaclass that of its class, followed by ` class`.";
    "som:Class>>superclass"(0) => superclass, "The superclass or nil.";
    "som:Class>>fields"(0) => fields, "An Array of the names of all fields, inherited ones first.", LIST;
    "som:Class>>methods"(0) => methods, "An Array of the class's own methods, in the order of the text.", LIST;
    "som:Class>>hasMethod:"(1) => has_method, "A Symbol: whether the class itself has such a method.";
    "som:Method>>signature"(0) => signature, "The selector.";
    "som:Method>>holder"(0) => holder, "The class.";
    "som:Method>>invokeOn:with:"(2) => invoke,
        "A receiver and an Array of arguments: the answer of the method, which is delivered and not counted.";
    "som:Primitive>>signature"(0) => signature, "The selector.";
    "som:Primitive>>holder"(0) => holder, "The class.";
    "som:Primitive>>invokeOn:with:"(2) => invoke,
        "A receiver and an Array of arguments: the answer of the method, which is delivered and not counted.";
}

fn class(vm: &Vm, args: Args) -> Result<ClassId, Failed> {
    vm.class_of_class_object(args.receiver(vm))
        .ok_or_else(|| "the receiver is no class".into())
}

fn new(vm: &mut Vm, args: Args) -> Said {
    let id = class(vm, args)?;
    let row = vm.class(id);
    if is_closed(vm, id) || vm.class_object(id).is_nil() {
        return Err(format!("{} has no instances but its own", row.display_name()).into());
    }
    let contents = match row.kind {
        Kind::Bytes => Contents::Bytes(0),
        Kind::Fixed | Kind::Pointers => Contents::Slots(row.ivars.len()),
    };
    Ok(vm.make(id, contents))
}

fn name(vm: &mut Vm, args: Args) -> Said {
    let name = vm.class(class(vm, args)?).display_name();
    Ok(vm.symbol(&name))
}

fn superclass(vm: &mut Vm, args: Args) -> Said {
    let above = vm.class(class(vm, args)?).superclass;
    Ok(above.map_or(Value::NIL, |id| vm.class_object(id)))
}

fn fields(vm: &mut Vm, args: Args) -> Said {
    let class = vm.class(class(vm, args)?);
    let names: Vec<String> = class
        .ivars
        .iter()
        .filter(|name| !name.is_empty())
        .cloned()
        .collect();
    let symbols: Vec<Value> = names.iter().map(|name| vm.symbol(name)).collect();
    Ok(vm.make_array(&symbols))
}

fn has_method(vm: &mut Vm, args: Args) -> Said {
    let id = class(vm, args)?;
    let selector = super::row::symbol(vm, args, 0)?;
    Ok(Value::bool(vm.class(id).methods.get(selector).is_some()))
}

/// The objects for a class's methods are made at the first request and stay the same. The model does not count them.
fn methods(vm: &mut Vm, args: Args) -> Said {
    let id = class(vm, args)?;
    let kept = GlobalRef::ClassVariable {
        class: vm.class(id).display_name(),
        name: METHODS.to_string(),
    };
    let kept = vm.global(&kept) as usize;
    if vm.image.globals[kept].defined {
        return Ok(vm.image.globals[kept].value);
    }
    let before = vm.allocations_now();
    let own = &vm.class(id).methods;
    let ids: Vec<MethodId> = own
        .selectors()
        .iter()
        .filter_map(|&selector| own.get(selector))
        .collect();
    let start = vm.run.handles.len();
    for method in ids {
        let object = method_object(vm, method);
        vm.run.handles.push(object);
    }
    let objects = vm.run.handles[start..].to_vec();
    let array = vm.make_array(&objects);
    vm.run.handles.truncate(start);
    vm.forget_allocations_since(before);
    vm.image.globals[kept].value = array;
    vm.image.globals[kept].defined = true;
    Ok(array)
}

fn method_object(vm: &mut Vm, method: MethodId) -> Value {
    let is_primitive = vm.method(method).code.get().primitive.is_some();
    let class = vm.find_class(if is_primitive { "Primitive" } else { "Method" });
    let Some(class) = class else {
        return Value::NIL;
    };
    let fields = vm.class(class).ivars.len();
    let object = vm.make(class, Contents::Slots(fields + 1));
    vm.heap.set_slot(
        object,
        fields + NUMBER_SLOT,
        Value::int(i64::from(method.0)),
    );
    object
}

/// The method that the receiver represents.
fn method(vm: &Vm, args: Args) -> Result<MethodId, Failed> {
    let receiver = args.receiver(vm);
    let class = vm.class(vm.class_of(receiver));
    let has_slots = receiver.is_object() && class.kind != Kind::Bytes;
    let number = has_slots
        .then(|| vm.heap.slots(receiver).get(class.ivars.len() + NUMBER_SLOT))
        .flatten()
        .and_then(|number| number.as_int())
        .and_then(|number| u32::try_from(number).ok())
        .filter(|&number| (number as usize) < vm.image.methods.len());
    number
        .map(MethodId)
        .ok_or_else(|| "the receiver stands for no method".into())
}

fn signature(vm: &mut Vm, args: Args) -> Said {
    Ok(Value::symbol(vm.method(method(vm, args)?).selector))
}

fn holder(vm: &mut Vm, args: Args) -> Said {
    let holder = vm.method(method(vm, args)?).holder;
    Ok(vm.class_object(holder))
}

fn invoke(vm: &mut Vm, args: Args) -> Asked {
    let method = method(vm, args)?;
    let arguments = super::object::elements(vm, args, 1)?;
    let wanted = usize::from(vm.method(method).code.get().argument_count);
    let receiver = args.at(vm, 0);
    let holder = vm.method(method).holder;
    if wanted != arguments.len() {
        return Err(format!(
            "the method takes {wanted} arguments, not {}",
            arguments.len()
        )
        .into());
    }
    // A method reaches for the fields of its class's instances.
    if !vm.inherits(vm.class_of(receiver), holder) {
        return Err("the receiver is no instance of the method's class".into());
    }
    vm.put_in_window(args.base, &[&[receiver], &arguments[..]].concat());
    let count = arguments.len();
    Ok(request(vm, Request::Invoke { method, count }))
}
