//! `tally doc` and the session's `:doc`: comments of classes and methods, as their sources have them.

use clap::Args;
use std::fmt::Write as _;

use tally_compiler::comments::{method_comment, method_pattern};
use tally_compiler::nearest;
use tally_vm::{ClassId, MethodId, Vm, printable_lines};

use crate::arguments::MachineArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::inside::InsideArguments;
use crate::output;
use crate::program;
use tally_workbench::ProgramOutput;
use tally_workbench::loading::som::refuse;

#[derive(Clone, Debug, Args)]
pub(crate) struct DocArguments {
    /// Class, 'Class>>selector', 'Class class>>selector', or a selector
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Source files to run first, behind those of the project; their classes are shown too
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    #[command(flatten)]
    pub(crate) inside: InsideArguments,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

pub(crate) fn doc(arguments: DocArguments) -> Result<Exit, Failure> {
    refuse(&arguments.files, "doc")?;
    let mut program = program::load(
        &arguments.inside.files(&arguments.files)?,
        None,
        &[],
        &arguments.machine.settings(),
        ProgramOutput::Error,
    )?;
    let outcome = program.run();
    program.ended(&outcome)?;
    let text = of(&program.vm, &arguments.name)?;
    output::write(&printable_lines(&text), None)?;
    Ok(Exit::Success)
}

/// What there is to say about `Class`, `Class class`, `Class>>selector`, or all methods `selector`.
pub(crate) fn of(vm: &Vm, name: &str) -> Result<String, Failure> {
    if let Some((class, selector)) = name.split_once(">>") {
        let class = class_named(vm, class.trim())?;
        return of_selector(vm, class, selector.trim().trim_start_matches('#'));
    }
    let is_class = name.starts_with(char::is_uppercase);
    if is_class {
        return Ok(of_class(vm, class_named(vm, name)?));
    }
    of_implementors(vm, name.trim_start_matches('#'))
}

pub(crate) fn nothing(why: String) -> Failure {
    Failure::new(Exit::Nothing, why)
}

/// A class or a metaclass by the name that people write.
pub(crate) fn class_named(vm: &Vm, name: &str) -> Result<ClassId, Failure> {
    let (name, is_class_side) = match name.strip_suffix(" class") {
        Some(name) => (name.trim(), true),
        None => (name, false),
    };
    let Some(class) = vm.find_class(name) else {
        let globals = vm.global_names();
        let classes = globals.iter().filter(|name| vm.find_class(name).is_some());
        let hint = nearest(name, classes.map(String::as_str));
        let hint = hint.map_or(String::new(), |near| format!("; did you mean {near}?"));
        return Err(nothing(format!("there is no class {name}{hint}")));
    };
    Ok(if is_class_side {
        vm.class(class).other_side
    } else {
        class
    })
}

/// The method, or the one that it would inherit.
fn of_selector(vm: &Vm, class: ClassId, selector: &str) -> Result<String, Failure> {
    let mut at = Some(class);
    let mut known = Vec::new();
    while let Some(id) = at {
        let row = vm.class(id);
        for &symbol in row.methods.selectors() {
            if vm.symbol_text(symbol) == selector
                && let Some(method) = row.methods.get(symbol)
            {
                return Ok(of_method(vm, method));
            }
            known.push(vm.symbol_text(symbol));
        }
        at = row.superclass;
    }
    let hint = nearest(selector, known);
    let hint = hint.map_or(String::new(), |near| format!("; did you mean {near}?"));
    let class = vm.class(class).display_name();
    Err(nothing(format!(
        "{class} does not understand {selector}{hint}"
    )))
}

fn of_method(vm: &Vm, method: MethodId) -> String {
    let row = vm.method(method);
    let source = vm.method_text(method);
    let selector = vm.symbol_text(row.selector).to_string();
    let pattern = method_pattern(&source).unwrap_or(selector);
    let mut text = format!("{}>>{pattern}\n", vm.class(row.holder).display_name());
    match method_comment(&source) {
        Some(comment) => {
            for line in comment.lines() {
                let _ = writeln!(text, "{}", format!("    {line}").trim_end());
            }
        }
        None => text.push_str("    (no comment)\n"),
    }
    text
}

/// Every method of this name, in the order of classes' names.
fn of_implementors(vm: &Vm, selector: &str) -> Result<String, Failure> {
    let mut methods: Vec<(String, MethodId)> = Vec::new();
    for name in vm.global_names() {
        let Some(class) = vm.find_class(&name) else {
            continue;
        };
        for id in [class, vm.class(class).other_side] {
            let row = vm.class(id);
            let mut symbols = row.methods.selectors().iter();
            let named = symbols.find(|symbol| vm.symbol_text(**symbol) == selector);
            let method = named.and_then(|symbol| row.methods.get(*symbol));
            methods.extend(method.map(|method| (row.display_name(), method)));
        }
    }
    if methods.is_empty() {
        let all = vm.implemented_selectors();
        let hint = nearest(selector, all.iter().map(String::as_str));
        let hint = hint.map_or(String::new(), |near| format!("; did you mean {near}?"));
        return Err(nothing(format!("no class implements {selector}{hint}")));
    }
    methods.sort();
    methods.dedup();
    let texts: Vec<String> = methods
        .into_iter()
        .map(|(_, method)| of_method(vm, method))
        .collect();
    Ok(texts.join("\n"))
}

/// A class: where it stands, its comment, its variables, and the first line on each of its methods.
fn of_class(vm: &Vm, id: ClassId) -> String {
    let class = vm.class(id);
    let mut above = Vec::new();
    let mut at = class.superclass;
    while let Some(id) = at {
        above.push(vm.class(id).display_name());
        at = vm.class(id).superclass;
    }
    let mut text = class.display_name();
    if !above.is_empty() {
        let _ = write!(text, " < {}", above.join(" < "));
    }
    text.push('\n');
    if !class.comment.is_empty() {
        let _ = writeln!(text, "\n{}", class.comment.trim());
    }
    if !class.own_ivars.is_empty() {
        let _ = writeln!(text, "\nInstance variables: {}", class.own_ivars.join(" "));
    }
    if !class.is_metaclass {
        methods(vm, class.other_side, &mut text);
    }
    methods(vm, id, &mut text);
    text
}

fn methods(vm: &Vm, id: ClassId, text: &mut String) {
    let class = vm.class(id);
    let rows: Vec<(String, String)> = class
        .methods
        .selectors()
        .iter()
        .filter_map(|symbol| class.methods.get(*symbol))
        .map(|method| {
            let source = vm.method_text(method);
            let selector = vm.symbol_text(vm.method(method).selector).to_string();
            let comment = method_comment(&source).unwrap_or_default();
            (
                method_pattern(&source).unwrap_or(selector),
                comment.lines().next().unwrap_or_default().to_string(),
            )
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", class.display_name());
    for (pattern, comment) in rows {
        let _ = writeln!(
            text,
            "{}",
            format!("    {pattern:<30}  {comment}").trim_end()
        );
    }
}
