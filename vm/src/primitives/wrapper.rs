//! Primitives of MethodWrapper: taking a method's place, giving it back, running the original.

use super::{Answer, Primitive, rows};
use crate::base::{Known, Value};
use crate::machine::Vm;
use crate::run::{Args, Request};

rows! {
    "wrapperInstall"(2) library requests => install,
        "A MethodWrapper that stands in no method's place, a class that is no trait and the selector of a method of its own with no more than 200 arguments: the receiver, now in that method's place.";
    "wrapperUninstall"(0) library allocates => |vm: &mut Vm, args: Args| { let wrapper = args.receiver(vm); vm.unwrap(wrapper).then_some(()).map(|()| args.receiver(vm)) },
        "A MethodWrapper that stands in a method's place: the receiver, no longer there.";
    "wrapperIsInstalled"(0) library leaf => |vm: &mut Vm, args: Args| vm.wraps(args.receiver(vm)),
        "Always: whether the receiver stands in a method's place.";
    "wrapperRun"(2) library requests => run,
        "A MethodWrapper that has taken a method's place, a receiver that suits the method and an Array of its arguments: what running the method answers. In wrapper code, what it executes counts again.";
    "wrapperWasActivated"(0) library leaf => |vm: &mut Vm, _args: Args| vm.running.silence.as_deref().is_some_and(|silence| silence.was_activated),
        "Always: whether the original that the running wrapper ran last was activated, rather than answered at once by a primitive or a quick method.";
    "counterOverhead"(0) library allocates => |vm: &mut Vm, _args: Args| { vm.note_uncontrolled("a count of the whole run"); let sends = vm.overhead(); super::counter::number(vm, sends) },
        "Always: the sends of silent code so far.";
    "counterAll"(0) library allocates => |vm: &mut Vm, _args: Args| { let sends = vm.counted_sends(); super::counter::number(vm, sends) },
        "Always: the running process's send counter, which no reset moves.";
}

/// Whether a value is an object with the slots of a MethodWrapper.
fn is_wrapper(vm: &Vm, value: Value) -> bool {
    let class = vm.library_class("MethodWrapper");
    vm.inherits(class, Known::CompiledMethod.into())
        && vm.inherits(vm.class_of(value), class)
        && vm.heap.has_slot(value, 1)
}

fn install(vm: &mut Vm, args: Args) -> Answer {
    let wrapper = args.receiver(vm);
    let class = vm.class_of_class_object(args.at(vm, 0));
    let selector = args.at(vm, 1).as_symbol();
    let (true, Some(class), Some(selector)) = (is_wrapper(vm, wrapper), class, selector) else {
        return Answer::DECLINE;
    };
    if vm.wrap(wrapper, class, selector).is_none() {
        return Answer::DECLINE;
    }
    super::reflection::answer(vm, args.receiver(vm))
}

fn run(vm: &mut Vm, args: Args) -> Answer {
    let arguments = args.at(vm, 1);
    let is_array = arguments.is_object() && vm.is_a(arguments, Known::Array);
    let wrapper = args.receiver(vm);
    let (Some(method), true) = (vm.wrapped_method(wrapper), is_array) else {
        return Answer::DECLINE;
    };
    let receiver = args.at(vm, 0);
    let arguments = vm.heap.slots(arguments).to_vec();
    let count = arguments.len();
    let innermost = vm.image.innermost(method);
    let row = vm.method(innermost);
    let is_instance = vm.inherits(vm.class_of(receiver), row.holder);
    let suits = is_instance || vm.image.suits_any_receiver(innermost);
    if usize::from(row.code.get().argument_count) != count || !suits {
        return Answer::DECLINE;
    }
    let mut window = vec![receiver];
    window.extend(arguments);
    vm.put_in_window(args.base, &window);
    vm.run.request = Request::RunOriginal { method, count };
    Answer::REQUEST
}
