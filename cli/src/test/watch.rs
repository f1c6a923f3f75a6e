//! `tally test --watch`: waits for changes of the files and runs the tests that a change concerns. A test that no change concerns
//! keeps its outcome.
//!
//! The files are looked at some twenty times a second. A thread that gets events from the system would not do: workers are copies
//! of this process, and a process that is copied has one thread only.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tally_comparison::changes::RunLookups;
use tally_vm::bytecode::Unit;
use tally_vm::printable;

use super::arguments::TestArguments;
use super::counts::CountsMode;
use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;
use tally_workbench::project::Project;
use tally_workbench::project::settings;
use tally_workbench::testing::changed::{self, Lookups};
use tally_workbench::testing::discovery::Test;
use tally_workbench::testing::selection::files_and_filters;

/// The time between two looks at the files.
const PAUSE: Duration = Duration::from_millis(40);
/// The time for which files have to stay as they are before they are read: a save may take more than one step.
const SETTLED: Duration = Duration::from_millis(15);
/// The share of the time that looking at many files may take is one in this number.
const SHARE: u32 = 10;
/// Changed files that are named.
const NAMED: usize = 3;
/// Tests that still fail and are named.
const NAMED_TESTS: usize = 10;

/// What is known of the program's last version and of its tests.
#[derive(Default)]
pub(super) struct Watched {
    last: Option<Version>,
    /// What tests looked up.
    pub(super) lookups: Lookups,
    /// The tests that should have ended otherwise when they were last run.
    bad: BTreeSet<String>,
}

struct Version {
    units: Vec<Arc<Unit>>,
    number: u64,
}

impl Watched {
    /// Leaves of the tests those that the changes since the last version concern.
    pub(super) fn choose(
        &mut self,
        tests: &mut Vec<Test>,
        units: &[Arc<Unit>],
        number: u64,
        loading: &RunLookups,
    ) {
        let all: BTreeSet<String> = tests.iter().map(Test::name).collect();
        self.bad.retain(|name| all.contains(name));
        if let Some(last) = &self.last {
            let versions = [last.number, number];
            let both = (&last.units[..], units);
            let names = changed::concerned_between(tests, both, versions, loading, &self.lookups);
            self.lookups.carry_over(last.number, number, &names);
            console::write(&format!("{} of {} tests\n", names.len(), all.len()));
            tests.retain(|test| names.contains(&test.name()));
        }
        self.last = Some(Version {
            units: units.to_vec(),
            number,
        });
    }

    /// Notes how tests ended, and names those that still fail.
    pub(super) fn report(&mut self, outcomes: &[(&str, bool)]) {
        let ran: BTreeSet<&str> = outcomes.iter().map(|(name, _)| *name).collect();
        let still: Vec<&String> = self
            .bad
            .iter()
            .filter(|name| !ran.contains(name.as_str()))
            .collect();
        if !still.is_empty() {
            let named = still.iter().take(NAMED_TESTS);
            let mut named: Vec<_> = named.map(|name| printable(name).into_owned()).collect();
            if still.len() > NAMED_TESTS {
                named.push(format!("{} others", still.len() - NAMED_TESTS));
            }
            console::write(&format!("still failing: {}\n", named.join(", ")));
        }
        for (name, is_bad) in outcomes {
            match is_bad {
                true => self.bad.insert((*name).to_string()),
                false => self.bad.remove(*name),
            };
        }
    }
}

/// Runs tests until Ctrl-C, which ends the process with 130.
pub(super) fn watch(arguments: &TestArguments) -> Result<Exit, Failure> {
    if arguments.counts == Some(CountsMode::Update) {
        let why = "--watch runs a part of the tests only; tally test --counts update measures all";
        return Err(Failure::new(Exit::Usage, why));
    }
    if arguments.files.iter().any(|file| file == "-") {
        let why = "standard input can be read once, so it cannot be watched";
        return Err(Failure::new(Exit::Usage, why));
    }
    end_at_interrupts()?;
    let mut watched = Watched::default();
    let mut seen = Seen::now(arguments);
    let mut is_first = true;
    loop {
        match super::run(arguments, Some(&mut watched)) {
            Ok(_) => {}
            Err(failure) if failure.is_lost_output() => return Err(failure),
            Err(failure) if is_first && failure.exit() == Exit::Usage => return Err(failure),
            Err(failure) => {
                failure.report();
            }
        }
        if std::mem::take(&mut is_first) {
            console::write(&format!(
                "\nwatching {} files; Ctrl-C ends it\n",
                seen.files.len()
            ));
        }
        let changes = seen.wait(arguments);
        if changes.iter().any(|path| path.ends_with(settings::NAME)) {
            // Limits and budgets hold for all tests.
            watched = Watched::default();
        }
        console::write(&format!("\n{} changed\n", named(&changes)));
    }
}

