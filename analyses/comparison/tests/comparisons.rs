//! Reports of differences and explanations, from programs that the tests run.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

mod measured;

use tally_comparison::explanation::{Ratio, explain, explain_work, explanation_report};
use tally_comparison::{
    Fate, Measurement, Rule, Show, difference, difference_markdown, difference_report,
};
use tally_presentation::Page;
use tally_profiler::{Input, InputKind};

use measured::measured;

const BEFORE: &str = "Object subclass: Shelf [
    | books |
    initialize [ books := OrderedCollection new ]
    add: aBook [ ^books add: aBook ]
    limit [ ^10 ]
    find: aTitle [ ^books detect: [ :each | each = aTitle ] ifNone: [ nil ] ]
    fill [ 1 to: self limit do: [ :n | self add: n printString ] ]
    report [ ^books inject: '' into: [ :text :each | text , each ] ]
    tidy [ ^books asSortedCollection: [ :a :b | a <= b ] ]
]
Shelf subclass: Small [ limit [ ^3 ] ]
";

const RUNS: [&str; 4] = [
    "Shelf new initialize; fill; find: '7'",
    "Small new initialize; fill; report",
    "Shelf new initialize; add: 'a'; report",
    "3 + 4",
];

fn before() -> Measurement {
    measured(BEFORE, &RUNS)
}

fn changed(changes: &[(&str, &str)]) -> String {
    let mut text = BEFORE.to_string();
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text = text.replacen(from, to, 1);
    }
    text
}

fn after(changes: &[(&str, &str)]) -> Measurement {
    measured(&changed(changes), &RUNS)
}

/// The subject of a report, and the changes of the program.
const CHANGES: [(&str, &[(&str, &str)]); 8] = [
    ("the same program", &[]),
    ("a quick method", &[("limit [ ^10 ]", "limit [ ^12 ]")]),
    (
        "a method that calls more",
        &[(
            "^books add: aBook",
            "(self find: aBook) notNil ifTrue: [ ^nil ]. ^books add: aBook",
        )],
    ),
    (
        "two methods, one of which is quick, and one that is renamed and does not run",
        &[
            ("limit [ ^3 ]", "limit [ ^4 ]"),
            ("text , each ]", "text , each , ' ' ]"),
            ("tidy [", "order ["),
        ],
    ),
    (
        "an override less",
        &[("Small [ limit [ ^3 ] ]", "Small [ ]")],
    ),
    (
        "a method with the same counts, and another shape",
        &[
            ("^books add: aBook", "^books addLast: aBook"),
            ("| books |", "| books shelf |"),
        ],
    ),
    (
        "an override more",
        &[(
            "limit [ ^3 ]",
            "limit [ ^3 ] add: aBook [ ^books addFirst: aBook ]",
        )],
    ),
    (
        "a comment",
        &[("add: aBook [", "add: aBook [ \"Puts it last.\"")],
    ),
];

