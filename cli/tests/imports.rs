//! Profiles of other tools on the command line: read, shown, converted, compared, explained and gated. A real program under
//! valgrind is the oracle where valgrind is installed: its file is summed here independently, and by callgrind_annotate.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::collections::BTreeMap;
use std::process::Command;

use support::Sandbox;

const OLD: &str = "# callgrind format\nevents: Ir\nfl=a.c\nfn=main\n1 10\ncfn=parse\ncalls=2 5\n2 200\n\
                   fn=parse\n5 100\ncfn=read\ncalls=20 9\n6 100\nfn=read\n9 100\n";

/// `OLD`, but `parse` calls `read` twice as often.
const NEW: &str = "# callgrind format\nevents: Ir\nfl=a.c\nfn=main\n1 10\ncfn=parse\ncalls=2 5\n2 300\n\
                   fn=parse\n5 100\ncfn=read\ncalls=40 9\n6 200\nfn=read\n9 200\n";

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("old.callgrind", OLD);
    sandbox.write("new.callgrind", NEW);
    sandbox
}

#[test]
fn a_file_of_callgrind_is_shown_in_its_unit() {
    let sandbox = sandbox("imported");
    let ran = sandbox.tally(&["profile", "old.callgrind"]);
    ran.exits(0)
        .mentions("old.callgrind: 210 Ir, 22 calls")
        .mentions(
            "The counts are those of a callgrind file. It holds no send sites or allocations",
        );
    assert!(!ran.output().contains("sends,"), "{ran}");
    sandbox
        .tally(&["profile", "old.callgrind", "--callers", "read"])
        .exits(0)
        .mentions("read (20 calls): 100 Ir of its own");
    sandbox
        .tally(&["profile", "old.callgrind", "--by", "class", "--sort", "own"])
        .exits(0)
        .mentions("module");
}

#[test]
fn views_of_what_is_not_known_are_refused() {
    let sandbox = sandbox("unknown");
    for (arguments, why) in [
        (&["--tree"][..], "holds no calling-context tree"),
        (
            &["--sort", "objects"],
            "does not say which methods allocated",
        ),
    ] {
        let ran = sandbox.tally(&[&["profile", "old.callgrind"], arguments].concat());
        ran.exits(2).says(why);
    }
    sandbox
        .tally(&["annotate", "--profile", "old.callgrind"])
        .exits(2)
        .says("holds no counts of single sends");
}

#[test]
fn imports_are_converted_and_come_back() {
    let sandbox = sandbox("converted");
    let all = ["a.tally", "a.json", "a.callgrind", "a.html", "a.txt"];
    sandbox
        .tally(&[&["convert", "old.callgrind"], &all[..]].concat())
        .exits(0);
    for file in &all[..3] {
        let ran = sandbox.tally(&["profile", file]);
        ran.exits(0).mentions("210 Ir, 22 calls");
        sandbox
            .tally(&["compare", "old.callgrind", file])
            .exits(0)
            .mentions("210 Ir on both sides");
    }
    let json = sandbox.read("a.json");
    for member in ["sends", "allocations", "sites", "seed"] {
        assert!(!json.contains(&format!("\"{member}\"")), "{member}");
    }
    for file in ["a.svg", "a.folded", "a.speedscope.json"] {
        let ran = sandbox.tally(&["convert", "old.callgrind", file]);
        ran.exits(2).says(
            "no calling-context tree; it can be written as tally, json, callgrind, html or human",
        );
    }
}

#[test]
fn a_format_that_does_not_fit_is_refused_with_those_that_do() {
    let sandbox = Sandbox::new("unfitting");
    sandbox.write("a.folded", "main;a 2\n");
    sandbox
        .tally(&["convert", "a.folded", "a.csv"])
        .exits(2)
        .says(
            "cannot write a.csv: the profile has no counts of send sites; it can be written as tally, json, callgrind, \
             speedscope, folded, svg, html or human",
        );
    assert!(!sandbox.path("a.csv").exists());
}

