//! Profiles in all formats as users get them from the real binary: several files in one run, conversions,
//! refusals. The tests of the exporting code check the contents of the formats.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its input must fail"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

const PROGRAM: &str = "\
Object subclass: A [
    each: aBlock [
        1 to: 3 do: [ :i | aBlock value: i ]
    ]
    leaf [ ^Array new: 2 ]
    fib: n [ n < 2 ifTrue: [ ^n ]. ^(self fib: n - 1) + (self fib: n - 2) ]
]
| a |
a := A new.
a each: [ :x | a leaf ].
a leaf.
(a fib: 10) printNl.
";

const ALL: [&str; 9] = [
    "p.tally",
    "p.json",
    "p.callgrind",
    "p.speedscope.json",
    "p.folded",
    "p.csv",
    "p.svg",
    "p.html",
    "p.txt",
];

/// A sandbox with a program and its profile in every format.
fn profiled(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("a.st", PROGRAM);
    let mut arguments = vec!["profile", "a.st"];
    ALL.iter().for_each(|file| arguments.extend(["-o", file]));
    sandbox
        .tally(&arguments)
        .exits(0)
        .prints("55\n")
        .is_silent();
    sandbox
}

fn bytes(sandbox: &Sandbox, name: &str) -> Vec<u8> {
    std::fs::read(sandbox.path(name)).unwrap()
}

fn sends(sandbox: &Sandbox) -> u64 {
    let profile: serde_json::Value = serde_json::from_str(&sandbox.read("p.json")).unwrap();
    profile["cost"]["sends"].as_u64().unwrap()
}

#[test]
fn one_run_writes_every_format_and_conversion_writes_the_same() {
    let sandbox = profiled("formats");
    for saved in ["p.tally", "p.json"] {
        for name in ALL {
            let converted = format!("from-{saved}-{name}");
            sandbox
                .tally(&["convert", saved, &converted])
                .exits(0)
                .prints("")
                .is_silent();
            if name != "p.txt" {
                assert!(
                    bytes(&sandbox, name) == bytes(&sandbox, &converted),
                    "{saved} to {name}"
                );
            }
        }
    }
    // All at once, and to standard output.
    sandbox
        .tally(&["convert", "p.tally", "all.json", "all.folded", "all.csv"])
        .exits(0);
    assert_eq!(sandbox.read("all.folded"), sandbox.read("p.folded"));
    sandbox
        .tally(&["convert", "p.tally", "--format", "folded"])
        .exits(0)
        .prints(&sandbox.read("p.folded"));
    sandbox
        .tally(&["convert", "p.tally", "--format", "human"])
        .exits(0)
        .mentions("A>>fib:");
    sandbox
        .tally(&["convert", "p.json", "any-name", "--format", "callgrind"])
        .exits(0);
    assert_eq!(sandbox.read("any-name"), sandbox.read("p.callgrind"));
}

#[test]
fn every_format_tells_the_same_number_of_sends() {
    let sandbox = profiled("sums");
    let sends = sends(&sandbox);
    let last_number = |line: &str| line.rsplit(' ').next().and_then(|n| n.parse::<u64>().ok());
    let folded: u64 = sandbox
        .read("p.folded")
        .lines()
        .filter_map(last_number)
        .sum();
    assert_eq!(folded, sends);
    let third = |line: &str| line.split(',').nth(2).and_then(|n| n.parse::<u64>().ok());
    let lines: u64 = sandbox.read("p.csv").lines().filter_map(third).sum();
    assert_eq!(lines, sends);
    let scope: serde_json::Value =
        serde_json::from_str(&sandbox.read("p.speedscope.json")).unwrap();
    assert_eq!(scope["profiles"][0]["endValue"], sends);
    let callgrind = sandbox.read("p.callgrind");
    assert!(
        callgrind.contains(&format!("\nsummary: {sends} ")),
        "{callgrind}"
    );
    assert!(
        callgrind.contains(&format!("\ntotals: {sends} ")),
        "{callgrind}"
    );
}

#[test]
fn recordings_are_compared_like_json() {
    let sandbox = profiled("recordings");
    for (old, new) in [
        ("p.tally", "p.tally"),
        ("p.tally", "p.json"),
        ("p.json", "p.tally"),
    ] {
        sandbox
            .tally(&["compare", old, new, "--fail-on", "any"])
            .exits(0)
            .mentions("No method differs");
    }
    sandbox.write("text.tally", "no recording at all");
    sandbox
        .tally(&["compare", "text.tally", "p.tally"])
        .exits(5)
        .says("text.tally: not a recording");
    sandbox
        .tally(&["compare", "missing.tally", "p.tally"])
        .exits(5)
        .says("no such file");
    sandbox
        .tally(&["compare", "p.tally", "missing.tally"])
        .exits(74)
        .says("no such file");
}