/// Lets Ctrl-C end the process with the code for that. Workers inherit it.
fn end_at_interrupts() -> Result<(), Failure> {
    let always = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let code = Exit::Interrupted.code();
    let registered =
        signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGINT, code, always);
    registered
        .map(|_| ())
        .map_err(|error| Failure::new(Exit::Internal, format!("Ctrl-C cannot be caught: {error}")))
}

fn named(changes: &[PathBuf]) -> String {
    let named = changes.iter().take(NAMED);
    let mut named: Vec<String> = named
        .map(|path| printable(&path.to_string_lossy()).into_owned())
        .collect();
    if changes.len() > NAMED {
        named.push(format!("{} others", changes.len() - NAMED));
    }
    named.join(", ")
}

/// What distinguishes two contents of a file without reading them.
type Look = (Option<SystemTime>, u64, u64);

/// The files as they were when they were last looked at.
struct Seen {
    files: BTreeMap<PathBuf, Look>,
    /// How long looking took.
    took: Duration,
}

impl Seen {
    fn now(arguments: &TestArguments) -> Seen {
        let start = Instant::now();
        let mut search = Search::default();
        for path in roots(arguments) {
            search.visit(&path, true);
        }
        Seen {
            files: search.files,
            took: start.elapsed(),
        }
    }

    /// Waits until files differ, and then until they stay as they are. Answers which differ.
    fn wait(&mut self, arguments: &TestArguments) -> Vec<PathBuf> {
        loop {
            std::thread::sleep(PAUSE.max(self.took * SHARE));
            let mut now = Seen::now(arguments);
            if now.files == self.files {
                continue;
            }
            loop {
                std::thread::sleep(SETTLED);
                let later = Seen::now(arguments);
                if later.files == now.files {
                    break;
                }
                now = later;
            }
            let changes = self.differing(&now);
            *self = now;
            if !changes.is_empty() {
                return changes;
            }
        }
    }

    fn differing(&self, other: &Seen) -> Vec<PathBuf> {
        let both = self.files.keys().chain(other.files.keys());
        let differ = both.filter(|path| self.files.get(*path) != other.files.get(*path));
        let names: BTreeSet<&PathBuf> = differ.collect();
        names.into_iter().cloned().collect()
    }
}

/// The files and folders that are loaded, those of dependencies, and the settings. Settings that cannot be read name no files.
fn roots(arguments: &TestArguments) -> Vec<PathBuf> {
    let project = Project::here(&tally_workbench::Quiet);
    let mut roots: Vec<PathBuf> = Vec::new();
    let has_default = match &project {
        Ok(project) => {
            roots.push(project.root.join(settings::NAME));
            roots.extend(project.folders_of_dependencies());
            !project.own_files().is_empty()
        }
        Err(_) => {
            roots.push(PathBuf::from(settings::NAME));
            false
        }
    };
    let (named, _) = files_and_filters(&arguments.files, has_default);
    match (named.is_empty(), project) {
        (true, Ok(project)) => roots.extend(project.own_files().into_iter().map(PathBuf::from)),
        _ => roots.extend(named.into_iter().map(PathBuf::from)),
    }
    roots
}

#[derive(Default)]
struct Search {
    files: BTreeMap<PathBuf, Look>,
    /// The folders that were looked at, under their true names: links can lead in circles.
    visited: HashSet<PathBuf>,
}

impl Search {
    /// Looks at a file, or at the sources below a folder. What is not there, or cannot be read, has no look.
    fn visit(&mut self, path: &Path, is_argument: bool) {
        let Ok(about) = fs::metadata(path) else {
            return;
        };
        if !about.is_dir() {
            if is_argument || path.extension() == Some(OsStr::new("st")) {
                self.files.insert(path.to_path_buf(), look(&about));
            }
            return;
        }
        let is_new = fs::canonicalize(path).is_ok_and(|whole| self.visited.insert(whole));
        let entries = fs::read_dir(path).ok().filter(|_| is_new);
        for entry in entries.into_iter().flatten().flatten() {
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if !is_hidden {
                self.visit(&entry.path(), false);
            }
        }
    }
}

fn look(about: &Metadata) -> Look {
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(about);
    #[cfg(not(unix))]
    let number = 0;
    (about.modified().ok(), about.len(), number)
}
