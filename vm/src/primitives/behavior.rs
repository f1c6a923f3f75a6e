//! Primitives of classes: making instances, and facts about a class. Lists are in the order of definition.

use super::text::hash_value;
use super::{Answer, Primitive, rows};
use crate::base::{ClassId, Known, SymbolId, Value, mix_two};
use crate::bytecode::is_name;
use crate::bytecode::{ClassDefinition, Kind};
use crate::heap::Contents;
use crate::machine::Vm;
use crate::run::Args;

rows! {
    "behaviorBasicNew"(0) open allocates => basic_new,
        "A class whose instances have variables: a new instance, variables nil, no indexed ones.";
    "behaviorBasicNewSize"(1) open allocates => basic_new_size,
        "A class with indexed variables and a size that memory allows: a new instance; variables nil, bytes 0.", NEW_SIZED;
    "behaviorName"(0) open leaf => name,
        "A class: its name as a symbol; a metaclass: nil.";
    "behaviorHash"(0) open leaf => hash,
        "A class: from the name that it was made under, which of the two sides it is as well.";
    "behaviorSuperclass"(0) open leaf => superclass,
        "Always: the superclass or nil.";
    "behaviorSelectors"(0) open allocates => selectors,
        "Always: an Array of the selectors of its own methods.", LIST;
    "behaviorSelectorsWithPragma"(2) open allocates => selectors_with_pragma,
        "A class and a symbol: an Array of the selectors of the class's own methods that have a pragma of that selector.", LIST;
    "behaviorIncludesSelector"(1) open leaf => includes_selector,
        "A symbol: whether the class itself has such a method.";
    "behaviorCanUnderstand"(1) open leaf => can_understand,
        "A symbol: whether instances understand it.";
    "behaviorInstVarNames"(0) open allocates => inst_var_names,
        "Always: an Array of the names of its own instance variables.", LIST;
    "behaviorSubclasses"(0) open allocates => subclasses,
        "Always: an Array of the direct subclasses.", LIST;
    "behaviorCategory"(0) open allocates => category,
        "Always: the category, as a String.";
    "behaviorComment"(0) open allocates => comment,
        "Always: the comment, as a String.";
    "behaviorInheritsFrom"(1) open leaf => inherits_from,
        "A class: whether the receiver is below it.";
    "metaclassSoleInstance"(0) open leaf => sole_instance,
        "A metaclass: its class.";
    "behaviorKind"(0) open leaf => kind,
        "Always: #fixed, #pointers or #bytes.";
    "behaviorIsMeta"(0) open leaf => is_meta,
        "Always: whether the receiver is a metaclass.";
    "classDefine"(5) library requests => define,
        "Receiver the superclass or nil; name, instance variables, class variables, category, and #fixed, #pointers or #bytes: the class, made or changed.";
    "classDefineProblem"(5) library allocates => define_problem,
        "As for `classDefine`, where that declines: a String that says why.";
}

fn class(vm: &Vm, args: Args) -> Option<ClassId> {
    vm.class_of_class_object(args.receiver(vm))
}

/// Classes whose instances only the machine makes.
pub(crate) fn is_closed(vm: &Vm, id: ClassId) -> bool {
    const CLOSED: &[Known] = &[
        Known::SmallInteger,
        Known::LargePositiveInteger,
        Known::LargeNegativeInteger,
        Known::Float,
        Known::Character,
        Known::Symbol,
        Known::UndefinedObject,
        Known::True,
        Known::False,
        Known::BlockClosure,
        Known::Block1,
        Known::Block2,
        Known::Block3,
        Known::Metaclass,
        Known::Behavior,
        Known::Class,
        Known::CompiledMethod,
        Known::Cell,
        Known::FrameToken,
    ];
    // Other classes have higher numbers.
    if id.0 as usize >= Known::ALL.len() {
        return vm.class(id).is_metaclass || vm.class(id).is_trait;
    }
    CLOSED.iter().any(|&known| ClassId::from(known) == id) || vm.class(id).is_metaclass
}

fn basic_new(vm: &mut Vm, args: Args) -> Answer {
    let Some(id) = class(vm, args) else {
        return Answer::DECLINE;
    };
    if is_closed(vm, id) {
        return Answer::DECLINE;
    }
    let row = vm.class(id);
    let contents = match row.kind {
        Kind::Bytes => Contents::Bytes(0),
        Kind::Fixed | Kind::Pointers => Contents::Slots(row.ivars.len()),
    };
    vm.make(id, contents).into()
}

