//! Assertions about counts as macros. A macro panics if its assertion does not hold, with the explanation that a test in
//! Smalltalk gives. Remarks about an assertion that holds go to standard error, because sends are a proxy.

/// Panics unless an assertion holds.
#[doc(hidden)]
#[macro_export]
macro_rules! __settle_assertion {
    ($name:literal, $asserted:expr) => {
        match $asserted {
            Err(error) => panic!("{}! could not measure: {error}", $name),
            Ok(asserted) => {
                for note in asserted.notes() {
                    eprintln!("note: {note}");
                }
                if let Some(failure) = asserted.failure() {
                    panic!("{}! {failure}", $name);
                }
            }
        }
    };
}

/// Fails unless the first expression sends fewer messages than the second; with `by`, fewer by that factor. Both are
/// evaluated in a fresh copy of the session's machine.
///
/// ```
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// use tally_profiler::{Session, assert_faster_than};
///
/// let mut session = Session::new(vm, compiled);
/// assert_faster_than!(session, "3 + 4", "3 + 4 + 5");
/// assert_faster_than!(session, "3 + 4 + 5", "1 + 2 + 3 + 4 + 5", by = "2");
/// ```
///
/// ```should_panic
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// # use tally_profiler::{Session, assert_faster_than};
/// # let mut session = Session::new(vm, compiled);
/// // [A] sends 2 messages, [B] 1
/// assert_faster_than!(session, "3 + 4 + 5", "3 + 4");
/// ```
#[macro_export]
macro_rules! assert_faster_than {
    ($session:expr, $first:expr, $second:expr $(,)?) => {
        $crate::__settle_assertion!("assert_faster_than", $session.faster_than($first, $second))
    };
    ($session:expr, $first:expr, $second:expr, by = $ratio:expr $(,)?) => {
        $crate::__settle_assertion!(
            "assert_faster_than",
            $session.faster_than_by($first, $second, $ratio)
        )
    };
}

/// Fails unless the expression sends exactly the given number of messages.
///
/// ```
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// use tally_profiler::{Session, assert_sends};
///
/// let mut session = Session::new(vm, compiled);
/// assert_sends!(session, "3 + 4 + 5", 2);
/// ```
///
/// ```should_panic
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// # use tally_profiler::{Session, assert_sends};
/// # let mut session = Session::new(vm, compiled);
/// assert_sends!(session, "3 + 4 + 5", 3);
/// ```
#[macro_export]
macro_rules! assert_sends {
    ($session:expr, $source:expr, $sends:expr $(,)?) => {
        $crate::__settle_assertion!("assert_sends", $session.sends($source, $sends))
    };
}

/// Fails if the expression sends more messages.
///
/// ```
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// use tally_profiler::{Session, assert_sends_at_most};
///
/// let mut session = Session::new(vm, compiled);
/// assert_sends_at_most!(session, "#(3 1 2) asSortedCollection", 200);
/// ```
///
/// ```should_panic
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// # use tally_profiler::{Session, assert_sends_at_most};
/// # let mut session = Session::new(vm, compiled);
/// assert_sends_at_most!(session, "3 + 4 + 5", 1);
/// ```
#[macro_export]
macro_rules! assert_sends_at_most {
    ($session:expr, $source:expr, $sends:expr $(,)?) => {
        $crate::__settle_assertion!(
            "assert_sends_at_most",
            $session.sends_at_most($source, $sends)
        )
    };
}

/// Fails unless the expression sends the message with that selector exactly so often.
///
/// ```
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// use tally_profiler::{Session, assert_sends_selector};
///
/// let mut session = Session::new(vm, compiled);
/// assert_sends_selector!(session, "3 + 4 + 5 - 6", "+", 2);
/// ```
///
/// ```should_panic
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// # use tally_profiler::{Session, assert_sends_selector};
/// # let mut session = Session::new(vm, compiled);
/// assert_sends_selector!(session, "nil isNil", "isNil", 0);
/// ```
#[macro_export]
macro_rules! assert_sends_selector {
    ($session:expr, $source:expr, $selector:expr, $times:expr $(,)?) => {
        $crate::__settle_assertion!(
            "assert_sends_selector",
            $session.sends_selector($source, $selector, $times)
        )
    };
}