#[test]
fn formats_go_to_standard_output_by_name() {
    let sandbox = Sandbox::new("standard-output");
    sandbox.write("a.st", PROGRAM);
    let heads = [
        ("callgrind", "# callgrind format\n"),
        ("folded", "run;a.st "),
        ("lines", "file,line,sends,"),
        ("json", "{\n  \"schema\": \"tally.profile/1\""),
        ("speedscope", "{\"$schema\":"),
        ("svg", "<"),
        ("html", "<!"),
    ];
    for (format, head) in heads {
        let ran = sandbox.tally(&["profile", "a.st", "--format", format]);
        ran.exits(0).says("55\n");
        assert!(ran.output().starts_with(head), "{ran}");
    }
    sandbox
        .tally(&["profile", "a.st", "--format", "x"])
        .exits(2)
        .says("callgrind");
}

#[test]
fn what_cannot_be_written_is_told_before_anything_runs() {
    let sandbox = Sandbox::new("refused");
    sandbox.write("a.st", "'ran' displayNl.");
    sandbox.write("folder/x", "");
    let wrong: [(&[&str], i32, &str); 8] = [
        (
            &["-o", "p.xyz"],
            2,
            "p.xyz: the name does not decide the format",
        ),
        (&["-o", "p"], 2, "the name does not decide the format"),
        (&["-o", "p.json", "-o", "p.json"], 2, "written twice"),
        (
            &["-o", "p.json", "-o", "folder/../p.json"],
            2,
            "written twice",
        ),
        (
            &["-o", "a.json", "-o", "b.json", "--format", "json"],
            2,
            "one file",
        ),
        (&["-o", "nowhere/p.json"], 74, "its folder does not exist"),
        (
            &["-o", "folder", "--format", "json"],
            74,
            "it is a directory",
        ),
        (&["--format", "nonsense"], 2, "nonsense"),
    ];
    for (arguments, code, why) in wrong {
        let arguments = [&["profile", "a.st"], arguments].concat();
        sandbox.tally(&arguments).exits(code).prints("").says(why);
    }
}

#[test]
fn what_cannot_be_read_is_told() {
    let sandbox = profiled("unreadable");
    let recording = bytes(&sandbox, "p.tally");
    sandbox.write("cut.tally", &recording[..recording.len() / 2]);
    sandbox.write("longer.tally", [&recording[..], b"x"].concat());
    sandbox.write("renamed.json", &recording);
    sandbox.write("json.tally", sandbox.read("p.json"));
    sandbox.write("empty.tally", "");
    sandbox.write("empty.json", "");
    sandbox.write("latin.json", b"\xE4");
    let mut changed = recording.clone();
    changed[recording.len() / 2] ^= 1;
    sandbox.write("changed.tally", &changed);
    let mut later = recording.clone();
    later[8] = 2;
    sandbox.write("later.tally", &later);
    let json = sandbox
        .read("p.json")
        .replacen("\"own\": 1,", "\"own\": 2,", 1);
    sandbox.write("wrong.json", json);
    let wrong = [
        ("missing.tally", "no such file"),
        (".", "it is a directory"),
        ("cut.tally", "truncated recording"),
        ("longer.tally", "something follows its end"),
        ("changed.tally", "its checksum is wrong"),
        ("later.tally", "version 2."),
        ("json.tally", "not a recording"),
        ("empty.tally", "not a recording"),
        ("empty.json", "not a profile"),
        ("latin.json", "not UTF-8"),
        ("wrong.json", "damaged profile"),
    ];
    for (name, why) in wrong {
        let ran = sandbox.tally(&["convert", name, "out.folded"]);
        ran.exits(74).prints("").says(why);
    }
    assert!(!sandbox.path("out.folded").exists());
    // What it is counts, not what it is called.
    sandbox
        .tally(&["convert", "renamed.json", "out.folded"])
        .exits(0);
    sandbox.tally(&["convert", "p.tally"]).exits(2);
    sandbox
        .tally(&["convert", "p.tally", "p.tally.gz"])
        .exits(2)
        .says("does not decide the format");
}

#[test]
fn profiles_without_a_tree_or_sites_say_what_they_lack() {
    let sandbox = profiled("flat");
    let mut profile: serde_json::Value = serde_json::from_str(&sandbox.read("p.json")).unwrap();
    let members = profile.as_object_mut().unwrap();
    for member in ["contexts", "calls", "sites", "allocations"] {
        members.remove(member);
    }
    sandbox.write("flat.json", profile.to_string());
    for (out, why) in [
        ("x.folded", "no calling-context tree"),
        ("x.speedscope", "no calling-context tree"),
        ("x.svg", "no calling-context tree"),
        ("x.csv", "no counts of send sites"),
    ] {
        sandbox
            .tally(&["convert", "flat.json", out])
            .exits(2)
            .says(out)
            .says(why);
        assert!(!sandbox.path(out).exists());
    }
    // What can be written is written all the same.
    let ran = sandbox.tally(&[
        "convert",
        "flat.json",
        "x.folded",
        "x.callgrind",
        "x.csv",
        "x.tally",
    ]);
    ran.exits(2)
        .says("no calling-context tree")
        .says("no counts of send sites");
    assert!(sandbox.read("x.callgrind").contains("fn=(1) a.st"));
    sandbox.tally(&["convert", "x.tally", "back.json"]).exits(0);
}

