//! What tests cost, held against the snapshot `tally.counts`: checking it, bringing it up to date, and explaining what
//! changed by the methods that did. What differs is decided by the profiler; here files are read and written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use tally_comparison::{
    Baseline, Code, MethodCount, SNAPSHOT_FILE, Snapshot, SnapshotDifference, TestRecord, TestRun,
    explain_methods, fixture_name, is_fixture, methods_report, section_name, snapshot_difference,
    test_of_section,
};
use tally_presentation::Page;
use tally_profiler::{CostName, TestCounts, fnv1a};
use tally_vm::Vm;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};
use tally_workbench::project::workspace::Workspace;
use tally_workbench::testing::observed::{Observed, counts_of};
use tally_workbench::testing::worker::Ended;

/// Under which name the baseline is remembered.
const BASELINE: &str = "baseline";
/// Tests whose differences are explained one by one.
const EXPLAINED_TESTS: usize = 3;
/// Methods that an explanation names.
const EXPLAINED_METHODS: usize = 8;

/// What is done with `tally.counts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CountsMode {
    // Any difference fails
    Check,
    // Write what was measured
    Update,
    // Neither
    Ignore,
}

/// The snapshot of a project.
pub(super) struct Counts {
    pub(super) mode: CountsMode,
    pub(super) path: PathBuf,
    old: Option<Snapshot>,
}

/// What holding a run against the snapshot came to.
#[derive(Default)]
pub(super) struct Compared {
    /// For people.
    pub(super) text: String,
    pub(super) difference: Option<SnapshotDifference>,
    pub(super) exit: Option<Exit>,
}

/// How to accept counts that differ from the snapshot.
const ACCEPT: &str = "\nhelp: tally test --counts update --reason \"why\" accepts these counts\n";

impl Counts {
    /// The snapshot beside a project's root. Without a mode it is checked if it is there.
    pub(super) fn open(root: &Path, mode: Option<CountsMode>) -> Result<Counts, Failure> {
        let path = root.join(SNAPSHOT_FILE);
        let old = match std::fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(_) if mode == Some(CountsMode::Ignore) => None,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                let why = format!("{SNAPSHOT_FILE} is no text in UTF-8");
                return Err(Failure::new(Exit::Incomparable, why));
            }
            Err(error) => return Err(Failure::io("read", SNAPSHOT_FILE, &error)),
        };
        let mode = mode.unwrap_or(match old {
            Some(_) => CountsMode::Check,
            None => CountsMode::Ignore,
        });
        let old = old.filter(|_| mode != CountsMode::Ignore);
        let old = old.map(|text| Snapshot::parse(&text)).transpose();
        let old = old.map_err(|error| {
            Failure::new(Exit::Incomparable, format!("{SNAPSHOT_FILE}:{error}"))
        })?;
        if mode == CountsMode::Check && old.is_none() {
            let why = format!(
                "there is no {SNAPSHOT_FILE} to check; tally test --counts update writes one"
            );
            return Err(Failure::new(Exit::Incomparable, why));
        }
        Ok(Counts { mode, path, old })
    }

    /// Whether each test has to be recorded for it.
    pub(super) fn wants_profiles(&self) -> bool {
        self.mode == CountsMode::Update
    }

    /// Tests that ran without a recorder whose counts are others than before.
    pub(super) fn to_explain(
        &self,
        ran: &[Ended],
        known: Option<&BTreeSet<String>>,
    ) -> BTreeSet<String> {
        let Some(old) = self.old.as_ref().filter(|_| self.mode == CountsMode::Check) else {
            return BTreeSet::new();
        };
        let is_same =
            |before: &TestRecord, after: TestCounts| after.is_same_in(old.costs(), &before.counts);
        let is_other = |ended: &&Ended| {
            let before = old.tests.get(&ended.report.name);
            before
                .is_some_and(|before| !counts_of(ended).is_some_and(|after| is_same(before, after)))
        };
        let fixtures = known
            .map(|known| fixtures(ran, known, &BTreeMap::new()))
            .unwrap_or_default();
        let has_other_fixture = |ended: &&Ended| {
            let name = fixture_name(&ended.report.class);
            let after = fixtures.get(&name).copied().flatten();
            match (old.tests.get(&name), after) {
                (Some(before), Some(after)) => !is_same(before, after.counts),
                _ => false,
            }
        };
        let others = ran
            .iter()
            .filter(|ended| is_other(ended) || has_other_fixture(ended));
        others.map(|ended| ended.report.name.clone()).collect()
    }

    /// Those of the tests of which the baseline does not know what they did when the snapshot was taken.
    pub(super) fn unknown(
        &self,
        tests: &BTreeSet<String>,
        baseline: &Baseline,
    ) -> BTreeSet<String> {
        let old = self.old.as_ref();
        let is_unknown = |name: &&String| {
            let before = old.and_then(|old| old.tests.get(*name));
            before.is_some_and(|before| baseline.methods_of(name, before.counts.sends).is_none())
        };
        tests.iter().filter(is_unknown).cloned().collect()
    }

    /// Holds a run against the snapshot.
    pub(super) fn check(
        &self,
        run: &TestRun,
        profiles: &Profiles,
        baseline: &Baseline,
    ) -> Compared {
        let Some(old) = &self.old else {
            return Compared::default();
        };
        let found = snapshot_difference(old, run);
        let page = console::results_page();
        let (mut text, exit) = match (found.comparability.is_same(), found.is_same()) {
            (true, true) => (String::new(), None),
            (true, false) => (found.check_report(page), Some(Exit::Counted)),
            (false, _) => (incomparable(&found, page), Some(Exit::Incomparable)),
        };
        if exit.is_some() {
            text.push_str(&explanation(&found, profiles, baseline, page));
        }
        if exit == Some(Exit::Counted) {
            text.push_str(ACCEPT);
        }
        Compared {
            text,
            difference: Some(found),
            exit,
        }
    }

    /// Writes the costs of a run to the snapshot, and reports the changes.
    pub(super) fn update(
        &self,
        run: &TestRun,
        profiles: &Profiles,
        baseline: &Baseline,
        reason: Option<String>,
        accepts_model: bool,
    ) -> Result<Compared, Failure> {
        let empty = Snapshot {
            model: run.snapshot.model,
            library: run.snapshot.library,
            ..Snapshot::default()
        };
        let old = self.old.as_ref().unwrap_or(&empty);
        let new = old.updated(run, reason, accepts_model);
        let new = new.map_err(|error| Failure::new(Exit::Incomparable, error.to_string()))?;
        let found = snapshot_difference(old, run);
        let page = console::results_page();
        let mut text = found.update_report(page);
        text.push_str(&explanation(&found, profiles, baseline, page));
        output::write(&new.to_text(), Some(&self.path))?;
        Ok(Compared {
            text,
            difference: Some(found),
            exit: None,
        })
    }
}