/// Class, contents and model size of an indexed instance, if one can be made.
fn sized(vm: &mut Vm, args: Args) -> Option<(ClassId, Contents)> {
    let id = class(vm, args)?;
    let kind = vm.class(id).kind;
    if is_closed(vm, id) || kind == Kind::Fixed {
        return None;
    }
    let bytes_each = match kind {
        Kind::Bytes if vm.inherits(id, Known::WideString.into()) => 4,
        Kind::Bytes => 1,
        _ => 8,
    };
    let size = vm.wanted_length(args.at(vm, 0), bytes_each)?;
    let contents = match kind {
        Kind::Bytes => Contents::Bytes(size.checked_mul(bytes_each as usize)?),
        _ => Contents::Slots(size.checked_add(vm.class(id).ivars.len())?),
    };
    vm.has_room_for(contents).then_some((id, contents))
}

fn make_sized(vm: &mut Vm, args: Args, id: ClassId, contents: Contents) -> Value {
    if vm.inherits(id, Known::WideString.into()) {
        let size = args.at(vm, 0).as_int().unwrap_or(0);
        vm.count_bytes(size as usize);
        return vm.make_uncounted(id, contents);
    }
    vm.make(id, contents)
}

fn basic_new_size(vm: &mut Vm, args: Args) -> Answer {
    match sized(vm, args) {
        Some((id, contents)) => make_sized(vm, args, id, contents).into(),
        None => Answer::DECLINE,
    }
}

fn name(vm: &mut Vm, args: Args) -> Answer {
    let Some(id) = class(vm, args) else {
        return Answer::DECLINE;
    };
    if vm.class(id).is_metaclass {
        return Value::NIL.into();
    }
    let name = vm.class(id).name.clone();
    vm.symbol(&name).into()
}

fn hash(vm: &mut Vm, args: Args) -> Option<Value> {
    let row = vm.class(class(vm, args)?);
    let side = u64::from(row.is_metaclass);
    Some(hash_value(mix_two(u64::from(row.hash), side)))
}

fn class_object(vm: &Vm, id: Option<ClassId>) -> Value {
    id.map_or(Value::NIL, |id| vm.class_object(id))
}

fn superclass(vm: &mut Vm, args: Args) -> Answer {
    let Some(id) = class(vm, args) else {
        return Answer::DECLINE;
    };
    class_object(vm, vm.class(id).superclass).into()
}

fn selectors(vm: &mut Vm, args: Args) -> Answer {
    let Some(id) = class(vm, args) else {
        return Answer::DECLINE;
    };
    let symbols: Vec<Value> = vm
        .class(id)
        .methods
        .selectors()
        .iter()
        .map(|&s| Value::symbol(s))
        .collect();
    vm.make_array(&symbols).into()
}

fn selectors_with_pragma(vm: &mut Vm, args: Args) -> Answer {
    let class = vm.class_of_class_object(args.at(vm, 0));
    let (Some(id), Some(wanted)) = (class, args.at(vm, 1).as_symbol()) else {
        return Answer::DECLINE;
    };
    let class = vm.class(id);
    let wanted = vm.symbol_text(wanted);
    let has_pragma = |selector: &&SymbolId| {
        let code = class.methods.get(**selector);
        let code = code.map(|method| vm.method(method).code.get());
        code.is_some_and(|code| code.pragmas.iter().any(|one| one.selector == wanted))
    };
    let found = class.methods.selectors().iter().filter(has_pragma);
    let symbols: Vec<Value> = found.map(|&selector| Value::symbol(selector)).collect();
    vm.make_array(&symbols).into()
}

fn includes_selector(vm: &mut Vm, args: Args) -> Answer {
    match (class(vm, args), args.at(vm, 0).as_symbol()) {
        (Some(id), Some(selector)) => vm.class(id).methods.get(selector).is_some().into(),
        _ => Answer::DECLINE,
    }
}

fn can_understand(vm: &mut Vm, args: Args) -> Answer {
    match (class(vm, args), args.at(vm, 0).as_symbol()) {
        (Some(id), Some(selector)) => {
            vm.note_question(id, selector);
            vm.lookup(id, selector).is_some().into()
        }
        _ => Answer::DECLINE,
    }
}

