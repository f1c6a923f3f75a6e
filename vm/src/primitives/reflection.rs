//! Primitives by which a program reads and changes its methods and classes: compiling, removing, renaming. Reading a
//! class without changing it is in `behavior`.

use super::{Answer, Primitive, rows};
use crate::base::{ClassId, Known, MethodId, SymbolId, Value};
use crate::bytecode::{GlobalRef, Kind, Literal, Quick};
use crate::image::Access;
use crate::machine::{CompileFailure, Vm};
use crate::run::{Args, Request};

rows! {
    "behaviorCompile"(2) library requests => compile,
        "The source of a method and a category: the CompiledMethod, now the class's; or an Array of message, details and position of the first error.", COMPILE;
    "behaviorCompileExpression"(1) library allocates => compile_expression,
        "Temporaries and statements: a CompiledMethod that no class holds; or an Array as for `behaviorCompile`.", COMPILE;
    "behaviorMethodAt"(1) library allocates => method_at,
        "A symbol for which the class itself has a method: the CompiledMethod.";
    "behaviorLookupSelector"(1) library allocates => lookup_selector,
        "A symbol: the CompiledMethod that instances answer it with, or nil.";
    "behaviorAddMethod"(2) library requests => add_method,
        "A symbol and a CompiledMethod with as many arguments: the class's own CompiledMethod of the same code.";
    "behaviorRemoveSelector"(1) library requests => remove_selector,
        "A symbol for which the class itself has a method: the receiver, without that method.";
    "behaviorSetCategory"(1) library leaf => set_category, "A string: the receiver, whose category it now is.";
    "behaviorSetComment"(1) library leaf => set_comment, "A string: the receiver, whose comment it now is.";
    "behaviorPools"(0) library allocates => pool_names,
        "A class: an Array of the names of the pools that it imports, symbols.";
    "behaviorClassVarNames"(0) library allocates => class_variable_names,
        "Always: an Array of the names of the class variables declared there.", LIST;
    "behaviorClassVarAt"(1) library allocates ordered => class_variable_at,
        "The name of a class variable declared there: its value.";
    "behaviorClassVarAtPut"(2) library requests ordered => class_variable_at_put,
        "The name of a class variable declared there and anything: the latter.";
    "behaviorSetInstVars"(1) library requests => set_instance_variables,
        "Names separated by blanks: the receiver, whose own instance variables they are now; or a String that says why not.";
    "behaviorAddClassVar"(1) library requests => add_class_variable,
        "A name: the receiver, which now declares that class variable; or a String that says why not.";
    "behaviorRemoveClassVar"(1) library leaf => remove_class_variable,
        "The name of a class variable declared there: the receiver, without it.";
    "behaviorAllInstances"(0) library allocates => all_instances,
        "A class whose instances are objects in the heap: an Array of those that survive a collection.", LIST;
    "weakArraysClear"(1) library allocates => clear_weak,
        "An Array of instances of classes with indexed slots: the Array, after a collection. An indexed slot is nil if nothing else referred to its object.", BATCH;
    "classRename"(1) library requests => rename,
        "The name of no global: the receiver, now called so; or a String that says why not.";
    "classRemove"(0) library allocates => remove, "A class: nil, no global any more; or a String that says why not.";
    "systemGlobalRemove"(1) library leaf => remove_global, "A symbol that names a defined global, no class: its last value.";
    "methodSelector"(0) library leaf => |vm: &mut Vm, args: Args| with_method(vm, args, |vm, id| Value::symbol(vm.method(id).selector)),
        "A CompiledMethod: its selector.";
    "methodClass"(0) library leaf => |vm: &mut Vm, args: Args| with_method(vm, args, |vm, id| vm.class_object(vm.method(id).holder)),
        "A CompiledMethod: the class that it was compiled for.";
    "methodCategory"(0) library allocates => |vm: &mut Vm, args: Args| with_method(vm, args, |vm, id| { let text = vm.method(id).category.to_string(); vm.make_string(&text) }),
        "A CompiledMethod: its category, a String.";
    "methodSetCategory"(1) library leaf => set_method_category, "A CompiledMethod and a string: the receiver, whose category it now is.";
    "methodNumArgs"(0) library leaf => |vm: &mut Vm, args: Args| with_method(vm, args, |vm, id| Value::int(i64::from(vm.method(id).code.get().argument_count))),
        "A CompiledMethod: the number of its arguments.";
    "methodSource"(0) library allocates => |vm: &mut Vm, args: Args| with_method(vm, args, |vm, id| { let text = vm.image.method_source(id); vm.make_string(&text) }),
        "A CompiledMethod: its source, pattern and body.";
    "methodFile"(0) library allocates => |vm: &mut Vm, args: Args| with_method(vm, args, |vm, id| { let place = vm.method_place(id); vm.make_string(&place.file) }),
        "A CompiledMethod: the name of the text that it stands in.";
    "methodLine"(0) library leaf => |vm: &mut Vm, args: Args| with_method(vm, args, |vm, id| Value::int(vm.method_place(id).line as i64)),
        "A CompiledMethod: the line of that text.";
    "methodPragmas"(0) library allocates => pragmas,
        "A CompiledMethod: an Array of pairs of a selector and an Array of arguments.", LIST;
    "methodLiterals"(0) library allocates => literals,
        "A CompiledMethod: an Array of the literals in its code.", LIST;
    "methodMessages"(0) library allocates => |vm: &mut Vm, args: Args| with_method(vm, args, |vm, id| { let texts = vm.image.sent_selectors(id); symbols(vm, &texts) }),
        "A CompiledMethod: an Array of the selectors that it sends.", LIST;
    "methodGlobals"(0) library allocates => |vm: &mut Vm, args: Args| with_method(vm, args, |vm, id| { let texts = vm.image.named_globals(id); symbols(vm, &texts) }),
        "A CompiledMethod: an Array of the names of globals and class variables in it.", LIST;
    "methodReads"(0) library allocates => |vm: &mut Vm, args: Args| with_method(vm, args, |vm, id| { let texts = vm.image.accessed_variables(id, Access::Read); vm.make_string_array(&texts) }),
        "A CompiledMethod: an Array of the names of instance variables that it reads.", LIST;
    "methodWrites"(0) library allocates => |vm: &mut Vm, args: Args| with_method(vm, args, |vm, id| { let texts = vm.image.accessed_variables(id, Access::Written); vm.make_string_array(&texts) }),
        "A CompiledMethod: an Array of the names of instance variables that it assigns.", LIST;
    "methodPrimitive"(0) library leaf => primitive_name,
        "A CompiledMethod: the name of its primitive, or nil.";
    "methodQuick"(0) library leaf => quick,
        "A CompiledMethod: #self, #literal, #variable or #setter if the model calls it quick, else nil.";
    "methodIsInstalled"(0) library leaf => |vm: &mut Vm, args: Args| with_method(vm, args, |vm, id| Value::bool(vm.method(id).current)),
        "A CompiledMethod: whether its class still has it.";
    "methodValue"(2) library requests => method_value,
        "A CompiledMethod, a receiver that it suits and an Array of its arguments: what running it answers; no lookup, no send.";
}