#[cfg(unix)]
#[test]
fn files_are_replaced_whole_and_keep_their_permissions() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let sandbox = profiled("replaced");
    sandbox.write("real.json", "old");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(sandbox.path("real.json"), private).unwrap();
    symlink("real.json", sandbox.path("link.json")).unwrap();
    sandbox.tally(&["convert", "p.tally", "link.json"]).exits(0);
    assert!(sandbox.path("link.json").is_symlink());
    assert_eq!(sandbox.read("real.json"), sandbox.read("p.json"));
    let mode = std::fs::metadata(sandbox.path("real.json"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    sandbox
        .tally(&["convert", "p.tally", "link.json", "real.json"])
        .exits(2)
        .says("written twice");
    // A device stays what it is.
    sandbox
        .tally(&["convert", "p.tally", "--format", "json", "/dev/null"])
        .exits(0);
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    let rest = std::fs::read_dir(sandbox.path(".")).unwrap();
    let beside = rest.filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with(".tally-")
    });
    assert_eq!(beside.count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let sandbox = profiled("full");
    sandbox
        .tally(&["convert", "p.tally", "--format", "json", "/dev/full"])
        .exits(74)
        .says("cannot write /dev/full");
    sandbox
        .tally_into("/dev/full", &["convert", "p.tally", "--format", "json"])
        .exits(74)
        .says("standard output");
}

/// The totals that Valgrind's own reader finds. Ignored because Valgrind is not everywhere; the gate installs and runs it.
#[test]
#[ignore = "needs callgrind_annotate"]
fn callgrind_annotate_finds_the_same_totals() {
    let sandbox = profiled("annotate");
    let annotate = |arguments: &[&str]| {
        let ran = std::process::Command::new("callgrind_annotate")
            .args(["--threshold=100", "--show-percs=no"])
            .args(arguments)
            .arg("p.callgrind")
            .current_dir(sandbox.path("."))
            .output()
            .unwrap();
        assert!(ran.status.success());
        assert_eq!(String::from_utf8(ran.stderr).unwrap(), "");
        String::from_utf8(ran.stdout).unwrap()
    };
    let profile: serde_json::Value = serde_json::from_str(&sandbox.read("p.json")).unwrap();
    let cost = &profile["cost"];
    let counts = [
        &cost["sends"],
        &cost["activations"],
        &cost["blocks"],
        &cost["allocations"]["objects"],
        &cost["allocations"]["bytes"],
    ];
    let counts = counts.map(|count| count.as_u64().unwrap());
    let own = annotate(&["--auto=no"]);
    assert_eq!(row(&own, "PROGRAM TOTALS"), counts, "{own}");
    let functions: Vec<[u64; 5]> = own
        .lines()
        .filter(|line| is_function(line))
        .map(numbers)
        .collect();
    let sum = functions.iter().fold([0; 5], |mut sum, costs| {
        sum.iter_mut()
            .zip(costs)
            .for_each(|(sum, more)| *sum += more);
        sum
    });
    assert_eq!(sum, counts, "{own}");
    // What does not recur has its total for its inclusive cost.
    let inclusive = annotate(&["--inclusive=yes", "--auto=no"]);
    let total = |name: &str| {
        let methods = profile["methods"].as_array().unwrap();
        let method = methods
            .iter()
            .find(|method| method["name"] == name)
            .unwrap();
        method["total"].as_u64().unwrap()
    };
    for name in ["A>>each:", "A>>leaf", "a.st"] {
        assert_eq!(
            row(&inclusive, &format!("a.st:{name}"))[0],
            total(name),
            "{inclusive}"
        );
    }
}

fn is_function(line: &str) -> bool {
    line.starts_with(|c: char| c == ' ' || c.is_ascii_digit())
        && (line.contains("a.st:") || line.contains("<library>/") || line.contains("???:"))
}

fn row(text: &str, name: &str) -> [u64; 5] {
    let line = text.lines().find(|line| line.trim_end().ends_with(name));
    numbers(line.unwrap_or_else(|| panic!("no {name} in {text}")))
}

/// The five numbers at the start of a line of `callgrind_annotate`; a point stands for none.
fn numbers(line: &str) -> [u64; 5] {
    let words = line.split_whitespace().take(5);
    let number = |word: &str| match word {
        "." => 0,
        digits => digits.replace(',', "").parse().unwrap(),
    };
    words.map(number).collect::<Vec<u64>>().try_into().unwrap()
}