fn incomparable(found: &SnapshotDifference, page: Page) -> String {
    let why = &found.comparability;
    format!(
        "\n{why}, so counts are not comparable; tally test --counts update --accept-model measures all tests anew\n{}",
        found.check_report(page)
    )
}

/// What each method did in tests that were recorded.
#[derive(Default)]
pub(super) struct Profiles {
    tests: BTreeMap<String, Vec<MethodCount>>,
    codes: BTreeMap<String, Code>,
}

impl Profiles {
    /// Takes over what was recorded of the test of this name.
    pub(super) fn add(&mut self, name: &str, observed: Observed) {
        let Some(own) = observed.own else {
            return;
        };
        self.codes.insert(name.to_string(), own.code);
        self.tests.insert(name.to_string(), own.methods);
    }

    /// Whether no test was recorded.
    pub(super) fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The methods of the tests, whose files were below a folder that goes away.
    pub(super) fn without_folder(self, folder: &str) -> Baseline {
        let mut tests = self.tests;
        for method in tests.values_mut().flatten() {
            if let Some(inner) = method.file.strip_prefix(folder) {
                method.file = inner.to_string();
            }
        }
        Baseline { tests }
    }

    /// The methods of several tests, added up.
    fn sum<'n>(tests: impl Iterator<Item = &'n [MethodCount]>) -> Vec<MethodCount> {
        let mut sums: BTreeMap<(String, u64), MethodCount> = BTreeMap::new();
        for method in tests.flatten() {
            let key = (method.name.clone(), method.digest);
            let sum = sums.entry(key).or_insert_with(|| MethodCount {
                calls: 0,
                own: 0,
                ..method.clone()
            });
            sum.calls = sum.calls.saturating_add(method.calls);
            sum.own = sum.own.saturating_add(method.own);
        }
        sums.into_values().collect()
    }

    /// Keeps them for later explanations, beside those of other tests. A baseline that cannot be written costs
    /// explanations only.
    pub(super) fn remember(&self, mut baseline: Baseline, workspace: &Workspace) {
        let tests = self.tests.iter();
        baseline
            .tests
            .extend(tests.map(|(name, methods)| (name.clone(), methods.clone())));
        if let Err(error) = workspace.write(BASELINE, &baseline.to_bytes()) {
            console::warning(&format!("differences cannot be explained later: {error}"));
        }
    }
}

/// What is known of tests from before.
pub(super) fn remembered(workspace: &Workspace) -> Baseline {
    let bytes = workspace.read(BASELINE);
    let baseline = bytes.and_then(|bytes| Baseline::from_bytes(&bytes).ok());
    baseline.unwrap_or_default()
}

