//! Programs of SOM on the command line: the class path, arguments, exit codes. What they mean is tested by
//! the golden programs, not here.

#[path = "support/mod.rs"]
#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

const ECHO: &str = "Echo = ( run: arguments = ( arguments do: [ :each | each println ] ) )\n";

#[test]
fn what_follows_the_file_is_the_programs() {
    let sandbox = Sandbox::new("som-arguments");
    sandbox.write("Echo.som", ECHO);
    let ran = sandbox.tally(&["run", "Echo.som", "--counts", "-cp", "x"]);
    ran.exits(0).prints("Echo\n--counts\n-cp\nx\n").is_silent();
    let ran = sandbox.tally(&["run", "Echo.som", "--", "1"]);
    ran.exits(0).prints("Echo\n1\n").is_silent();
}

#[test]
fn classes_come_from_the_class_path_and_the_files_folder() {
    let sandbox = Sandbox::new("som-classes");
    sandbox.write("main/Main.som", "Main = ( run = ( A new b println ) )\n");
    sandbox.write("first/A.som", "A = ( b = ( ^B new c + 1 ) )\n");
    sandbox.write("second/A.som", "A = ( b = ( ^0 ) )\n");
    sandbox.write("main/B.som", "B = ( c = ( ^41 ) )\n");
    for option in ["-cp", "--class-path"] {
        let ran = sandbox.tally(&["run", option, "first:second", "main/Main.som"]);
        ran.exits(0).prints("42\n").is_silent();
    }
    let ran = sandbox.tally(&["run", "-cp", "second:first", "main/Main.som"]);
    ran.exits(0).prints("0\n").is_silent();
}

#[test]
fn exit_codes_are_those_of_smalltalk() {
    let sandbox = Sandbox::new("som-codes");
    for (class, body, code) in [
        ("Error", "self error: 'no'", 1),
        ("Primitive1", "#() at: 1", 1),
        ("Own", "system exit: 7", 7),
        ("Deep", "self run", 6),
        ("Syntax", "self run)) (", 8),
    ] {
        let file = format!("{class}.som");
        sandbox.write(&file, format!("{class} = ( run = ( {body} ) )\n"));
        sandbox.tally(&["run", &file]).exits(code);
    }
    sandbox.tally(&["run", "Missing.som"]).exits(74).prints("");
    sandbox.tally(&["test", "Own.som"]).exits(2).prints("");
    sandbox.tally(&["run", "Own.som", "-e", "1"]).exits(7);
}

#[test]
fn a_profile_of_som_counts_what_the_run_counts() {
    let sandbox = Sandbox::new("som-profile");
    sandbox.write("Echo.som", ECHO);
    sandbox.tally(&["profile", "Echo.som", "a"]).exits(0);
    for options in [&["--reference"][..], &["--gc-stress"], &[]] {
        let mut words = vec!["run", "--counts"];
        words.extend(options);
        words.extend(["Echo.som", "a"]);
        sandbox.tally(&words).exits(0).says("sends");
    }
}

/// Equality of strings is short-cut, so a String of the program's own, whose equality sends messages, must end that.
#[test]
fn a_string_of_ones_own_counts_the_same_without_short_cuts() {
    let sandbox = Sandbox::new("som-string");
    let library = include_str!("../../stdlib/som/String.som");
    let equality = "( 1 to: self length do: [ :i | \
                    (self charAt: i) == (other charAt: i) ifFalse: [ ^false ] ]. ^true )";
    let own = library.replacen("= other  = primitive", &format!("= other = {equality}"), 1);
    assert_ne!(own, library);
    sandbox.write("String.som", own);
    let find = "Find = ( run = ( ((Array with: 'ab' with: 'cd') indexOf: 'cd') println ) )\n";
    sandbox.write("Find.som", find);
    let counted = |options: &[&str]| {
        let ran = sandbox.tally(&[&["run", "--counts"], options, &["Find.som"]].concat());
        ran.exits(0).prints("2\n");
        let sends = ran.error().lines().find(|line| line.starts_with("sends"));
        sends.map(str::to_owned).expect("a count of sends")
    };
    assert_eq!(counted(&[]), counted(&["--reference"]));
}
