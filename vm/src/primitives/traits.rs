//! Primitives of traits: making them, giving a class its composition, and the relations of traits and classes.
//! Compositions are Arrays in both directions. For each trait there is an Array of the trait (or its class side) and
//! its changes: #- and a selector, or #@, the alias and the selector.

use super::{Answer, Primitive, rows};
use crate::base::{ClassId, Known, Value};
use crate::bytecode::is_name;
use crate::bytecode::{ClassDefinition, TraitChange};
use crate::image::{Origin, Used};
use crate::machine::Vm;
use crate::run::Args;

rows! {
    "traitDefine"(4) library requests => define,
        "Name, instance variables, class variables and category: the trait, made or changed.";
    "behaviorIsTrait"(0) library leaf => is_trait,
        "A class: whether it is a trait, or the class side of one.";
    "behaviorUseTraits"(1) library requests => use_traits,
        "A composition of traits that do not use the receiver: the receiver, which has their methods then.";
    "behaviorTraitUses"(0) library allocates => trait_uses,
        "Always: the composition.", LIST;
    "behaviorTraitUsers"(0) library allocates => trait_users,
        "Always: an Array of the classes and traits that use the receiver themselves.", LIST;
    "behaviorLocalSelectors"(0) library allocates => local_selectors,
        "Always: an Array of the selectors of the methods that were defined in the receiver itself.", LIST;
    "behaviorTraitOrigin"(1) library leaf => trait_origin,
        "The selector of an own method: the class or the trait that it was defined in.";
}

fn class(vm: &Vm, args: Args) -> Option<ClassId> {
    vm.class_of_class_object(args.receiver(vm))
}

fn define(vm: &mut Vm, args: Args) -> Answer {
    let defined = defined(vm, args);
    super::reflection::answer_or_decline(vm, defined)
}

fn defined(vm: &mut Vm, args: Args) -> Option<Value> {
    let text = |index: usize| vm.text_of(args.at(vm, index));
    let (name, ivars, class_variables, category) = (text(0)?, text(1)?, text(2)?, text(3)?);
    let words = |text: String| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (instance_variables, class_variables) = (words(ivars), words(class_variables));
    let variables = instance_variables.iter().chain(&class_variables);
    if !variables.chain([&name]).all(|name| is_name(name)) {
        return None;
    }
    let definition = ClassDefinition {
        name,
        is_trait: true,
        instance_variables,
        class_variables,
        category,
        ..ClassDefinition::default()
    };
    let id = vm.define_class(&definition).ok()?;
    Some(vm.class_object(id))
}

fn is_trait(vm: &mut Vm, args: Args) -> Option<Value> {
    let row = vm.class(class(vm, args)?);
    let is_trait = row.is_trait || (row.is_metaclass && vm.class(row.other_side).is_trait);
    Some(Value::bool(is_trait))
}

fn use_traits(vm: &mut Vm, args: Args) -> Answer {
    let composed = composed(vm, args);
    super::reflection::answer_or_decline(vm, composed)
}

/// The receiver, with its new composition.
fn composed(vm: &mut Vm, args: Args) -> Option<Value> {
    let id = class(vm, args)?;
    let elements = elements(vm, args.at(vm, 0))?;
    let uses = elements
        .into_iter()
        .map(|one| used(vm, one))
        .collect::<Option<Vec<Used>>>()?;
    vm.image.check_composition(id, &uses).ok()?;
    vm.change_composition(id, uses).ok()?;
    Some(args.receiver(vm))
}

fn elements(vm: &Vm, value: Value) -> Option<Vec<Value>> {
    let is_array = value.is_object() && vm.class_of(value) == Known::Array.into();
    is_array.then(|| vm.heap.slots(value).to_vec())
}

fn used(vm: &Vm, value: Value) -> Option<Used> {
    let parts = elements(vm, value)?;
    let (&side, changes) = parts.split_first()?;
    let text = |value: &Value| Some(vm.image.symbols.text(value.as_symbol()?).to_owned());
    let mut changes = changes.iter();
    let mut read = Vec::new();
    while let Some(kind) = changes.next() {
        let first = text(changes.next()?)?;
        read.push(match text(kind)?.as_str() {
            "-" => TraitChange::Exclude(first),
            "@" => TraitChange::Alias {
                alias: first,
                selector: text(changes.next()?)?,
            },
            _ => return None,
        });
    }
    Some(Used {
        side: vm.class_of_class_object(side)?,
        changes: read,
    })
}

fn trait_uses(vm: &mut Vm, args: Args) -> Option<Value> {
    let uses = vm.class(class(vm, args)?).uses.clone();
    let start = vm.run.handles.len();
    for used in &uses {
        let mut parts = vec![vm.class_object(used.side)];
        for change in &used.changes {
            match change {
                TraitChange::Exclude(selector) => {
                    parts.extend([vm.symbol("-"), vm.symbol(selector)]);
                }
                TraitChange::Alias { alias, selector } => {
                    parts.extend([vm.symbol("@"), vm.symbol(alias), vm.symbol(selector)]);
                }
            }
        }
        // Symbols are no objects, and the array keeps its parts alive.
        let made = vm.make_array(&parts);
        vm.run.handles.push(made);
    }
    let all = vm.run.handles[start..].to_vec();
    let answer = vm.make_array(&all);
    vm.run.handles.truncate(start);
    Some(answer)
}

fn trait_users(vm: &mut Vm, args: Args) -> Option<Value> {
    let users = vm.class(class(vm, args)?).users.iter();
    let objects: Vec<Value> = users.map(|&user| vm.class_object(user)).collect();
    Some(vm.make_array(&objects))
}

fn local_selectors(vm: &mut Vm, args: Args) -> Option<Value> {
    let methods = &vm.class(class(vm, args)?).methods;
    let is_own = |selector: &&crate::base::SymbolId| {
        let method = methods.get(**selector);
        method.is_some_and(|id| vm.method(id).origin == Origin::Own)
    };
    let own = methods.selectors().iter().filter(is_own);
    let symbols: Vec<Value> = own.map(|&selector| Value::symbol(selector)).collect();
    Some(vm.make_array(&symbols))
}

fn trait_origin(vm: &mut Vm, args: Args) -> Option<Value> {
    let id = class(vm, args)?;
    let method = vm.class(id).methods.get(args.at(vm, 0).as_symbol()?)?;
    let source = vm.image.source(method);
    Some(vm.class_object(vm.method(source).holder))
}
