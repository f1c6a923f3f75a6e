//! Folders of packages as arguments: which files they are, the order in which they are loaded, and what is
//! said of folders that are none.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::{Ran, Sandbox};

fn class(name: &str, superclass: &str, body: &str) -> String {
    format!("Class {{\n\t#name : '{name}',\n\t#superclass : '{superclass}'\n}}\n\n{body}")
}

fn announcing(name: &str, superclass: &str) -> String {
    let body =
        format!("{{ #category : 'x' }}\n{name} class >> initialize [\n\t'{name}' displayNl\n]\n");
    class(name, superclass, &body)
}

/// Two packages in a folder: the one that comes first by name needs the other.
fn two_packages(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("src/.properties", "{ #format : #tonel }");
    sandbox.write("src/A/package.st", "Package { #name : 'A' }\n");
    sandbox.write("src/A/Alpha.class.st", announcing("Alpha", "Zero"));
    sandbox.write("src/A/Beta.class.st", announcing("Beta", "Object"));
    sandbox.write(
        "src/A/Zero.extension.st",
        "Extension { #name : 'Zero' }\n\n{ #category : '*A' }\nZero >> two [ ^2 ]\n",
    );
    sandbox.write("src/A/.hidden.st", "this is no Smalltalk [");
    sandbox.write("src/A/notes.txt", "nor is this");
    sandbox.write("src/B/package.st", "Package { #name : 'B' }\n");
    sandbox.write("src/B/Middle.class.st", announcing("Middle", "Object"));
    sandbox.write("src/B/Zero.class.st", announcing("Zero", "Middle"));
    sandbox
}

#[test]
fn the_order_is_that_of_the_command_line_superclasses_first_then_names() {
    let sandbox = two_packages("order");
    let show = ["-e", "Zero new two"];
    sandbox
        .tally(&["run", "src/B", "src/A", show[0], show[1]])
        .exits(0)
        .prints("Middle\nZero\nAlpha\nBeta\n2\n")
        .is_silent();
    // A definition waits for what it needs, a package on the command line does not.
    sandbox
        .tally(&["run", "src/A", "src/B", show[0], show[1]])
        .exits(0)
        .prints("Beta\nAlpha\nMiddle\nZero\n2\n");
    // In a folder, packages come in the order of their needs.
    for folder in ["src", "src/", "."] {
        sandbox
            .tally(&["run", folder, show[0], show[1]])
            .exits(0)
            .prints("Middle\nZero\nAlpha\nBeta\n2\n");
    }
    sandbox
        .tally(&[
            "run",
            "src/B/Zero.class.st",
            "src/B/Middle.class.st",
            "-e",
            "Zero new isNil",
        ])
        .exits(0)
        .prints("Zero\nMiddle\nfalse\n");
}

#[test]
fn each_initialize_is_one_send_of_the_package() {
    let sandbox = two_packages("counted");
    sandbox.write(
        "src/A/Beta.class.st",
        class("Beta", "Object", "Beta class >> initialize [ ]\n"),
    );
    sandbox.write(
        "src/A/Alpha.class.st",
        class("Alpha", "Object", "Alpha class >> initialize [ ]\n"),
    );
    sandbox
        .tally(&["run", "src/B", "src/A", "--counts"])
        .exits(0);
    let profile = sandbox.tally(&["profile", "--format", "json", "src/B", "src/A"]);
    let counts: Vec<&str> = profile
        .exits(0)
        .output()
        .split("\"name\"")
        .filter(|part| part.contains("\"A\""))
        .collect();
    assert!(
        counts.iter().any(|part| part.contains("\"own\": 2")),
        "{counts:?}"
    );
}