fn class(vm: &Vm, args: Args) -> Option<ClassId> {
    vm.class_of_class_object(args.receiver(vm))
}

fn method(vm: &Vm, args: Args) -> Option<MethodId> {
    vm.method_of_object(args.receiver(vm))
}

fn with_method(
    vm: &mut Vm,
    args: Args,
    answer: impl FnOnce(&mut Vm, MethodId) -> Value,
) -> Option<Value> {
    let id = method(vm, args)?;
    Some(answer(vm, id))
}

/// Answers a value. If the machine needs a different mode, it changes the mode at once.
pub(super) fn answer(vm: &mut Vm, value: Value) -> Answer {
    if !vm.run.mode_changed {
        return value.into();
    }
    vm.run.request = Request::AnswerInNewMode { answer: value };
    Answer::REQUEST
}

/// As [`answer`], if there is a value.
pub(super) fn answer_or_decline(vm: &mut Vm, value: Option<Value>) -> Answer {
    match value {
        Some(value) => answer(vm, value),
        None => Answer::DECLINE,
    }
}

fn symbols(vm: &mut Vm, texts: &[String]) -> Value {
    let symbols: Vec<Value> = texts.iter().map(|text| vm.symbol(text)).collect();
    vm.make_array(&symbols)
}

// --- compiling -----------------------------------------------------------------------------------

