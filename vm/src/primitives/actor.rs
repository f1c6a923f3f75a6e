//! Primitives of actors: creating one, sending to it, and what a behaviour says about its actor.

use super::reflection::answer;
use super::{Answer, Primitive, rows};
use crate::base::{Known, SymbolId, Value};
use crate::machine::Vm;
use crate::run::{Args, Request};

rows! {
    "actorSpawn"(0) library requests => spawn,
        "An instance of a subclass of Actor, all of whose parts can be sent: the Address of a new actor, which begins with a copy of it.";
    "actorSpawnNew"(0) library requests => spawn_new,
        "A subclass of Actor for which `new`, `basicNew` and `initialize` are the library's, without indexed slots: the Address of a new actor, which begins with a new instance of it.";
    "actorTell"(0) library allocates => tell,
        "An Address: an Envelope for it.";
    "actorPost"(1) library allocates => post,
        "An Envelope, and a Message whose arguments can be sent: nil.";
    "actorPostWith"(any) library allocates => post_with,
        "An Address, a selector and as many arguments as it takes, which can be sent: nil.";
    "actorPostWithArguments"(2) library allocates => post_with_arguments,
        "An Address, a selector and an Array of as many arguments as it takes, which can be sent: nil.";
    "actorBehaveAs"(1) library leaf => behave_as,
        "A behaviour that processes a message, and one that takes its place behind that: the receiver.";
    "actorDispose"(0) library leaf => dispose,
        "A behaviour that processes a message, behind which its actor is no more: the receiver.";
    "actorTurnCost"(1) library leaf => turn_cost,
        "A behaviour that processes a message, and a SmallInteger from 0 on, the ticks that the turn takes in an exploration: the receiver.";
    "actorAddress"(0) library leaf => address,
        "A behaviour that processes a message: the Address of its actor.";
    "actorExplore"(3) library requests => explore,
        "A block without arguments, and two Symbols or nil: the delivery, and the machine that prices messages. An Array of what an exploration of the block's actors finds: states, transitions, computations, Work, Depth, an Array of the results, each an Array of Strings, what fails, and a schedule to each result. What is not known is nil. Where nothing can be explored it is a String that says why.";
    "actorProblem"(0) library allocates => problem,
        "Behind a primitive of actors that has declined: a String that gives the reason.";
}

/// The success of a result. If it failed, the reason is kept.
fn kept<T>(vm: &mut Vm, result: Result<T, String>) -> Option<T> {
    vm.actors.problem = None;
    match result {
        Ok(value) => Some(value),
        Err(why) => {
            vm.actors.problem = Some(why);
            None
        }
    }
}

fn answered(vm: &mut Vm, result: Result<Value, String>) -> Answer {
    match kept(vm, result) {
        // With the first actor, instructions of shared variables get other handlers.
        Some(value) => answer(vm, value),
        None => Answer::DECLINE,
    }
}

fn spawn(vm: &mut Vm, args: Args) -> Answer {
    vm.note_apart();
    let behaviour = args.receiver(vm);
    if !vm.is_behaviour(behaviour) {
        let why = Err("only instances of subclasses of Actor can be spawned".to_string());
        return answered(vm, why);
    }
    // Processors have values cross in another way, which parts of a copy would use.
    let copy = vm.copy_of_behaviour(behaviour);
    let address = copy.and_then(|copy| vm.spawn(copy));
    answered(vm, address)
}

fn spawn_new(vm: &mut Vm, args: Args) -> Answer {
    vm.note_apart();
    let class = vm.class_of_class_object(args.receiver(vm));
    let wanted = vm.library_of_actors().map(|library| library.behaviour);
    let Some((class, wanted)) = class.zip(wanted) else {
        return Answer::DECLINE;
    };
    if class == wanted || !vm.inherits(class, wanted) || vm.separate.engine.is_some() {
        return Answer::DECLINE;
    }
    match vm.plain_behaviour(class) {
        Some(behaviour) => {
            let address = vm.spawn(behaviour);
            answered(vm, address)
        }
        None => Answer::DECLINE,
    }
}

fn tell(vm: &mut Vm, args: Args) -> Option<Value> {
    vm.note_apart();
    let address = args.receiver(vm);
    vm.actor_of(address)?;
    vm.envelope_to(address)
}

/// Sends the message and answers nil, or declines and keeps the reason.
fn posted(vm: &mut Vm, target: Value, selector: SymbolId, arguments: Vec<Value>) -> Option<Value> {
    let wanted = super::control::selector_arity(vm.symbol_text(selector));
    let result = match (vm.actor_of(target), wanted == arguments.len()) {
        (None, _) => Err("messages go to addresses of actors".to_string()),
        (_, false) => {
            let (text, given) = (vm.symbol_text(selector), arguments.len());
            Err(format!(
                "#{text} takes {wanted} arguments, and {given} are given"
            ))
        }
        (Some(_), true) => vm.post(target, selector, arguments),
    };
    kept(vm, result).map(|()| Value::NIL)
}

