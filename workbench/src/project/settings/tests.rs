//! What `tally.toml` says, what is refused, and that lowering a ratchet changes a number and nothing else.

mod dependencies;

use std::path::PathBuf;

use proptest::prelude::*;
use tally_comparison::check_budgets;
use tally_profiler::{CostName, TestCounts};

use super::*;
use crate::embedder::Quiet;

const TEXT: &str = "\
# What this project promises.
[project]
paths = [\"src\", \"tests\"]   # in this order

[test]
max-sends = 1_000_000
jobs = 2

[budgets.parse-small]
sends = 1200
bytes = { exact = 0x50 }
allocations = { ratchet = 10 }

[[budget]]
test = \"TreeTest>>testLayout*\"
sends = { ratchet = 10_000 } # was 20_000

[[budget]]
method = \"Tree>>layout*\"
total = { max = 500_000 }
own = 100
calls = { ratchet = 7 }
";

fn parsed(text: &str) -> Settings {
    let settings = Settings::parse(text.to_string(), PathBuf::new());
    settings.unwrap_or_else(|(_, complaints)| panic!("{complaints:?}"))
}

/// The error messages of a text that is refused.
fn refusal(text: &str) -> String {
    let (text, complaints) = Settings::parse(text.to_string(), PathBuf::new()).expect_err(text);
    complaint::render(&complaints, NAME, &text, false)
}

#[test]
fn settings_are_read() {
    let settings = parsed(TEXT);
    assert_eq!(
        settings.paths,
        [PathBuf::from("src"), PathBuf::from("tests")]
    );
    assert_eq!(
        (settings.max_sends, settings.jobs),
        (Some(1_000_000), Some(2))
    );
    let limits: Vec<String> = settings
        .budgets
        .iter()
        .flat_map(|budget| {
            let limits = budget.limits.iter();
            limits.map(|limit| {
                format!(
                    "{}: {} {:?} {}",
                    budget.scope,
                    limit.cost.name(),
                    limit.kind,
                    limit.value
                )
            })
        })
        .collect();
    let expected = [
        "the budget of tests 'TreeTest>>testLayout*': sends Ratchet 10000",
        "the budget of methods 'Tree>>layout*': calls Ratchet 7",
        "the budget of methods 'Tree>>layout*': own Max 100",
        "the budget of methods 'Tree>>layout*': total Max 500000",
        "the budget 'parse-small': allocations Ratchet 10",
        "the budget 'parse-small': bytes Exact 80",
        "the budget 'parse-small': sends Max 1200",
    ];
    assert_eq!(limits, expected);
    let named: Vec<&str> = settings.named().map(|(name, _)| name).collect();
    assert_eq!(named, ["parse-small"]);
    assert_eq!(parsed("").budgets, []);
}

/// A text, where something is wrong in it, and what.
const REFUSED: &[(&str, &str)] = &[
    (
        "[budgte]\n",
        "1:2 unknown key 'budgte': expected one of project, dependencies, test, compare, machine, budgets, budget; did you mean 'budget'?",
    ),
    (
        "project = 1\n",
        "1:11 a number where something else is expected: expected a table, [project]",
    ),
    (
        "[project]\npath = []\n",
        "2:1 unknown key 'path': expected paths; did you mean 'paths'?",
    ),
    (
        "[project]\npaths = 'src'\n",
        "2:9 a text where something else is expected: expected a list of paths, [\"src\", \"tests\"]",
    ),
    (
        "[project]\npaths = ['', 1, '/src']\n",
        "2:10 an empty text: expected a path",
    ),
    (
        "[project]\npaths = ['src', '/src']\n",
        "2:17 a path that holds on one machine only: expected a path from this file's folder",
    ),
    (
        "[project]\npaths = [\"\\u0007\"]\n",
        "2:10 a control character in a text: expected a path",
    ),
    (
        "[test]\njobs = 0\n",
        "2:8 a limit of zero: expected how many tests run at once, at least 1",
    ),
    (
        "[test]\njobs = 1025\n",
        "2:8 the number is too large: expected how many tests run at once, at most 1024",
    ),
    (
        "[test]\nmax-sends = 1.5\n",
        "2:13 a number with a fraction where something else is expected: expected a number of sends and loop repetitions",
    ),
    (
        "[test]\nmax_sends = 1\n",
        "2:1 unknown key 'max_sends': expected one of max-sends, jobs, allow-left-out; did you mean 'max-sends'?",
    ),
    (
        "[budgets.a]\nsends = -1\n",
        "2:9 a negative number: expected a number, or one of { max = … }, { exact = … }, { ratchet = … }",
    ),
    (
        "[budgets.a]\nsends = 18446744073709551616\n",
        "2:9 more than can be counted: at most 18446744073709551615",
    ),
    (
        "[budgets.a]\nsends = true\n",
        "2:9 true or false where something else is expected: expected a number, or one of { max = … }, { exact = … }, { ratchet = … }",
    ),
    (
        "[budgets.a]\nsends = { max = 1, exact = 1 }\n",
        "2:9 a limit of two kinds at once: expected a number, or one of { max = … }, { exact = … }, { ratchet = … }",
    ),
    (
        "[budgets.a]\nsends = {}\n",
        "2:9 a limit without a number: expected a number, or one of { max = … }, { exact = … }, { ratchet = … }",
    ),
    (
        "[budgets.a]\nsends = { maximum = 1 }\n",
        "2:11 unknown key 'maximum': expected one of max, exact, ratchet",
    ),
    (
        "[budgets.a]\nsends = { max = '1' }\n",
        "2:17 a text where something else is expected: expected a number",
    ),
    (
        "[budgets.a]\nown = 1\n",
        "2:1 unknown key 'own': expected one of sends, loops, activations, blocks, primitives, allocations, bytes, called, work, span, ticks, waiting, evaluations, states, computations, cost, depth, cpus",
    ),
    (
        "[budgets.a]\n",
        "1:1 a budget without limits: expected one of sends, loops, activations, blocks, primitives, allocations, bytes, called, work, span, ticks, waiting, evaluations, states, computations, cost, depth",
    ),
    (
        "[budgets.'']\nsends = 1\n",
        "1:10 a budget without a name: expected a name",
    ),
    (
        "[budgets]\na = 1\n",
        "2:5 a number where something else is expected: expected a table of limits, [budgets.NAME]",
    ),
    (
        "[budget]\ntest = 'T'\n",
        "1:1 a table where something else is expected: expected tables, [[budget]]",
    ),
    (
        "[[budget]]\nsends = 1\n",
        "1:1 a budget for nothing: expected `test = \"…\"`, `method = \"…\"` or `function = \"…\"` in it",
    ),
    (
        "[[budget]]\ntest = 'T'\nmethod = 'm'\nsends = 1\n",
        "3:10 a budget for several kinds of things at once: make it two budgets",
    ),
    (
        "[[budget]]\ntest = ['T']\nsends = 1\n",
        "2:8 a list where something else is expected: expected a name, or a pattern with *",
    ),
    (
        "[[budget]]\ntest = 'T'\n",
        "1:1 a budget without limits: expected one of sends, loops, activations, blocks, primitives, allocations, bytes, called, work, span, ticks, waiting, evaluations, states, computations, cost, depth",
    ),
    (
        "[[budget]]\nmethod = 'm'\nsends = 1\n",
        "3:1 unknown key 'sends': expected one of calls, own, total",
    ),
    (
        "[test]\njobs = \n",
        "2:8 this is not TOML: string values must be quoted, expected literal string",
    ),
    (
        "[test]\njobs = 1\njobs = 2\n",
        "3:1 this is not TOML: duplicate key",
    ),
    (
        "[test]\ré",
        "1:8 this is not TOML: carriage return must be followed by newline, expected newline",
    ),
];

#[test]
fn mistakes_have_their_places() {
    let said: Vec<String> = REFUSED
        .iter()
        .map(|(text, _)| first_complaint(text))
        .collect();
    let expected: Vec<&str> = REFUSED.iter().map(|(_, expected)| *expected).collect();
    assert_eq!(said, expected);
}

/// The first complaint about a text, its place before it.
fn first_complaint(text: &str) -> String {
    let (_, complaints) = Settings::parse(text.to_string(), PathBuf::new()).expect_err(text);
    let Complaint {
        message,
        place,
        label,
        help,
    } = &complaints[0];
    let before = &text[..place.start];
    let line = before.matches('\n').count() + 1;
    let column = place.start - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    let help = help
        .as_ref()
        .map_or(String::new(), |help| format!("; {help}"));
    format!("{line}:{column} {message}: {label}{help}")
}

#[test]
fn a_mistake_is_shown_in_its_line() {
    let expected = "\
error: unknown key 'send'
 --> tally.toml:3:1
  |
3 | send = 12 # as ever
  | ^^^^ expected one of sends, loops, activations, blocks, primitives, allocations, bytes, called, work, span, ticks, waiting, evaluations, states, computations, cost, depth, cpus
  |
  = help: did you mean 'sends'?

error: a negative number
 --> tally.toml:4:17
  |
4 | bytes = { max = -1 }
  |                 ^^ expected a number
";
    let text = "\n[budgets.a]\nsend = 12 # as ever\nbytes = { max = -1 }\n";
    assert_eq!(refusal(text), expected);
}

#[test]
fn hostile_texts_are_refused() {
    let deep = format!("a = {}1{}", "[".repeat(50_000), "]".repeat(50_000));
    let dotted = format!("{}a = 1", "a.".repeat(50_000));
    let tables = format!("[{}a]", "a.".repeat(50_000));
    let many = "x = 1\n".repeat(10_000);
    for text in [
        deep,
        dotted,
        tables,
        many,
        "\u{0}".to_string(),
        "\u{feff}=".to_string(),
    ] {
        assert!(refusal(&text).lines().count() < 200);
    }
    let wrong: String = (0..1000).map(|number| format!("k{number} = 1\n")).collect();
    assert_eq!(refusal(&wrong).matches("unknown key").count(), 20);
    assert!(!refusal("\"\\u001b[31m\" = 1").contains('\x1b'));
}

#[test]
fn a_ratchet_is_lowered_and_nothing_else_is_touched() {
    let settings = parsed(TEXT);
    let tightening = |budget, cost, from, to| Tightening {
        budget,
        cost,
        from,
        to,
    };
    let all = [
        tightening(0, BudgetCost::Of(CostName::Sends), 10_000, 9_876),
        tightening(1, BudgetCost::Calls, 7, 0),
        tightening(2, BudgetCost::Of(CostName::Allocations), 10, 8),
        // None of these is a ratchet of the file.
        tightening(2, BudgetCost::Of(CostName::Bytes), 80, 1),
        tightening(9, BudgetCost::Own, 1, 0),
    ];
    let expected = TEXT
        .replace("ratchet = 10_000 }", "ratchet = 9_876 }")
        .replace("ratchet = 7 }", "ratchet = 0 }")
        .replace("ratchet = 10 }", "ratchet = 8 }");
    assert_eq!(settings.tightened(&all), expected);
    assert_eq!(settings.tightened(&[]), TEXT);
}

#[test]
fn budgets_for_nothing_are_told_with_what_may_be_meant() {
    let text = "[[budget]]\ntest = 'TreeTest>>testLayuot'\nsends = 1\n[budgets.smal]\nsends = 1\n";
    let settings = parsed(text);
    let name = "TreeTest>>testLayout".to_string();
    let measured = Measurements {
        tests: [(name.clone(), TestCounts::default())].into(),
        known: Some([name].into()),
        is_complete: true,
        named: [("small".to_string(), Default::default())].into(),
        ..Measurements::default()
    };
    let report = check_budgets(&settings.budgets, &measured);
    let expected = "\
error: a budget for tests that do not exist
 --> tally.toml:2:8
  |
2 | test = 'TreeTest>>testLayuot'
  |        ^^^^^^^^^^^^^^^^^^^^^^ it means nothing
  |
  = help: did you mean 'TreeTest>>testLayout'?

error: a budget that no test refers to
 --> tally.toml:4:10
  |
4 | [budgets.smal]
  |          ^^^^ nothing is asserted within it
  |
  = help: did you mean 'small'?
";
    assert_eq!(
        settings.idle_budgets(&report.idle, &measured, false),
        expected
    );
}

/// An empty folder of this test's own, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("tally-settings-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder for tests can be made");
        Folder(path)
    }

    fn write(&self, name: &str, text: &[u8]) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_nearest_file_above_counts_as_far_as_the_repository_reaches() {
    let folder = Folder::new("find");
    folder.write("tally.toml", b"[test]\njobs = 3\n");
    folder.write("a/b/c.st", b"");
    folder.write("other/.git/HEAD", b"");
    folder.write("other/d/e.st", b"");
    let find = |name: &str| Settings::find(&folder.0.join(name), &Quiet).expect("it can be read");
    let above = find("a/b").expect("it stands above");
    assert_eq!(above.jobs, Some(3));
    assert_eq!(above.path(), folder.0.join("a/b/../../tally.toml"));
    assert!(find("other/d").is_none());
    folder.write("other/tally.toml", b"");
    assert_eq!(find("other/d").expect("it stands above").jobs, None);
    assert!(Settings::find(&folder.0.join("nowhere"), &Quiet).is_err());
    folder.write("tally.toml", b"[test]\njobs = 1 # \xff\n");
    assert!(Settings::find(&folder.0, &Quiet).is_err());
    folder.write("tally.toml", &vec![b'#'; 1 << 21]);
    assert!(Settings::find(&folder.0, &Quiet).is_err());
}