#[test]
fn a_profile_of_nothing_is_written_and_read() {
    let sandbox = Sandbox::new("nothing");
    sandbox.write("a.folded", "# unit: samples\nmain;a 0\nmain;b 0\n");
    let files = [
        "b.folded",
        "b.json",
        "b.tally",
        "b.callgrind",
        "b.speedscope",
    ];
    sandbox
        .tally(&[&["convert", "a.folded"], &files[..]].concat())
        .exits(0)
        .is_silent();
    for file in files {
        let ran = sandbox.tally(&["profile", file]);
        ran.exits(0).is_silent().mentions(": 0 ");
    }
}

/// The data of a page.
fn data_of(page: &str) -> &str {
    let (_, data) = page
        .split_once("<script id=\"profile\" type=\"application/json\">")
        .expect("data");
    data.split_once("</script>").expect("an end").0
}

#[test]
fn pages_have_no_place_for_what_is_not_known() {
    let sandbox = sandbox("pages");
    sandbox.write("a.folded", "main;a 2\nmain 3\n");
    for file in ["old.callgrind", "a.folded"] {
        sandbox.tally(&["convert", file, "a.html"]).exits(0);
        let page = sandbox.read("a.html");
        let data = data_of(&page);
        for word in ["sends", "objects", "blocks", "seed", "sites", "digest"] {
            assert!(!data.contains(word), "{file}: {word} in {data}");
        }
        assert!(!page.contains("Sends are"), "{file}");
        let data: serde_json::Value = serde_json::from_str(data).expect("data");
        let is_callgrind = file == "old.callgrind";
        let (count, calls) = match is_callgrind {
            true => (210, Some(22)),
            false => (5, None),
        };
        assert_eq!(data["about"]["cost"]["count"].as_u64(), Some(count));
        assert_eq!(data["about"]["cost"]["calls"].as_u64(), calls);
        assert_eq!(data["unit"]["hasCalls"].as_bool(), Some(is_callgrind));
        // Stacks are a tree; callgrind has calls without one.
        let contexts = data["contexts"]["up"].as_array().expect("a column");
        assert_eq!(contexts.is_empty(), is_callgrind);
        let callers = data["edges"]["caller"].as_array().expect("a column");
        assert_eq!(callers.len(), 2);
    }
    let sides = ["compare", "old.callgrind", "new.callgrind"];
    sandbox
        .tally(&[&sides[..], &["-o", "c.html"]].concat())
        .exits(0);
    let page = sandbox.read("c.html");
    let data = data_of(&page);
    assert!(data.contains("calls more, each time") && data.contains("own Ir"));
    assert!(
        !data.contains("sends") && !data.contains("objects"),
        "{data}"
    );
}

#[test]
fn stacks_have_no_calls_anywhere() {
    let sandbox = Sandbox::new("stacks");
    sandbox.write("a.folded", "# unit: samples\nmain;a 2\nmain 3\n");
    sandbox.write("b.folded", "# unit: samples\nmain;a 5\nmain 3\n");
    sandbox
        .tally(&["profile", "a.folded"])
        .exits(0)
        .mentions("a.folded: 5 samples\n");
    sandbox
        .tally(&["profile", "a.folded", "--sort", "calls"])
        .exits(2)
        .says("does not say how often functions were called");
    let ran = sandbox.tally(&["compare", "a.folded", "b.folded", "--explain"]);
    ran.exits(0)
        .mentions("+3  a")
        .mentions("costs more itself\n");
    assert!(!ran.output().contains("calls  "), "{ran}");
    let ran = sandbox.tally(&["compare", "a.folded", "b.folded", "--format", "json"]);
    assert!(!ran.output().contains("\"calls\""), "{ran}");
    sandbox.write(
        "tally.toml",
        "[[budget]]\nprofile = \"a.folded\"\nfunction = \"a\"\ncalls = 1\n",
    );
    sandbox
        .tally(&["gate"])
        .exits(3)
        .says("functions or counts that the profile does not have");
    for file in ["a.svg", "a.speedscope.json", "again.folded"] {
        sandbox.tally(&["convert", "a.folded", file]).exits(0);
    }
    sandbox
        .tally(&["compare", "a.speedscope.json", "a.folded"])
        .exits(0)
        .mentions("5 samples on both sides");
}