fn failure(vm: &mut Vm, failure: &CompileFailure) -> Value {
    let texts = [failure.message.clone(), failure.details.clone()];
    let strings = vm.make_string_array(&texts);
    let [message, details] = [0, 1].map(|index| vm.heap.slot(strings, index));
    let position = Value::int(failure.position as i64);
    vm.make_array(&[message, details, position])
}

fn compile(vm: &mut Vm, args: Args) -> Answer {
    let texts = [0, 1].map(|index| vm.text_of(args.at(vm, index)));
    let (Some(id), [Some(source), Some(category)]) = (class(vm, args), texts) else {
        return Answer::DECLINE;
    };
    match vm.compile_into(id, &source, &category) {
        Some(Ok(method)) => {
            let object = vm.method_object(method);
            answer(vm, object)
        }
        Some(Err(why)) => failure(vm, &why).into(),
        None => Answer::DECLINE,
    }
}

fn compile_expression(vm: &mut Vm, args: Args) -> Option<Value> {
    let id = class(vm, args)?;
    let source = vm.text_of(args.at(vm, 0))?;
    match vm.compile_evaluation(id, &source)? {
        Ok(method) => Some(vm.method_object(method)),
        Err(why) => Some(failure(vm, &why)),
    }
}

fn method_value(vm: &mut Vm, args: Args) -> Answer {
    let arguments = args.at(vm, 1);
    let is_array = arguments.is_object() && vm.is_a(arguments, crate::base::Known::Array);
    let (Some(id), true) = (method(vm, args), is_array) else {
        return Answer::DECLINE;
    };
    let receiver = args.at(vm, 0);
    let arguments = vm.heap.slots(arguments).to_vec();
    let row = vm.method(id);
    let count = arguments.len();
    let suits = vm.inherits(vm.class_of(receiver), row.holder) || vm.image.suits_any_receiver(id);
    if usize::from(row.code.get().argument_count) != count || !suits {
        return Answer::DECLINE;
    }
    let mut window = vec![receiver];
    window.extend(arguments);
    vm.put_in_window(args.base, &window);
    vm.run.request = Request::Invoke { method: id, count };
    Answer::REQUEST
}

// --- a class's methods -----------------------------------------------------------------------------

fn method_at(vm: &mut Vm, args: Args) -> Option<Value> {
    let selector = args.at(vm, 0).as_symbol()?;
    let id = vm.class(class(vm, args)?).methods.get(selector)?;
    Some(vm.method_object(id))
}

fn lookup_selector(vm: &mut Vm, args: Args) -> Option<Value> {
    let selector = args.at(vm, 0).as_symbol()?;
    match vm.lookup(class(vm, args)?, selector) {
        Some(id) => Some(vm.method_object(id)),
        None => Some(Value::NIL),
    }
}

fn add_method(vm: &mut Vm, args: Args) -> Answer {
    let found = vm.method_of_object(args.at(vm, 1));
    let (Some(class), Some(selector), Some(method)) =
        (class(vm, args), args.at(vm, 0).as_symbol(), found)
    else {
        return Answer::DECLINE;
    };
    let wanted = usize::from(vm.method(method).code.get().argument_count);
    if selector_arity(vm, selector) != wanted || !has_its_variables(vm, class, method) {
        return Answer::DECLINE;
    }
    let added = vm.add_method_to(class, selector, method);
    let object = vm.method_object(added);
    answer(vm, object)
}

fn selector_arity(vm: &Vm, selector: SymbolId) -> usize {
    let text = vm.symbol_text(selector);
    if text.is_empty() {
        return usize::MAX;
    }
    super::control::selector_arity(text)
}

/// Whether a class has all instance variables that a method names.
fn has_its_variables(vm: &Vm, class: ClassId, method: MethodId) -> bool {
    let names = &vm.class(class).ivars;
    let code = vm.method(method).code.get();
    code.ivars.iter().all(|name| names.contains(name))
}

