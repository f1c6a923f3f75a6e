//! A machine with its loaded code, in which expressions are evaluated and measured. Each is evaluated in a copy of the
//! machine, so that none sees what an earlier one did.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use tally_compiler::environment::MachineEnvironment;
use tally_compiler::render::render;
use tally_presentation::grouped;
use tally_profiler::{CostVector, Costs};
use tally_vm::bytecode::Unit;
use tally_vm::{Outcome, Vm};
use tally_workbench::ErrorKind;
use tally_workbench::loading::Program;
use tally_workbench::outside::host::Events;
use tally_workbench::outside::kept::Kept;
use tally_workbench::outside::permissions::{Denied, Permissions};
use tally_workbench::project::dependencies::Dependencies;

use crate::builder::{Builder, refuse_som};
use crate::error::Error;
use crate::heard::Heard;
use crate::thread::on_a_large_stack;
use crate::value::Value;

/// The name of an expression in messages.
pub(crate) const EXPRESSION: &str = "<expression>";
/// The globals that hold what [`Session::call`] evaluates before it counts.
const RECEIVER: &str = "TallyReceiver";
const ARGUMENT: &str = "TallyArgument";

/// A machine with its loaded code, in which expressions are evaluated and measured.
///
/// Each expression is evaluated in a copy of the machine. So no expression sees the effects of an earlier one, and the counts
/// are the same in any order. [`Session::load`] changes the session itself.
pub struct Session {
    program: Program,
    permissions: Permissions,
    most_sends: u64,
    heard: Arc<Heard>,
    warnings: String,
    dependencies: Dependencies,
    /// Classes of dependencies whose tests do not run.
    pub(crate) untested: BTreeSet<String>,
}

/// What an expression answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The value of its last statement.
    pub value: Value,
    /// What it cost.
    pub cost: CostVector,
    /// What it printed.
    pub output: String,
}

/// The costs of two expressions, and their comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The cost of the first expression.
    pub first: CostVector,
    /// The cost of the second expression.
    pub second: CostVector,
    /// Costs that moved against the sends, as sentences.
    pub warnings: Vec<String>,
    sources: [String; 2],
}

/// A copy of a session's machine with its own outside world.
pub(crate) struct Copy {
    pub(crate) vm: Vm,
    events: Arc<Events>,
    kept: tally_workbench::outside::kept::Keeper,
}

impl Session {
    /// A session with Tally's library alone. [`Session::builder`] loads files and sets limits.
    ///
    /// ```
    /// let mut session = tally_test::Session::new()?;
    /// assert_eq!(session.cost("3 + 4")?.sends, 1);
    /// # Ok::<(), tally_test::Error>(())
    /// ```
    ///
    /// # Errors
    /// The system gives no thread, or the build of the library is broken.
    pub fn new() -> Result<Session, Error> {
        Session::builder().build()
    }

    /// Says what the session loads, and what its code may do.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A session of a loaded program.
    pub(crate) fn of(
        program: Program,
        permissions: Permissions,
        most_sends: u64,
        heard: &Arc<Heard>,
    ) -> Session {
        Session {
            program,
            permissions,
            most_sends,
            heard: Arc::clone(heard),
            warnings: String::new(),
            dependencies: Dependencies::default(),
            untested: BTreeSet::new(),
        }
    }

    /// From now on, tests of these dependencies are left out, as `tally test` does.
    pub(crate) fn leave_tests_of(&mut self, dependencies: Dependencies) {
        self.dependencies = dependencies;
    }

    /// The machine of the session itself.
    pub(crate) fn machine(&mut self) -> &mut Vm {
        &mut self.program.vm
    }

    /// What the code may do outside.
    pub(crate) fn permissions(&self) -> &Permissions {
        &self.permissions
    }

    /// The limit on sends and loop repetitions of an evaluation.
    pub(crate) fn most_sends(&self) -> u64 {
        self.most_sends
    }

    /// The messages of the workbench.
    pub(crate) fn heard(&self) -> &Arc<Heard> {
        &self.heard
    }

    /// Loads a text into the session itself, so that later expressions use what it defines.
    ///
    /// ```
    /// use tally_test::{Session, assert_sends};
    ///
    /// let mut session = Session::new()?;
    /// session.load("number.st", "Number extend [ tripled [ ^self * 3 ] ]")?;
    /// assert_sends!(session, "7 tripled", 2);
    /// # Ok::<(), tally_test::Error>(())
    /// ```
    ///
    /// # Errors
    /// The text does not compile, or its script does not finish.
    pub fn load(&mut self, name: &str, source: &str) -> Result<(), Error> {
        on_a_large_stack(|| self.loaded(name, source))?
    }