/// Which methods make the differences up: of all tests together, and of the first tests one by one.
fn explanation(
    found: &SnapshotDifference,
    profiles: &Profiles,
    baseline: &Baseline,
    page: Page,
) -> String {
    let mut pairs: Vec<(&str, &[MethodCount], &[MethodCount])> = Vec::new();
    let mut unknown = 0;
    let is_test = |name: &str| !is_fixture(name) && test_of_section(name).is_none();
    let tests = (found.changed.iter()).filter(|changed| is_test(&changed.name));
    for changed in tests {
        let before = baseline.methods_of(&changed.name, changed.before.counts.sends);
        match (before, profiles.tests.get(&changed.name)) {
            (Some(before), Some(after)) => pairs.push((&changed.name, before, after)),
            _ => unknown += 1,
        }
    }
    let mut text = String::new();
    // Where sends are the same, methods explain nothing: they have no work.
    pairs.retain(|(_, before, after)| !explain_methods(before, after).is_empty());
    if pairs.len() > 1 {
        let before = Profiles::sum(pairs.iter().map(|(_, before, _)| *before));
        let after = Profiles::sum(pairs.iter().map(|(_, _, after)| *after));
        let rows = explain_methods(&before, &after);
        text.push_str(&format!(
            "\nThe sends of these {} tests, by methods:\n",
            pairs.len()
        ));
        text.push_str(&methods_report(&rows, Some(EXPLAINED_METHODS), page));
    }
    for (name, before, after) in pairs.iter().take(EXPLAINED_TESTS) {
        let rows = explain_methods(before, after);
        text.push_str(&format!("\n{name}, its sends by methods:\n"));
        text.push_str(&methods_report(&rows, Some(EXPLAINED_METHODS), page));
    }
    if unknown > 0 {
        text.push_str(&format!(
            "\nWhat the methods of {unknown} of these tests did before is known neither here nor by git.\n"
        ));
    }
    text
}

/// What a run of tests means for the snapshot.
pub(super) fn run_of(
    vm: &Vm,
    ran: &[Ended],
    profiles: &Profiles,
    known: Option<BTreeSet<String>>,
) -> TestRun {
    let mut run = TestRun {
        snapshot: Snapshot {
            model: tally_vm::MODEL_VERSION,
            library: vm.library_digest(),
            ..Snapshot::default()
        },
        known,
        uncounted: BTreeSet::new(),
    };
    for ended in ran {
        let name = ended.report.name.clone();
        match counts_of(ended) {
            Some(counts) => {
                let code = profiles.codes.get(&name).copied().unwrap_or_default();
                for section in &ended.report.sections {
                    let counts = section.cost.counts;
                    let line = section_name(&name, &section.name);
                    (run.snapshot.tests).insert(line, TestRecord { counts, code });
                }
                run.snapshot.tests.insert(name, TestRecord { counts, code });
            }
            None => {
                run.uncounted.insert(name);
            }
        }
    }
    if let Some(known) = &mut run.known {
        let classes = known
            .iter()
            .filter_map(|name| Some(fixture_name(name.split_once(">>")?.0)));
        let lines: BTreeSet<String> = classes.collect();
        let fixtures = fixtures(ran, known, &profiles.codes);
        known.extend(lines);
        for (name, record) in fixtures {
            match record {
                None => drop(run.uncounted.insert(name)),
                Some(record) if record.counts == TestCounts::default() => drop(known.remove(&name)),
                Some(record) => drop(run.snapshot.tests.insert(name, record)),
            }
        }
    }
    run
}

/// The lines of setUp and tearDown of the classes of which tests ran: the sum over the tests of a class. A line has no
/// record if the sum is unknown, as not all tests of the class ran both of them to the end.
fn fixtures(
    ran: &[Ended],
    known: &BTreeSet<String>,
    codes: &BTreeMap<String, Code>,
) -> BTreeMap<String, Option<TestRecord>> {
    let mut classes: BTreeMap<&str, Vec<&Ended>> = BTreeMap::new();
    for ended in ran {
        classes.entry(&ended.report.class).or_default().push(ended);
    }
    let line = |(class, ended)| (fixture_name(class), fixture(class, ended, known, codes));
    classes.into_iter().map(line).collect()
}

fn fixture(
    class: &str,
    ran: Vec<&Ended>,
    known: &BTreeSet<String>,
    codes: &BTreeMap<String, Code>,
) -> Option<TestRecord> {
    let names: BTreeSet<&str> = ran.iter().map(|ended| ended.report.name.as_str()).collect();
    let is_of_class = |name: &&String| name.split_once(">>").is_some_and(|(of, _)| of == class);
    let mut all = known.iter().filter(is_of_class);
    if !all.all(|name| names.contains(name.as_str())) {
        return None;
    }
    let mut counts = TestCounts::default();
    for ended in ran {
        let one = ended.report.fixture.filter(|_| ended.is_reproducible)?;
        for cost in CostName::ALL {
            counts.set(cost, counts.get(cost).saturating_add(one.counts.get(cost)));
        }
    }
    let codes = names.iter().filter_map(|name| codes.get(*name));
    let codes: Vec<String> = codes.map(Code::to_string).collect();
    let code = Code::of(fnv1a(codes.iter().map(String::as_str)));
    Some(TestRecord { counts, code })
}
