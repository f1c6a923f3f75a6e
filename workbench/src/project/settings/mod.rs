//! The settings of a project, `tally.toml`: the location of the file, its contents, and the lowering of its ratchets
//! without another change to the text. `reading` reads the text, `complaint` has the messages about errors.

mod complaint;
pub mod dependency;
mod reading;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use tally_comparison::{Budget, BudgetCost, BudgetScope, Measurements, Rule, Tightening};
use tally_explore::Machine;
use tally_presentation::grouped;
use tally_profiler::LimitKind;

use complaint::Complaint;
use dependency::Dependency;

use crate::embedder::Embedder;
use crate::error::{Error, ErrorKind};
use crate::files::replace::replace_file;

/// The file's name.
pub const NAME: &str = "tally.toml";
/// A file that is longer is no file of settings.
const MAX_BYTES: u64 = 1 << 20;
/// What the folder in which a repository begins holds.
const REPOSITORY: &str = ".git";

/// What a project's `tally.toml` says.
#[derive(Debug, Default)]
pub struct Settings {
    /// The folder that holds the file, as a path from where it was looked for.
    pub root: PathBuf,
    /// What is loaded if nothing is named, as paths from the root.
    pub paths: Vec<PathBuf>,
    /// The packages of other repositories that the project needs, by name.
    pub dependencies: Vec<Dependency>,
    /// The limit on sends and loop repetitions of each test.
    pub max_sends: Option<u64>,
    /// How many tests run at once.
    pub jobs: Option<usize>,
    /// Whether tests may pass although definitions of packages were left out.
    pub allows_left_out: bool,
    /// The rules that no change may break, wherever versions are compared.
    pub fail_on: Vec<Rule>,
    /// The machines that price programs of actors, by name.
    pub machines: Vec<(String, Machine)>,
    /// The budgets: those of tests and methods in the order of the file, then named ones by name.
    pub budgets: Vec<Budget>,
    text: String,
    /// Where the budgets stand in the text.
    places: Vec<BudgetPlace>,
}

/// Where a budget stands in the text.
#[derive(Clone, Debug, Default)]
struct BudgetPlace {
    /// What it is for.
    scope: Range<usize>,
    /// The numbers of its limits.
    values: Vec<Range<usize>>,
}

impl Settings {
    /// The settings of the project that a folder belongs to: those in the folder itself or in the nearest one above it, as far
    /// as the repository reaches, or the file system.
    pub fn find(start: &Path, front: &dyn Embedder) -> Result<Option<Settings>, Error> {
        let failed = |error| Error::io("look into", &start.display().to_string(), &error);
        let whole = fs::canonicalize(start).map_err(failed)?;
        let mut root = PathBuf::new();
        if start.components().ne([Component::CurDir]) {
            root.push(start);
        }
        for folder in whole.ancestors() {
            if let Some(text) = read(folder, &root)? {
                return Settings::of_text(text, root, front).map(Some);
            }
            if folder.join(REPOSITORY).try_exists().map_err(failed)? {
                break;
            }
            root.push("..");
        }
        Ok(None)
    }

    fn of_text(text: String, root: PathBuf, front: &dyn Embedder) -> Result<Settings, Error> {
        let shown = root.join(NAME).display().to_string();
        Settings::parse(text, root).map_err(|(text, complaints)| {
            front.show(&complaint::render(
                &complaints,
                &shown,
                &text,
                front.in_color(),
            ));
            Error::told(ErrorKind::Usage, format!("{shown} is not understood"))
        })
    }

    /// The settings of a text, or the text with its errors.
    fn parse(text: String, root: PathBuf) -> Result<Settings, (String, Vec<Complaint>)> {
        match reading::read(&text) {
            Ok(settings) => Ok(Settings {
                root,
                text,
                ..settings
            }),
            Err(complaints) => Err((text, complaints)),
        }
    }

    /// The file's text; empty if there is none.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file's path, as people are shown it.
    pub fn path(&self) -> PathBuf {
        self.root.join(NAME)
    }

    /// The limits that go by names, for assertions to refer to.
    pub fn named(&self) -> impl Iterator<Item = (&str, &Budget)> {
        self.budgets
            .iter()
            .filter_map(|budget| match &budget.scope {
                BudgetScope::Named(name) => Some((name.as_str(), budget)),
                BudgetScope::Test(_) | BudgetScope::Method(_) | BudgetScope::Function(_) => None,
            })
    }