/// Holds a text against the file of that name, or writes it there.
fn is_as_kept(name: &str, text: &str) {
    let path = format!("{}/tests/comparisons/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("TALLY_UPDATE").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert_eq!(kept, text, "{path}");
}

#[test]
fn reports_of_changes_are_as_kept() {
    let mut text = String::new();
    let old = before();
    for (what, changes) in CHANGES {
        let new = after(changes);
        let explanation = explain(&old, &new);
        assert!(!explanation.is_unexplained());
        let told = difference(&old, &new);
        let report = difference_report(&told, Show::Changed, Some(6), Page::default());
        let why = explanation_report(&explanation.whole, &explanation.unit, None, Page::default());
        text.push_str(&format!("===== {what}\n\n{report}\n{why}\n"));
    }
    is_as_kept("reports.txt", &text);
}

#[test]
fn rows_can_be_chosen() {
    let rows = |show| {
        let told = difference(&before(), &after(CHANGES[5].1));
        let text = difference_report(&told, show, None, Page::default());
        ["n>>add: ", "addLast: ", "detect:"].map(|row| text.contains(row))
    };
    assert_eq!(rows(Show::Changed), [true, true, false]);
    assert_eq!(rows(Show::Worse), [false, true, false]);
    assert_eq!(rows(Show::Better), [true, false, false]);
    assert_eq!(rows(Show::All), [true, true, true]);
}

#[test]
fn a_renamed_method_makes_no_difference() {
    let mut runs = RUNS;
    runs[0] = "Shelf new initialize; fill; lookFor: '7'";
    let new = measured(&changed(&[("find: aTitle", "lookFor: aTitle")]), &runs);
    let told = difference(&before(), &new);
    let row = told
        .methods
        .iter()
        .find(|method| method.name == "Shelf>>lookFor:");
    let row = row.unwrap();
    let was = (row.fate, row.old_name.as_deref());
    assert_eq!(was, (Fate::Renamed, Some("Shelf>>find:")));
    assert_eq!(row.before, row.after);
    assert_eq!(told.sends_difference(), 0);
}

#[test]
fn tests_of_one_side_are_told_apart() {
    let new = measured(BEFORE, &[RUNS[0], RUNS[1]]);
    let told = difference(&before(), &new);
    let removed = told.removed_runs.iter().map(|run| run.name.as_str());
    assert_eq!(removed.collect::<Vec<_>>(), ["T>>t2", "T>>t3"]);
    assert_eq!((told.sends_difference(), told.is_same()), (0, false));
    let text = difference_report(&told, Show::Changed, Some(1), Page::default());
    let first = "0 of 2 tests differ: 153 sends on both sides; 2 removed.\n";
    assert!(text.starts_with(first), "{text}");
    let rows = "\nRemoved, and in no sum:\n  T>>t2  23  sends\n… 1 more tests\n";
    assert!(text.contains(rows), "{text}");
    assert!(!explain(&before(), &new).is_unexplained());
}

/// Runs that must not differ, and do.
#[test]
fn what_nothing_explains_is_said() {
    let mut new = before();
    let run = &mut new.runs[0];
    run.cost.sends += 1;
    run.contexts.last_mut().unwrap().own += 1;
    let last = run.contexts.last().unwrap().method;
    let mut counts = run.methods.iter_mut();
    counts
        .find(|counts| Some(counts.method) == last)
        .unwrap()
        .own += 1;
    let explanation = explain(&before(), &new);
    assert!(explanation.is_unexplained());
    let text = explanation_report(&explanation.whole, &explanation.unit, None, Page::default());
    let expected = "Why (+1 sends):\n  +1  unexplained: nothing that was loaded or read differs, and this count does\n";
    assert_eq!(text, expected);
    // A clock that was read is reason enough.
    new.runs[0].is_reproducible = false;
    let explanation = explain(&before(), &new);
    assert!(!explanation.is_unexplained());
    let text = explanation_report(&explanation.whole, &explanation.unit, None, Page::default());
    let clock = "the clock or memory  (not the same from run to run)";
    assert!(text.contains(clock), "{text}");
    // And so is what a recording does not tell.
    let mut old = before();
    new.runs[0].is_reproducible = true;
    (old.definitions, new.definitions) = (None, None);
    assert!(!explain(&old, &new).is_unexplained());
}

#[test]
fn inputs_and_libraries_that_differ_are_told() {
    let mut new = before();
    let input = |kind, name: &str, digest: &str| Input {
        kind,
        name: name.to_string(),
        digest: Some(digest.to_string()),
    };
    new.inputs = vec![
        input(InputKind::File, "words.txt", "aa"),
        input(InputKind::Variable, "HOME", "bb"),
    ];
    new.library = "0".repeat(16);
    new.seed = 7;
    let told = difference(&before(), &new);
    assert_eq!(told.incomparable.len(), 1);
    let notes = [
        "the seeds differ",
        "what was read from outside differs: the file words.txt, the variable HOME",
    ];
    assert_eq!(told.notes, notes);
    let text = difference_report(&told, Show::Changed, None, Page::default());
    assert!(
        text.contains("Not comparable, strictly speaking: "),
        "{text}"
    );
}

#[test]
fn markdown_and_json_hold_the_same() {
    let new = after(CHANGES[3].1);
    let (told, explanation) = (difference(&before(), &new), explain(&before(), &new));
    let broken = Rule::parse("sends>+0").unwrap().check(&told).violations;
    let whole = Some(&explanation.whole);
    let markdown = difference_markdown(&told, whole, &broken, Show::Changed, None);
    is_as_kept("report.md", &markdown);
    let value = serde_json::to_value(&told).unwrap();
    assert_eq!(value["after"]["sends"], 192);
    assert_eq!(value["methods"][0]["fate"], "edited");
    let value = serde_json::to_value(&explanation).unwrap();
    assert_eq!(value["whole"]["difference"], 15);
    let parts = value["whole"]["parts"].as_array().unwrap();
    let part = |part: &serde_json::Value| part["part"].as_str().unwrap().parse::<i64>().unwrap();
    assert_eq!(parts.iter().map(part).sum::<i64>(), 15);
    assert_eq!(value["whole"]["parts"][1]["ways"][0]["how"], "itself");
}

/// Work is explained by the same causes, in parts that add up to its difference.
#[test]
fn work_is_explained_in_parts_that_add_up() {
    for (what, changes) in CHANGES {
        let (old, new) = (before(), after(changes));
        let work = |side: &Measurement| {
            let works = side.runs.iter().map(|run| i128::from(run.cost.work));
            works.sum::<i128>()
        };
        let expected = work(&new) - work(&old);
        let told = difference(&old, &new);
        let by_counts: i128 = told.work_parts.iter().map(|part| part.part).sum();
        assert_eq!(by_counts, expected, "{what}");
        let explained = explain_work(&old, &new).unwrap().whole;
        assert_eq!(explained.difference, expected, "{what}");
        let sum = explained.parts.iter().fold(Ratio::default(), |sum, part| {
            assert!(!part.is_unexplained(), "{what}");
            sum.plus(&part.part)
        });
        let text = serde_json::to_value(&sum).unwrap();
        assert_eq!(text, expected.to_string(), "{what}");
    }
}

/// Names that mean something to Markdown or HTML.
#[test]
fn names_are_escaped() {
    let mut new = before();
    for method in &mut new.methods {
        method.name.push_str("|`<b>*_");
    }
    let told = difference(&before(), &new);
    let text = difference_markdown(&told, None, &[], Show::All, None);
    let named = |line: &&str| line.starts_with("| `") && line.contains("\\|`<b>*_ ``");
    assert!(text.lines().filter(named).count() > 10, "{text}");
    let text = text.replace("\\|", "");
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    assert!(rows.len() > 10, "{text}");
    let bars = |row: &&str| [6, 8].contains(&row.matches('|').count());
    assert!(rows.iter().all(bars), "{text}");
}

/// As many tests and methods as a large project has, all of which differ: comparing takes negligible time.
#[test]
fn a_large_suite_is_compared_quickly() {
    let program = |sends: &str| {
        let method = |n: usize| match n {
            0 => format!("Shelf extend [ m0 [ ^3 {sends} ] ]\n"),
            _ => format!(
                "Shelf extend [ m{n} [ self m{}. ^self m{} ] ]\n",
                n - 1,
                n / 2
            ),
        };
        format!("{BEFORE}{}", (0..300).map(method).collect::<String>())
    };
    let run: String = (20..300)
        .map(|n| format!("Shelf new m{}. ", n % 9))
        .collect();
    let measure = |sends: &str| measured(&program(sends), &[run.as_str(), RUNS[0]]);
    let [mut old, mut new] = [measure("+ 4"), measure("+ 4 + 5")];
    for side in [&mut old, &mut new] {
        let first = side.runs[0].clone();
        side.runs = (0..1000)
            .map(|n| {
                let mut run = first.clone();
                run.name = format!("T>>t{n}");
                run
            })
            .collect();
    }
    let begun = std::time::Instant::now();
    let told = difference(&old, &new);
    let explanation = explain(&old, &new);
    let taken = begun.elapsed();
    assert_eq!(explanation.whole.difference, told.sends_difference());
    assert_eq!(explanation.runs.len(), 1000);
    // Ten times the usual time, for machines with other load.
    assert!(taken.as_secs() < 20, "{taken:?}");
}
