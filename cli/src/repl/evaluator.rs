//! Evaluates inputs, piece by piece, in one machine: what a run's way to end means for the session, and the
//! variables that outlive an input.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tally_compiler::environment::MachineEnvironment;
use tally_compiler::session::{self, MessageUse, Piece, PieceKind, Session};
use tally_vm::bytecode::{Span, Unit};
use tally_vm::{Cost, Outcome};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::output;
use tally_workbench::loading::{Findings, Program, Source};

/// The variable that holds the value of the last expression.
const LAST_VALUE: &str = "it";
const PRINTING: &str = "<printing the result>";

/// A machine with a session in it.
pub(super) struct Evaluator {
    pub(super) program: Program,
    pub(super) session: Session,
    /// Set when the user wants the running input to end.
    pub(super) interrupt: Arc<AtomicBool>,
    /// Ticks that one piece may take.
    max_sends: Option<u64>,
    /// Prints the last value.
    printer: Arc<Unit>,
}

/// What is to be learnt of an input beside its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Nothing,
    /// The whole cost vector.
    Cost,
    /// Tallies of methods.
    Profile,
    /// Sends and time.
    Time,
}

/// What was learnt of an input.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) cost: Cost,
    /// The time of all pieces.
    pub(super) time: Duration,
    pub(super) messages: Vec<MessageUse>,
    /// Where the pieces' scripts stand.
    pub(super) scripts: Vec<Span>,
    /// How the last piece ended; `None` before any has run.
    pub(super) outcome: Option<Outcome>,
}

impl Evaluator {
    /// A session without variables, in the program's machine.
    pub(super) fn new(program: Program, max_sends: Option<u64>) -> Result<Evaluator, Failure> {
        let mut session = Session::default();
        session.keep(LAST_VALUE);
        // Compiled before any global of that name can hide the variable.
        let environment = MachineEnvironment(&program.vm);
        let text = format!("{LAST_VALUE} printString");
        let input = session.read(PRINTING, &text, &environment);
        let piece = session.piece(&input, 0, &environment);
        let unit = piece.and_then(|piece| piece.compiled.unit);
        let printer = unit.ok_or_else(|| Failure::new(Exit::Internal, "no way to print"))?;
        Ok(Evaluator {
            program,
            session,
            interrupt: Arc::default(),
            max_sends,
            printer: Arc::new(printer),
        })
    }

    /// Evaluates an input and prints the value of each of its expressions.
    ///
    /// # Errors
    /// Why the rest of the input was not evaluated.
    pub(super) fn evaluate(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        self.evaluate_measured(name, text, Measure::Nothing).1
    }

    /// The same, and what was to be learnt. The printing of values is no part of it.
    pub(super) fn evaluate_measured(
        &mut self,
        name: &str,
        text: &str,
        measure: Measure,
    ) -> (Report, Result<(), Failure>) {
        let mut report = Report::default();
        let ended = self.evaluate_pieces(name, text, measure, &mut report);
        (report, ended)
    }

    fn evaluate_pieces(
        &mut self,
        name: &str,
        text: &str,
        measure: Measure,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let source = Source::script(name, text.to_string());
        let mut input = self
            .session
            .read(name, text, &MachineEnvironment(&self.program.vm));
        let diagnostics = std::mem::take(&mut input.diagnostics);
        let is_wrong = diagnostics.iter().any(|diagnostic| diagnostic.is_error());
        show(&source, diagnostics);
        if is_wrong {
            return Err(Failure::silent(Exit::Source));
        }
        for number in 0.. {
            let environment = MachineEnvironment(&self.program.vm);
            let Some(piece) = self.session.piece(&input, number, &environment) else {
                break;
            };
            let Piece {
                kind,
                compiled,
                messages,
            } = piece;
            let Some(unit) = compiled.unit else {
                // What ran before has made it wrong.
                show(&source, compiled.diagnostics);
                return Err(Failure::silent(Exit::Source));
            };
            report.messages.extend(messages);
            report.scripts.push(unit.script.span);
            self.run_measured(Arc::new(unit), measure, report)?;
            if kind != PieceKind::Definition {
                self.keep_result();
                // What the recorder sees is the program's own.
                if measure != Measure::Profile {
                    self.print_result()?;
                }
            }
            if kind == PieceKind::Return {
                break;
            }
        }
        Ok(())
    }

    fn run_measured(
        &mut self,
        unit: Arc<Unit>,
        measure: Measure,
        report: &mut Report,
    ) -> Result<(), Failure> {
        if measure == Measure::Nothing {
            return self.run(unit).1;
        }
        let vm = &mut self.program.vm;
        if measure == Measure::Cost {
            vm.count_everything();
        }
        let before = vm.cost();
        let started = Instant::now();
        let (outcome, ended) = self.run(unit);
        report.time += started.elapsed();
        let vm = &mut self.program.vm;
        report.cost = report.cost.plus(&vm.cost().since(&before));
        report.outcome = outcome;
        if measure == Measure::Cost {
            vm.count_less();
        }
        ended
    }

    /// Runs a unit within the session's limits; no outcome if the user ended it.
    pub(super) fn run(&mut self, unit: Arc<Unit>) -> (Option<Outcome>, Result<(), Failure>) {
        let interrupt = Arc::clone(&self.interrupt);
        interrupt.store(false, Ordering::Relaxed);
        self.program.begin_input();
        let mut goes_on = || !interrupt.load(Ordering::Relaxed);
        let vm = &mut self.program.vm;
        let outcome = vm.run_unit_while(unit, self.max_sends, &mut goes_on);
        interrupt.store(false, Ordering::Relaxed);
        let ended = match &outcome {
            Some(Outcome::Exited(code)) => Err(Failure::silent(Exit::Chosen(*code))),
            Some(outcome) => self.program.ended_with_hint(outcome).map_err(Failure::from),
            None => Err(Failure::new(Exit::Interrupted, "interrupted")),
        };
        (outcome, ended)
    }

    /// Keeps the value of the last piece.
    fn keep_result(&mut self) {
        let value = self.program.vm.result();
        let reference = session::variable(LAST_VALUE);
        self.program.vm.set_variable(&reference, value);
    }

    /// Prints the last value.
    fn print_result(&mut self) -> Result<(), Failure> {
        if self.program.take_open_line() {
            output::write("\n", None)?;
        }
        self.run(Arc::clone(&self.printer)).1?;
        let vm = &self.program.vm;
        match vm.text_of(vm.result()) {
            Some(text) => output::write(&format!("{text}\n"), None),
            None => {
                let why = "printString did not answer a string";
                Err(Failure::new(Exit::Failed, why))
            }
        }
    }
}

/// Shows what the compiler finds in an input.
fn show(source: &Source, diagnostics: Vec<tally_compiler::diagnostic::Diagnostic>) {
    let mut findings = Findings::default();
    findings.show_of_program(source, diagnostics, false, &*front());
    findings.end(&*front());
}
