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
    says(sandbox.tally(&["run", "orphan"]), 8, "E0208");
    sandbox.write("circle/A.class.st", class("A", "B", ""));
    sandbox.write("circle/B.class.st", class("B", "A", ""));
    says(sandbox.tally(&["run", "circle"]), 8, "E0212");
    sandbox.write("twice/A.class.st", class("A", "Object", ""));
    sandbox.write("twice/B.class.st", class("A", "Object", ""));
    says(sandbox.tally(&["run", "twice"]), 8, "E0213");
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
