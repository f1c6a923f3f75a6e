//! Assertions about counts as macros. A macro panics if its assertion does not hold, with the explanation that a test in
//! Smalltalk gives. Remarks about an assertion that holds go to standard error, because sends are a proxy.

use std::fmt::Write as _;

use crate::checks::Assertion;
use crate::error::Error;
use crate::suite::Tested;

/// Panics unless an assertion holds.
#[doc(hidden)]
#[track_caller]
#[allow(
    clippy::print_stderr,
    reason = "the harness shows it with the test's other output"
)]
pub fn settle(name: &str, asserted: Result<Assertion, Error>) {
    match asserted {
        Ok(asserted) => {
            for note in asserted.notes() {
                eprintln!("note: {note}");
            }
            if let Some(failure) = asserted.failure() {
                panic!("{name}! {failure}");
            }
        }
        Err(error) => panic!("{name}! could not measure\n{error}"),
    }
}

/// Fails unless the first expression sends fewer messages than the second; with `by`, fewer by that factor. Both are
/// evaluated in a fresh copy of the session's machine.
///
/// ```
/// use tally_test::{Session, assert_faster_than};
///
/// let mut session = Session::new()?;
/// assert_faster_than!(session, "3 + 4", "3 + 4 + 5");
/// assert_faster_than!(session, "3 + 4 + 5", "1 + 2 + 3 + 4 + 5", by = "2");
/// # Ok::<(), tally_test::Error>(())
/// ```
///
/// ```should_panic
/// # use tally_test::{Session, assert_faster_than};
/// # let mut session = Session::new().unwrap();
/// // [A] sends 2 messages, [B] 1
/// assert_faster_than!(session, "3 + 4 + 5", "3 + 4");
/// ```
#[macro_export]
macro_rules! assert_faster_than {
    ($session:expr, $first:expr, $second:expr $(,)?) => {
        $crate::settle("assert_faster_than", $session.faster_than($first, $second))
    };
    ($session:expr, $first:expr, $second:expr, by = $ratio:expr $(,)?) => {
        $crate::settle(
            "assert_faster_than",
            $session.faster_than_by($first, $second, $ratio),
        )
    };
}

/// Fails unless the expression sends exactly the given number of messages.
///
/// ```
/// use tally_test::{Session, assert_sends};
///
/// let mut session = Session::new()?;
/// assert_sends!(session, "3 + 4 + 5", 2);
/// # Ok::<(), tally_test::Error>(())
/// ```
///
/// ```should_panic
/// # use tally_test::{Session, assert_sends};
/// # let mut session = Session::new().unwrap();
/// assert_sends!(session, "3 + 4 + 5", 3);
/// ```
#[macro_export]
macro_rules! assert_sends {
    ($session:expr, $source:expr, $sends:expr $(,)?) => {
        $crate::settle("assert_sends", $session.sends($source, $sends))
    };
}

/// Fails if the expression sends more messages.
///
/// ```
/// use tally_test::{Session, assert_sends_at_most};
///
/// let mut session = Session::new()?;
/// assert_sends_at_most!(session, "#(3 1 2) asSortedCollection", 200);
/// # Ok::<(), tally_test::Error>(())
/// ```
///
/// ```should_panic
/// # use tally_test::{Session, assert_sends_at_most};
/// # let mut session = Session::new().unwrap();
/// assert_sends_at_most!(session, "3 + 4 + 5", 1);
/// ```
#[macro_export]
macro_rules! assert_sends_at_most {
    ($session:expr, $source:expr, $sends:expr $(,)?) => {
        $crate::settle(
            "assert_sends_at_most",
            $session.sends_at_most($source, $sends),
        )
    };
}

/// Fails unless the expression sends the message with that selector exactly so often.
///
/// ```
/// use tally_test::{Session, assert_sends_selector};
///
/// let mut session = Session::new()?;
/// assert_sends_selector!(session, "3 + 4 + 5 - 6", "+", 2);
/// # Ok::<(), tally_test::Error>(())
/// ```
///
/// ```should_panic
/// # use tally_test::{Session, assert_sends_selector};
/// # let mut session = Session::new().unwrap();
/// assert_sends_selector!(session, "nil isNil", "isNil", 0);
/// ```
#[macro_export]
macro_rules! assert_sends_selector {
    ($session:expr, $source:expr, $selector:expr, $times:expr $(,)?) => {
        $crate::settle(
            "assert_sends_selector",
            $session.sends_selector($source, $selector, $times),
        )
    };
}