#[test]
fn what_is_no_package_has_its_own_exit_code() {
    let sandbox = Sandbox::new("none");
    sandbox.write("empty/notes.txt", "nothing");
    let says = |ran: Ran, code: i32, what: &str| {
        ran.exits(code).prints("").says(what);
    };
    says(sandbox.tally(&["run", "empty"]), 4, "holds no package");
    says(sandbox.tally(&["test", "empty"]), 4, "holds no package");
    says(sandbox.tally(&["run", "absent"]), 74, "no such file");
    sandbox.write(
        "latin/Foo.class.st",
        b"Class { #name : 'Foo', #superclass : 'Object' }\n\"\xE9\"",
    );
    says(
        sandbox.tally(&["run", "latin"]),
        8,
        "latin/Foo.class.st is not UTF-8: invalid byte at offset 49, line 2",
    );
    sandbox.write("orphan/Foo.class.st", class("Foo", "Absent", ""));
    says(sandbox.tally(&["run", "--strict", "orphan"]), 8, "E0208");
    sandbox.write("circle/A.class.st", class("A", "B", ""));
    sandbox.write("circle/B.class.st", class("B", "A", ""));
    says(sandbox.tally(&["run", "--strict", "circle"]), 8, "E0212");
    sandbox.write("twice/A.class.st", class("A", "Object", ""));
    sandbox.write("twice/B.class.st", class("A", "Object", ""));
    says(sandbox.tally(&["run", "--strict", "twice"]), 8, "E0213");
    // Two packages may define a class: the one that is loaded last counts.
    let two = "{ #category : #x }\nA >> two [ ^2 ]\n";
    sandbox.write("again/A.class.st", class("A", "Object", two));
    std::fs::remove_file(sandbox.path("twice/B.class.st")).expect("it was written above");
    sandbox
        .tally(&["run", "twice", "again", "-e", "A new two"])
        .exits(0)
        .prints("2\n")
        .says("W0315");
    sandbox.write("folder/A.class.st/b", "");
    sandbox.write("folder/B.class.st", class("B", "Object", ""));
    sandbox.tally(&["run", "folder"]).exits(0);
}

#[test]
fn a_folder_of_scripts_is_loaded_too() {
    let sandbox = Sandbox::new("scripts");
    sandbox.write(
        "tests/b.st",
        "A subclass: B [ testIt [ self assert: self one = 1 ] ]\n",
    );
    sandbox.write("tests/a.st", "TestCase subclass: A [ one [ ^1 ] ]\n");
    sandbox.tally(&["test", "tests"]).exits(0);
}

/// A package with a class without a superclass, one below it, and two methods that do not compile.
fn broken_package(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("P/A.class.st", class("A", "Absent", "A >> foo [ ^1 ]\n"));
    sandbox.write("P/B.class.st", class("B", "A", "B class >> bar [ ^1 ]\n"));
    let methods = "C >> good [ ^7 ]\n\nC >> bad: x [ ^x + ) ]\n\nC >> b [ ^B bar ]\n";
    sandbox.write("P/C.class.st", class("C", "Object", methods));
    sandbox
}

#[test]
fn what_does_not_compile_is_left_out_and_fails_where_it_is_used() {
    let sandbox = broken_package("broken");
    let used = "[:block | [block value printNl] on: LeftOut do: [:e | e messageText displayNl]]";
    let all = format!(
        "| used | used := {used}. used value: [C new good]. used value: [C new b]. \
         used value: [C new bad: 3]. used value: [A]. #A -> (Smalltalk includesKey: #B)"
    );
    let ran = sandbox.tally(&["run", "P", "-e", &all]);
    ran.exits(0)
        .prints(
            "7\n\
             E0208: the class `A` is left out, so B is left out\n\
             E0106: `+` without an argument, so C>>bad: is left out (P/C.class.st:8)\n\
             E0208: there is no class `Absent`, so A is left out\n\
             #A->false\n",
        )
        .says("left out: 2 classes, 1 method (1 × E0106, 2 × E0208)");
    // A script has to compile as a whole, and --strict requires the same of packages.
    sandbox.tally(&["run", "--strict", "P"]).exits(8).prints("");
    sandbox.write("script.st", "B subclass: D [ ]\n'ran' displayNl.\n");
    sandbox
        .tally(&["run", "P", "script.st"])
        .exits(8)
        .prints("")
        .says("the class `B` is left out");
    sandbox
        .tally(&["run", "P", "-e", "3 + )"])
        .exits(8)
        .prints("");
    let checked = sandbox.tally(&["check", "P"]);
    checked.exits(8).prints("3 files: 3 errors, 0 warnings\n");
    for line in [
        "E0208 the class A (P/A.class.st:3)",
        "E0208 the class B (P/B.class.st:3)",
        "E0106 C>>bad: (P/C.class.st:8)",
    ] {
        checked.says(line);
    }
    let json = sandbox.tally(&["check", "--format", "json", "P"]);
    json.exits(8);
    assert!(json.output().contains("\"what\": \"the class B\""));
}

