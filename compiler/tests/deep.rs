//! The deepest nesting that the parser accepts compiles on an ordinary thread's stack. Big sources compile in
//! reasonable time.

use tally_compiler::compile;
use tally_compiler::environment::EmptyEnvironment;

#[track_caller]
fn compiles(source: &str) -> bool {
    let compiled = compile("deep.st", source, &EmptyEnvironment);
    if let Some(error) = compiled.diagnostics.iter().find(|one| one.is_error()) {
        assert!(
            error.message.contains("deep")
                || error.message.contains("nest")
                || error.code == "E0209",
            "{error:?}"
        );
    }
    compiled.unit.is_some()
}

#[test]
fn deep_nesting_compiles_or_is_refused() {
    assert!(compiles(&format!(
        "x := {}1{}",
        "(".repeat(450),
        ")".repeat(450)
    )));
    assert!(compiles(&format!("x := {}1", "- ".repeat(0))));
    assert!(compiles(&format!(
        "x := {}{}",
        "[".repeat(450),
        "]".repeat(450)
    )));
    assert!(compiles(&format!("x := 1{}", " foo".repeat(1900))));
    assert!(compiles(&format!("x := 1{}", " + 2".repeat(1900))));
    assert!(compiles(&format!(
        "y := 1. x := {}3{}",
        "(y + ".repeat(450),
        ")".repeat(450)
    )));
    assert!(compiles(&format!(
        "y := 1. x := {}3{}",
        "(y foo: ".repeat(450),
        ")".repeat(450)
    )));
    assert!(compiles(&format!(
        "y := 1. {}y foo{}",
        "y ifTrue: [ ".repeat(450),
        "]".repeat(450)
    )));
    assert!(compiles(&format!(
        "y := 1. {}y foo{}",
        "[y] whileTrue: [ ".repeat(450),
        "]".repeat(450)
    )));
    assert!(compiles(&format!(
        "y := 1. x := {}3{}",
        "{y. ".repeat(450),
        "}".repeat(450)
    )));
    assert!(compiles(&format!("y := 1. {}y", "x := ".repeat(1500))));
    for deep in [600, 3000, 100_000] {
        compiles(&format!("x := {}1{}", "(".repeat(deep), ")".repeat(deep)));
        compiles(&format!("x := {}{}", "[".repeat(deep), "]".repeat(deep)));
        compiles(&format!("x := 1{}", " foo".repeat(deep)));
        compiles(&format!("{}1", "x := ".repeat(deep)));
    }
}

#[test]
fn long_sources_compile() {
    assert!(compiles(
        &"x := 3 + 4. [ x ] value. y := [ :z | z + x ]. ".repeat(10_000)
    ));
    let methods: String = (0..5000)
        .map(|n| format!("m{n} [ ^ self m{} ] ", n / 2))
        .collect();
    assert!(compiles(&format!("nil subclass: A [ {methods} ]")));
}
