//! Source text that does not compile, and source text that is large.

use crate::evaluate;
use crate::support::Sandbox;

#[test]
fn all_errors_of_all_files_are_reported_before_anything_runs() {
    let sandbox = Sandbox::new("syntax");
    sandbox.write(
        "a.st",
        "'ran' displayNl.\nx := 3 + .\ny := nowhere.\n#( 1 2\n",
    );
    sandbox.write("b.st", "4 * .\n");
    sandbox.write("good.st", "'ran' displayNl.");
    let ran = sandbox.tally(&["run", "good.st", "a.st", "b.st"]);
    ran.exits(8)
        .prints("")
        .says("a.st:2:")
        .says("nowhere")
        .says("a.st:4:")
        .says("b.st:1:");
}

#[test]
fn an_unknown_variable_and_a_bad_literal_are_named() {
    evaluate("foo").exits(8).says("foo");
    evaluate("40r3").exits(8).says("40r3");
    evaluate("'never closed").exits(8).says("never closed");
}

#[test]
fn a_file_that_is_not_utf8_is_refused_with_the_place() {
    let sandbox = Sandbox::new("utf8");
    sandbox.write("bad.st", b"'a'.\n\xFF".as_slice());
    sandbox
        .tally(&["run", "bad.st"])
        .exits(8)
        .prints("")
        .says("offset 5, line 2");
}

#[test]
fn ten_thousand_nested_brackets_end_in_a_diagnostic() {
    let sandbox = Sandbox::new("nesting");
    for (name, open, close) in [("p.st", "(", ")"), ("b.st", "[", "]"), ("a.st", "#(", ")")] {
        sandbox.write(
            name,
            format!("{}3{}", open.repeat(10_000), close.repeat(10_000)),
        );
        sandbox
            .tally(&["run", name])
            .exits(8)
            .prints("")
            .says("nested too deeply");
    }
}

#[test]
fn three_hundred_temporaries_work() {
    let names: Vec<String> = (0..300).map(|i| format!("t{i}")).collect();
    let assigned: String = names
        .iter()
        .map(|n| format!("{n} := {}. ", &n[1..]))
        .collect();
    let sum = names.join(" + ");
    let source = format!(
        "Object subclass: Many [ sum [ | {} | {assigned} ^{sum} ] ]\nMany new sum printNl.\n",
        names.join(" ")
    );
    let sandbox = Sandbox::new("temporaries");
    sandbox.write("many.st", source);
    sandbox
        .tally(&["run", "many.st"])
        .exits(0)
        .prints("44850\n");
}

#[test]
fn a_literal_array_of_five_megabytes_works() {
    let numbers: String = (0..800_000).map(|i| format!("{} ", i % 100_000)).collect();
    let sandbox = Sandbox::new("literal");
    sandbox.write("big.st", format!("#({numbers}) size printNl.\n"));
    sandbox
        .tally(&["run", "big.st"])
        .exits(0)
        .prints("800000\n");
}

#[test]
fn warnings_of_one_kind_are_shown_together_and_many_findings_have_a_total() {
    let sandbox = Sandbox::new("many-findings");
    sandbox.write("Pkg/package.st", "Package { #name : #Pkg }\n");
    let methods = (0..40).map(|i| format!("Many >> m{i} [ ^Absent{} yourself ]\n\n", i % 7));
    let class = "Class { #name : #Many, #superclass : #Object }\n\n".to_string();
    sandbox.write("Pkg/Many.class.st", class + &methods.collect::<String>());
    let line = "warning: 40 × W0313, in 7 names: Absent0 (6), Absent1 (6), Absent2 (6), Absent3 (6), Absent4 (6), …; \
                the first 5 are shown\n";
    let ran = sandbox.tally(&["run", "Pkg", "-e", "3"]);
    ran.exits(0).prints("3\n").says(line);
    ran.says("\nwarning: 40 warnings in 1 file\n");
    assert_eq!(ran.error().matches("warning[W0313]").count(), 5, "{ran}");
    let checked = sandbox.tally(&["check", "Pkg"]);
    checked.exits(0).says(line);
    checked.prints("2 files: 0 errors, 40 warnings\n");
    // A few findings have no total.
    sandbox.write("few.st", "| a | a := 1. a = 3. a printNl. nothing foo.\n");
    let ran = sandbox.tally(&["run", "few.st"]);
    assert!(!ran.exits(8).error().contains("in 1 file"), "{ran}");
    let wrong = (0..12).map(|i| format!("nothing{i} foo.\n"));
    sandbox.write("wrong.st", wrong.collect::<String>());
    let ran = sandbox.tally(&["run", "wrong.st"]);
    ran.exits(8)
        .says("error: 12 errors and 12 warnings in 1 file\n");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_folder_is_no_source() {
    let sandbox = Sandbox::new("pipe");
    sandbox.write("src/a.st", "Object subclass: A [ one [ ^1 ] ]\n");
    let mut command = std::process::Command::new("mkfifo");
    assert!(
        command
            .arg(sandbox.path("src/b.st"))
            .status()
            .unwrap()
            .success()
    );
    let ran = sandbox.tally(&["run", "src", "-e", "A new one"]);
    ran.exits(0).prints("1\n");
}