    pub(crate) fn loaded(&mut self, name: &str, source: &str) -> Result<(), Error> {
        let unit = self.unit(&self.program.vm, name, source)?;
        self.run_here(name, Arc::new(unit))
    }

    /// Loads files and folders, which are compiled together.
    pub(crate) fn load_files(&mut self, files: &[String]) -> Result<(), Error> {
        refuse_som(files)?;
        if files.is_empty() {
            return Ok(());
        }
        let units = self.program.load_more(files);
        let units = units.map_err(|error| Error::of(&error, &self.heard))?;
        self.warnings.push_str(&self.heard.take());
        let untested = self.dependencies.untested_classes(&units, Path::new(""));
        self.untested.extend(untested);
        for unit in units {
            let name = unit.name.clone();
            self.run_here(&name, unit)?;
        }
        Ok(())
    }

    /// Runs a unit in the session's own machine.
    fn run_here(&mut self, name: &str, unit: Arc<Unit>) -> Result<(), Error> {
        let events = Arc::<Events>::default();
        let (_, host) = Kept::host(&self.permissions, &events);
        self.program.vm.set_host(Box::new(host));
        finished(name, &mut self.program.vm, unit, self.most_sends, &events)
    }

    /// The warnings of the compiler about everything that was loaded, as `tally run` shows them; empty if there are none.
    pub fn warnings(&self) -> &str {
        &self.warnings
    }

    /// Evaluates statements. The value is that of the last statement.
    ///
    /// ```
    /// use tally_test::Session;
    ///
    /// let mut session = Session::new()?;
    /// let answer = session.eval("Transcript showCr: 'hello'. (1 to: 4) inject: 0 into: [:a :b | a + b]")?;
    /// assert_eq!(answer.value, 10);
    /// assert_eq!(answer.output, "hello\n");
    /// # Ok::<(), tally_test::Error>(())
    /// ```
    ///
    /// # Errors
    /// The statements do not compile or do not finish.
    pub fn eval(&mut self, source: &str) -> Result<Answer, Error> {
        on_a_large_stack(|| {
            let mut copy = self.copy();
            self.answer(&mut copy, source)
        })?
    }

    /// Sends a message to the value of an expression. The cost is that of the message alone, without the evaluation of the
    /// receiver.
    ///
    /// ```
    /// use tally_test::Session;
    ///
    /// let mut session = Session::new()?;
    /// let answer = session.call("#(3 1 2) asOrderedCollection", "indexOf:", &[1.into()])?;
    /// assert_eq!(answer.value, 2);
    /// assert_eq!(session.call("7", "between:and:", &[1.into(), 9.into()])?.value, true);
    /// # Ok::<(), tally_test::Error>(())
    /// ```
    ///
    /// # Errors
    /// The number of arguments does not fit the selector, an argument is a [`Value::Object`], the expression does not compile,
    /// or the message does not finish.
    pub fn call(
        &mut self,
        receiver: &str,
        selector: &str,
        arguments: &[Value],
    ) -> Result<Answer, Error> {
        let message = message(selector, arguments.len())?;
        let literals: Option<Vec<String>> = arguments.iter().map(Value::literal).collect();
        let Some(literals) = literals else {
            let why = "an object cannot be an argument: let an expression make it";
            return Err(Error::new(ErrorKind::Usage, why));
        };
        on_a_large_stack(|| {
            let mut copy = self.copy();
            self.hold(&mut copy, RECEIVER, receiver)?;
            for (number, literal) in literals.iter().enumerate() {
                self.hold(&mut copy, &format!("{ARGUMENT}{number}"), literal)?;
            }
            self.answer(&mut copy, &message)
        })?
    }

    /// The cost of evaluating statements.
    ///
    /// ```
    /// use tally_test::Session;
    ///
    /// let mut session = Session::new()?;
    /// let cost = session.cost("3 + 4. Object new")?;
    /// assert_eq!((cost.sends, cost.allocations.objects), (4, 1));
    /// # Ok::<(), tally_test::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Session::eval`].
    pub fn cost(&mut self, source: &str) -> Result<CostVector, Error> {
        Ok(self.eval(source)?.cost)
    }

    /// Measures two expressions, each in a copy of its own.
    ///
    /// # Errors
    /// As for [`Session::eval`].
    pub fn compare(&mut self, first: &str, second: &str) -> Result<Comparison, Error> {
        let [first_cost, second_cost] = [self.cost(first)?, self.cost(second)?];
        Ok(Comparison {
            warnings: Costs::of(&second_cost).opposed(&Costs::of(&first_cost)),
            first: first_cost,
            second: second_cost,
            sources: [first.to_string(), second.to_string()],
        })
    }

