//! The examples with processors, each naive and mended, and further tests: closed forms, odd input, clocks of work.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[path = "processors/advice.rs"]
mod advice;
#[path = "processors/assertions.rs"]
mod assertions;
#[path = "processors/assumptions.rs"]
mod assumptions;
#[path = "processors/charges.rs"]
mod charges;
#[path = "processors/control.rs"]
mod control;
#[path = "processors/edges.rs"]
mod edges;
#[path = "processors/estimates.rs"]
mod estimates;
#[path = "processors/forms.rs"]
mod forms;
#[path = "processors/odd.rs"]
mod odd;
#[path = "processors/path.rs"]
mod path;
#[path = "processors/revisions.rs"]
mod revisions;
#[allow(dead_code)] // each test binary uses its own part
mod support;
#[path = "processors/views.rs"]
mod views;
#[path = "processors/work.rs"]
mod work;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Ran, Sandbox};

/// How an example ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Its makespan on one CPU, and on as many as there are processors.
    Makespans(u64, u64),
    /// The processors of the circle in which it stands still.
    Deadlock(usize),
}

use End::{Deadlock, Makespans};

/// An example, how it ends, and the makespans of its mended version on one CPU and on any number.
const EXAMPLES: &[(&str, End, u64, u64)] = &[
    ("baboons", Makespans(724, 526), 832, 286),
    ("bank", Deadlock(3), 547, 472),
    ("barber", Makespans(2_135, 515), 2_135, 445),
    ("barrier", Makespans(10_373, 5_126), 9_342, 3_812),
    ("buffer", Makespans(563, 523), 563, 322),
    ("bus", Makespans(1_079, 833), 1_107, 639),
    ("chameneos", Makespans(569, 425), 659, 333),
    ("hexapod", Makespans(180_731, 180_706), 130_475, 130_432),
    ("market", Makespans(68, 65), 48, 45),
    ("matrix", Makespans(2_430, 2_430), 2_436, 1_287),
    ("philosophers", Deadlock(5), 851, 526),
    ("pipeline", Makespans(601, 586), 585, 250),
    ("producers", Makespans(3_564, 1_476), 3_558, 1_382),
    ("quicksort", Makespans(8_251, 8_251), 8_257, 7_050),
    ("randmat", Makespans(1_866, 1_033), 1_871, 877),
    ("readers", Makespans(1_077, 815), 1_147, 385),
    ("santa", Makespans(1_999, 716), 2_050, 414),
    ("savages", Makespans(621, 537), 621, 234),
    ("thresh", Makespans(3_472, 1_613), 3_922, 1_072),
    ("threadring", Makespans(913, 901), 900, 346),
    ("workers", Makespans(11_799, 11_795), 11_813, 3_624),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/processors")
}

/// What the comments of a program expect on standard output.
fn expected(text: &str) -> String {
    let comments = text.split("\"expect: ").skip(1);
    comments
        .map(|comment| format!("{}\n", comment.split('"').next().unwrap_or_default()))
        .collect()
}

/// A figure of the first line of a summary.
fn figure(ran: &Ran, name: &str) -> u64 {
    let (_, rest) = ran
        .output()
        .split_once(name)
        .unwrap_or_else(|| panic!("{ran}"));
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit()).collect();
    digits.parse().unwrap_or_else(|_| panic!("{ran}"))
}

/// The processors of the circle that standard error shows; they differ.
fn circle(ran: &Ran) -> Vec<String> {
    let line = ran.error().lines().find_map(|line| {
        let line = line.strip_prefix("error: deadlock: ")?;
        line.contains('→').then_some(line)
    });
    let line = line.unwrap_or_else(|| panic!("no circle: {ran}"));
    let mut names: Vec<String> = line.split(" → ").map(str::to_string).collect();
    assert_eq!(names.pop().as_ref(), names.first(), "{ran}");
    let mut different = names.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), names.len(), "{ran}");
    names
}

/// Runs an example on one CPU and on any number. It prints what its comments expect, and ends as the table says.
fn check(sandbox: &Sandbox, name: &str, end: End) {
    let file = format!("{name}.st");
    let text = fs::read_to_string(folder().join(&file)).unwrap();
    sandbox.write(&file, &text);
    let runs = ["1", "max"].map(|cpus| sandbox.tally(&["timeline", &file, "--cpus", cpus]));
    let answers = expected(&text);
    assert!(!answers.is_empty() || name.starts_with("market"), "{file}");
    for ran in &runs {
        assert!(ran.output().starts_with(&answers), "{answers}\n{ran}");
        match end {
            Makespans(..) => ran.exits(0).is_silent(),
            Deadlock(_) => ran.exits(1).says("deadlock: "),
        };
    }
    match end {
        Makespans(one, any) => {
            let found = runs.map(|ran| figure(&ran, "makespan "));
            assert_eq!(found, [one, any], "{file}");
        }
        Deadlock(size) => {
            let found = runs.map(|ran| circle(&ran).len());
            assert_eq!(found, [size, size], "{file}");
        }
    }
}

#[test]
fn each_naive_example_waits_and_its_mended_version_waits_less() {
    let sandbox = Sandbox::new("processors");
    for &(name, naive, one, any) in EXAMPLES {
        check(&sandbox, name, naive);
        check(&sandbox, &format!("{name}-mended"), Makespans(one, any));
        if let Makespans(_, naive) = naive {
            assert!(any < naive, "{name}");
        }
    }
}

#[test]
fn each_example_has_both_versions_and_a_row() {
    let mut found: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    found.sort();
    let rows = EXAMPLES
        .iter()
        .flat_map(|(name, ..)| [format!("{name}.st"), format!("{name}-mended.st")]);
    let mut rows: Vec<String> = rows.collect();
    rows.sort();
    assert_eq!(found, rows);
}
