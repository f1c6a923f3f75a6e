//! Runs files that are read statement by statement, as GNU Smalltalk reads them. What the command prints of a statement is
//! made here, outside of the program's counts.

mod values;

use std::sync::Arc;

use tally_compiler::diagnostic::Diagnostic;
use tally_compiler::environment::MachineEnvironment;
use tally_compiler::library::extension_units;
use tally_compiler::statements::{self, Piece, PieceKind};
use tally_compiler::{Compiled, Notation};
use tally_vm::{Outcome, Value, Vm};

use super::findings::Findings;
use super::reading::Source;
use crate::embedder::Embedder;
use crate::error::{Error, ErrorKind};

/// Adds the classes and methods of the dialect to a machine's library.
pub fn equip(vm: &mut Vm) -> Result<(), Error> {
    extension_units(vm, tally_stdlib::GST)
        .and_then(|units| vm.extend_library(units))
        .map_err(|why| Error::new(ErrorKind::Internal, why))
}

/// Runs the sources, one after the other. A statement that fails does not end the run; the answer is then the first failure.
pub fn run(vm: &mut Vm, notation: Notation, sources: &[Source], front: &dyn Embedder) -> Outcome {
    let mut first = Outcome::Finished;
    for source in sources {
        let mut input = statements::read(notation, &source.name, &source.text);
        let mut findings = Findings::default();
        while let Some(piece) = input.next(&MachineEnvironment(vm)) {
            let Piece { kind, compiled } = piece;
            let Compiled {
                unit, diagnostics, ..
            } = compiled;
            if shown(vm, source, diagnostics, &mut findings, front) {
                note(&mut first, Outcome::NotCompiled);
            }
            let shows = kind == PieceKind::Evaluation;
            if shows {
                write(vm, "\nExecution begins...\n");
            }
            let value = match unit.map(|unit| vm.run_unit(Arc::new(unit))) {
                // What does not compile has no value.
                None => Value::NIL,
                Some(Outcome::Finished) => vm.result(),
                Some(outcome @ (Outcome::Failed | Outcome::NotCompiled)) => {
                    note(&mut first, outcome);
                    vm.result()
                }
                Some(Outcome::Deadlock) => {
                    front.warn("deadlock: no process can go on; the statement ends");
                    note(&mut first, Outcome::Failed);
                    Value::NIL
                }
                Some(outcome) => return outcome,
            };
            if shows {
                let text = format!("returned value is {}\n", values::shown(vm, value));
                write(vm, &text);
            }
        }
        if shown(vm, source, input.rest(), &mut findings, front) {
            note(&mut first, Outcome::NotCompiled);
        }
        findings.end(front);
    }
    let _ = vm.host().flush();
    first
}

/// Methods for a class that is not there.
const LOST_METHODS: &str = "W0312";

/// Shows the errors and what is left out, behind what the program has printed so far; answers whether there are errors.
fn shown(
    vm: &mut Vm,
    source: &Source,
    mut found: Vec<Diagnostic>,
    findings: &mut Findings,
    front: &dyn Embedder,
) -> bool {
    found.retain(|one| one.is_error() || one.code == LOST_METHODS);
    if found.is_empty() {
        return false;
    }
    let has_errors = found.iter().any(Diagnostic::is_error);
    let _ = vm.host().flush();
    findings.show(source, found, front);
    has_errors
}

fn note(first: &mut Outcome, outcome: Outcome) {
    if *first == Outcome::Finished {
        *first = outcome;
    }
}

/// Writes on the program's standard output. The host notes what cannot be written.
fn write(vm: &mut Vm, text: &str) {
    let _ = vm.host().write_out(text);
}
