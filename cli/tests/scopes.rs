//! `tally profile --only`: the remaining profile and its messages. The profiler's tests check the effect of a scope on
//! each number.

#[path = "support/mod.rs"]
#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

const PROGRAM: &str = "Object subclass: Inner [ <category: 'Pkg-Inner'> work: n [ ^n * 2 + 1 ] ]
Object subclass: Outer [ <category: 'Pkg-Outer'> work: n [ ^(1 to: n) inject: 0 into: [:sum :each | sum + (Inner new work: each)] ] ]
Outer new work: 10.
";

#[test]
fn a_scope_leaves_its_methods_and_one_row_for_the_others() {
    let sandbox = Sandbox::new("scope");
    sandbox.write("f.st", PROGRAM);
    for scope in ["Inner", "Inner>>work:", "Pkg-I*", "Inner>>*"] {
        let ran = sandbox.tally(&["profile", "f.st", "--only", scope]);
        ran.exits(0)
            .mentions("Inner>>work:")
            .mentions("(out of scope)");
        assert!(!ran.output().contains("Outer>>work:"), "{ran}");
    }
    let both = sandbox.tally(&["profile", "f.st", "--only", "Inner", "--only", "Outer"]);
    both.exits(0)
        .mentions("Inner>>work:")
        .mentions("Outer>>work:");
}

#[test]
fn a_profile_of_a_scope_is_a_sound_profile() {
    let sandbox = Sandbox::new("sound");
    sandbox.write("f.st", PROGRAM);
    let arguments = ["profile", "f.st", "--format", "json", "-o", "whole.json"];
    sandbox.tally(&arguments).exits(0);
    let arguments = [
        "profile",
        "f.st",
        "--format",
        "json",
        "-o",
        "part.json",
        "--only",
        "Pkg-*",
    ];
    sandbox.tally(&arguments).exits(0);
    // Reading a profile checks that it adds up.
    sandbox.tally(&["compare", "whole.json", "part.json"]);
    sandbox
        .tally(&["compare", "part.json", "part.json"])
        .exits(0);
}

#[test]
fn what_names_nothing_is_an_error() {
    let sandbox = Sandbox::new("nothing");
    sandbox.write("f.st", PROGRAM);
    sandbox
        .tally(&["profile", "f.st", "--only", "Zork"])
        .exits(4)
        .says("no method that was executed is in scope");
    sandbox
        .tally(&["profile", "f.st", "--only", "Foo>>"])
        .exits(2)
        .says("names no scope");
}
