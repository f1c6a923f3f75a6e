//! What `tally profile` and `tally annotate` show of a run, as their users meet it. The guide shows how each report looks, and
//! its blocks run as tests. Here a report is compared with other reports of the same run, and absent things are requested.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::{Ran, Sandbox};

const WORDS: &str = r#""Counts words."
Object subclass: WordCounter [
    | words |

    add: aWord [
        words isNil ifTrue: [ words := OrderedCollection new ].
        words add: aWord
    ]

    occurrencesOf: aWord [
        ^words inject: 0 into: [ :sum :each |
            each = aWord ifTrue: [ sum + 1 ] ifFalse: [ sum ] ]
    ]
]
"#;

const REPORT: &str = "\
counter := WordCounter new.
text := 'the cat and the dog and the bird'.
5 timesRepeat: [ (text substrings: ' ') do: [ :each | counter add: each ] ].
#('the' 'cat' 'cow') do: [ :each | (counter occurrencesOf: each) printNl ].
";

const TESTS: &str = "\
TestCase subclass: CounterTest [
    | counter |
    setUp [ counter := OrderedCollection new. counter add: 1 ]
    testOne [ self assert: counter size equals: 1 ]
    testTwo [ 3 timesRepeat: [ counter addFirst: 2 ]. self assert: counter first equals: 2 ]
    testWrong [ self assert: counter first equals: 7 ]
]
";

fn words() -> Sandbox {
    let sandbox = Sandbox::new("profiling");
    sandbox.write("words.st", WORDS);
    sandbox.write("report.st", REPORT);
    sandbox.write("tests.st", TESTS);
    sandbox
}

impl Sandboxed for Sandbox {
    fn profile(&self, options: &[&str]) -> Ran {
        let files = ["profile", "words.st", "report.st"];
        self.tally(&[&files[..], options].concat())
    }
}

trait Sandboxed {
    fn profile(&self, options: &[&str]) -> Ran;
}

/// The lines of the table that a report begins with, its heading left out.
fn rows(report: &str) -> Vec<&str> {
    let lines = report.lines().skip(3);
    lines.take_while(|line| !line.is_empty()).collect()
}

fn number(text: &str) -> u64 {
    let digits: String = text.chars().filter(|c| *c != ',').collect();
    digits
        .parse()
        .unwrap_or_else(|_| panic!("{text:?} is no number"))
}

/// The run's sends, as every report states them at its head.
fn sends(report: &str) -> u64 {
    let (before, _) = report.split_once(" sends").expect("a report");
    number(before.rsplit(' ').next().expect("a number"))
}

// --- views ---------------------------------------------------------------------------------------

#[test]
fn the_own_sends_of_a_whole_tree_are_the_runs() {
    let ran = words().profile(&["--tree", "--min-share", "0"]);
    ran.exits(0)
        .mentions("run")
        .mentions("[] in WordCounter>>occurrencesOf:");
    let own: u64 = rows(ran.output())
        .into_iter()
        .map(|row| number(row.split_whitespace().nth(2).unwrap()))
        .sum();
    assert_eq!(own, sends(ran.output()), "{ran}");
}

#[test]
fn a_tree_that_is_cut_off_tells_what_is_left_out() {
    let sandbox = words();
    let ran = sandbox.profile(&["--tree", "--depth", "1"]);
    ran.exits(0).mentions("more than 1 below the run");
    let least = sandbox.profile(&["--tree", "--min-share", "20"]);
    least
        .exits(0)
        .mentions("less than 20% is left out")
        .mentions("  … 1 (");
    assert!(rows(least.output()).len() < rows(sandbox.profile(&["--tree"]).output()).len());
}

#[test]
fn callers_add_up_to_the_calls_of_the_method() {
    let ran = words().profile(&["--callers", "WordCounter>>add:"]);
    ran.exits(0)
        .mentions("WordCounter>>add: (40 calls")
        .mentions("report.st");
    let ran = words().profile(&["--callees", "WordCounter>>occurrencesOf:"]);
    ran.exits(0)
        .mentions("· OrderedCollection>>inject:into:      3");
}