fn array(vm: &Vm, value: Value) -> Option<Vec<Value>> {
    let is_array = value.is_object() && vm.is_a(value, Known::Array);
    is_array.then(|| vm.heap.slots(value).to_vec())
}

fn post(vm: &mut Vm, args: Args) -> Option<Value> {
    vm.note_apart();
    let target = vm.address_on(args.receiver(vm))?;
    let message = args.at(vm, 0);
    if !message.is_object() || !vm.is_a(message, Known::Message) {
        return None;
    }
    let &[selector, arguments] = vm.heap.slots(message) else {
        return None;
    };
    let arguments = array(vm, arguments)?;
    posted(vm, target, selector.as_symbol()?, arguments)
}

fn post_with(vm: &mut Vm, args: Args) -> Option<Value> {
    if args.count == 0 {
        return None;
    }
    vm.note_apart();
    let arguments = (1..args.count).map(|index| args.at(vm, index)).collect();
    selected(vm, args, arguments)
}

fn post_with_arguments(vm: &mut Vm, args: Args) -> Option<Value> {
    vm.note_apart();
    let arguments = array(vm, args.at(vm, 1));
    match arguments {
        Some(arguments) => selected(vm, args, arguments),
        None => kept(vm, Err("an Array of arguments is expected".to_string())),
    }
}

/// Sends the message with the selector in the first argument.
fn selected(vm: &mut Vm, args: Args, arguments: Vec<Value>) -> Option<Value> {
    match args.at(vm, 0).as_symbol() {
        Some(selector) => posted(vm, args.receiver(vm), selector, arguments),
        None => kept(vm, Err("a selector is expected".to_string())),
    }
}

fn behave_as(vm: &mut Vm, args: Args) -> Option<Value> {
    vm.note_apart();
    let (receiver, next) = (args.receiver(vm), args.at(vm, 0));
    if !vm.is_behaviour(next) {
        let why = "an actor behaves as an instance of a subclass of Actor";
        return kept(vm, Err(why.to_string()));
    }
    let turn = own_turn(vm, receiver)?;
    if !turn.next.is_nil() {
        turn.next = next;
        if let Some(noted) = &mut vm.actors.noted {
            noted.is_replaced = true;
        }
    }
    Some(receiver)
}

fn dispose(vm: &mut Vm, args: Args) -> Option<Value> {
    vm.note_apart();
    let receiver = args.receiver(vm);
    own_turn(vm, receiver)?.next = Value::NIL;
    Some(receiver)
}

/// The most ticks that a turn can be said to take: sums of them stay numbers of 64 bits.
const MOST_TICKS: u64 = 1 << 40;

fn turn_cost(vm: &mut Vm, args: Args) -> Option<Value> {
    vm.note_apart();
    let (receiver, ticks) = (args.receiver(vm), args.at(vm, 0).as_int());
    let ticks = ticks.and_then(|ticks| u64::try_from(ticks).ok());
    let Some(ticks) = ticks.filter(|ticks| *ticks <= MOST_TICKS) else {
        let why = format!("a number of ticks from 0 to {MOST_TICKS} is expected");
        return kept(vm, Err(why));
    };
    own_turn(vm, receiver)?;
    if let Some(noted) = &mut vm.actors.noted {
        noted.cost = Some(ticks);
    }
    Some(receiver)
}

fn address(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    own_turn(vm, receiver).map(|turn| turn.address)
}

fn explore(vm: &mut Vm, args: Args) -> Answer {
    let block = args.at(vm, 0);
    let is_block = vm.is_block(block) && super::control::block_arity(vm, block) == Some(0);
    let [delivery, costs] = [1, 2].map(|index| args.at(vm, index));
    let mut names = [delivery, costs].into_iter();
    if !is_block || !names.all(|name| name.is_nil() || name.as_symbol().is_some()) {
        return Answer::DECLINE;
    }
    let [delivery, costs] = [delivery, costs].map(Value::as_symbol);
    vm.run.request = Request::Explore { delivery, costs };
    Answer::REQUEST
}

/// The turn of the receiver.
fn own_turn(vm: &mut Vm, behaviour: Value) -> Option<&mut crate::actors::Turn> {
    let is_own = vm.turn_of(behaviour).is_some();
    let result = match is_own {
        true => Ok(()),
        false => Err("the behaviour is not processing a message".to_string()),
    };
    kept(vm, result)?;
    vm.turn_of(behaviour)
}

fn problem(vm: &mut Vm, _args: Args) -> Option<Value> {
    let text = vm.actors.problem.take()?;
    Some(vm.make_string(&text))
}
