//! `tally disassemble`: which code objects are shown, and how often opcodes were executed. How an
//! instruction looks is in `listing`.

use clap::Args;
use std::fmt::Write as _;
use std::sync::Arc;

use tally_presentation::{Align, Layout, grouped, share};
use tally_vm::bytecode::{Code, Definition, MethodDefinition, Unit};
use tally_vm::{Outcome, Vm, printable_lines};

use crate::arguments::MachineArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::listing::listing;
use crate::output;
use crate::program;
use tally_workbench::ProgramOutput;
use tally_workbench::loading::Program;

/// The program and its arguments.
#[derive(Clone, Debug, Args)]
pub(crate) struct ProgramArguments {
    /// Source files, loaded in this order; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<String>,
    /// Arguments for the script (Smalltalk arguments)
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct DisassembleArguments {
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// Show only this method, of the files or of the library: 'Class>>selector', 'Class class>>selector'
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// Run the program too, with its output on standard error, and count executions by opcode
    #[arg(long)]
    pub(crate) run: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

pub(crate) fn disassemble(arguments: DisassembleArguments) -> Result<Exit, Failure> {
    let mut program = program::load(
        &arguments.program.files,
        None,
        &arguments.program.arguments,
        &arguments.machine.settings(),
        ProgramOutput::Error,
    )?;
    let mut outcome = Outcome::Finished;
    let mut counts = String::new();
    if arguments.run {
        program.vm.count_everything();
        program.vm.count_opcodes();
        outcome = program.run();
        counts = executions(&program.vm);
    }
    // A program of SOM has loaded its classes only now.
    let mut text = match &arguments.method {
        Some(method) => one_method(&mut program, method)?,
        None => program.units.iter().map(|unit| whole_unit(unit)).collect(),
    };
    text.push_str(&counts);
    output::write(&printable_lines(&text), None)?;
    program.ended(&outcome)?;
    Ok(Exit::Success)
}

/// The script, then everything that it defines, in the order of the text.
fn whole_unit(unit: &Unit) -> String {
    let mut text = listing(&unit.name, &unit.script, &unit.source);
    for definition in &unit.definitions {
        if let Definition::Evaluation { code, .. } = definition {
            text.push_str(&listing(&code.selector, code, &unit.source));
        }
    }
    for method in methods(unit) {
        text.push_str(&listing(&method_name(method), &method.code, &unit.source));
    }
    text
}

fn methods(unit: &Unit) -> impl Iterator<Item = &MethodDefinition> {
    unit.definitions
        .iter()
        .flat_map(|definition| match definition {
            Definition::Class(class) => class.methods.iter(),
            Definition::Extension { methods, .. } => methods.iter(),
            Definition::Evaluation { .. } => [].iter(),
        })
}

fn method_name(method: &MethodDefinition) -> String {
    let side = if method.class_side { " class" } else { "" };
    format!("{}{side}>>{}", method.class, method.code.selector)
}

/// A method that the files define, or else one of the library.
fn one_method(program: &mut Program, name: &str) -> Result<String, Failure> {
    let mut text = String::new();
    for unit in &program.units {
        for method in methods(unit).filter(|method| method_name(method) == name) {
            text.push_str(&listing(name, &method.code, &unit.source));
        }
    }
    if !text.is_empty() {
        return Ok(text);
    }
    match library_method(&mut program.vm, name) {
        Some(code) => Ok(listing(name, &code, "")),
        None => Err(Failure::new(
            Exit::Nothing,
            format!(
                "there is no method {name}; expected 'Class>>selector' or 'Class class>>selector'"
            ),
        )),
    }
}

fn library_method(vm: &mut Vm, name: &str) -> Option<Arc<Code>> {
    let (class, selector) = name.split_once(">>")?;
    let (class, class_side) = match class.strip_suffix(" class") {
        Some(class) => (class, true),
        None => (class, false),
    };
    let selector = vm.symbol(selector.trim_start_matches('#')).as_symbol()?;
    let mut holder = vm.find_class(class)?;
    if class_side {
        holder = vm.class(holder).other_side;
    }
    let method = vm.class(holder).methods.get(selector)?;
    Some(Arc::clone(vm.method(method).code.get()))
}

/// Executions by opcode, the most frequent first.
fn executions(vm: &Vm) -> String {
    let mut counts = vm.opcode_counts();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let all: u64 = counts.iter().map(|(_, count)| count).sum();
    let mut layout = Layout::new(&[Align::Left, Align::Right, Align::Right]);
    layout.row(["opcode", "executions", "share"]);
    for (name, count) in counts {
        layout.row([name.to_string(), grouped(count), share(count, all)]);
    }
    let mut text = layout.render();
    let _ = writeln!(text, "{} instructions\n", grouped(all));
    text.push_str(&pairs(vm, all));
    text
}

/// How many pairs of opcodes are worth a look.
const PAIRS: usize = 40;

/// Executions by pairs of opcodes, the most frequent first.
fn pairs(vm: &Vm, all: u64) -> String {
    let mut counts = vm.opcode_pairs();
    counts.sort_by(|a, b| b.2.cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
    let mut layout = Layout::new(&[Align::Left, Align::Left, Align::Right, Align::Right]);
    layout.row(["opcode", "then", "executions", "share"]);
    for (first, second, count) in counts.into_iter().take(PAIRS) {
        let names = [first.to_string(), second.to_string()];
        let [first, second] = names;
        layout.row([first, second, grouped(count), share(count, all)]);
    }
    layout.render()
}