#[test]
fn tests_do_not_pass_without_a_part_of_their_project() {
    let sandbox = broken_package("lacking");
    let test = "CTest >> testGood [ self assert: C new good equals: 7 ]\n";
    sandbox.write("P/CTest.class.st", class("CTest", "TestCase", test));
    let ran = sandbox.tally(&["test", "P"]);
    ran.exits(8);
    assert!(ran.output().contains("1 test: 1 passed"));
    assert!(ran.output().contains("3 definitions left out"));
    sandbox.tally(&["test", "--allow-left-out", "P"]).exits(0);
    sandbox.write(
        "tally.toml",
        "[project]\npaths = ['P']\n[test]\nallow-left-out = true\n",
    );
    sandbox.tally(&["test"]).exits(0);
    // A test that does not compile is an error, whatever is allowed.
    let broken = format!("{test}\nCTest >> testBad [ self assert: ) ]\n");
    sandbox.write("P/CTest.class.st", class("CTest", "TestCase", &broken));
    let ran = sandbox.tally(&["test"]);
    ran.exits(1);
    assert!(ran.output().contains("CTest>>testBad ERROR"));
}

#[test]
fn definitions_in_brackets_are_left_out_of_folders_too() {
    let sandbox = Sandbox::new("broken-scripts");
    sandbox.write(
        "src/a.st",
        "Object subclass: A [ | x x | one [ ^1 ] ]\nObject subclass: B [ bad [ ^) ] twice [ ^1 ] \
         twice [ ^2 ] two [ ^2 ] ]\nB extend [ three [ ^3 ] ]\nB >> four [ ^zork ]\n",
    );
    sandbox.write("src/b.st", "B new two printNl.\nB new three zork: ).\n");
    sandbox.write("src/c.st", "B new three printNl.\n");
    let last = "[B new four] on: LeftOut do: [:e | e messageText first: 5]";
    sandbox
        .tally(&["run", "src", "-e", last])
        .exits(0)
        .prints("3\n'E0201'\n")
        .says("left out: 1 class, 3 methods, 1 file's statements");
    sandbox.tally(&["run", "src/a.st"]).exits(8).prints("");
}

#[test]
fn an_initialize_that_fails_is_an_error_of_its_class() {
    let sandbox = two_packages("failing");
    let failing = "Zero class >> initialize [ 'before' displayNl. ^1 / 0 ]\n";
    sandbox.write("src/B/Zero.class.st", class("Zero", "Middle", failing));
    sandbox
        .tally(&["run", "src", "-e", "Zero new two"])
        .exits(0)
        .prints("Middle\nbefore\nAlpha\nBeta\n2\n")
        .says("Zero class>>initialize failed");
    sandbox
        .tally(&["run", "--strict", "src", "-e", "Zero new two"])
        .exits(1)
        .prints("Middle\nbefore\n");
    let test = "ZTest >> testTwo [ self assert: Zero new two equals: 2 ]\n";
    sandbox.write("src/B/ZTest.class.st", class("ZTest", "TestCase", test));
    sandbox.tally(&["test", "src"]).exits(8);
}

