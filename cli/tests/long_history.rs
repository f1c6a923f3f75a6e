//! A repository of 500 commits with planted changes. `tally compare`, `tally bisect` and `tally history` must find exactly the
//! changes in the ledger.

#[allow(dead_code)] // each test binary uses its own part
mod repository;
#[allow(dead_code)]
mod support;

use std::collections::BTreeMap;
use std::path::Path;

use repository::{COMMITS, Kind, Repository, git};
use serde_json::Value;
use support::Sandbox;

fn made(name: &str) -> (Sandbox, Repository) {
    let sandbox = Sandbox::new(name);
    let repository = Repository::create(&sandbox.path("."));
    (sandbox, repository)
}

#[test]
fn the_ledger_is_what_git_says() {
    let (sandbox, repository) = made("ledger");
    let folder = sandbox.path(".");
    assert_eq!(repository.ledger.len(), COMMITS);
    let log = git(
        &folder,
        &[
            "log",
            "--reverse",
            "--topo-order",
            "--format=%H %s",
            "--all",
        ],
        "",
    );
    assert_eq!(log.lines().count(), COMMITS);
    for (entry, commit) in repository.ledger.iter().zip(&repository.commits) {
        let line = format!("{commit} {}", entry.subject);
        assert!(log.lines().any(|found| found == line), "{line}");
    }
    let main = git(
        &folder,
        &["rev-list", "--first-parent", "--reverse", "main"],
        "",
    );
    let main: Vec<&str> = main.lines().collect();
    let expected = repository.main_line();
    let expected: Vec<&str> = expected
        .iter()
        .map(|&at| repository.commits[at].as_str())
        .collect();
    assert_eq!(main, expected);
    changed_files_are_in_git(&folder, &repository);
    let kinds = [
        Kind::Slower,
        Kind::Faster,
        Kind::Renamed,
        Kind::MovedMethod,
        Kind::MovedFile,
        Kind::Library,
        Kind::Input,
    ];
    for kind in kinds {
        assert!(
            repository.ledger.iter().any(|entry| entry.kind == kind),
            "{kind:?}"
        );
    }
}

/// Names of files that differ between commits, as the ledger and as git have them.
fn changed_files_are_in_git(folder: &Path, repository: &Repository) {
    let log = git(
        folder,
        &[
            "log",
            "--reverse",
            "--first-parent",
            "--no-renames",
            "-m",
            "--name-only",
            "--format=commit %H",
            "main",
        ],
        "",
    );
    let mut commits = log.split("commit ").filter(|text| !text.is_empty());
    for index in repository.main_line() {
        let entry = &repository.ledger[index];
        let shown = commits.next().expect("another commit");
        let mut lines = shown.lines().filter(|line| !line.is_empty());
        assert_eq!(lines.next(), Some(repository.commits[index].as_str()));
        let before = entry
            .parents
            .first()
            .map(|&parent| &repository.ledger[parent].files);
        let mut expected: Vec<&String> = entry
            .files
            .iter()
            .filter(|(path, text)| before.and_then(|files| files.get(*path)) != Some(*text))
            .map(|(path, _)| path)
            .collect();
        let gone = before.into_iter().flat_map(|files| files.keys());
        expected.extend(gone.filter(|path| !entry.files.contains_key(*path)));
        expected.sort_unstable();
        let found: Vec<&str> = lines.collect();
        assert_eq!(found, expected, "{}", entry.subject);
        if entry.kind == Kind::Docs {
            assert_eq!(expected, ["README.md"], "{}", entry.subject);
        }
    }
}

/// Sends of the tests that pass in the work tree.
fn counted(sandbox: &Sandbox) -> BTreeMap<String, i64> {
    let ran = sandbox.tally(&[
        "test",
        "--allow-read",
        "--counts",
        "ignore",
        "--format",
        "json",
    ]);
    let lines = ran
        .output()
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let passed = lines.filter(|line: &Value| line["verdict"] == "pass");
    passed
        .filter_map(|line| Some((line["name"].as_str()?.to_string(), line["sends"].as_i64()?)))
        .collect()
}