#[test]
fn the_heaviest_path_begins_with_the_script() {
    let ran = words().profile(&["--hot"]);
    ran.exits(0)
        .mentions("  report.st\n")
        .mentions("It ends in ");
}

#[test]
fn classes_and_packages_are_ranked() {
    let sandbox = words();
    sandbox
        .profile(&["--by", "class"])
        .exits(0)
        .mentions("  WordCounter");
    sandbox
        .profile(&["--by", "package", "--sort", "own"])
        .exits(0)
        .mentions("· Collections");
    let ran = sandbox.profile(&["--by", "class", "--limit", "0", "--sort", "own"]);
    let own = rows(ran.output()).into_iter().map(|row| {
        let cells: Vec<&str> = row
            .split("  ")
            .filter(|cell| !cell.trim().is_empty())
            .collect();
        number(cells[3].trim())
    });
    assert_eq!(own.sum::<u64>(), sends(ran.output()), "{ran}");
}

#[test]
fn allocations_are_ranked_and_drawn() {
    let sandbox = words();
    sandbox
        .profile(&["--sort", "objects"])
        .exits(0)
        .mentions("of objects");
    sandbox
        .profile(&["--sort", "bytes", "--tree"])
        .exits(0)
        .mentions("bytes of its own");
}

#[test]
fn the_library_is_folded_into_those_who_call_it() {
    let sandbox = words();
    let ran = sandbox.profile(&["--library", "fold", "--sort", "own"]);
    ran.exits(0).mentions("Methods of the library are folded");
    assert!(
        !ran.output().contains('·') && !ran.output().contains("OrderedCollection"),
        "{ran}"
    );
    let own = rows(ran.output())
        .into_iter()
        .map(|row| number(row.split_whitespace().nth(2).unwrap()));
    assert_eq!(own.sum::<u64>(), sends(ran.output()), "{ran}");
    let tree = sandbox.profile(&["--library", "fold", "--tree"]);
    tree.exits(0).mentions("WordCounter>>add:");
    assert!(!tree.output().contains('·'), "{tree}");
}

#[test]
fn what_is_not_there_is_told_with_what_is_near() {
    let sandbox = words();
    sandbox
        .profile(&["--callers", "WordCounter>>ad:"])
        .exits(4)
        .says("did you mean 'WordCounter>>add:'?");
    sandbox
        .profile(&["--callers", "qqqqqqqqq"])
        .exits(4)
        .prints("");
    for wrong in [
        &["--tree", "--hot"][..],
        &["--min-share", "101", "--tree"],
        &["--by", "nothing"],
        &["-e", "1", "--test", "A"],
    ] {
        sandbox.profile(wrong).exits(2).prints("");
    }
    sandbox.tally(&["profile"]).exits(2);
}

#[test]
fn colours_come_when_they_are_asked_for() {
    let sandbox = words();
    assert!(!sandbox.profile(&["--tree"]).output().contains('\x1b'));
    sandbox
        .profile(&["--tree", "--color", "always"])
        .exits(0)
        .mentions("\x1b[2m");
}

#[test]
fn a_tree_that_is_very_deep_is_shown() {
    let sandbox = Sandbox::new("deep");
    sandbox.write(
        "deep.st",
        "Object subclass: Deep [ down: n [ ^n = 0 ifTrue: [0] ifFalse: [(self down: n - 1) + 1] ] ]\n\
         (Deep new down: 5000) printNl.\n",
    );
    for view in ["--tree", "--hot"] {
        let ran = sandbox.tally(&["profile", "deep.st", view]);
        ran.exits(0).mentions("Deep>>down:");
    }
}

// --- what is measured ----------------------------------------------------------------------------

#[test]
fn an_expression_is_measured_and_its_value_is_no_part_of_the_report() {
    let sandbox = words();
    let ran = sandbox.tally(&[
        "profile",
        "-e",
        "(1 to: 10) inject: 0 into: [:a :b | a + b]",
    ]);
    ran.exits(0)
        .mentions("Interval>>")
        .mentions("<command line>: ")
        .says("55\n");
    let ran = sandbox.tally(&[
        "profile",
        "words.st",
        "-e",
        "WordCounter new add: 'a'",
        "-o",
        "p.txt",
    ]);
    ran.exits(0).prints("a WordCounter\n");
    assert!(sandbox.read("p.txt").contains("WordCounter>>add:"));
    sandbox
        .tally(&["profile", "-e", "nil foo"])
        .exits(1)
        .mentions("The run failed");
}