#[test]
fn the_file_is_lowered_where_it_stands() {
    let folder = Folder::new("tighten");
    folder.write("tally.toml", TEXT.as_bytes());
    folder.write("src/a.st", b"");
    let settings = Settings::find(&folder.0.join("src"), &Quiet)
        .expect("it can be read")
        .expect("it is there");
    assert!(!settings.tighten(&[]).expect("there is nothing to write"));
    let lower = Tightening {
        budget: 1,
        cost: BudgetCost::Calls,
        from: 7,
        to: 6,
    };
    assert!(settings.tighten(&[lower]).expect("it can be written"));
    let text = fs::read_to_string(folder.0.join("tally.toml")).expect("it is there");
    assert_eq!(
        text,
        TEXT.replace("calls = { ratchet = 7 }", "calls = { ratchet = 6 }")
    );
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(\\[|\\]|=|\\.|\"|'|[a-z]|\n|\\{|\\}|[0-9]|-|#|_| |é|budget|budgets|test|method|sends|max){0,40}") {
        if let Err((text, complaints)) = Settings::parse(text, PathBuf::new()) {
            prop_assert!(!complaints.is_empty());
            let shown = complaint::render(&complaints, NAME, &text, false);
            prop_assert!(shown.starts_with("error: "));
        }
    }

    #[test]
    fn a_text_with_a_part_missing_is_read_or_refused(start in 0..TEXT.len(), length in 0usize..30) {
        let text = format!("{}{}", &TEXT[..start], &TEXT[(start + length).min(TEXT.len())..]);
        if let Err((text, complaints)) = Settings::parse(text, PathBuf::new()) {
            prop_assert!(complaint::render(&complaints, NAME, &text, false).starts_with("error: "));
        }
    }

    #[test]
    fn a_lowered_text_says_the_lower_number(to in any::<u64>()) {
        let lower = Tightening { budget: 0, cost: BudgetCost::Of(CostName::Sends), from: 10_000, to };
        let again = parsed(&parsed(TEXT).tightened(&[lower]));
        prop_assert_eq!(again.budgets[0].limits[0].value, to);
        prop_assert_eq!(&again.budgets[1..], &parsed(TEXT).budgets[1..]);
    }
}
