//! Explorations whose states need more memory than they may have.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::sandbox;
use crate::support::{Ran, Sandbox};

/// Eight receivers of four equal messages: 5⁸ states, each with up to eight transitions.
const RECEIVERS: &str = "\
Actor subclass: Receiver [ | seen | take [ seen := (seen ifNil: [0]) + 1 ] ]
| all |
all := (1 to: 8) collect: [:i | Receiver spawn].
4 timesRepeat: [all do: [:each | each tell take]].
";
/// In which they find no room.
const LITTLE: &[&str] = &[
    "explore",
    "p.st",
    "--delivery",
    "any",
    "--max-memory",
    "28M",
];

fn explored(sandbox: &Sandbox, options: &[&str]) -> Ran {
    sandbox.tally(&[LITTLE, options].concat())
}

/// The folders of explorations that were left.
fn left(sandbox: &Sandbox) -> Vec<PathBuf> {
    let entries = fs::read_dir(sandbox.path(".tally/explorations"));
    let entries = entries.into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn numbers(ran: &Ran) -> (Value, Value, Value) {
    let found: Value = serde_json::from_str(ran.exits(0).output()).unwrap();
    let of = |name: &str| found[name].clone();
    (of("states"), of("transitions"), of("cycles"))
}

#[test]
fn states_go_to_files() {
    let sandbox = sandbox(RECEIVERS);
    for threads in ["1", "3"] {
        let ran = explored(&sandbox, &["--format", "json", "-j", threads]);
        let expected = (390_625.into(), 2_500_000.into(), "notLookedFor".into());
        assert_eq!(numbers(&ran), expected);
        assert!(ran.error().is_empty(), "{ran}");
        assert!(left(&sandbox).is_empty());
    }
    assert_eq!(sandbox.read(".tally/.gitignore"), "*\n");
}

#[test]
fn a_limit_leaves_states_to_go_on_with() {
    let sandbox = sandbox(RECEIVERS);
    let ran = explored(&sandbox, &["--max-states", "200000"]);
    ran.exits(6)
        .mentions("the limit of states ended the exploration")
        .says("The states are kept in .tally/explorations/");
    let [folder] = left(&sandbox).try_into().unwrap();
    // Nothing more is done under the same limit.
    explored(&sandbox, &["--max-states", "200000"]).exits(6);
    // A file where a folder has to be.
    let aside = sandbox.path("aside");
    fs::rename(&folder, &aside).unwrap();
    fs::write(&folder, "").unwrap();
    let ran = explored(&sandbox, &[]);
    ran.exits(74)
        .mentions("a file of states that cannot be used ended the exploration")
        .says("cannot write .tally/explorations/");
    fs::remove_file(&folder).unwrap();
    fs::rename(&aside, &folder).unwrap();
    let ran = explored(&sandbox, &["--format", "json"]);
    assert_eq!(numbers(&ran).0, 390_625);
    ran.says("where an earlier one was interrupted");
    assert!(left(&sandbox).is_empty());
}

#[cfg(unix)]
#[test]
fn a_killed_exploration_goes_on() {
    let sandbox = sandbox(RECEIVERS);
    let mut child = Command::new(env!("CARGO_BIN_EXE_tally"))
        .args(LITTLE)
        .current_dir(sandbox.path(""))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let is_written = || {
        let mut folders = left(&sandbox).into_iter();
        folders.any(|folder| folder.join("exploration.json").exists())
    };
    while !is_written() {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing is kept");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = explored(&sandbox, &["--format", "json"]);
    assert_eq!(numbers(&ran).0, 390_625);
    ran.says("The exploration went on");
    assert!(left(&sandbox).is_empty());
}