#[test]
fn the_ledger_is_what_tests_cost() {
    let (sandbox, repository) = made("costs");
    let folder = sandbox.path(".");
    let mut first = BTreeMap::new();
    let mut looked_at = 0;
    for (entry, commit) in repository.ledger.iter().zip(&repository.commits) {
        if entry.kind == Kind::Docs || (entry.kind == Kind::Neutral && entry.edited.is_empty()) {
            continue;
        }
        git(&folder, &["checkout", "--quiet", commit], "");
        let counts = counted(&sandbox);
        if entry.kind == Kind::First {
            first.clone_from(&counts);
        }
        let expected: BTreeMap<String, i64> = entry
            .sends
            .iter()
            .map(|(name, more)| (name.to_string(), first[*name] + more))
            .collect();
        assert_eq!(counts, expected, "{}", entry.subject);
        looked_at += 1;
    }
    assert!(looked_at > 20, "{looked_at}");
}

// --- what the commands find ---------------------------------------------------------------------------

/// The planted commits on the main line, each with its index and that of the last commit before it that can be measured.
fn planted(repository: &Repository) -> Vec<(usize, usize)> {
    let main = repository.main_line();
    let mut found = Vec::new();
    for (place, &index) in main.iter().enumerate().skip(1) {
        let before = main[..place]
            .iter()
            .rev()
            .find(|&&before| !repository.ledger[before].sends.is_empty());
        let entry = &repository.ledger[index];
        let before = *before.expect("the first commit can be measured");
        if !entry.sends.is_empty() && differences(repository, before, index) != BTreeMap::new() {
            found.push((before, index));
        }
    }
    found
}

/// By how much the tests that both commits have differ, without those that do not.
fn differences(repository: &Repository, old: usize, new: usize) -> BTreeMap<String, i64> {
    let [old, new] = [old, new].map(|index| &repository.ledger[index].sends);
    let pairs = new
        .iter()
        .filter_map(|(name, after)| Some((name, after - old.get(name)?)));
    pairs
        .filter(|(_, difference)| *difference != 0)
        .map(|(name, difference)| (name.to_string(), difference))
        .collect()
}

fn json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let mut all = arguments.to_vec();
    all.extend(["--allow-read", "--format", "json"]);
    let ran = sandbox.tally(&all);
    ran.exits(0);
    serde_json::from_str(ran.output()).expect("a document")
}

fn elements<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// The differences of the tests that a comparison reports.
fn reported(comparison: &Value) -> BTreeMap<String, i64> {
    let runs = elements(comparison, "runs").iter().map(|run| {
        let sends = |side: &str| run[side]["sends"].as_i64().expect("sends");
        let name = run["name"].as_str().expect("a name").to_string();
        (name, sends("after") - sends("before"))
    });
    runs.filter(|(_, difference)| *difference != 0).collect()
}

/// The names of the causes that a comparison lists, and those of the methods that it holds to be changed.
fn causes(comparison: &Value) -> [Vec<String>; 2] {
    let parts = elements(&comparison["explanation"]["whole"], "parts");
    // An edit may add as much as it saves.
    let parts = parts.iter().filter(|part| part["part"] != "0");
    let causes = parts.flat_map(|part| elements(part, "causes"));
    let mut causes: Vec<String> = causes
        .filter_map(|cause| Some(cause["name"].as_str()?.to_string()))
        .collect();
    causes.sort_unstable();
    causes.dedup();
    let methods = elements(comparison, "methods").iter();
    let changed = methods.filter(|method| {
        let fate = method["fate"].as_str();
        !matches!(fate, None | Some("same" | "text"))
    });
    let changed = changed.filter_map(|method| Some(method["name"].as_str()?.to_string()));
    [causes, changed.collect()]
}