#[test]
fn a_test_is_measured_alone_without_its_set_up() {
    let sandbox = words();
    let ran = sandbox.tally(&[
        "profile",
        "tests.st",
        "--test",
        "CounterTest>>testTwo",
        "--tree",
        "--min-share",
        "0",
    ]);
    ran.exits(0).is_silent();
    ran.mentions("CounterTest>>testTwo");
    assert!(!ran.output().contains("setUp"), "{ran}");
    assert!(!ran.output().contains("testOne"), "{ran}");
    assert!(!ran.output().contains("TestRunner class>>collect"), "{ran}");
    let both = sandbox.tally(&[
        "profile",
        "tests.st",
        "--test",
        "CounterTest>>testTwo",
        "--test",
        "CounterTest>>testOne",
        "--callers",
        "OrderedCollection>>first",
    ]);
    both.exits(0).mentions("OrderedCollection>>first (1 call,");
}

#[test]
fn a_test_that_does_not_pass_is_profiled_and_told() {
    let sandbox = words();
    let ran = sandbox.tally(&[
        "profile",
        "tests.st",
        "--test",
        "CounterTest",
        "--callers",
        "OrderedCollection>>first",
    ]);
    ran.exits(1)
        .mentions("OrderedCollection>>first (2 calls,")
        .mentions("The run failed");
    ran.says("CounterTest>>testWrong FAILED").says("tests.st:6");
    sandbox
        .tally(&["profile", "tests.st", "--test", "CounterTest>>testOn"])
        .exits(4)
        .says("did you mean 'CounterTest>>testOne'?");
    sandbox
        .tally(&[
            "profile",
            "tests.st",
            "--test",
            "CounterTest>>testTwo",
            "--max-sends",
            "20",
        ])
        .exits(6)
        .mentions("stopped by a limit");
}

#[test]
fn a_saved_profile_is_shown_as_the_run_was() {
    let sandbox = words();
    sandbox
        .profile(&["--format", "json", "-o", "p.json"])
        .exits(0);
    for view in [
        &["--tree"][..],
        &["--hot"],
        &["--tree", "--sort", "work"],
        // A saved profile has work beside sends, a run has it only if it is wanted.
        &["--sort", "work"],
        &["--sort", "work", "--callers", "add:"],
        &["--sort", "work", "--by", "class"],
    ] {
        let now = sandbox.profile(view);
        let saved = sandbox.tally(&[&["profile", "p.json"], view].concat());
        saved.exits(0).prints(now.output()).is_silent();
    }
    sandbox
        .tally(&["profile", "p.json", "words.st"])
        .exits(2)
        .says("shown alone");
    sandbox
        .tally(&["profile", "missing.json"])
        .exits(74)
        .says("no such file");
    sandbox.write("broken.json", "{");
    sandbox
        .tally(&["profile", "broken.json"])
        .exits(74)
        .says("not a profile");
}

#[test]
fn a_profile_without_a_tree_says_so() {
    let sandbox = words();
    sandbox
        .profile(&["--format", "json", "-o", "p.json"])
        .exits(0);
    let mut profile: serde_json::Value = serde_json::from_str(&sandbox.read("p.json")).unwrap();
    for member in ["contexts", "calls", "sites", "allocations"] {
        profile.as_object_mut().unwrap().remove(member);
    }
    for method in profile["methods"].as_array_mut().unwrap() {
        let method = method.as_object_mut().unwrap();
        for member in ["allocations", "ownWork", "totalWork"] {
            method.remove(member);
        }
    }
    sandbox.write("old.json", profile.to_string());
    sandbox
        .tally(&["profile", "old.json"])
        .exits(0)
        .mentions("WordCounter>>add:");
    for (view, why) in [
        (&["--tree"][..], "no calling-context tree"),
        (&["--hot"], "no calling-context tree"),
        (&["--by", "class"], "no calling-context tree"),
        (&["--callers", "add:"], "who called whom"),
        (&["--sort", "bytes"], "allocated"),
        (&["--sort", "work"], "without counting work"),
    ] {
        sandbox
            .tally(&[&["profile", "old.json"], view].concat())
            .exits(2)
            .says(why);
    }
    sandbox
        .tally(&["annotate", "--profile", "old.json"])
        .exits(2)
        .says("single sends");
}