/// Fails if the expression makes more objects.
///
/// ```
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// use tally_profiler::{Session, assert_allocates_at_most};
///
/// let mut session = Session::new(vm, compiled);
/// assert_allocates_at_most!(session, "Object new. 3 + 4", 1);
/// ```
///
/// ```should_panic
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// # use tally_profiler::{Session, assert_allocates_at_most};
/// # let mut session = Session::new(vm, compiled);
/// assert_allocates_at_most!(session, "Object new. Object new", 1);
/// ```
#[macro_export]
macro_rules! assert_allocates_at_most {
    ($session:expr, $source:expr, $objects:expr $(,)?) => {
        $crate::__settle_assertion!(
            "assert_allocates_at_most",
            $session.allocates_at_most($source, $objects)
        )
    };
}

/// Fails if more activations are under way at once in the expression, its own included.
///
/// ```
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// use tally_profiler::{Session, assert_max_depth};
///
/// let mut session = Session::new(vm, compiled);
/// assert_max_depth!(session, "3 + 4", 1);
/// ```
///
/// ```should_panic
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// # use tally_profiler::{Session, assert_max_depth};
/// # let mut session = Session::new(vm, compiled);
/// assert_max_depth!(session, "[[3 + 4] value] value", 2);
/// ```
#[macro_export]
macro_rules! assert_max_depth {
    ($session:expr, $source:expr, $depth:expr $(,)?) => {
        $crate::__settle_assertion!("assert_max_depth", $session.max_depth($source, $depth))
    };
}

/// Fails unless the sends of a block grow with these sizes as the class of growth says: `constant`, `logarithmic`, `linear`,
/// `linearithmic`, `quadratic` or `cubic`.
///
/// ```
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// use tally_profiler::{Session, assert_grows};
///
/// let mut session = Session::new(vm, compiled);
/// assert_grows!(session, "[:n | 1 to: n do: [:i | i + i]]", &[10, 100, 1000, 10000], "linear");
/// ```
///
/// ```should_panic
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// # use tally_profiler::{Session, assert_grows};
/// # let mut session = Session::new(vm, compiled);
/// assert_grows!(session, "[:n | 1 to: n do: [:i | i + i]]", &[10, 100, 1000, 10000], "constant");
/// ```
#[macro_export]
macro_rules! assert_grows {
    ($session:expr, $block:expr, $sizes:expr, $class:expr $(,)?) => {
        $crate::__settle_assertion!("assert_grows", $session.grows($block, $sizes, $class))
    };
}

/// Fails if the sends of a block grow with these sizes faster than the class of growth says.
///
/// ```
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// use tally_profiler::{Session, assert_grows_at_most};
///
/// let mut session = Session::new(vm, compiled);
/// assert_grows_at_most!(session, "[:n | 1 to: n do: [:i | i + i]]", &[10, 100, 1000, 10000], "quadratic");
/// ```
///
/// ```should_panic
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// # use tally_profiler::{Session, assert_grows_at_most};
/// # let mut session = Session::new(vm, compiled);
/// assert_grows_at_most!(session, "[:n | 1 to: n do: [:i | i + i]]", &[10, 100, 1000, 10000], "logarithmic");
/// ```
#[macro_export]
macro_rules! assert_grows_at_most {
    ($session:expr, $block:expr, $sizes:expr, $class:expr $(,)?) => {
        $crate::__settle_assertion!(
            "assert_grows_at_most",
            $session.grows_at_most($block, $sizes, $class)
        )
    };
}

/// Fails unless the expression keeps the limits of a budget of the session.
///
/// ```
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// use tally_profiler::{Session, assert_within};
///
/// let mut session = Session::new(vm, compiled);
/// use tally_profiler::{CostName, LimitKind};
/// let limits = [(CostName::Sends, LimitKind::Max, 10), (CostName::Allocations, LimitKind::Exact, 1)];
/// assert!(session.budget("making", &limits).is_ok());
/// assert_within!(session, "Object new", "making");
/// ```
///
/// ```should_panic
/// # use tally_compiler::{compile, environment::MachineEnvironment};
/// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
/// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
/// #     let compiled = compile(name, source, &MachineEnvironment(vm));
/// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
/// # }
/// # let Ok(vm) = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()) else { return };
/// # use tally_profiler::{Session, assert_within};
/// # let mut session = Session::new(vm, compiled);
/// assert_within!(session, "3 + 4", "an undeclared budget");
/// ```
#[macro_export]
macro_rules! assert_within {
    ($session:expr, $source:expr, $budget:expr $(,)?) => {
        $crate::__settle_assertion!("assert_within", $session.within($source, $budget))
    };
}