fn remove_selector(vm: &mut Vm, args: Args) -> Answer {
    let (Some(id), Some(selector)) = (class(vm, args), args.at(vm, 0).as_symbol()) else {
        return Answer::DECLINE;
    };
    if !vm.remove_method(id, selector) {
        return Answer::DECLINE;
    }
    let receiver = args.receiver(vm);
    answer(vm, receiver)
}

// --- a class's properties --------------------------------------------------------------------------

fn set_category(vm: &mut Vm, args: Args) -> Option<Value> {
    let (id, text) = (class(vm, args)?, vm.text_of(args.at(vm, 0))?);
    vm.image.classes[id.0 as usize].category = text;
    Some(args.receiver(vm))
}

fn set_comment(vm: &mut Vm, args: Args) -> Option<Value> {
    let (id, text) = (class(vm, args)?, vm.text_of(args.at(vm, 0))?);
    vm.image.classes[id.0 as usize].comment = text;
    Some(args.receiver(vm))
}

fn set_method_category(vm: &mut Vm, args: Args) -> Option<Value> {
    let (id, text) = (method(vm, args)?, vm.text_of(args.at(vm, 0))?);
    vm.image.methods[id.0 as usize].category = text.into();
    Some(args.receiver(vm))
}

fn pool_names(vm: &mut Vm, args: Args) -> Option<Value> {
    let names = vm.class(class(vm, args)?).pools.clone();
    Some(symbols(vm, &names))
}

fn class_variable_names(vm: &mut Vm, args: Args) -> Option<Value> {
    let names = vm.class(class(vm, args)?).class_variables.clone();
    Some(symbols(vm, &names))
}

/// The global behind a class variable that the receiver declares.
fn class_variable(vm: &mut Vm, args: Args) -> Option<usize> {
    let name = vm.text_of(args.at(vm, 0))?;
    let row = vm.class(class(vm, args)?);
    if row.is_metaclass || !row.class_variables.contains(&name) {
        return None;
    }
    let class = row.name.clone();
    Some(vm.global(&GlobalRef::ClassVariable { class, name }) as usize)
}

fn class_variable_at(vm: &mut Vm, args: Args) -> Option<Value> {
    let id = class_variable(vm, args)?;
    Some(vm.read_global(id))
}

fn class_variable_at_put(vm: &mut Vm, args: Args) -> Answer {
    let Some(id) = class_variable(vm, args) else {
        return Answer::DECLINE;
    };
    let value = args.at(vm, 1);
    vm.write_global(id, value);
    answer(vm, value)
}

/// The receiver, or why not.
fn receiver_or_reason(vm: &mut Vm, args: Args, done: Result<(), String>) -> Answer {
    match done {
        Ok(()) => {
            let receiver = args.receiver(vm);
            answer(vm, receiver)
        }
        Err(why) => vm.make_string(&why).into(),
    }
}

fn set_instance_variables(vm: &mut Vm, args: Args) -> Answer {
    let (Some(id), Some(text)) = (class(vm, args), vm.text_of(args.at(vm, 0))) else {
        return Answer::DECLINE;
    };
    let names = text.split_whitespace().map(str::to_string).collect();
    let done = vm.change_variables(id, names);
    receiver_or_reason(vm, args, done)
}

fn add_class_variable(vm: &mut Vm, args: Args) -> Answer {
    let (Some(id), Some(name)) = (class(vm, args), vm.text_of(args.at(vm, 0))) else {
        return Answer::DECLINE;
    };
    let done = vm.declare_class_variable(id, &name);
    receiver_or_reason(vm, args, done)
}

fn remove_class_variable(vm: &mut Vm, args: Args) -> Option<Value> {
    let place = class_variable(vm, args)?;
    let (id, name) = (class(vm, args)?, vm.text_of(args.at(vm, 0))?);
    vm.image.globals[place].value = Value::NIL;
    let row = &mut vm.image.classes[id.0 as usize];
    row.class_variables.retain(|other| *other != name);
    Some(args.receiver(vm))
}

fn all_instances(vm: &mut Vm, args: Args) -> Option<Value> {
    let id = class(vm, args)?;
    vm.note_uncontrolled("all instances of a class");
    let found = vm.instances_of(id);
    let contents = crate::heap::Contents::Slots(found.len());
    let start = vm.run.handles.len();
    vm.run.handles.extend(found);
    let fits = vm.has_room_for(contents);
    let found = vm.run.handles.split_off(start);
    fits.then(|| vm.make_array(&found))
}