#[test]
fn compare_reports_what_was_planted_and_nothing_else() {
    let (sandbox, repository) = made("compare");
    let mut compared = 0;
    for (before, index) in planted(&repository) {
        let entry = &repository.ledger[index];
        let [old, new] = [before, index].map(|at| repository.commits[at].as_str());
        let comparison = json(&sandbox, &["compare", old, new]);
        let expected = differences(&repository, before, index);
        assert_eq!(reported(&comparison), expected, "{}", entry.subject);
        let [causes, _] = causes(&comparison);
        match entry.kind {
            Kind::Input => assert_eq!(causes, ["the file data/catalogue.json"]),
            _ => assert_eq!(causes, entry.edited, "{}", entry.subject),
        }
        compared += 1;
    }
    assert!(compared >= 10, "{compared}");
}

#[test]
fn compare_reports_nothing_where_nothing_costs_otherwise() {
    let (sandbox, repository) = made("neutral");
    for (index, entry) in repository.ledger.iter().enumerate() {
        let is_of_interest = match entry.kind {
            Kind::Renamed | Kind::MovedMethod | Kind::MovedFile => true,
            Kind::Neutral | Kind::Docs => index < 20 || entry.edited == ["OrderedCollection>>do:"],
            _ => false,
        };
        if !is_of_interest {
            continue;
        }
        let [old, new] = [entry.parents[0], index].map(|at| repository.commits[at].as_str());
        let comparison = json(&sandbox, &["compare", old, new, "--fail-on", "sends>+0"]);
        assert_eq!(reported(&comparison), BTreeMap::new(), "{}", entry.subject);
        let [causes, changed] = causes(&comparison);
        assert_eq!(causes, [""; 0], "{}", entry.subject);
        if matches!(entry.kind, Kind::Renamed | Kind::MovedMethod) {
            assert!(
                changed.contains(&entry.edited[0].to_string()),
                "{changed:?}"
            );
        }
    }
}

/// ⌈log₂ n⌉
fn log2_rounded_up(number: usize) -> usize {
    number.max(1).next_power_of_two().trailing_zeros() as usize
}

#[test]
fn bisect_finds_each_planted_commit_within_its_bound() {
    let (sandbox, repository) = made("bisect");
    let found = bisect_each(&sandbox, &repository, |kind| kind != Kind::Input);
    assert!(found >= 9, "{found}");
}

#[test]
fn bisect_finds_a_changed_input() {
    let (sandbox, repository) = made("bisect-input");
    assert_eq!(
        bisect_each(&sandbox, &repository, |kind| kind == Kind::Input),
        1
    );
}

/// Looks for each planted commit of some kinds, and answers how many there were.
fn bisect_each(
    sandbox: &Sandbox,
    repository: &Repository,
    is_wanted: impl Fn(Kind) -> bool,
) -> usize {
    let main = repository.main_line();
    let mut found = 0;
    for (before, index) in planted(repository) {
        if !is_wanted(repository.ledger[index].kind) {
            continue;
        }
        let differences = differences(repository, before, index);
        let test = differences.keys().next().expect("a test");
        // As far as nothing else is planted that the test would notice, and no end is broken.
        let place_of = |index: usize| main.iter().position(|&at| at == index).expect("a place");
        let count_at = |place: usize| {
            repository.ledger[main[place]]
                .sends
                .get(test.as_str())
                .copied()
        };
        let is_measurable = |place: &usize| count_at(*place).is_some();
        let [old, new] = [before, index].map(|index| count_at(place_of(index)));
        let first = (0..place_of(index)).rev();
        let first =
            first.take_while(|&place| count_at(place).is_none_or(|count| Some(count) == old));
        let first = first.filter(is_measurable).last();
        let last = place_of(index)..main.len();
        let last = last.take_while(|&place| count_at(place).is_none_or(|count| Some(count) == new));
        let last = last.filter(is_measurable).last();
        let (Some(first), Some(last)) = (first, last) else {
            panic!("{test} cannot be measured around commit {index}");
        };
        let [good, bad] = [first, last].map(|place| repository.commits[main[place]].as_str());
        let report = json(sandbox, &["bisect", good, bad, "--test", test]);
        let subject = &repository.ledger[index].subject;
        assert_eq!(
            report["found"]["commit"], *repository.commits[index],
            "{subject}"
        );
        assert_eq!(
            report["before"]["commit"], *repository.commits[before],
            "{subject}"
        );
        let broken = (first..last)
            .filter(|&place| count_at(place).is_none())
            .count();
        let most = log2_rounded_up(last - first) + 2 + broken;
        let runs = report["runs"].as_u64().expect("runs") as usize;
        assert!(
            runs <= most,
            "{subject}: {runs} runs for {} commits",
            last - first
        );
        let unknown = elements(&report, "unknown").len();
        assert_eq!(unknown, place_of(index) - place_of(before) - 1, "{subject}");
        found += 1;
    }
    found
}