    /// The warnings about budgets that match nothing, given by their indices. Each has its location and the nearest
    /// name.
    pub fn idle_budgets(&self, idle: &[usize], measured: &Measurements, in_color: bool) -> String {
        let complaints = idle
            .iter()
            .filter_map(|index| self.idle_budget(*index, measured));
        let complaints: Vec<Complaint> = complaints.collect();
        let shown = self.path().display().to_string();
        complaint::render(&complaints, &shown, &self.text, in_color)
    }

    fn idle_budget(&self, index: usize, measured: &Measurements) -> Option<Complaint> {
        let budget = self.budgets.get(index)?;
        let place = self.places.get(index)?;
        let (message, name, candidates) = match &budget.scope {
            BudgetScope::Test(pattern) => {
                let all = measured.known.iter().flatten().chain(measured.tests.keys());
                (
                    "a budget for tests that do not exist",
                    pattern,
                    all.collect::<Vec<_>>(),
                )
            }
            BudgetScope::Method(pattern) => {
                let all = measured.methods.keys().collect();
                ("a budget for methods that no test runs", pattern, all)
            }
            BudgetScope::Function(scope) => {
                let key = (scope.profile.clone(), scope.event.clone());
                let functions = measured.profiles.get(&key);
                let all = functions.into_iter().flat_map(|found| found.costs.keys());
                (
                    "a budget for functions or counts that the profile does not have",
                    &scope.pattern,
                    all.collect(),
                )
            }
            BudgetScope::Named(name) => {
                let all = measured.named.keys().collect();
                ("a budget that no test refers to", name, all)
            }
        };
        let near = tally_compiler::nearest(name, candidates.into_iter().map(String::as_str));
        let nothing = match budget.scope {
            BudgetScope::Named(_) => "nothing is asserted within it",
            BudgetScope::Test(_) | BudgetScope::Method(_) | BudgetScope::Function(_) => {
                "it means nothing"
            }
        };
        let complaint = Complaint::new(message, place.scope.clone(), nothing);
        Some(complaint.helped(near.map(|near| format!("did you mean '{near}'?"))))
    }

    /// The text with ratchets lowered, and with nothing else changed.
    pub fn tightened(&self, tightenings: &[Tightening]) -> String {
        let mut changes: Vec<(Range<usize>, u64)> = Vec::new();
        for tightening in tightenings {
            let place = self.ratchet(tightening.budget, tightening.cost);
            changes.extend(place.map(|place| (place, tightening.to)));
        }
        changes.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
        let mut text = self.text.clone();
        for (place, number) in changes {
            let number = match text[place.clone()].contains('_') {
                true => grouped(number).replace(',', "_"),
                false => number.to_string(),
            };
            text.replace_range(place, &number);
        }
        text
    }

    /// Where the number of a budget's ratchet stands.
    fn ratchet(&self, budget: usize, cost: BudgetCost) -> Option<Range<usize>> {
        let limits = &self.budgets.get(budget)?.limits;
        let is_it = |limit: &tally_comparison::BudgetLimit| {
            limit.cost == cost && limit.kind == LimitKind::Ratchet
        };
        let index = limits.iter().position(is_it)?;
        self.places.get(budget)?.values.get(index).cloned()
    }

    /// Lowers ratchets in the file, and answers whether there were any to lower.
    pub fn tighten(&self, tightenings: &[Tightening]) -> Result<bool, Error> {
        let text = self.tightened(tightenings);
        if text == self.text {
            return Ok(false);
        }
        let path = self.path();
        let failed = |error| Error::io("write", &path.display().to_string(), &error);
        // A path without a folder in front of it has none to write beside.
        let whole = fs::canonicalize(&path).map_err(failed)?;
        let old = fs::metadata(&whole).map_err(failed)?;
        replace_file(&whole, text.as_bytes(), Some(&old)).map_err(failed)?;
        Ok(true)
    }
}

/// The text of the file in a folder, if there is one.
fn read(folder: &Path, root: &Path) -> Result<Option<String>, Error> {
    let shown = || root.join(NAME).display().to_string();
    let failed = |error| Error::io("read", &shown(), &error);
    let file = match File::open(folder.join(NAME)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        let why = format!("{} is longer than a mebibyte", shown());
        return Err(Error::new(ErrorKind::Usage, why));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
            let why = format!("{}:{line}: the text is not in UTF-8", shown());
            Err(Error::new(ErrorKind::Usage, why))
        }
    }
}