#[test]
fn classes_are_initialised_behind_those_that_their_initialize_names() {
    let sandbox = Sandbox::new("needs");
    let needing = "A class >> initialize [ (C name , ' for A') displayNl ]\n";
    sandbox.write("P/A.class.st", class("A", "Object", needing));
    sandbox.write("P/B.class.st", announcing("B", "Object"));
    let above = "C class >> initialize [ D name displayNl ]\n";
    sandbox.write("P/C.class.st", class("C", "Object", above));
    // A superclass comes first, even if it names the class below it.
    sandbox.write("P/D.class.st", announcing("D", "C"));
    sandbox
        .tally(&["run", "P"])
        .exits(0)
        .prints("B\nD\nC for A\nD\n");
}

#[test]
fn packages_may_name_things_as_pharo_does() {
    let sandbox = Sandbox::new("pharo");
    let header = "Class {\n\t#name : 'Größe',\n\t#superclass : 'Object',\n\
                  \t#instVars : [ '#maß', 'высота => ObservableSlot' ],\n\
                  \t#pools : [ 'AbsentPool' ]\n}\n\n";
    let methods = "Größe >> maß: zahl [ maß := zahl. ^super ]\n\n\
                   Größe >> maß [ <primitive: 60> ^maß ]\n\n\
                   Größe >> pool [ <primitive: 1.5> ^Absent ]\n";
    sandbox.write("P/Size.class.st", format!("{header}{methods}"));
    let all = "| π | π := 2r1.01e3. { (Größe new maß: π) maß. #яблоко. #größe:x:. #x::. ##foo. \
               'x½' asSymbol. Größe new pool. 16r0.8. 2r1.0e-1074 = Float fmin }";
    sandbox
        .tally(&["run", "P", "-e", all])
        .exits(0)
        .prints("#(10.0 #яблоко #größe:x: #'x::' #foo #'x½' nil 0.5 true)\n");
}

#[cfg(unix)]
#[test]
fn links_and_locked_files() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let sandbox = two_packages("links");
    symlink(sandbox.path("src"), sandbox.path("src/loop")).expect("a link can be made");
    sandbox
        .tally(&["run", "src"])
        .exits(0)
        .prints("Middle\nZero\nAlpha\nBeta\n");
    symlink(sandbox.path("nowhere"), sandbox.path("src/A/Gone.class.st"))
        .expect("a link can be made");
    sandbox
        .tally(&["run", "src"])
        .exits(74)
        .says("Gone.class.st");
    std::fs::remove_file(sandbox.path("src/A/Gone.class.st")).expect("the link is there");
    let locked = sandbox.path("src/A");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).expect("it is ours");
    let ran = sandbox.tally(&["run", "src"]);
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    // The superuser can read everything.
    if !ran.error().is_empty() {
        ran.exits(74).says("src/A: permission denied");
    }
}

/// Each class is the superclass of the next one.
#[test]
fn a_file_out_of_a_hundred_classes_runs() {
    let mut text = String::from("'From Pharo12.0'!\n");
    for number in 0..100 {
        let superclass = match number {
            0 => "Object".to_string(),
            _ => format!("Hundred{}", number - 1),
        };
        text.push_str(&format!(
            "{superclass} subclass: #Hundred{number}\n\tinstanceVariableNames: 'v{number}'\n\tclassVariableNames: ''\n\
             \tpackage: 'Hundred'!\n\n!Hundred{number} methodsFor: 'testing' stamp: 'a 1/1/2026'!\nm{number}: x\n\
             \t\"It's x!! and {number}\"\n\t^v{number} := x + {number}! !\n\n"
        ));
    }
    text.push_str("Transcript show: (Hundred99 new m50: 1) printString; cr!\n");
    let sandbox = Sandbox::new("hundred");
    sandbox.write("hundred.st", text);
    sandbox
        .tally(&["run", "hundred.st"])
        .exits(0)
        .prints("51\n");
}