fn inst_var_names(vm: &mut Vm, args: Args) -> Answer {
    let Some(id) = class(vm, args) else {
        return Answer::DECLINE;
    };
    let names = vm.class(id).own_ivars.clone();
    vm.make_string_array(&names).into()
}

fn subclasses(vm: &mut Vm, args: Args) -> Answer {
    let Some(id) = class(vm, args) else {
        return Answer::DECLINE;
    };
    let objects: Vec<Value> = vm
        .class(id)
        .subclasses
        .iter()
        .filter(|&&sub| vm.class(sub).defined)
        .map(|&sub| vm.class_object(sub))
        .collect();
    vm.make_array(&objects).into()
}

fn category(vm: &mut Vm, args: Args) -> Answer {
    let Some(id) = class(vm, args) else {
        return Answer::DECLINE;
    };
    let text = vm.class(id).category.clone();
    vm.make_string(&text).into()
}

fn comment(vm: &mut Vm, args: Args) -> Answer {
    let Some(id) = class(vm, args) else {
        return Answer::DECLINE;
    };
    let text = vm.class(id).comment.clone();
    vm.make_string(&text).into()
}

fn inherits_from(vm: &mut Vm, args: Args) -> Answer {
    match (class(vm, args), vm.class_of_class_object(args.at(vm, 0))) {
        (Some(id), Some(above)) => (id != above && vm.inherits(id, above)).into(),
        _ => Answer::DECLINE,
    }
}

fn sole_instance(vm: &mut Vm, args: Args) -> Answer {
    match class(vm, args) {
        Some(id) if vm.class(id).is_metaclass => {
            class_object(vm, Some(vm.class(id).other_side)).into()
        }
        _ => Answer::DECLINE,
    }
}

fn kind(vm: &mut Vm, args: Args) -> Answer {
    let Some(id) = class(vm, args) else {
        return Answer::DECLINE;
    };
    let text = match vm.class(id).kind {
        Kind::Fixed => "fixed",
        Kind::Pointers => "pointers",
        Kind::Bytes => "bytes",
    };
    vm.symbol(text).into()
}

fn is_meta(vm: &mut Vm, args: Args) -> Answer {
    match class(vm, args) {
        Some(id) => vm.class(id).is_metaclass.into(),
        None => Answer::DECLINE,
    }
}

/// The definition in the arguments of a message that defines a class; `None` if they are of the wrong kinds.
fn definition(vm: &Vm, args: Args) -> Option<Result<ClassDefinition, String>> {
    let receiver = args.receiver(vm);
    let superclass = match vm.class_of_class_object(receiver) {
        Some(id) if !vm.class(id).is_metaclass => Some(vm.class(id).name.clone()),
        None if receiver.is_nil() => None,
        _ => return None,
    };
    let texts: Option<Vec<String>> = (0..5).map(|i| vm.text_of(args.at(vm, i))).collect();
    let [name, variables, class_variables, category, kind] = &texts?[..] else {
        return None;
    };
    let kind = match kind.as_str() {
        "fixed" => None,
        "pointers" => Some(Kind::Pointers),
        "bytes" => Some(Kind::Bytes),
        _ => return None,
    };
    let words = |text: &String| {
        text.split_whitespace()
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    let (instance_variables, class_variables) = (words(variables), words(class_variables));
    let mut names = std::iter::once(name)
        .chain(&instance_variables)
        .chain(&class_variables);
    if let Some(wrong) = names.find(|word| !is_name(word)) {
        return Some(Err(format!("'{wrong}' is no name")));
    }
    Some(Ok(ClassDefinition {
        name: name.clone(),
        superclass,
        kind,
        instance_variables,
        class_variables,
        category: category.clone(),
        ..ClassDefinition::default()
    }))
}

fn define(vm: &mut Vm, args: Args) -> Answer {
    let Some(Ok(definition)) = definition(vm, args) else {
        return Answer::DECLINE;
    };
    match vm.define_class(&definition) {
        Ok(id) => {
            let class = vm.class_object(id);
            super::reflection::answer(vm, class)
        }
        Err(_) => Answer::DECLINE,
    }
}

fn define_problem(vm: &mut Vm, args: Args) -> Answer {
    let problem = match definition(vm, args) {
        Some(Ok(definition)) => vm.define_class(&definition).err(),
        Some(Err(why)) => Some(why),
        None => None,
    };
    match problem {
        Some(why) => vm.make_string(&why).into(),
        None => Answer::DECLINE,
    }
}