/// Both commits have the same sources.
#[test]
fn what_was_measured_is_known_by_the_files_that_a_test_reads() {
    let (sandbox, repository) = made("inputs");
    let is_input = |entry: &repository::Entry| entry.kind == Kind::Input;
    let new = repository.ledger.iter().position(is_input).expect("it");
    let old = repository.ledger[new].parents[0];
    let test = "JsonTest>>testCatalogue";
    let count = |index: usize| {
        let commit = repository.commits[index].as_str();
        let history = json(&sandbox, &["history", commit, "-n", "1", "--test", test]);
        let point = &history["commits"][0];
        let count = point["count"].as_i64().expect("a count");
        (
            count - repository.ledger[index].sends[test],
            point["ran"] == true,
        )
    };
    let (base, ran) = count(new);
    assert!(ran);
    assert_eq!(count(old), (base, true));
    for index in [old, new, old] {
        assert_eq!(count(index), (base, false));
    }
}

#[test]
fn history_runs_nothing_again() {
    let (sandbox, repository) = made("history");
    let main = repository.main_line();
    let range = format!("{}..main", repository.commits[0]);
    let test = "JsonTest>>testCatalogue";
    let history = json(&sandbox, &["history", &range, "--test", test]);
    let points = elements(&history, "commits");
    assert_eq!(points.len(), main.len() - 1);
    let of = |at: usize| repository.ledger[main[at]].sends.get(test);
    let base = points[0]["count"].as_i64().expect("a count") - of(1).expect("its sends");
    for (at, point) in points.iter().enumerate() {
        assert_eq!(point["commit"], *repository.commits[main[at + 1]]);
        let expected = of(at + 1).map(|more| base + more);
        assert_eq!(point["count"].as_i64(), expected, "{point}");
    }
    let first_runs = history["runs"].as_u64().expect("runs");
    assert!(
        first_runs > 100 && first_runs < main.len() as u64 / 2,
        "{first_runs}"
    );
    // What does not load leaves nothing that could be kept.
    let main = main.iter().map(|&at| &repository.ledger[at]);
    let broken = main
        .clone()
        .filter(|entry| entry.kind == Kind::Broken)
        .count();
    let again = json(&sandbox, &["history", &range, "--test", test]);
    let ran = |history: &Value| {
        let points = elements(history, "commits").iter();
        let ran = points.filter(|point| point["ran"] == true && !point["count"].is_null());
        ran.filter_map(|point| point["subject"].as_str().map(str::to_string))
            .collect::<Vec<_>>()
    };
    assert_eq!(ran(&again), [""; 0]);
    assert!(
        again["runs"].as_u64() <= Some(broken as u64),
        "{}",
        again["runs"]
    );
    let text = sandbox.read("src/JsonReader.st") + "\n\"The end.\"\n";
    sandbox.write("src/JsonReader.st", text);
    let commit = ["commit", "--quiet", "--all", "--message", "The end"];
    git(&sandbox.path("."), &commit, "");
    let more = json(&sandbox, &["history", &range, "--test", test]);
    assert_eq!(elements(&more, "commits").len(), main.len());
    assert_eq!(ran(&more), ["The end"]);
}