// --- sources with counts -------------------------------------------------------------------------

/// Sums of the columns of sends over all lines of an annotated source.
fn line_sums(report: &str) -> u64 {
    let mut sum = 0;
    let mut columns = 0..0;
    for line in report.lines() {
        let at = line
            .find("sends  ")
            .filter(|_| line.trim_start().starts_with("calls"));
        if let Some(at) = at {
            let first = line.find("calls").expect("a heading") + "calls".len();
            columns = first..at + "sends".len();
        } else if line.contains('│') && !columns.is_empty() {
            let cell = line.get(columns.clone()).unwrap_or("").trim();
            sum += if cell.is_empty() { 0 } else { number(cell) };
        }
    }
    sum
}

#[test]
fn the_sends_on_the_lines_are_those_of_the_methods() {
    let sandbox = words();
    let ran = sandbox.tally(&["annotate", "words.st", "report.st"]);
    ran.exits(0).mentions("words.st\n").mentions("report.st\n");
    sandbox
        .profile(&["--format", "json", "-o", "p.json"])
        .exits(0);
    let profile: serde_json::Value = serde_json::from_str(&sandbox.read("p.json")).unwrap();
    let methods = profile["methods"].as_array().unwrap().iter();
    let own: u64 = methods
        .filter(|method| method["isLibrary"] == false)
        .map(|method| method["own"].as_u64().unwrap())
        .sum();
    assert_eq!(line_sums(ran.output()), own, "{ran}");
    let saved = sandbox.tally(&["annotate", "--profile", "p.json", "words.st", "report.st"]);
    saved.exits(0).prints(ran.output()).is_silent();
    let by_method = sandbox.tally(&["annotate", "--profile", "p.json"]);
    by_method.exits(0).mentions("WordCounter>>add:\n");
    assert_eq!(line_sums(by_method.output()), own, "{by_method}");
}

#[test]
fn several_sends_on_a_line_are_told_apart() {
    let sandbox = words();
    let ran = sandbox.tally(&[
        "annotate",
        "words.st",
        "report.st",
        "--method",
        "WordCounter>>occurrencesOf:",
    ]);
    ran.exits(0)
        .mentions("each = aWord")
        .mentions("^120")
        .mentions("^20");
    let library = sandbox.tally(&[
        "annotate",
        "words.st",
        "report.st",
        "--method",
        "OrderedCollection>>add:",
    ]);
    library.exits(0).mentions("OrderedCollection>>add:\n");
    sandbox
        .tally(&["annotate", "words.st", "report.st", "--method", "nowhere"])
        .exits(4)
        .prints("");
}

#[test]
fn a_profile_of_other_texts_is_noticed() {
    let sandbox = words();
    sandbox
        .profile(&["--format", "json", "-o", "p.json"])
        .exits(0);
    sandbox.write("report.st", "1 printNl.\n");
    sandbox
        .tally(&["annotate", "--profile", "p.json", "words.st", "report.st"])
        .exits(0)
        .says("the profile is of other texts")
        .mentions("it is not the text that was run");
}

#[test]
fn packages_are_measured_as_folders() {
    let sandbox = Sandbox::new("folders");
    sandbox.write("src/P/package.st", "Package { #name : #P }\n");
    sandbox.write(
        "src/P/Pot.class.st",
        "Class { #name : #Pot, #superclass : #Object, #category : #P }\n\n{ #category : #all }\nPot >> fill [\n\t^(1 to: 3) collect: [:i | i * i]\n]\n",
    );
    sandbox.write("use.st", "Pot new fill printNl.\n");
    sandbox
        .tally(&["profile", "src", "use.st", "--by", "package"])
        .exits(0)
        .mentions("  P ");
    let ran = sandbox.tally(&["annotate", "src", "use.st"]);
    ran.exits(0)
        .mentions("src/P/Pot.class.st\n")
        .mentions("^(1 to: 3)");
    ran.mentions("Left out: 1 file");
}

