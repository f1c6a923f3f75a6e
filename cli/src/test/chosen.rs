//! Tests that are run by themselves and in the program's own machine, for somebody who measures that.

use crate::front::front;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tally_vm::bytecode::{Span, Unit};
use tally_vm::{Outcome, Vm};

use super::human;
use super::summary::exit;
use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;
use tally_workbench::loading::{Program, compile_text};
use tally_workbench::testing::NAME;
use tally_workbench::testing::discovery::{Test, discover};
use tally_workbench::testing::outcome::{Bounds, TestReport, Verdict, compiled_part, part};
use tally_workbench::testing::summary::{summary, summary_line};
use tally_workbench::testing::worker::finish;

/// Somebody waits for them to their ends.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Tests that are run by themselves, for somebody who measures that.
pub(crate) struct Chosen {
    tests: Vec<Ready>,
    bounds: Bounds<'static>,
    /// Those whose resources could not be made available.
    broken: Vec<TestReport>,
}

/// A test whose resources are available.
struct Ready {
    test: Test,
    /// What runs it.
    unit: Arc<Unit>,
}

/// How chosen tests ended.
pub(crate) struct Ran {
    tests: Vec<Test>,
    reports: Vec<TestReport>,
    /// Where the scripts stand in their texts that asked for the tests.
    pub(crate) scripts: Vec<Span>,
}

impl Chosen {
    /// Finds the tests of these names, `Class>>selector` or a class, and makes their resources available.
    pub(crate) fn new(
        program: &mut Program,
        names: &[String],
        max_sends: Option<u64>,
    ) -> Result<Chosen, Failure> {
        // The limit is for the tests.
        program.vm.allow_ticks(None);
        let found = discover(&mut program.vm, &*front())?;
        for name in names {
            if !found.iter().any(|test| test.is_named(name)) {
                return Err(Failure::new(Exit::Nothing, unknown(&found, name)));
            }
        }
        let is_chosen = |test: &Test| names.iter().any(|name| test.is_named(name));
        let chosen = found.into_iter().filter(is_chosen).collect();
        Chosen::prepared(program, chosen, max_sends)
    }

    /// All tests of the program, their resources made available.
    pub(crate) fn all(program: &mut Program, max_sends: Option<u64>) -> Result<Chosen, Failure> {
        program.vm.allow_ticks(None);
        let found = discover(&mut program.vm, &*front())?;
        Chosen::prepared(program, found, max_sends)
    }

    /// How many they are.
    pub(crate) fn len(&self) -> usize {
        self.tests.len() + self.broken.len()
    }

    fn prepared(
        program: &mut Program,
        tests: Vec<Test>,
        max_sends: Option<u64>,
    ) -> Result<Chosen, Failure> {
        program.vm.keep_failures();
        let mut chosen = Chosen {
            tests: Vec::new(),
            bounds: Bounds {
                max_sends,
                is_over: &NEVER,
            },
            broken: Vec::new(),
        };
        for test in tests {
            chosen.prepare(&mut program.vm, test)?;
        }
        Ok(chosen)
    }

    fn prepare(&mut self, vm: &mut Vm, test: Test) -> Result<(), Failure> {
        let ended = match &test.broken {
            Some(why) => Some(TestReport::new(&test, Verdict::Error, Some(why.clone()))),
            None => part(vm, &test, &test.sending("prepare:"), &self.bounds)?,
        };
        match ended {
            Some(report) => self.broken.push(report),
            None => {
                let unit = Arc::new(compile_text(vm, NAME, &test.sending("runUnmeasured:"))?);
                self.tests.push(Ready { test, unit });
            }
        }
        Ok(())
    }

    /// Runs the tests, and nothing beside them.
    pub(crate) fn run(self, program: &mut Program) -> Result<Ran, Failure> {
        let mut reports = self.broken;
        let mut scripts = Vec::new();
        let mut tests = Vec::new();
        for Ready { test, unit } in self.tests {
            let vm = &mut program.vm;
            scripts.push(unit.script.span);
            let made = vm.processes_made();
            let report = compiled_part(vm, &test, unit, &self.bounds)?;
            vm.end_processes_after(made);
            reports.push(report.unwrap_or_else(|| TestReport::unusable(&test)));
            tests.push(test);
        }
        program.vm.allow_ticks(None);
        Ok(Ran {
            tests,
            reports,
            scripts,
        })
    }
}

impl Ran {
    /// The way in which a run ended that ended as these tests did.
    pub(crate) fn outcome(&self) -> Outcome {
        match exit(&summary(&self.reports.iter().collect::<Vec<_>>())) {
            Exit::Limit => Outcome::Limit(tally_vm::Limit::Ticks),
            Exit::Failed => Outcome::Failed,
            _ => Outcome::Finished,
        }
    }

    /// Tells what became of tests that did not pass, and how the command is to end.
    pub(crate) fn report(&self, program: &mut Program) -> Result<Exit, Failure> {
        let mut is_clean = true;
        for test in &self.tests {
            is_clean &= finish(&mut program.vm, test, &*front())?;
        }
        let summary = summary(&self.reports.iter().collect::<Vec<_>>());
        for test in &self.reports {
            if test.verdict.is_bad() || test.verdict == Verdict::Skip {
                console::write(&human::details(test));
            }
        }
        let passed = summary.passed + summary.vacuous;
        if passed < summary.tests {
            console::write(&format!("\n{}\n", summary_line(&summary)));
        }
        Ok(match exit(&summary) {
            // What asserts nothing can be measured all the same.
            Exit::Nothing if passed > 0 => Exit::Success,
            Exit::Success if !is_clean => Exit::Failed,
            exit => exit,
        })
    }
}

fn unknown(tests: &[Test], name: &str) -> String {
    let names: Vec<String> = tests.iter().map(Test::name).collect();
    let classes = tests.iter().map(|test| test.class.as_str());
    let near = tally_compiler::nearest(name, names.iter().map(String::as_str).chain(classes));
    let hint = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
    format!("there is no test '{name}'{hint}")
}