/// Fails if evaluating the expression takes more ticks until all processors are idle: on as many CPUs as there are processors, or on a number of
/// CPUs.
///
/// ```
/// use tally_test::{Session, assert_spans_at_most};
///
/// let mut session = Session::new()?;
/// session.load("worker", "Object subclass: Worker [ run: n [ n timesRepeat: [ ] ] ]")?;
/// // Each worker takes 4 ticks to make and 1 to be sent for 10 ticks.
/// let two = "| a b | a := Worker separate new. b := Worker separate new. a run: 10. b run: 10";
/// assert_spans_at_most!(session, two, 20);
/// assert_spans_at_most!(session, two, 30, cpus = 1);
/// # Ok::<(), tally_test::Error>(())
/// ```
///
/// ```should_panic
/// # use tally_test::{Session, assert_spans_at_most};
/// # let mut session = Session::new().unwrap();
/// assert_spans_at_most!(session, "3 + 4 + 5", 1);
/// ```
#[macro_export]
macro_rules! assert_spans_at_most {
    ($session:expr, $source:expr, $ticks:expr $(,)?) => {
        $crate::settle(
            "assert_spans_at_most",
            $session.spans_at_most($source, $ticks),
        )
    };
    ($session:expr, $source:expr, $ticks:expr, cpus = $cpus:expr $(,)?) => {
        $crate::settle(
            "assert_spans_at_most",
            $session.spans_at_most_on($source, $cpus, $ticks),
        )
    };
}

/// Fails unless the ticks that the expression takes on a number of CPUs, multiplied by a ratio, do not exceed those on one CPU.
///
/// ```
/// use tally_test::{Session, assert_faster_on_cpus};
///
/// let mut session = Session::new()?;
/// session.load("worker", "Object subclass: Worker [ run: n [ n timesRepeat: [ ] ] ]")?;
/// let two = "| a b | a := Worker separate new. b := Worker separate new. a run: 10. b run: 10";
/// assert_faster_on_cpus!(session, two, 2, by = "3 / 2");
/// # Ok::<(), tally_test::Error>(())
/// ```
///
/// ```should_panic
/// # use tally_test::{Session, assert_faster_on_cpus};
/// # let mut session = Session::new().unwrap();
/// assert_faster_on_cpus!(session, "3 + 4 + 5", 2, by = "2");
/// ```
#[macro_export]
macro_rules! assert_faster_on_cpus {
    ($session:expr, $source:expr, $cpus:expr, by = $ratio:expr $(,)?) => {
        $crate::settle(
            "assert_faster_on_cpus",
            $session.faster_on_cpus($source, $cpus, $ratio),
        )
    };
}

/// Fails if the expression makes more objects.
///
/// ```
/// use tally_test::{Session, assert_allocates_at_most};
///
/// let mut session = Session::new()?;
/// assert_allocates_at_most!(session, "Object new. 3 + 4", 1);
/// # Ok::<(), tally_test::Error>(())
/// ```
///
/// ```should_panic
/// # use tally_test::{Session, assert_allocates_at_most};
/// # let mut session = Session::new().unwrap();
/// assert_allocates_at_most!(session, "Object new. Object new", 1);
/// ```
#[macro_export]
macro_rules! assert_allocates_at_most {
    ($session:expr, $source:expr, $objects:expr $(,)?) => {
        $crate::settle(
            "assert_allocates_at_most",
            $session.allocates_at_most($source, $objects),
        )
    };
}

/// Fails if more activations are under way at once in the expression, its own included.
///
/// ```
/// use tally_test::{Session, assert_max_depth};
///
/// let mut session = Session::new()?;
/// assert_max_depth!(session, "3 + 4", 1);
/// # Ok::<(), tally_test::Error>(())
/// ```
///
/// ```should_panic
/// # use tally_test::{Session, assert_max_depth};
/// # let mut session = Session::new().unwrap();
/// assert_max_depth!(session, "[[3 + 4] value] value", 2);
/// ```
#[macro_export]
macro_rules! assert_max_depth {
    ($session:expr, $source:expr, $depth:expr $(,)?) => {
        $crate::settle("assert_max_depth", $session.max_depth($source, $depth))
    };
}