// --- sampling ------------------------------------------------------------------------------------

const LOOP: &str = "\
Object subclass: Busy [ spin: n [ | sum | sum := 0. 1 to: n do: [:i | sum := sum + (self step: i)]. ^sum ]
    step: i [ ^i \\\\ 7 + 1 ] ]
(Busy new spin: 3000000) printNl.
";

#[test]
fn a_run_is_sampled_and_says_how_far_that_goes() {
    let sandbox = Sandbox::new("samples");
    sandbox.write("busy.st", LOOP);
    let ran = sandbox.tally(&["profile", "busy.st", "--sample"]);
    ran.exits(0)
        .mentions("1,000 a second wanted")
        .mentions("not reproducible");
    ran.mentions("  Busy>>spin: ")
        .mentions("  busy.st ")
        .says("11999997");
    let json = sandbox.tally(&["profile", "busy.st", "--sample=500", "--format", "json"]);
    json.exits(0);
    let document: serde_json::Value = serde_json::from_str(json.output()).unwrap();
    assert_eq!(document["schema"], "tally.samples/1");
    assert_eq!(document["reproducible"], false);
    assert_eq!(document["rate"], 500);
    let samples = document["samples"].as_u64().unwrap();
    let methods = document["methods"].as_array().unwrap();
    let own: u64 = methods
        .iter()
        .map(|method| method["own"].as_u64().unwrap())
        .sum();
    assert!(samples > 0, "{document}");
    assert_eq!(own, samples, "every sample has one method on top");
    let script = methods.iter().find(|method| method["name"] == "busy.st");
    assert_eq!(
        script.unwrap()["total"],
        samples,
        "the script is below everything"
    );
    for wrong in [
        &["--sample", "--tree"][..],
        &["--sample=0"],
        &["--sample", "-o", "x.svg"],
        &["--sample", "--sort", "calls"],
    ] {
        sandbox
            .tally(&[&["profile", "busy.st"], wrong].concat())
            .exits(2)
            .prints("");
    }
}

/// Tests that leave processes behind: one waits, one was terminated and not unwound, one has never run, one goes on for ever.
const LEFT_BEHIND: &str = "TestCase subclass: LeavingTest [
    testWaiting [ | s | s := Semaphore new. [ s wait ] fork. Processor yield. self assert: true ]
    testTerminated [
        | s p |
        s := Semaphore new.
        p := [ [ s wait ] ensure: [ 3 + 4 ] ] newProcess.
        p resume. Processor yield. p terminate.
        self assert: true
    ]
    testUnstarted [ [ 3 + 4 ] fork. self assert: true ]
    testEndless [ [ [ true ] whileTrue: [ 3 + 4 ] ] forkAt: Processor userBackgroundPriority. self assert: true ]
    testStopped [ [ true ] whileTrue: [ self yourself ] ]
]
";

#[test]
fn processes_that_tests_leave_behind_are_a_part_of_the_profile() {
    let sandbox = Sandbox::new("left");
    sandbox.write("left.st", LEFT_BEHIND);
    let profile = ["profile", "left.st", "--test", "LeavingTest"];
    let ran = sandbox.tally(&[&profile[..], &["--max-sends", "20000"]].concat());
    ran.exits(6);
    let single = [
        "profile",
        "left.st",
        "--test",
        "LeavingTest>>testTerminated",
        "--test",
        "LeavingTest>>testWaiting",
    ];
    sandbox
        .tally(&single)
        .exits(0)
        .mentions("LeavingTest>>testWaiting");
}

#[test]
fn the_readme_shows_the_output_of_its_first_command() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let readme = std::fs::read_to_string(format!("{root}/README.md")).unwrap();
    let (_, shown) = readme.split_once("```text\n").unwrap();
    let (shown, rest) = shown.split_once("…\n").unwrap();
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_tally"))
        .args(["profile", "examples/json.st"])
        .current_dir(root)
        .output()
        .unwrap();
    let output = String::from_utf8(ran.stdout).unwrap();
    assert!(output.starts_with(shown), "{output}");
    assert!(output.contains(rest.lines().next().unwrap()), "{output}");
}