fn clear_weak(vm: &mut Vm, args: Args) -> Option<Value> {
    let holders = args.at(vm, 0);
    if vm.class_of(holders) != Known::Array.into() {
        return None;
    }
    let are_pointers = (0..vm.heap.slots(holders).len()).all(|index| {
        let holder = vm.heap.slot(holders, index);
        let class = vm.class_of(holder);
        holder.is_object() && vm.class(class).kind == Kind::Pointers
    });
    are_pointers.then(|| {
        vm.clear_weak(holders);
        args.at(vm, 0)
    })
}

fn rename(vm: &mut Vm, args: Args) -> Answer {
    let (Some(id), Some(name)) = (class(vm, args), vm.text_of(args.at(vm, 0))) else {
        return Answer::DECLINE;
    };
    let done = vm.rename_class(id, &name);
    receiver_or_reason(vm, args, done)
}

fn remove(vm: &mut Vm, args: Args) -> Answer {
    let Some(id) = class(vm, args) else {
        return Answer::DECLINE;
    };
    match vm.remove_class(id) {
        Ok(()) => Value::NIL.into(),
        Err(why) => vm.make_string(&why).into(),
    }
}

fn remove_global(vm: &mut Vm, args: Args) -> Option<Value> {
    let name = vm.symbol_text(args.at(vm, 0).as_symbol()?).to_string();
    let reference = GlobalRef::Global(name);
    let place = *vm.image.global_ids.get(&reference)? as usize;
    let global = vm
        .image
        .globals
        .get_mut(place)
        .filter(|global| global.defined)?;
    let value = global.value;
    if vm.class_of_class_object(value).is_some() {
        return None;
    }
    vm.image.globals[place].value = Value::NIL;
    vm.image.globals[place].defined = false;
    Some(value)
}

// --- a method's parts ------------------------------------------------------------------------------

/// An Array of objects made one after the other.
fn array_of(vm: &mut Vm, count: usize, make: impl Fn(&mut Vm, usize) -> Value) -> Value {
    let start = vm.run.handles.len();
    for index in 0..count {
        let value = make(vm, index);
        vm.run.handles.push(value);
    }
    let values = vm.run.handles[start..].to_vec();
    let array = vm.make_array(&values);
    vm.run.handles.truncate(start);
    array
}

fn literal_array(vm: &mut Vm, literals: &[Literal]) -> Value {
    array_of(vm, literals.len(), |vm, index| {
        vm.make_literal(&literals[index])
    })
}

fn pragmas(vm: &mut Vm, args: Args) -> Option<Value> {
    let code = vm.method(method(vm, args)?).code.get().clone();
    // The category is an attribute of the method and no pragma.
    let said: Vec<_> = code
        .pragmas
        .iter()
        .filter(|pragma| pragma.selector != "category:")
        .collect();
    Some(array_of(vm, said.len(), |vm, index| {
        let arguments = literal_array(vm, &said[index].arguments);
        vm.run.handles.push(arguments);
        let selector = vm.symbol(&said[index].selector);
        let arguments = vm.run.handles.pop().unwrap_or(Value::NIL);
        vm.make_array(&[selector, arguments])
    }))
}

fn literals(vm: &mut Vm, args: Args) -> Option<Value> {
    let code = vm.method(method(vm, args)?).code.get().clone();
    Some(literal_array(vm, &code.literals))
}

fn primitive_name(vm: &mut Vm, args: Args) -> Option<Value> {
    let name = vm.method(method(vm, args)?).code.get().primitive.clone();
    Some(name.map_or(Value::NIL, |name| vm.symbol(&name)))
}

fn quick(vm: &mut Vm, args: Args) -> Option<Value> {
    let text = match vm.method(method(vm, args)?).code.get().quick {
        Some(Quick::ReturnSelf) => "self",
        Some(Quick::ReturnLiteral(_)) => "literal",
        Some(Quick::ReturnIvar(_)) => "variable",
        Some(Quick::StoreIvar(_)) => "setter",
        None => return Some(Value::NIL),
    };
    Some(vm.symbol(text))
}
