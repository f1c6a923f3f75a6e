//! What the session shows of the code: who sends a message, who implements it, and the source of classes and methods.

use std::fmt::Write as _;

use tally_compiler::nearest;
use tally_vm::{ClassId, MethodId, Vm};

use crate::documentation::{class_named, nothing};
use crate::failure::Failure;

/// The most methods of the library that are listed.
const LISTED: usize = 20;

/// The methods that send a message, in the order of their names. Messages that are inlined count as sent.
pub(super) fn senders(vm: &Vm, selector: &str) -> Result<String, Failure> {
    let selector = plain(selector);
    let sends = |method: &MethodId| {
        let sites = &vm.method(*method).code.get().sites;
        sites.iter().any(|site| site.selector == selector)
    };
    let found: Vec<MethodId> = methods(vm).into_iter().filter(sends).collect();
    listed(vm, &found).ok_or_else(|| unknown(vm, selector, "sends"))
}

/// The methods of a name, in the order of their classes' names.
pub(super) fn implementors(vm: &Vm, selector: &str) -> Result<String, Failure> {
    let selector = plain(selector);
    let is_named = |method: &MethodId| vm.symbol_text(vm.method(*method).selector) == selector;
    let found: Vec<MethodId> = methods(vm).into_iter().filter(is_named).collect();
    listed(vm, &found).ok_or_else(|| unknown(vm, selector, "implements"))
}

/// The source of a method, or of a class: how it is defined, and its methods.
pub(super) fn source(vm: &Vm, name: &str) -> Result<String, Failure> {
    let Some((class, selector)) = name.split_once(">>") else {
        return Ok(of_class(vm, class_named(vm, name)?));
    };
    let (id, selector) = (class_named(vm, class.trim())?, plain(selector));
    match own_methods(vm, id).find(|method| named(vm, *method) == selector) {
        Some(method) => Ok(format!("{}\n", vm.method_text(method).trim_end())),
        None => {
            let near = own_methods(vm, id).map(|method| named(vm, method));
            let near = nearest(selector, near.collect::<Vec<_>>());
            let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
            let class = vm.class(id).display_name();
            Err(nothing(format!("{class} has no method {selector}{hint}")))
        }
    }
}

fn plain(selector: &str) -> &str {
    selector.trim().trim_start_matches('#')
}

fn named(vm: &Vm, method: MethodId) -> &str {
    vm.symbol_text(vm.method(method).selector)
}

fn of_class(vm: &Vm, id: ClassId) -> String {
    let class = vm.class(id);
    let above = class
        .superclass
        .map_or_else(|| "nil".to_string(), |id| vm.class(id).display_name());
    let mut text = format!("{above} subclass: {} [\n", class.display_name());
    if !class.own_ivars.is_empty() {
        let _ = writeln!(text, "    | {} |", class.own_ivars.join(" "));
    }
    if !class.comment.is_empty() {
        let comment = class.comment.trim().replace('\'', "''");
        let _ = writeln!(text, "    <comment: '{comment}'>");
    }
    let class_side = (!class.is_metaclass).then_some(class.other_side);
    for side in class_side.into_iter().chain([id]) {
        let prefix = match side == id {
            true => String::new(),
            false => format!("{} class >> ", class.display_name()),
        };
        for method in own_methods(vm, side) {
            let _ = writeln!(text, "\n    {prefix}{}", body(&vm.method_text(method)));
        }
    }
    text + "]\n"
}

/// The source of a method as a class has it, from its pattern on. Its other lines are as they are in the file.
fn body(source: &str) -> String {
    let source = source.trim_end();
    match source.ends_with(']') && source.contains('[') {
        true => source.to_string(),
        false => {
            let (pattern, rest) = source.split_once('\n').unwrap_or((source, ""));
            format!("{pattern} [\n{rest}\n    ]")
        }
    }
}

/// All methods of classes with a name, in the order of their names.
fn methods(vm: &Vm) -> Vec<MethodId> {
    let names = vm.global_names();
    let classes = names.iter().filter_map(|name| vm.find_class(name));
    let mut found: Vec<(String, MethodId)> = classes
        .flat_map(|class| [class, vm.class(class).other_side])
        .flat_map(|class| own_methods(vm, class))
        .map(|method| (vm.method_name(method), method))
        .collect();
    found.sort();
    found.dedup();
    found.into_iter().map(|(_, method)| method).collect()
}

fn own_methods(vm: &Vm, class: ClassId) -> impl Iterator<Item = MethodId> {
    let methods = &vm.class(class).methods;
    methods
        .selectors()
        .iter()
        .filter_map(|symbol| methods.get(*symbol))
}

/// A line for each method, with the place of those of the program, which come first; nothing if there is none.
fn listed(vm: &Vm, methods: &[MethodId]) -> Option<String> {
    let is_library = |method: &MethodId| vm.unit_of(*method) < vm.library_unit_count();
    let (library, own): (Vec<MethodId>, Vec<MethodId>) =
        methods.iter().partition(|m| is_library(m));
    let hidden = library.len().saturating_sub(LISTED);
    let shown = own.into_iter().chain(library.into_iter().take(LISTED));
    let rows: Vec<(String, String)> = shown
        .map(|method| {
            let place = match is_library(&method) {
                true => String::new(),
                false => {
                    let start = vm.method(method).code.get().span.start;
                    let place = vm.source_place(method, start);
                    format!("  {}:{}", place.file, place.line)
                }
            };
            (vm.method_name(method), place)
        })
        .collect();
    let width = rows.iter().map(|(name, _)| name.chars().count()).max()?;
    let mut text = String::new();
    for (name, place) in rows {
        let _ = writeln!(text, "{}", format!("{name:<width$}{place}").trim_end());
    }
    if hidden > 0 {
        let _ = writeln!(text, "… and {hidden} others of the library");
    }
    Some(text)
}

fn unknown(vm: &Vm, selector: &str, verb: &str) -> Failure {
    let all = vm.implemented_selectors();
    let near = nearest(selector, all.iter().map(String::as_str)).filter(|near| *near != selector);
    let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
    nothing(format!("no method {verb} {selector}{hint}"))
}