    /// A copy of the session's machine, its counters at 0.
    pub(crate) fn copy(&mut self) -> Copy {
        let events = Arc::<Events>::default();
        let (kept, host) = Kept::host(&self.permissions, &events);
        let mut vm = self.program.vm.fork(Box::new(host));
        vm.reset_counters();
        Copy { vm, events, kept }
    }

    /// Evaluates statements in a copy, and counts all costs.
    fn answer(&self, copy: &mut Copy, source: &str) -> Result<Answer, Error> {
        let unit = self.unit(&copy.vm, EXPRESSION, source)?;
        copy.vm.reset_counters();
        copy.vm.count_everything();
        self.run(copy, source, unit)?;
        Ok(Answer {
            value: Value::of(&copy.vm, copy.vm.result()),
            cost: CostVector::from(&copy.vm.cost()),
            output: self.output(copy),
        })
    }

    /// What a copy has printed. The machine hands it over at its end.
    fn output(&self, copy: &mut Copy) -> String {
        copy.vm.set_host(Box::<tally_vm::MemoryHost>::default());
        copy.kept.take().text()
    }

    /// Evaluates an expression in a copy and gives its value a name there.
    pub(crate) fn hold(&self, copy: &mut Copy, name: &str, source: &str) -> Result<(), Error> {
        let unit = self.unit(&copy.vm, EXPRESSION, source)?;
        self.run(copy, source, unit)?;
        let value = copy.vm.result();
        copy.vm.set_global(name, value);
        Ok(())
    }

    /// Runs a unit in a copy to its end.
    pub(crate) fn run(&self, copy: &mut Copy, what: &str, unit: Unit) -> Result<(), Error> {
        finished(
            what,
            &mut copy.vm,
            Arc::new(unit),
            self.most_sends,
            &copy.events,
        )
    }

    /// Compiles a text for the world of a machine.
    pub(crate) fn unit(&self, vm: &Vm, name: &str, source: &str) -> Result<Unit, Error> {
        let compiled = tally_compiler::compile(name, source, &MachineEnvironment(vm));
        compiled.unit.ok_or_else(|| {
            let diagnostics = render(&compiled.diagnostics, name, source, false);
            Error::new(ErrorKind::Source, diagnostics)
        })
    }
}

/// Runs a unit to its end.
fn finished(
    what: &str,
    vm: &mut Vm,
    unit: Arc<Unit>,
    most_sends: u64,
    events: &Events,
) -> Result<(), Error> {
    vm.keep_failures();
    vm.allow_ticks(Some(most_sends));
    let outcome = vm.run_unit(unit);
    let failures = vm.take_failures();
    if outcome == Outcome::Finished {
        return Ok(());
    }
    let last = failures.iter().rev().find(|failure| failure.is_unhandled);
    let error = Error::of_run(what, &outcome, last);
    Err(match *events.first_denied() {
        Some(denied) => error.with_help(permission_text(denied)),
        None => error,
    })
}

/// The function that gives a permission.
fn permission_text(denied: Denied) -> &'static str {
    match denied {
        Denied::Read => "Builder::allow_read lets the code read what is at and below a path",
        Denied::Write => "Builder::allow_write lets the code write at and below a path",
        Denied::Environment => "Builder::allow_env lets the code read a variable",
    }
}

/// The message with this selector to the held receiver, with the held arguments.
fn message(selector: &str, count: usize) -> Result<String, Error> {
    let is_word = |text: &str| {
        let mut characters = text.chars();
        let first = characters.next();
        first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let is_binary =
        |text: &str| !text.is_empty() && text.chars().all(|c| "+-*/\\~<>=@,%|&?!".contains(c));
    let parts: Vec<&str> = match selector.strip_suffix(':') {
        Some(keywords) => keywords.split(':').collect(),
        None => vec![selector],
    };
    let (is_selector, wanted) = match selector.ends_with(':') {
        true => (parts.iter().all(|part| is_word(part)), parts.len()),
        false if is_binary(selector) => (true, 1),
        false => (is_word(selector), 0),
    };
    if !is_selector {
        let why = format!("{selector:?} is no selector");
        return Err(Error::new(ErrorKind::Usage, why));
    }
    if wanted != count {
        let why = format!("#{selector} has arguments: {wanted}; given: {count}");
        return Err(Error::new(ErrorKind::Usage, why));
    }
    let mut text = RECEIVER.to_string();
    if wanted == 0 {
        text = format!("{text} {selector}");
    }
    for (number, part) in parts.iter().take(wanted).enumerate() {
        let colon = if selector.ends_with(':') { ":" } else { "" };
        text = format!("{text} {part}{colon} {ARGUMENT}{number}");
    }
    Ok(text)
}

impl Comparison {
    /// Whether the first expression sends fewer messages than the second.
    pub fn is_faster(&self) -> bool {
        self.first.sends < self.second.sends
    }
}

impl fmt::Display for Comparison {
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