#[test]
fn a_unit_cannot_carry_control_characters() {
    let sandbox = sandbox("controls");
    sandbox
        .tally(&["convert", "old.callgrind", "a.json"])
        .exits(0);
    let json = sandbox.read("a.json");
    sandbox.write("b.json", json.replace("\"Ir\"", "\"\\u001b[31m\""));
    sandbox
        .tally(&["profile", "b.json"])
        .exits(74)
        .says("damaged profile");
    sandbox.write("c.callgrind", OLD.replace("Ir", "\u{1b}[31m"));
    let ran = sandbox.tally(&["profile", "c.callgrind"]);
    assert!(!ran.exits(0).output().contains('\u{1b}'), "{ran}");
}

#[test]
fn two_builds_are_compared_explained_and_judged() {
    let sandbox = sandbox("builds");
    let sides = ["compare", "old.callgrind", "new.callgrind"];
    let ran = sandbox.tally(&[&sides[..], &["--explain"]].concat());
    ran.exits(0)
        .mentions("210 → 310 Ir (+100, +47.6%)")
        .mentions("+100  parse  a.c:5")
        .mentions("calls more, each time: parse → read");
    sandbox
        .tally(&[&sides[..], &["--explain=main"]].concat())
        .exits(0)
        .mentions("costs more with all that it calls");
    sandbox
        .tally(&[&sides[..], &["--fail-on", "own(read)>+10%"]].concat())
        .exits(3)
        .says("own Ir of read are 200, 100 before (+100)");
    sandbox
        .tally(&[&sides[..], &["--fail-on", "count>+200"]].concat())
        .exits(0);
    sandbox
        .tally(&[&sides[..], &["--fail-on", "sends>+0"]].concat())
        .exits(0)
        .says("is about nothing that ran");
    let ran = sandbox.tally(&[&sides[..], &["--format", "json"]].concat());
    ran.exits(0).mentions("\"count\": 310");
    for member in ["sends", "objects", "blockCalls", "isLibrary"] {
        assert!(!ran.output().contains(&format!("\"{member}\"")), "{member}");
    }
}

#[test]
fn different_units_are_refused() {
    let sandbox = sandbox("units");
    sandbox.write("other.callgrind", OLD.replace("Ir", "Dr"));
    sandbox.write("a.st", "1 + 2; + 3.\n");
    sandbox
        .tally(&["profile", "a.st", "-o", "a.tally"])
        .exits(0);
    for other in ["other.callgrind", "a.tally"] {
        sandbox
            .tally(&["compare", "old.callgrind", other, "--force"])
            .exits(5)
            .says("the sides count different things: Ir and");
    }
    sandbox
        .tally(&["compare", "old.callgrind", "new.callgrind", "--event", "Dw"])
        .exits(5)
        .says("old.callgrind: not callgrind: it has no event 'Dw'; it has Ir");
}

#[test]
fn budgets_of_functions_are_gated() {
    let sandbox = sandbox("gated");
    let budgets = |profile: &str, function: &str| {
        format!(
            "[[budget]]\nprofile = \"{profile}\"\nfunction = \"{function}\"\nown = 150\ncalls = {{ max = 30 }}\n"
        )
    };
    sandbox.write("tally.toml", budgets("old.callgrind", "re*"));
    sandbox.tally(&["gate"]).exits(0).mentions("2 kept");
    sandbox.write("tally.toml", budgets("new.callgrind", "re*"));
    sandbox
        .tally(&["gate"])
        .exits(3)
        .mentions("read has 200 own Ir, at most 150 allowed by the budget of functions 're*' in new.callgrind: 50 more")
        .mentions("read has 40 calls, at most 30 allowed");
    sandbox.write("tally.toml", budgets("old.callgrind", "raed"));
    sandbox
        .tally(&["gate"])
        .exits(3)
        .says("a budget for functions or counts that the profile does not have")
        .says("did you mean 'read'?");
    sandbox.write("tally.toml", budgets("missing.callgrind", "read"));
    sandbox.tally(&["gate"]).exits(5).says("no such file");
    // A file without its end does not pass.
    let cut = OLD.replace("events", "creator: callgrind\nsummary: 210\nevents");
    sandbox.write("cut.callgrind", &cut[..cut.len() - 7]);
    sandbox.write("tally.toml", budgets("cut.callgrind", "read"));
    sandbox.tally(&["gate"]).exits(5).says("the file was cut");
    sandbox.write("tally.toml", "[[budget]]\nfunction = \"read\"\nown = 1\n");
    sandbox
        .tally(&["gate"])
        .exits(2)
        .says("a budget of functions without a profile");
}