/// Fails unless the sends of a block grow with these sizes as the class of growth says: `constant`, `logarithmic`, `linear`,
/// `linearithmic`, `quadratic` or `cubic`.
///
/// ```
/// use tally_test::{Session, assert_grows};
///
/// let mut session = Session::new()?;
/// assert_grows!(session, "[:n | 1 to: n do: [:i | i + i]]", &[10, 100, 1000, 10000], "linear");
/// # Ok::<(), tally_test::Error>(())
/// ```
///
/// ```should_panic
/// # use tally_test::{Session, assert_grows};
/// # let mut session = Session::new().unwrap();
/// assert_grows!(session, "[:n | 1 to: n do: [:i | i + i]]", &[10, 100, 1000, 10000], "constant");
/// ```
#[macro_export]
macro_rules! assert_grows {
    ($session:expr, $block:expr, $sizes:expr, $class:expr $(,)?) => {
        $crate::settle("assert_grows", $session.grows($block, $sizes, $class))
    };
}

/// Fails if the sends of a block grow with these sizes faster than the class of growth says.
///
/// ```
/// use tally_test::{Session, assert_grows_at_most};
///
/// let mut session = Session::new()?;
/// assert_grows_at_most!(session, "[:n | 1 to: n do: [:i | i + i]]", &[10, 100, 1000, 10000], "quadratic");
/// # Ok::<(), tally_test::Error>(())
/// ```
///
/// ```should_panic
/// # use tally_test::{Session, assert_grows_at_most};
/// # let mut session = Session::new().unwrap();
/// assert_grows_at_most!(session, "[:n | 1 to: n do: [:i | i + i]]", &[10, 100, 1000, 10000], "logarithmic");
/// ```
#[macro_export]
macro_rules! assert_grows_at_most {
    ($session:expr, $block:expr, $sizes:expr, $class:expr $(,)?) => {
        $crate::settle(
            "assert_grows_at_most",
            $session.grows_at_most($block, $sizes, $class),
        )
    };
}

/// Fails unless the expression keeps the limits of a budget of the session.
///
/// ```
/// use tally_test::{CostName, LimitKind, Session, assert_within};
///
/// let mut session = Session::new()?;
/// let limits = [(CostName::Sends, LimitKind::Max, 10), (CostName::Allocations, LimitKind::Exact, 1)];
/// session.budget("making", &limits)?;
/// assert_within!(session, "Object new", "making");
/// # Ok::<(), tally_test::Error>(())
/// ```
///
/// ```should_panic
/// # use tally_test::{Session, assert_within};
/// # let mut session = Session::new().unwrap();
/// assert_within!(session, "3 + 4", "an undeclared budget");
/// ```
#[macro_export]
macro_rules! assert_within {
    ($session:expr, $source:expr, $budget:expr $(,)?) => {
        $crate::settle("assert_within", $session.within($source, $budget))
    };
}

/// Panics if a test failed.
#[doc(hidden)]
#[track_caller]
pub fn settle_tests(name: &str, tested: Result<Vec<Tested>, Error>) {
    let tested = match tested {
        Ok(tested) => tested,
        Err(error) => panic!("{name}! could not run the tests\n{error}"),
    };
    let failures: Vec<&str> = tested.iter().filter_map(Tested::failure).collect();
    if failures.is_empty() {
        return;
    }
    let mut text = format!("{} of {} tests failed", failures.len(), tested.len());
    for failure in failures {
        let _ = write!(text, "\n{failure}");
    }
    panic!("{name}! {text}");
}

/// Fails unless all tests pass that the loaded code defines. Each runs in a copy of the session's machine.
///
/// ```
/// use tally_test::{Session, assert_tests_pass};
///
/// let mut session = Session::new()?;
/// session.load("sumtest.st", "TestCase subclass: SumTest [ testSum [ self assert: 3 + 4 equals: 7 ] ]")?;
/// assert_tests_pass!(session);
/// # Ok::<(), tally_test::Error>(())
/// ```
///
/// ```should_panic
/// # use tally_test::{Session, assert_tests_pass};
/// # let mut session = Session::new().unwrap();
/// # let source = "TestCase subclass: SumTest [ testSum [ self assert: 3 + 4 equals: 8 ] ]";
/// # if session.load("sumtest.st", source).is_err() { return }
/// assert_tests_pass!(session);
/// ```
#[macro_export]
macro_rules! assert_tests_pass {
    ($session:expr $(,)?) => {
        $crate::settle_tests("assert_tests_pass", $session.run_tests())
    };
}
