//! Assertions about counts, for tests that are written in Rust: `assert_faster_than!`, the other macros, and their
//! session. The library's own TestAsserter decides, in a copy of the session's machine. So a test in Rust fails with the
//! same text as a test in Smalltalk, and no assertion sees the effects of an earlier one. The compiler is handed in as a
//! [`Compile`].

mod checks;
mod macros;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use tally_vm::bytecode::Unit;
use tally_vm::{MemoryHost, Outcome, Vm};

use crate::counts::Costs;
use crate::profile::CostVector;
pub use checks::Assertion;
use tally_presentation::grouped;

/// Source text to units, as the compiler does it.
pub trait Compile {
    /// Compiles a text for the world that a machine holds.
    ///
    /// # Errors
    /// The diagnostics as text, when the text does not compile.
    fn compile(&self, name: &str, source: &str, vm: &Vm) -> Result<Unit, String>;
}

impl<F: Fn(&str, &str, &Vm) -> Result<Unit, String>> Compile for F {
    fn compile(&self, name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
        self(name, source, vm)
    }
}

/// Why an expression has no cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssertionError {
    /// It does not compile.
    Compile(String),
    /// It did not come to its end.
    Run {
        /// The expression.
        source: String,
        /// How it ended.
        outcome: Outcome,
        /// The error that it ended by, with its place, if it was one.
        error: String,
    },
}

impl fmt::Display for AssertionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AssertionError::Compile(diagnostics) => write!(f, "{diagnostics}"),
            AssertionError::Run {
                source,
                outcome,
                error,
            } => {
                write!(f, "[{source}] did not finish: {outcome:?}")?;
                match error.trim_end() {
                    "" => Ok(()),
                    error => write!(f, "\n{error}"),
                }
            }
        }
    }
}

impl std::error::Error for AssertionError {}

/// A machine with its loaded code, in which expressions are measured.
pub struct Session {
    vm: Vm,
    compiler: Box<dyn Compile>,
}

/// The costs of two expressions, and their comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The cost of the first expression.
    pub first: CostVector,
    /// The cost of the second expression.
    pub second: CostVector,
    /// Costs that moved against the sends (counting model, 8), as sentences.
    pub warnings: Vec<String>,
    sources: [String; 2],
}

impl Session {
    /// A session in a machine.
    ///
    /// ```
    /// use tally_compiler::{compile, environment::MachineEnvironment};
    /// use tally_profiler::{Session, assert_faster_than};
    /// use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
    ///
    /// fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
    ///     let compiled = compile(name, source, &MachineEnvironment(vm));
    ///     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
    /// }
    ///
    /// let vm = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default())?;
    /// let mut session = Session::new(vm, compiled);
    /// assert_eq!(session.cost("3 + 4")?.sends, 1);
    /// assert_faster_than!(session, "3 + 4", "3 + 4 + 5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(vm: Vm, compiler: impl Compile + 'static) -> Session {
        Session {
            vm,
            compiler: Box::new(compiler),
        }
    }

    /// Runs a source text in the session's own machine, so that expressions can use what it defines.
    ///
    /// # Errors
    /// The text does not compile, or its script does not finish.
    pub fn load(&mut self, name: &str, source: &str) -> Result<(), AssertionError> {
        let unit = self.unit(name, source)?;
        finished(name, &mut self.vm, unit)
    }

    /// The cost of an expression in a fresh copy of the session's machine.
    ///
    /// # Errors
    /// The expression does not compile, or does not finish.
    pub fn cost(&mut self, source: &str) -> Result<CostVector, AssertionError> {
        let unit = self.unit("<expression>", source)?;
        let mut copy = self.vm.fork(Box::<MemoryHost>::default());
        copy.reset_counters();
        copy.count_everything();
        finished(source, &mut copy, unit)?;
        Ok(CostVector::from(&copy.cost()))
    }

    /// Measures two expressions, one after the other.
    ///
    /// # Errors
    /// One of them does not compile, or does not finish.
    pub fn measure(&mut self, first: &str, second: &str) -> Result<Verdict, AssertionError> {
        let costs = [self.cost(first)?, self.cost(second)?];
        let [first_cost, second_cost] = costs;
        Ok(Verdict {
            warnings: Costs::of(&second_cost).opposed(&Costs::of(&first_cost)),
            first: first_cost,
            second: second_cost,
            sources: [first.to_string(), second.to_string()],
        })
    }

    fn unit(&self, name: &str, source: &str) -> Result<Unit, AssertionError> {
        self.compiler
            .compile(name, source, &self.vm)
            .map_err(AssertionError::Compile)
    }
}

/// Runs a unit to its end.
fn finished(source: &str, vm: &mut Vm, unit: Unit) -> Result<(), AssertionError> {
    vm.keep_failures();
    let outcome = vm.run_unit(Arc::new(unit));
    let failures = vm.take_failures();
    if outcome == Outcome::Finished {
        return Ok(());
    }
    let last = failures.iter().rev().find(|failure| failure.is_unhandled);
    Err(AssertionError::Run {
        source: source.to_string(),
        outcome,
        error: last.map_or_else(String::new, |failure| {
            format!("{}\n{}", failure.message, failure.trace.text(false))
        }),
    })
}

impl Verdict {
    /// Whether the first expression sends fewer messages than the second.
    pub fn is_faster(&self) -> bool {
        self.first.sends < self.second.sends
    }
}

impl fmt::Display for Verdict {
    /// Both counts and their difference.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = (self.first.sends, self.second.sends);
        let [a, b] = &self.sources;
        let relation = match first.cmp(&second) {
            std::cmp::Ordering::Less => format!("{} fewer", grouped(second - first)),
            std::cmp::Ordering::Equal => "no difference".to_string(),
            std::cmp::Ordering::Greater => format!("{} more", grouped(first - second)),
        };
        write!(
            f,
            "[{a}] executes {} sends, [{b}] executes {} sends: {relation}",
            grouped(first),
            grouped(second)
        )
    }
}