#[test]
fn budgets_of_functions_stand_beside_those_of_tests() {
    let sandbox = sandbox("beside");
    sandbox.write(
        "src/a.st",
        "TestCase subclass: ATest [ testA [ self assert: 1 + 2 equals: 3 ] ]\n",
    );
    let toml = |most: u32| {
        format!(
            "[project]\npaths = [\"src\"]\n[[budget]]\ntest = \"ATest\"\nsends = 1_000\n\
             [[budget]]\nprofile = \"old.callgrind\"\nfunction = \"read\"\nown = {most}\n"
        )
    };
    sandbox.write("tally.toml", toml(100));
    sandbox
        .tally(&["gate"])
        .exits(0)
        .mentions("1 kept")
        .mentions("1 passed");
    sandbox.tally(&["test"]).exits(0);
    sandbox.write("tally.toml", toml(99));
    sandbox.tally(&["gate"]).exits(3).mentions("1 passed");
}

#[test]
fn a_damaged_file_is_told_with_its_line() {
    let sandbox = Sandbox::new("damaged");
    sandbox.write("a.callgrind", "events: Ir\nfl=a\nfn=f\n1 x\n");
    sandbox
        .tally(&["profile", "a.callgrind"])
        .exits(74)
        .says("a.callgrind:4: not callgrind: 'x' is no number of at most 64 bits");
    sandbox
        .tally(&["compare", "a.callgrind", "a.callgrind"])
        .exits(5);
    sandbox
        .tally(&["convert", "missing.callgrind", "a.json"])
        .exits(74);
}

/// Own counts of a file of callgrind, by the name of the function, and the sum of all: read as simply as can be.
fn summed(text: &str) -> (BTreeMap<String, u64>, u64) {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut own: BTreeMap<String, u64> = BTreeMap::new();
    let (mut function, mut is_call) = (String::new(), false);
    for line in text.lines() {
        let name = |names: &mut BTreeMap<String, String>, value: &str| {
            let (number, name) = value.split_once(')').expect("a number");
            if !name.trim().is_empty() {
                names.insert(number.to_string(), name.trim().to_string());
            }
            names[number].clone()
        };
        if let Some(value) = line.strip_prefix("fn=") {
            function = name(&mut names, value);
        } else if let Some(value) = line.strip_prefix("cfn=") {
            name(&mut names, value);
        } else if line.starts_with("calls=") {
            is_call = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            let count = line
                .split(' ')
                .nth(1)
                .map_or(0, |word| word.parse().expect("a count"));
            if !std::mem::take(&mut is_call) {
                *own.entry(function.clone()).or_default() += count;
            }
        }
    }
    let sum = own.values().sum();
    (own, sum)
}

/// A program with recursion, shared functions and calls in loops.
const PROGRAM: &str = "\
#[inline(never)]\nfn fib(n: u64) -> u64 { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }\n\
#[inline(never)]\nfn weigh(word: &str) -> u64 { word.bytes().map(u64::from).sum() }\n\
#[inline(never)]\nfn both(n: u64) -> u64 { fib(n) + weigh(&n.to_string()) }\n\
fn main() { let sum: u64 = (0..TIMES).map(both).sum(); println!(\"{sum}\"); }\n";

