//! Tests of the assertions: nothing is left behind in the session; the texts of errors and of failures.

use tally_compiler::compile;
use tally_compiler::environment::MachineEnvironment;
use tally_vm::bytecode::Unit;
use tally_vm::{Config, MemoryHost, Vm};

use super::{AssertionError, Session};
use crate::counts::{CostName, LimitKind};

fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
    let compiled = compile(name, source, &MachineEnvironment(vm));
    compiled
        .unit
        .ok_or_else(|| "it does not compile".to_string())
}

/// A session with a class that counts its calls.
fn session() -> Session {
    let vm = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default());
    let mut session = Session::new(vm.expect("the library loads"), compiled);
    let source = "Object subclass: Counter [\n\
        Counter class [ | asked | ]\n\
        Counter class >> next [ ^asked := (asked ifNil: [0]) + 1 ]\n\
        Counter class >> fail [ ^self error: 'no more' ]\n\
        ]";
    session.load("counter.st", source).expect("it loads");
    session
}

#[test]
fn assertions_see_the_machine_as_the_session_left_it() {
    let mut session = session();
    for _ in 0..3 {
        let asserted = session.assertion("assert: Counter next equals: 1");
        assert!(asserted.expect("it comes to its end").holds());
    }
}

#[test]
fn a_failure_names_methods_with_their_places() {
    let asserted = session().sends("Counter next", 9).expect("it is measured");
    assert_eq!(
        asserted.failure(),
        Some(
            "expected exactly 9 sends, counted 2: 7 fewer\n       \
             sends  method\n           \
             1  <expression> (<expression>:1)\n           \
             1  Counter class>>next (counter.st:3)"
        )
    );
}

#[test]
fn an_error_inside_is_told_with_its_place() {
    let error = session().sends("Counter fail", 1).expect_err("it fails");
    let text = error.to_string();
    assert!(text.contains("no more"), "{text}");
    assert!(
        text.contains("Counter class>>fail (counter.st:4:"),
        "{text}"
    );
    assert!(matches!(error, AssertionError::Run { .. }));
}

#[test]
fn what_does_not_compile_is_an_error() {
    let error = session().sends("3 + ]", 1);
    let expected = AssertionError::Compile("it does not compile".to_string());
    assert_eq!(error, Err(expected));
}

#[test]
fn budgets_are_kept_by_name_and_ratchets_are_noted() {
    let mut session = session();
    let limits = [
        (CostName::Sends, LimitKind::Max, 2),
        (CostName::Primitives, LimitKind::Ratchet, 5),
    ];
    session.budget("it's next", &limits).expect("a budget");
    let kept = session.within("Counter next", "it's next");
    let kept = kept.expect("it is measured");
    assert!(kept.holds());
    assert_eq!(
        kept.notes(),
        ["budget it's next: primitives could be lowered to 1"]
    );
    let broken = session.within("Counter next. Counter next", "it's next");
    let broken = broken.expect("it is measured");
    let text = broken.failure().unwrap_or_default();
    assert!(text.starts_with("budget it's next: expected at most 2 sends, counted 4: 2 more\n"));
}

#[test]
fn what_is_won_on_sends_and_lost_on_allocations_is_noted() {
    let asserted = session().faster_than("Array new: 3", "3 + 4. 5 + 6");
    let asserted = asserted.expect("it is measured");
    assert!(asserted.holds());
    let [note] = asserted.notes() else {
        panic!("one note expected: {:?}", asserted.notes());
    };
    assert!(note.starts_with(
        "fewer sends (1 against 2) but more allocations (1 against 0): sends are a proxy"
    ));
}

#[test]
fn a_class_of_growth_that_there_is_not_is_an_error() {
    let error = session().grows("[:n | n + 1]", &[1, 2, 4, 8], "slow'ly");
    let text = error.expect_err("an error").to_string();
    assert!(
        text.contains("unknown class of growth #'slow''ly'"),
        "{text}"
    );
}
