//! `tally gate --self-test -- CMD…`: whether a project's own gate, as it is really run, notices one send too many. The whole
//! command runs in copies of the project: in an unchanged one, where it must pass; then in one with a send planted in a test,
//! where it must fail. If it fails there by an exit code that need not be Tally's, a third copy, changed without a
//! send, shows that it was the send. The user's files are read and never written.

mod copy;
mod plant;
mod suspects;
#[cfg(test)]
mod tests;
mod trial;

use std::path::{Path, PathBuf};

use tally_comparison::{Budget, BudgetCost, BudgetLimit, BudgetScope, SNAPSHOT_FILE, Snapshot};
use tally_profiler::{CostName, LimitKind};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::output;
use plant::Plant;
use tally_workbench::project::settings::{self, Settings};
use tally_workbench::workers::Interrupts;
use trial::{Ended, Trial};

/// Set for the commands that we run, so that a gate that tests itself does not do so for ever.
const NESTED: &str = "TALLY_SELF_TEST";
const SETTINGS_FILE: &str = settings::NAME;

/// A project as far as its gate is concerned.
#[derive(Debug)]
struct Project {
    /// The folder that is copied.
    root: PathBuf,
    /// Where in it the command runs.
    place: PathBuf,
    /// The tests in its snapshot.
    tests: Vec<String>,
    /// Names, classes or patterns of tests whose sends a budget gives exactly.
    patterns: Vec<String>,
}

/// Runs the command in copies of the project that the working directory is in, and says whether it notices a send.
pub(crate) fn self_test(command: &[String]) -> Result<Exit, Failure> {
    if command.is_empty() {
        let why = "there is no command to test: tally gate --self-test -- CMD…";
        return Err(Failure::new(Exit::Usage, why));
    }
    if std::env::var_os(NESTED).is_some() {
        let why = "the command that is being tested tests itself, and would do so for ever";
        return Err(Failure::new(Exit::Usage, why));
    }
    let text = examine(&Project::of(Path::new("."))?, command)?;
    output::write(&text, None)?;
    Ok(Exit::Success)
}

impl Project {
    /// The project that a folder is in: that of the nearest `tally.toml`, else the folder itself.
    fn of(here: &Path) -> Result<Project, Failure> {
        let settings = Settings::find(here, &*front())?;
        let whole = |path: &Path| {
            // The names under which the system knows them, so that links which lead into the project are known.
            let whole = path.canonicalize();
            whole.map_err(|error| Failure::io("find", &path.to_string_lossy(), &error))
        };
        let root = match &settings {
            Some(settings) => whole(&here.join(&settings.root))?,
            None => whole(here)?,
        };
        let here = whole(here)?;
        let place = here.strip_prefix(&root).unwrap_or(Path::new(""));
        let budgets = settings.iter().flat_map(|settings| &settings.budgets);
        Ok(Project {
            place: place.to_path_buf(),
            tests: snapshot_tests(&root)?,
            patterns: budgets.filter_map(exact_tests).collect(),
            root,
        })
    }

    /// Whether anything could notice one send.
    fn is_exact(&self) -> bool {
        !self.tests.is_empty() || !self.patterns.is_empty()
    }
}

/// The tests of a budget, if it gives their sends exactly.
fn exact_tests(budget: &Budget) -> Option<String> {
    let is_exact = |limit: &BudgetLimit| {
        limit.kind == LimitKind::Exact && limit.cost == BudgetCost::Of(CostName::Sends)
    };
    match &budget.scope {
        BudgetScope::Test(pattern) => budget.limits.iter().any(is_exact).then(|| pattern.clone()),
        BudgetScope::Named(_) | BudgetScope::Method(_) | BudgetScope::Function(_) => None,
    }
}

/// The tests that the snapshot holds; none if there is no snapshot.
fn snapshot_tests(root: &Path) -> Result<Vec<String>, Failure> {
    let text = match std::fs::read_to_string(root.join(SNAPSHOT_FILE)) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Failure::io("read", SNAPSHOT_FILE, &error)),
    };
    let snapshot = Snapshot::parse(&text)
        .map_err(|error| Failure::new(Exit::Incomparable, format!("{SNAPSHOT_FILE}:{error}")))?;
    Ok(snapshot.tests.into_keys().collect())
}

/// What there is to say of a command that notices the send. Anything else is a failure.
fn examine(project: &Project, command: &[String]) -> Result<String, Failure> {
    if !project.is_exact() {
        let why = format!(
            "nothing here could notice one send: there is no {SNAPSHOT_FILE} with tests in it, and no exact budget of a test's sends\n\
             help: tally test --counts update writes {SNAPSHOT_FILE}"
        );
        return Err(Failure::new(Exit::Nothing, why));
    }
    let plant = Plant::find(&project.root, &project.tests, &project.patterns)?;
    let interrupts = Interrupts::caught()?;
    let trial = Trial {
        project,
        command,
        interrupts: &interrupts,
    };
    must_pass_unchanged(&trial)?;
    let ended = trial.run(|copy| plant.put(copy))?;
    if ended.is_success() {
        let suspects = suspects::found(&project.root.join(&project.place), command);
        return Err(Failure::new(Exit::Counted, unnoticed(&plant, &suspects)));
    }
    if ended != Ended::Code(Exit::Counted.code()) {
        let otherwise = trial.run(|copy| plant.put_comment(copy))?;
        if !otherwise.is_success() {
            return Err(Failure::new(
                Exit::Failed,
                any_change_fails(&plant, otherwise),
            ));
        }
    }
    Ok(format!(
        "The gate works: with one send more in {plant} the command {ended}, without it it passes.\n"
    ))
}

fn must_pass_unchanged(trial: &Trial<'_>) -> Result<(), Failure> {
    let ended = trial.run(|_| Ok(()))?;
    if ended.is_success() {
        return Ok(());
    }
    let why = format!(
        "the command must pass before it can be tested, and it {ended} in an unchanged copy of the project\n\
         help: the copy holds the folder of {SETTINGS_FILE} (else the working directory) and nothing above it, without .tally, \
         and without .git where that is a link to another folder"
    );
    Err(Failure::new(Exit::Failed, why))
}

fn unnoticed(plant: &Plant, suspects: &[String]) -> String {
    let mut text =
        format!("the gate does not work: with one send more in {plant} the command still passes");
    for suspect in suspects {
        text.push_str("\n  ");
        text.push_str(suspect);
    }
    text
}

fn any_change_fails(plant: &Plant, ended: Ended) -> String {
    format!(
        "the command fails whatever is changed: with a comment more in {plant}, which costs nothing, it {ended} as well, so it \
         is not known whether it notices a send"
    )
}