/// Says that a test did not run.
#[expect(clippy::print_stderr, reason = "a test that is skipped has to be seen")]
fn skip(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// The file of callgrind of the program that runs its loop so often; nothing where there is no valgrind.
fn callgrind(sandbox: &Sandbox, name: &str, times: u32) -> Option<String> {
    let is_there = Command::new("valgrind").arg("--version").output();
    if is_there.is_err() || Command::new("rustc").arg("--version").output().is_err() {
        skip("valgrind or rustc is not installed");
        return None;
    }
    sandbox.write("program.rs", PROGRAM.replace("TIMES", &times.to_string()));
    let folder = sandbox.path("");
    let run = |command: &mut Command| {
        let output = command.current_dir(&folder).output().expect("it runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run(Command::new("rustc").args(["-g", "-Copt-level=1", "program.rs"]));
    let file = format!("--callgrind-out-file={name}");
    run(Command::new("valgrind").args(["--tool=callgrind", &file, "./program"]));
    Some(run(Command::new("callgrind_annotate").args([
        "--inclusive=yes",
        "--threshold=100",
        name,
    ])))
}

#[test]
fn a_real_program_is_imported_with_the_sums_of_its_file() {
    let sandbox = Sandbox::new("real");
    let Some(annotated) = callgrind(&sandbox, "a.callgrind", 12) else {
        return;
    };
    sandbox
        .tally(&["convert", "a.callgrind", "a.json"])
        .exits(0);
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("a.json")).expect("JSON");
    let mut imported: BTreeMap<String, u64> = BTreeMap::new();
    let mut totals: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for method in json["methods"].as_array().expect("methods") {
        let name = method["name"].as_str().expect("a name").to_string();
        let own = method["own"].as_u64().expect("a count");
        *imported.entry(name.clone()).or_default() += own;
        let total = method["total"].as_u64().expect("a count");
        totals.entry(name).or_default().push(total);
    }
    let (mut own, sum) = summed(&sandbox.read("a.callgrind"));
    own.retain(|_, count| *count > 0);
    imported.retain(|_, count| *count > 0);
    assert_eq!(json["cost"]["count"].as_u64(), Some(sum));
    assert!(own.len() > 50, "only {} functions", own.len());
    assert_eq!(imported, own);
    // callgrind_annotate has the totals of functions under their files.
    let mut compared = 0;
    for name in [
        "program::both",
        "program::weigh",
        "program::main",
        "program::fib",
    ] {
        // A function has further rows for the code that was inlined into it.
        let rows = annotated.lines().filter(|line| {
            let mut words = line.split(' ');
            words.any(|word| word.ends_with(&format!(":{name}")))
        });
        let total = rows.filter_map(|row| {
            let digits = row.trim().split(' ').next()?.replace(',', "");
            digits.parse::<u64>().ok()
        });
        let Some(total) = total.max() else { continue };
        assert!(
            totals[name].contains(&total),
            "{name}: {total} in {:?}",
            totals[name]
        );
        compared += 1;
    }
    assert!(compared >= 3, "only {compared} functions in {annotated}");
}

#[test]
fn a_real_build_is_compared_with_another_and_gated() {
    let sandbox = Sandbox::new("rebuilt");
    if callgrind(&sandbox, "old.callgrind", 12).is_none() {
        return;
    }
    callgrind(&sandbox, "new.callgrind", 14);
    let ran = sandbox.tally(&["compare", "old.callgrind", "new.callgrind", "--explain"]);
    ran.exits(0)
        .mentions("program::both")
        .mentions("12 → 14")
        .mentions("program::main");
    let toml = |profile: &str| {
        format!("[[budget]]\nprofile = \"{profile}\"\nfunction = \"program::both\"\ncalls = 12\n")
    };
    sandbox.write("tally.toml", toml("old.callgrind"));
    sandbox.tally(&["gate"]).exits(0);
    sandbox.write("tally.toml", toml("new.callgrind"));
    sandbox
        .tally(&["gate"])
        .exits(3)
        .mentions("program::both has 14 calls, at most 12 allowed");
}
