//! Runs the examples that stand in the library's comments: both sides of each are evaluated and
//! compared. The machine of a file is its own, as one example may change what another sees.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use libtest_mimic::Trial;
use tally_compiler::environment::MachineEnvironment;
use tally_compiler::render::render;
use tally_tests::examples::{Example, examples};
use tally_tests::host::TestHost;
use tally_vm::{Config, Outcome, Vm};

use crate::checks::trial;

static CHECKED: AtomicUsize = AtomicUsize::new(0);

/// A test for each file that has examples.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    let folder = tally_tests::root().join("stdlib");
    let mut trials = Vec::new();
    for path in tally_tests::files_below(&folder, "st")? {
        let source = std::fs::read_to_string(&path)?;
        if !source.contains(">>>") {
            continue;
        }
        let name = path.strip_prefix(&folder)?.to_string_lossy();
        let name = name.replace('\\', "/");
        let shown = format!("examples-in-comments/{}", name.trim_end_matches(".st"));
        trials.push(trial(shown, move || check_file(&path, &source)));
    }
    Ok(trials)
}

/// How many examples were checked so far.
pub(crate) fn checked() -> usize {
    CHECKED.load(Ordering::Relaxed)
}

fn check_file(path: &Path, source: &str) -> Result<(), String> {
    let root = tally_tests::root();
    let file = path.strip_prefix(&root).unwrap_or(path).display();
    let examples = examples(source).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(|why| format!("{file}:{why}")).collect();
        lines.join("\n")
    })?;
    let host = TestHost::new();
    let mut vm = tally_stdlib::machine(Config::default(), Box::new(host.clone()))?;
    vm.read_timelines_with(std::sync::Arc::new(tally_timeline::TrialReader));
    vm.search_schedules_with(std::sync::Arc::new(
        tally_workbench::searching::ScheduleSearches,
    ));
    tally_compiler::runtime::equip(&mut vm);
    let mut failures = Vec::new();
    for example in &examples {
        if let Err(why) = check(&mut vm, &host, example) {
            let Example {
                line,
                expression,
                expected,
            } = example;
            failures.push(format!(
                "{file}:{line}: {expression} >>> {expected}\n    {why}"
            ));
        }
        CHECKED.fetch_add(1, Ordering::Relaxed);
    }
    if failures.is_empty() {
        Ok(())
    } else {
        Err(failures.join("\n"))
    }
}

fn check(vm: &mut Vm, host: &TestHost, example: &Example) -> Result<(), String> {
    let text = format!(
        "| tallyActual tallyExpected |\ntallyActual := {}.\ntallyExpected := ({}).\n\
         tallyActual = tallyExpected\n\
         \tifTrue: ['equal']\n\
         \tifFalse: ['it is ' , tallyActual printString , ', expected was ' , tallyExpected printString]",
        example.expression, example.expected
    );
    let name = "<example>";
    let compiled = tally_compiler::compile(name, &text, &MachineEnvironment(vm));
    let Some(unit) = compiled.unit else {
        return Err(render(&compiled.diagnostics, name, &text, false));
    };
    let said_before = host.error().len();
    let outcome = vm.run_unit(Arc::new(unit));
    if outcome != Outcome::Finished {
        return Err(format!("{outcome:?}: {}", &host.error()[said_before..]));
    }
    match vm.text_of(vm.result()).as_deref() {
        Some("equal") => Ok(()),
        Some(difference) => Err(difference.to_string()),
        None => Err("the comparison answered no Boolean".to_string()),
    }
}
