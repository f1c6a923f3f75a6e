//! The assertions of a [`Session`] as functions. Each sends one message to a TestAsserter of the session; the
//! TestAsserter decides and writes the explanation. The macros are in `macros`.

use tally_vm::Vm;

use super::{AssertionError, Session, finished};
use crate::counts::{CostName, LimitKind};

/// The outcome of an assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    failure: Option<String>,
    notes: Vec<String>,
}

impl Assertion {
    /// Whether it holds.
    pub fn holds(&self) -> bool {
        self.failure.is_none()
    }

    /// Why it does not hold: both counts, their difference, and the methods that account for it, with their places.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Remarks about an assertion that holds: costs that moved against the sends (counting model, 8), ratchets that could
    /// be lowered.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// A kind of limit, as the library calls it.
fn kind_name(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Max => "max",
        LimitKind::Exact => "exact",
        LimitKind::Ratchet => "ratchet",
    }
}

/// The result of an assertion.
type Asserted = Result<Assertion, AssertionError>;

/// Each assertion fails to come about, with an [`AssertionError`], if something in it does not compile or ends by an error.
#[allow(clippy::missing_errors_doc)] // said above, once for all
impl Session {
    /// Sends a message to a TestAsserter, like `assert: [3 + 4] sendsAtMost: 1`, in a copy of the session's machine.
    ///
    /// ```
    /// # use tally_compiler::{compile, environment::MachineEnvironment};
    /// # use tally_profiler::Session;
    /// # use tally_vm::{Config, MemoryHost, Vm, bytecode::Unit};
    /// # fn compiled(name: &str, source: &str, vm: &Vm) -> Result<Unit, String> {
    /// #     let compiled = compile(name, source, &MachineEnvironment(vm));
    /// #     compiled.unit.ok_or_else(|| format!("{:?}", compiled.diagnostics))
    /// # }
    /// # let vm = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default())?;
    /// # let mut session = Session::new(vm, compiled);
    /// let asserted = session.assertion("assert: [3 + 4] sendsAtMost: 0")?;
    /// assert_eq!(
    ///     asserted.failure(),
    ///     Some("expected at most 0 sends, counted 1: 1 more\n       sends  method\n           1  <expression> (<expression>:1)")
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn assertion(&mut self, message: &str) -> Asserted {
        let text = format!(
            "| failure | CountedEvaluation reset. \
             [TestAsserter new {message}] on: CountedAssertionFailure do: [:it | failure := it messageText. it return: nil]. \
             {{failure}} , CountedEvaluation notes"
        );
        let unit = self.unit("<expression>", &text)?;
        let mut copy = self.vm.fork(Box::<tally_vm::MemoryHost>::default());
        copy.reset_counters();
        finished(message, &mut copy, unit)?;
        Ok(answered(&copy))
    }

    /// Whether the first expression sends fewer messages than the second.
    pub fn faster_than(&mut self, first: &str, second: &str) -> Asserted {
        self.assertion(&format!("assertIs: [{first}] fasterThan: [{second}]"))
    }

    /// Whether the first expression's sends, multiplied by the ratio, do not exceed the second's. The ratio is an expression
    /// too: `5/3` stands for 40 % fewer.
    pub fn faster_than_by(&mut self, first: &str, second: &str, ratio: &str) -> Asserted {
        self.assertion(&format!(
            "assertIs: [{first}] fasterThan: [{second}] by: ({ratio})"
        ))
    }

    /// Whether the expression sends exactly the expected number of messages.
    pub fn sends(&mut self, source: &str, sends: u64) -> Asserted {
        self.assertion(&format!("assert: [{source}] sendsExactly: {sends}"))
    }

    /// Whether the expression sends no more messages.
    pub fn sends_at_most(&mut self, source: &str, sends: u64) -> Asserted {
        self.assertion(&format!("assert: [{source}] sendsAtMost: {sends}"))
    }

    /// Whether the expression sends the message with that selector exactly so often.
    pub fn sends_selector(&mut self, source: &str, selector: &str, times: u64) -> Asserted {
        let selector = symbol(selector);
        self.assertion(&format!(
            "assert: [{source}] sends: {selector} times: {times}"
        ))
    }

    /// Whether the expression makes no more objects.
    pub fn allocates_at_most(&mut self, source: &str, objects: u64) -> Asserted {
        self.assertion(&format!("assert: [{source}] allocatesAtMost: {objects}"))
    }

    /// Whether no more activations are under way at once in the expression.
    pub fn max_depth(&mut self, source: &str, depth: u64) -> Asserted {
        self.assertion(&format!("assert: [{source}] maxDepth: {depth}"))
    }

    /// Whether the sends of a block, like `[:n | n factorial]`, grow with these sizes as `class` says: `constant`,
    /// `logarithmic`, `linear`, `linearithmic`, `quadratic` or `cubic`.
    pub fn grows(&mut self, block: &str, sizes: &[u64], class: &str) -> Asserted {
        let (sizes, class) = (array(sizes), symbol(class));
        self.assertion(&format!("assert: {block} over: {sizes} grows: {class}"))
    }

    /// Whether the sends of a block grow with these sizes no faster than `class` says.
    pub fn grows_at_most(&mut self, block: &str, sizes: &[u64], class: &str) -> Asserted {
        let (sizes, class) = (array(sizes), symbol(class));
        self.assertion(&format!(
            "assert: {block} over: {sizes} growsAtMost: {class}"
        ))
    }

    /// Gives the session a budget, which [`Session::within`] refers to by its name.
    pub fn budget(
        &mut self,
        name: &str,
        limits: &[(CostName, LimitKind, u64)],
    ) -> Result<(), AssertionError> {
        let limits: Vec<String> = limits
            .iter()
            .map(|(cost, kind, limit)| format!("#{} #{} {limit}", cost.name(), kind_name(*kind)))
            .collect();
        let text = format!(
            "CountedBudget name: {} limits: #({})",
            quoted(name),
            limits.join(" ")
        );
        self.load("<budget>", &text)
    }

    /// Whether the expression keeps the limits of the budget of that name.
    pub fn within(&mut self, source: &str, budget: &str) -> Asserted {
        let budget = quoted(budget);
        self.assertion(&format!("assert: [{source}] within: {budget}"))
    }
}

/// A literal string.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A literal symbol.
fn symbol(text: &str) -> String {
    format!("#{}", quoted(text))
}

/// A literal Array.
fn array(numbers: &[u64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    format!("#({})", numbers.join(" "))
}

/// Reads the machine's last result: the text of the failure or nil, then the notes.
fn answered(vm: &Vm) -> Assertion {
    let texts = vm.heap.slots(vm.result()).to_vec();
    let mut texts = texts.into_iter().map(|value| vm.text_of(value));
    Assertion {
        failure: texts.next().flatten(),
        notes: texts.flatten().collect(),
    }
}
