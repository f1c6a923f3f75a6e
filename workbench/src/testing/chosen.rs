//! Tests that run alone in the program's own machine, for a caller that measures them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tally_vm::bytecode::{Span, Unit};
use tally_vm::{Outcome, Vm};

use super::NAME;
use super::discovery::{Test, discover};
use super::outcome::{Bounds, TestReport, Verdict, compiled_part, part};
use super::selection::{fits, why_none};
use super::summary::{Summary, summary};
use super::worker::finish;
use crate::embedder::Embedder;
use crate::error::{Error, ErrorKind};
use crate::loading::{Program, compile_text};
use crate::project::Project;

/// The caller waits for their ends.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Tests that run alone, for a caller that measures them.
pub struct Chosen {
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
pub struct Ran {
    tests: Vec<Test>,
    /// How each of them ended, and those that could not be run.
    pub reports: Vec<TestReport>,
    /// The spans of the scripts that run the tests.
    pub scripts: Vec<Span>,
}

impl Chosen {
    /// Finds the tests of these names, `Class>>selector` or a class, and those of the project that fit a filter, and makes their
    /// resources available.
    ///
    /// # Errors
    /// If a test is not there, or the machine fails.
    pub fn new(
        program: &mut Program,
        project: &Project,
        names: &[String],
        filters: &[String],
        max_sends: Option<u64>,
        front: &dyn Embedder,
    ) -> Result<Chosen, Error> {
        // The limit is for the tests.
        program.vm.allow_ticks(None);
        let found = discover(&mut program.vm, front)?;
        let names = names.iter().map(|name| full_name(&found, name));
        let names: Vec<String> = names.collect::<Result<_, Error>>()?;
        let dependencies = project.dependencies(front)?;
        let others = dependencies.untested_classes(&program.units, program.folder());
        let is_chosen = |test: &Test| {
            let name = test.name();
            let is_own = !others.contains(&test.class);
            names.iter().any(|name| test.is_named(name))
                || (is_own && filters.iter().any(|filter| fits(filter, &name)))
        };
        let all: Vec<String> = found.iter().map(Test::name).collect();
        let chosen: Vec<Test> = found.into_iter().filter(is_chosen).collect();
        if chosen.is_empty() {
            return Err(Error::new(ErrorKind::Nothing, why_none(&all, filters)));
        }
        Chosen::prepared(program, chosen, "run:", max_sends)
    }

    /// All tests of the program, their resources made available. What each of them costs is not measured.
    ///
    /// # Errors
    /// If a test is not there, or the machine fails.
    pub fn all(
        program: &mut Program,
        max_sends: Option<u64>,
        front: &dyn Embedder,
    ) -> Result<Chosen, Error> {
        program.vm.allow_ticks(None);
        let found = discover(&mut program.vm, front)?;
        Chosen::prepared(program, found, "runUnmeasured:", max_sends)
    }

    /// How many they are.
    pub fn count(&self) -> usize {
        self.tests.len() + self.broken.len()
    }

    fn prepared(
        program: &mut Program,
        tests: Vec<Test>,
        message: &str,
        max_sends: Option<u64>,
    ) -> Result<Chosen, Error> {
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
            chosen.prepare(&mut program.vm, test, message)?;
        }
        Ok(chosen)
    }

    fn prepare(&mut self, vm: &mut Vm, test: Test, message: &str) -> Result<(), Error> {
        let ended = match &test.broken {
            Some(why) => Some(TestReport::new(&test, Verdict::Error, Some(why.clone()))),
            None => part(vm, &test, &test.sending("prepare:"), &self.bounds)?,
        };
        match ended {
            Some(report) => self.broken.push(report),
            None => {
                let unit = Arc::new(compile_text(vm, NAME, &test.sending(message))?);
                self.tests.push(Ready { test, unit });
            }
        }
        Ok(())
    }

    /// Runs the tests, and nothing beside them.
    ///
    /// # Errors
    /// If a test is not there, or the machine fails.
    pub fn run(self, program: &mut Program) -> Result<Ran, Error> {
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
    /// How many of them ended in which way.
    pub fn summary(&self) -> Summary {
        summary(&self.reports.iter().collect::<Vec<_>>())
    }

    /// Resets the resources of the tests. Answers whether that went well.
    ///
    /// # Errors
    /// If the machine fails.
    pub fn finish(&self, program: &mut Program, front: &dyn Embedder) -> Result<bool, Error> {
        let mut is_clean = true;
        for test in &self.tests {
            is_clean &= finish(&mut program.vm, test, front)?;
        }
        Ok(is_clean)
    }

    /// The way in which a run ended that ended as these tests did.
    pub fn outcome(&self) -> Outcome {
        match self.summary().kind() {
            Some(ErrorKind::Limit) => Outcome::Limit(tally_vm::Limit::Ticks),
            Some(ErrorKind::Failed) => Outcome::Failed,
            _ => Outcome::Finished,
        }
    }
}

/// The name of a class or of a test with its class. The class may be omitted if one test alone has the name.
fn full_name(tests: &[Test], name: &str) -> Result<String, Error> {
    if tests.iter().any(|test| test.is_named(name)) {
        return Ok(name.to_string());
    }
    let with_name = tests
        .iter()
        .filter(|test| test.label == name || test.selector == name);
    let full: Vec<String> = with_name.map(Test::name).collect();
    match full.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(Error::new(ErrorKind::Nothing, unknown(tests, name))),
        several => {
            let why = format!(
                "'{name}' is the name of several tests: {}",
                several.join(", ")
            );
            Err(Error::new(ErrorKind::Nothing, why))
        }
    }
}

fn unknown(tests: &[Test], name: &str) -> String {
    let names: Vec<String> = tests.iter().map(Test::name).collect();
    let classes = tests.iter().map(|test| test.class.as_str());
    let full = names.iter().map(String::as_str).chain(classes);
    let labels = tests.iter().map(|test| test.label.as_str());
    let near = tally_compiler::nearest(name, full).or_else(|| {
        let near = tally_compiler::nearest(name, labels)?;
        let test = tests.iter().find(|test| test.label == near)?;
        Some(test.name())
    });
    let hint = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
    format!("there is no test '{name}'{hint}")
}
